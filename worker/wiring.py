"""The composition root: the one module that decides who works with whom. The adapters come from `worker.adapters`."""

import logging
import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from ledger.store import Ledger
from model.targets import EMBY, JELLYFIN, PLEX, TITLES
from plan.fields import wants_collections
from runtime.clock import Clock, SystemClock
from runtime.folder import DataFolder, TargetFolder
from runtime.privacy.redaction import Redactor
from sync.connection import Connect, TargetConnection, known_server
from sync.context import TargetContext
from sync.outage.text import outage_sentence, strikes_sentence
from sync.pictures.work import PictureWork
from sync.ports import Reporter
from sync.scenes.pipeline import ScenePipeline
from sync.scenes.work import SceneWork
from sync.stash_connection import StashConnection
from sync.target import Target
from sync_queue.manager import QueueManager
from sync_queue.operations import lane_of
from validation.config import Stash2PlexConfig
from worker.adapters import Server, open_adapter, shown_pictures
from worker.conditions import CurrentConditions
from worker.older_layout import take_over_older_layout
from worker.outage.picture_recovery import PictureRecovery
from worker.outage.probe import TargetProbe
from worker.processor import JobHandler, SyncWorker
from worker.recovery import RecoveryScheduler
from worker.stash.changes import StashChanges
from worker.stash.jobs import StashJobs
from worker.stash.watch import StashWatch
from worker.sweeping.sweep import Sweep, SweptTarget
from worker.sweeping.sweeper import Sweeper

log = logging.getLogger(__name__)


def connect(
    folder: DataFolder,
    name: str,
    clock: Clock,
    config: Stash2PlexConfig,
    expected_server: str | None,
) -> Target:
    """Make the client of a target. Nothing is asked yet."""
    settings = config.target(name)
    return open_adapter(
        folder.root,
        Server(
            name,
            settings.url,
            settings.key.get_secret_value(),
            folder.target(name).pictures,
            collections=wants_collections(config),
            timeouts=(config.connect_timeout, config.read_timeout),
            expected_server=expected_server,
            monotonic=clock.monotonic,
        ),
    )


def connector(folder: DataFolder, name: str, clock: Clock) -> Connect:
    return partial(connect, folder, name, clock)


@dataclass(frozen=True)
class TargetParts:
    """What works for one target, and for no other: one that is away holds up nobody else."""

    name: str
    ledger: Ledger
    connection: TargetConnection
    pipeline: ScenePipeline
    picture_work: PictureWork
    recovery: RecoveryScheduler
    pictures: PictureRecovery
    lanes: tuple[SyncWorker, SyncWorker]

    def trouble(self, now: float) -> str | None:
        """Say what keeps this target's jobs waiting."""
        circuit = self.recovery.breaker.snapshot()
        return outage_sentence(circuit, now, self.name) or strikes_sentence(circuit, self.name)

    def close(self) -> None:
        self.recovery.stats.save()
        self.picture_work.close()
        self.pipeline.close()
        self.ledger.close()


@dataclass(frozen=True)
class WorkerParts:
    """The parts of a running worker that its process has to do with."""

    queue: QueueManager
    targets: tuple[TargetParts, ...]
    watch: StashWatch
    sweeper: Sweeper
    conditions: CurrentConditions
    stash_jobs: StashJobs
    clock: Clock
    notice: str | None

    @property
    def lanes(self) -> tuple[SyncWorker, ...]:
        return tuple(lane for target in self.targets for lane in target.lanes)

    def trouble(self) -> str | None:
        """Say what keeps jobs waiting although the conditions are good."""
        lanes = [lane.trouble for lane in self.lanes if lane.trouble][:1]
        return " ".join(filter(None, lanes or [target.trouble(self.clock.now()) for target in self.targets])) or None

    def close(self) -> None:
        self.queue.close()
        for target in self.targets:
            target.close()


def build_worker(folder: DataFolder, redactor: Redactor, clock: Clock | None = None) -> WorkerParts:
    """Build a worker over the queue in this folder, for the targets that were on last. The caller holds the lock."""
    clock = clock or SystemClock()
    take_over_older_layout(folder)
    queue = QueueManager.begin(folder.queue_dir, clock.now())
    conditions, jobs = CurrentConditions(), StashJobs()
    names, notices = queue.targets(), list[str]()
    ledgers = {name: _begin_ledger(folder.target(name), name, queue, clock, notices) for name in names}
    swept = [_swept(folder, name, ledgers[name], queue) for name in names]
    sweep = Sweep(queue, swept, StashConnection(queue), conditions, jobs, clock)
    sweeper = Sweeper(sweep, list(ledgers.values()), conditions, jobs, clock)
    targets = tuple(
        _build_target(folder, name, ledgers[name], queue, conditions, sweeper, clock, redactor) for name in names
    )
    changes = StashChanges(swept, sweeper.ask, clock)
    watch = StashWatch(queue, StashConnection(queue), conditions, jobs, changes, sweeper.ask, clock, folder, redactor)
    return WorkerParts(
        queue, targets, watch, sweeper, conditions, jobs, clock, queue.notice or " ".join(notices) or None
    )


def _swept(folder: DataFolder, name: str, ledger: Ledger, queue: QueueManager) -> SweptTarget:
    return SweptTarget(name, ledger, queue.of_target(name), folder.target(name).ledger, shown_pictures(name))


def _build_target(
    folder: DataFolder,
    name: str,
    ledger: Ledger,
    queue: QueueManager,
    conditions: CurrentConditions,
    sweeper: Sweeper,
    clock: Clock,
    redactor: Redactor,
) -> TargetParts:
    own, jobs, connect_to = folder.target(name), queue.of_target(name), connector(folder, name, clock)
    recovery = RecoveryScheduler(own, TargetProbe(name, ledger, connect_to), clock, redactor, TITLES[name])
    stash = StashConnection(queue)
    connection = TargetConnection(name, ledger, own.ledger, connect_to, stash, clock)
    pipeline = ScenePipeline(jobs, ledger, connection, stash, clock)
    pictures = PictureWork(name, ledger, StashConnection(queue), connect_to, clock)
    scenes = SceneWork(jobs, stash, pipeline, sweeper.ask, clock)
    own_recovery = PictureRecovery(recovery, clock)
    lanes = build_lanes(name, queue, conditions, (scenes, recovery), (pictures, own_recovery), clock, redactor)
    return TargetParts(name, ledger, connection, pipeline, pictures, recovery, own_recovery, lanes)


def build_lanes(
    name: str,
    queue: QueueManager,
    conditions: CurrentConditions,
    scenes: tuple[JobHandler, RecoveryScheduler],
    pictures: tuple[JobHandler, PictureRecovery],
    clock: Clock,
    redactor: Redactor,
) -> tuple[SyncWorker, SyncWorker]:
    """Build the two lanes of a target: who does their jobs, and what says when they rest."""
    (work, recovery), (picture_work, picture_recovery) = scenes, pictures
    return (
        SyncWorker(queue, work, conditions, recovery, clock, redactor, target=name, lane=lane_of(name)),
        SyncWorker(
            queue,
            picture_work,
            conditions,
            picture_recovery,
            clock,
            redactor,
            target=name,
            lane=lane_of(name, "picture"),
            least_poll_seconds=1.0,
        ),
    )


def _begin_ledger(folder: TargetFolder, name: str, queue: QueueManager, clock: Clock, notices: list[str]) -> Ledger:
    """Open a target's ledger; one that is damaged is put aside, and a sentence says so."""
    folder.make()
    ledger, put_aside_as = Ledger.begin(folder.ledger, time.strftime("%Y%m%d-%H%M%S"))
    if put_aside_as:
        notice = (
            f"The record of what was synced was damaged; it is kept as {put_aside_as}. All scenes are compared anew."
        )
        log.error("%s", notice)
        notices.append(notice)
        queue.of_target(name).enqueue(
            "all", [0], "the record was damaged", clock.now(), due_at=clock.now(), verify=True
        )
    return ledger


# --- targets for one action --------------------------------------------------------------------------------------


@contextmanager
def open_target(
    folder: DataFolder, config: Stash2PlexConfig, name: str, stash: StashConnection, reporter: Reporter
) -> Generator[TargetContext]:
    """Open ledger and connection of a target, for one thread, until the block ends. Nothing is asked yet."""
    with closing(Ledger.open_at(lambda: folder.target(name).ledger)) as ledger:
        clock = SystemClock()
        connection = TargetConnection(name, ledger, ledger.path, connector(folder, name, clock), stash, clock)

        def item_url(item_id: str) -> str | None:
            server_id = known_server(ledger, config, name)
            page = _PAGES[name].format(
                item=item_id, key=quote(f"/library/metadata/{item_id}", safe=""), server=server_id
            )
            return f"{config.target(name).url}{page}" if server_id else None

        try:
            yield TargetContext(name, TITLES[name], reporter, config, ledger, connection, item_url, stash)
        finally:
            connection.close()


_PAGES = {
    PLEX: "/web/index.html#!/server/{server}/details?key={key}",
    EMBY: "/web/index.html#!/item?id={item}&serverId={server}",
    JELLYFIN: "/web/#/details?id={item}&serverId={server}",
}


@contextmanager
def open_server(folder: DataFolder, config: Stash2PlexConfig, name: str) -> Generator[Target]:
    """Open the connection alone, also where the ledger cannot be used."""
    client = connect(folder, name, SystemClock(), config, _expected_server(folder, config, name))
    try:
        yield client
    finally:
        client.close()


def _expected_server(folder: DataFolder, config: Stash2PlexConfig, name: str) -> str | None:
    """Say which server answered at this address before: the worker writes to no other."""
    try:
        with closing(Ledger.open_at(lambda: folder.target(name).ledger)) as ledger:
            return known_server(ledger, config, name)
    except (sqlite3.Error, OSError):
        return None
