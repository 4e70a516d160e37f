"""The composition root: the one module that decides who works with whom."""

import logging
import time
from dataclasses import dataclass

from ledger.store import Ledger
from plex.device_identity import load_identity
from runtime.folder import DataFolder
from runtime.redaction import Redactor
from runtime.version import VERSION
from sync_queue.manager import QueueManager
from sync_queue.operations import PICTURE_LANE
from worker.clock import Clock, SystemClock
from worker.conditions import ConditionsBoard
from worker.outage_text import outage_sentence
from worker.picture_work import PictureWork
from worker.plex_line import PlexLine
from worker.plex_target import PlexTarget
from worker.probe import PlexProbe
from worker.processor import SyncWorker
from worker.recovery import RecoveryScheduler
from worker.scene_work import SceneWork
from worker.stash_jobs import StashJobs
from worker.stash_line import StashLine
from worker.stash_watch import StashWatch
from worker.sweep import Sweep
from worker.sweeper import Sweeper

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Crew:
    """The parts of a running worker that its process has to do with."""

    queue: QueueManager
    lanes: tuple[SyncWorker, ...]
    watch: StashWatch
    sweeper: Sweeper
    board: ConditionsBoard
    target: PlexTarget
    ledger: Ledger
    recovery: RecoveryScheduler
    clock: Clock
    notice: str | None

    def trouble(self) -> str | None:
        """Say what keeps jobs waiting although the conditions are good."""
        lanes = (lane.trouble for lane in self.lanes if lane.trouble)
        return next(lanes, None) or outage_sentence(self.recovery.breaker.look(), self.clock.now())

    def close(self) -> None:
        self.recovery.stats.save()
        self.queue.close()
        self.target.close()
        self.ledger.close()


def assemble(folder: DataFolder, redactor: Redactor) -> Crew:
    """Build a worker over the queue in this folder. The caller holds the worker's lock."""
    clock = SystemClock()
    queue = QueueManager.begin(folder.queue_dir, clock.now())
    ledger, notice = _begin_ledger(folder, queue, clock)
    identity = load_identity(folder.root, VERSION)
    board, jobs = ConditionsBoard(), StashJobs()
    sweeper = Sweeper(Sweep(queue, ledger, StashLine(queue), board, jobs, clock), ledger, board, jobs, clock)
    recovery = RecoveryScheduler(folder, PlexProbe(ledger, identity), clock, redactor)
    scenes_line = StashLine(queue)
    target = PlexTarget(queue, ledger, PlexLine(ledger, folder.ledger, identity, scenes_line, clock), clock)
    scenes = SceneWork(queue, scenes_line, target, sweeper.ask, clock)
    pictures = PictureWork(ledger, StashLine(queue), identity, clock)
    shared = (board, recovery, clock, redactor)
    lanes = (
        SyncWorker(queue, scenes, *shared),
        SyncWorker(queue, pictures, *shared, lane=PICTURE_LANE, batch=1, least_poll_seconds=1.0),
    )
    watch = StashWatch(queue, StashLine(queue), board, jobs, clock, folder.settings_file, redactor)
    return Crew(queue, lanes, watch, sweeper, board, target, ledger, recovery, clock, queue.notice or notice)


def _begin_ledger(folder: DataFolder, queue: QueueManager, clock: Clock) -> tuple[Ledger, str | None]:
    """Open the ledger; one that is damaged is put aside, and a sentence says so."""
    ledger, put_aside_as = Ledger.begin(folder.ledger, time.strftime("%Y%m%d-%H%M%S"))
    if not put_aside_as:
        return ledger, None
    notice = f"The ledger was damaged; it is kept as {put_aside_as}. All scenes are compared anew."
    log.error("%s", notice)
    queue.enqueue("all", [0], "the ledger was damaged", clock.now(), due_at=clock.now(), full=True)
    return ledger, notice
