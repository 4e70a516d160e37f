"""Pictures, in a lane of their own: fetched from Stash, looked at, uploaded once in their life, shown and locked."""

import logging
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace

from ledger.records import PictureRecord, SceneRecord
from ledger.states import PictureState, SceneState
from ledger.store import Ledger
from ledger.values import FORGOTTEN_AT
from model.errors import ItemNotFound, TargetError
from model.picture import PictureKind
from runtime.clock import Clock
from stash.cover import CoverRefused
from stash.exceptions import StashError, StashRefused, StashUnauthorized, StashUnintelligible
from sync.batch_time import BatchTime
from sync.connection import IDENTIFY_EVERY_SECONDS, Connect, connection_settings, keep_server, known_server
from sync.outcome import Dead, Done, Outcome, Unbegun
from sync.pictures.batch import PictureBatch, WantedCover
from sync.pictures.covers import is_final, screenshot_stamp, wanted_kinds, with_companions
from sync.retries.patience import after_missing_cover, after_stash_error, outcome_of, rule_for
from sync.runs import OpenRun
from sync.stash_connection import StashConnection
from sync.target import Target
from sync_queue.models import SyncJob
from validation.config import Stash2PlexConfig

log = logging.getLogger(__name__)


Finished = tuple[SyncJob, Outcome]


Known = Mapping[PictureKind, PictureRecord | None]


@dataclass(frozen=True, slots=True)
class _Beside:
    """Another item that holds a file of the scene."""

    item_id: str
    path: str
    known: Known


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A picture job whose scene is on the server and has a cover to be fetched."""

    job: SyncJob
    record: SceneRecord
    item_id: str
    screenshot: str
    stamp: str
    known: Known
    beside: tuple[_Beside, ...] = ()

    @property
    def item_ids(self) -> tuple[str, ...]:
        """All items of the scene, the main one first."""
        return (self.item_id, *(one.item_id for one in self.beside))


class PictureWork:
    """Settles picture jobs, a batch of scenes at a time. For a thread of its own."""

    def __init__(self, name: str, ledger: Ledger, stash: StashConnection, connect: Connect, clock: Clock) -> None:
        self._name = name
        self._ledger = ledger
        self._stash = stash
        self._connect = connect
        self._clock = clock
        self._client: Target | None = None
        self._made_from: tuple[object, ...] = ()
        self._identify_at = 0.0
        self._run = OpenRun(ledger, "pictures", clock)

    def work(self, jobs: Sequence[SyncJob], config: Stash2PlexConfig) -> Generator[Finished, None, None]:
        try:
            wanted = self._wanted(jobs, config)
        except StashError as problem:
            if isinstance(problem, StashUnauthorized):
                self._stash.disconnect()
            if len(jobs) > 1 and isinstance(problem, StashRefused | StashUnintelligible):
                for job in jobs:  # one scene may be what Stash cannot answer for
                    yield from self.work([job], config)
            else:
                yield from ((job, after_stash_error(job, problem)) for job in jobs)
            return
        ids = {one.job.id for one in wanted}
        yield from ((job, Done()) for job in jobs if job.id not in ids)
        if wanted:
            yield from self._show_all(wanted, config)

    def rest(self, config: Stash2PlexConfig) -> None:  # noqa: ARG002 - nothing to do by the clock
        self._run.end()

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def _wanted(self, jobs: Sequence[SyncJob], config: Stash2PlexConfig) -> list[_Wanted]:
        """Read what Stash and the ledger know of the scenes; those that are not on the server need no picture."""
        began_at, ids = self._clock.now(), [job.id for job in jobs]
        scenes = self._stash.client().scenes(ids)
        records, known = self._ledger.scenes.of(ids), self._ledger.pictures.of_scenes(ids)
        of_server = self._opened(config).capabilities.pictures
        kinds = with_companions(wanted_kinds(config, of_server), of_server)
        wanted: list[_Wanted] = []
        for job in jobs:
            scene, record = scenes.get(job.id), records.get(job.id)
            if scene is None or not scene.screenshot or record is None or record.item_id is None:
                continue
            if record.state in (SceneState.SYNCED, SceneState.REFUSED):  # what was refused keeps nothing else back
                # Another cover may come under a fresh stamp: without one, whoever looks next has the bytes compared.
                stamp = screenshot_stamp(scene.screenshot) if is_final(scene.screenshot, began_at) else ""
                of_kinds = {kind: known.get((job.id, kind.value)) for kind in kinds}
                wanted.append(_Wanted(job, record, record.item_id, scene.screenshot, stamp, of_kinds))
        return self._with_others(wanted)

    def _with_others(self, wanted: Sequence[_Wanted]) -> list[_Wanted]:
        """Add the other items of the scenes, and what became of the pictures on each."""
        servers = {one.record.server_id for one in wanted}
        places = {server: self._ledger.items.of_scenes([one.job.id for one in wanted], server) for server in servers}
        return [self._with_beside(one, places[one.record.server_id].get(one.job.id, ())) for one in wanted]

    def _with_beside(self, one: _Wanted, places: Sequence[tuple[str, str]]) -> _Wanted:
        others = [(item_id, path) for item_id, path in places if item_id != one.item_id]
        if not others:
            return one
        known = self._ledger.pictures.beside([item_id for item_id, _ in places], one.record.server_id)

        def on(item_id: str) -> Known:
            """Give what is known of this very item; it may have been the main one before, or none."""
            return {
                kind: main if main and main.item_id == item_id else known.get((item_id, kind.value))
                for kind, main in one.known.items()
            }

        before = {kind: found or one.known[kind] for kind, found in on(one.item_id).items()}
        return replace(one, known=before, beside=tuple(_Beside(key, path, on(key)) for key, path in others))

    def _show_all(self, wanted: Sequence[_Wanted], config: Stash2PlexConfig) -> Generator[Finished, None, None]:
        """Show what can be shown in the time of a batch. A fault of the server ends it; what was given is finished."""
        time, has_failed = BatchTime(self._clock), False
        batch = PictureBatch(
            lambda: self._target(config),
            self._ledger,
            self._run_id,
            self._clock,
            [item_id for one in wanted for item_id in one.item_ids],
            preserve=config.preserve_plex_edits,
        )
        finished: list[tuple[_Wanted, Outcome]] = []
        for place, one in enumerate(wanted):
            if place and (has_failed or time.is_up()):
                finished.append((one, Unbegun()))
                continue
            try:
                finished.append((one, self._show(one, batch)))
            except StashError as problem:
                finished.append((one, after_stash_error(one.job, problem)))
            except TargetError as problem:
                finished.append((one, self._failed(one, problem, config)))
                has_failed = rule_for(problem).blames_server
        unconfirmed = batch.finish()
        for one, outcome in finished:
            error = unconfirmed.get(one.job.id)
            yield one.job, outcome if error is None else self._failed(one, error, config)

    def _show(self, one: _Wanted, batch: PictureBatch) -> Outcome:
        try:
            cover = self._stash.client().cover(one.screenshot)
        except (CoverRefused, StashRefused) as problem:
            return self._without_cover(one, problem)
        wanted = WantedCover(one.record, one.item_id, cover.data, one.stamp, one.known, one.job.verify)
        has_asked = batch.show(wanted)
        for other in one.beside:
            record = replace(one.record, item_id=other.item_id, path=other.path)
            beside = replace(wanted, record=record, item_id=other.item_id, known=other.known, is_main=False)
            try:
                has_asked |= batch.show(beside)
            except ItemNotFound as problem:  # the scene's next sync sees what became of it
                log.info("%s: %s", one.job.key, problem)
        return Done(asked_server=has_asked)

    def _failed(self, one: _Wanted, error: TargetError, config: Stash2PlexConfig) -> Outcome:
        if isinstance(error, ItemNotFound):
            # The next sweep has its scene looked for again, which asks for its pictures where it is found.
            self._ledger.scenes.record_state(one.job.id, SceneState.WAITING, str(error), self._clock.now())
            log.info("%s: %s", one.job.key, error)
            return Done()
        outcome = outcome_of(error, one.job, config, counts_all=True)
        if isinstance(outcome, Dead):
            self._note_all(one, PictureState.FAILED, str(error))
        return outcome

    def _run_id(self) -> int:
        """Return the run a picture belongs to: one with those that came since words were last written."""
        self._run.end_if_before(self._ledger.journal.last_metadata_run())
        return self._run.id()

    def _without_cover(self, one: _Wanted, problem: Exception) -> Outcome:
        """Wait for a cover that may still come, and in the end note why there is none."""
        job = one.job
        if later := after_missing_cover(job, problem):
            return later
        is_refusal = isinstance(problem, CoverRefused)
        self._note_all(one, PictureState.REFUSED if is_refusal else PictureState.FAILED, str(problem))
        log.info("%s: %s", job.key, problem)
        return Done()

    def _note_all(self, one: _Wanted, state: PictureState, sentence: str) -> None:
        """Note why this version of the cover is not shown, so that no sweep asks for it again."""
        now = self._clock.now()
        self._ledger.record_pictures(
            [
                PictureRecord(
                    scene_id=one.job.id,
                    kind=kind.value,
                    item_id=one.item_id,
                    server_id=one.record.server_id,
                    stamp=one.stamp,
                    digest="",
                    key=known.key if known else "",
                    state=state,
                    sentence=sentence,
                    at=now,
                )
                for kind, known in one.known.items()
                if kind is not PictureKind.LANDSCAPE  # it goes with the poster, where an item has one
                and (known is None or not one.stamp or known.stamp != one.stamp)
            ],
            now=now,
        )

    def _target(self, config: Stash2PlexConfig) -> Target:
        """Give the client, and now and then make sure that it is the same server."""
        client, now = self._opened(config), self._clock.monotonic()
        if now >= self._identify_at:
            keep_server(self._ledger, config, self._name, client.identify().server_id)
            self._identify_at = now + IDENTIFY_EVERY_SECONDS
        return client

    def _opened(self, config: Stash2PlexConfig) -> Target:
        wanted = (*connection_settings(config, self._name), self._ledger.values.get(FORGOTTEN_AT))
        if self._client is None or wanted != self._made_from:
            self.close()
            self._client = self._connect(config, known_server(self._ledger, config, self._name))
            self._made_from = wanted
            self._identify_at = 0.0
        return self._client
