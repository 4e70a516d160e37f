"""The sweep: a walk over all scenes that finds what no hook told, and queues it."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

from ledger.index_store import IndexStore
from ledger.records import SweepRecord
from ledger.store import Ledger
from model.picture import PictureKind
from model.targets import TITLES
from runtime.clock import Clock
from stash.client import PAGE_SIZE, SweepPage
from sync.connection import given_path_map, known_server
from sync.pictures.covers import ON_EVERY_SERVER
from sync.stash_connection import StashConnection
from sync_queue.manager import QueueManager, TargetQueue
from sync_queue.models import SWEEP
from sync_queue.operations import SOON, lane_of
from validation.config import Stash2PlexConfig
from validation.events import MAX_ID
from worker.conditions import CurrentConditions
from worker.stash.jobs import StashJobs
from worker.sweeping.rules import SweepRules

PATIENCE_SECONDS = 60.0
POLL_SECONDS = 0.1


@dataclass(slots=True)
class Tally:
    """How far a sweep has come: scenes seen, and those of them (or gone from Stash) that were queued."""

    scenes: int = 0
    differing: int = 0


@dataclass(frozen=True)
class SweptTarget:
    """A target whose record the scenes are compared with, and where its jobs go."""

    name: str
    ledger: Ledger
    jobs: TargetQueue
    index_file: str
    pictures: frozenset[PictureKind] = ON_EVERY_SERVER


class LedgerDamaged(Exception):
    """What is remembered of a target cannot be read any more."""


class Sweep:
    """One walk at a time, a page of scenes after the other; where it was is nowhere kept, so it begins anew.

    Its jobs are due now and not at once: a person's edit overtakes them. A job that waits already stays as it is.
    """

    def __init__(
        self,
        queue: QueueManager,
        targets: Sequence[SweptTarget],
        stash: StashConnection,
        conditions: CurrentConditions,
        jobs: StashJobs,
        clock: Clock,
    ) -> None:
        self._queue = queue
        self._targets = targets
        self._stash = stash
        self._conditions = conditions
        self._jobs = jobs
        self._clock = clock
        self._stop = threading.Event()
        self._patience_seconds = PATIENCE_SECONDS
        self.tally = Tally()

    def stop(self) -> None:
        """End after the page in hand, for good."""
        self._stop.set()

    def wake_lanes(self) -> None:
        """Have a lane that rests look whether Plex has what the sweep left waiting."""
        self._queue.nudge()

    def run(self, config: Stash2PlexConfig) -> bool:
        """Walk over all scenes; False if it had to end before the last one. Raises StashError and LedgerDamaged."""
        self.tally = Tally()
        for target in self._targets:
            if target.ledger.is_damaged():
                raise LedgerDamaged(f"the record of what was synced to {TITLES[target.name]} is damaged")
        self._patience_seconds = PATIENCE_SECONDS
        try:
            with ExitStack() as open_files:
                return self._walk([self._rules(target, config, open_files) for target in self._targets])
        finally:
            self._stash.disconnect()

    def _rules(self, target: SweptTarget, config: Stash2PlexConfig, open_files: ExitStack) -> SweepRules:
        server_id = known_server(target.ledger, config, target.name)
        unfinished = frozenset(
            target.ledger.unfinished.scenes() | target.ledger.items.scenes_that_left(server_id or "")
        )
        index = open_files.enter_context(closing(IndexStore(target.index_file)))
        is_listed = _is_listed(index, config, target.name)
        return SweepRules(config, target.name, server_id, unfinished, self._clock.now(), is_listed, target.pictures)

    def _walk(self, rules: Sequence[SweepRules]) -> bool:
        last_id = 0
        while self._may_go_on():
            page = self._stash.client().sweep_page(last_id)
            self._jobs.note(page.jobs)
            if self._jobs.is_busy:  # what it changes is found by the sweep after it
                return False
            for target, of_target in zip(self._targets, rules, strict=True):
                self._enqueue(target, list(self._differing(page, last_id, target, of_target)))
            self.tally.scenes += len(page.scenes)
            if page.is_last:
                return True
            last_id = page.scenes[-1].id
        return False

    def _may_go_on(self) -> bool:
        """Let the edits of people go first, for a while; then see whether there is still reason to sweep."""
        while self._patience_seconds > 0 and self._has_edits():
            self._patience_seconds -= POLL_SECONDS
            if self._stop.wait(POLL_SECONDS):
                break
        return not self._stop.is_set() and self._conditions.get().obstacle is None

    def _has_edits(self) -> bool:
        now = self._clock.now()
        next_due = (self._queue.next_due_at(now, lane_of(target.name)) for target in self._targets)
        return any(due_at is not None and due_at <= SOON for due_at in next_due)

    def _differing(self, page: SweepPage, after_id: int, target: SweptTarget, rules: SweepRules) -> Iterator[int]:
        """List the scenes of a page that are new or changed, and those before its last one that Stash lacks."""
        scenes = {scene.id: scene for scene in page.scenes}
        if not scenes and after_id == 0:  # a Stash that opened the wrong database must not make us forget everything
            return
        for known in self._records(target.ledger, after_id, MAX_ID if page.is_last else page.scenes[-1].id):
            scene = scenes.pop(known.scene_id, None)
            if scene is None or rules.wants(scene, known):
                yield known.scene_id
        yield from scenes

    def _records(self, ledger: Ledger, after_id: int, up_to_id: int) -> Iterator[SweepRecord]:
        while known := ledger.sweep_records(after_id, up_to_id, PAGE_SIZE):
            yield from known
            after_id = known[-1].scene_id

    def _enqueue(self, target: SweptTarget, ids: list[int]) -> None:
        for start in range(0, len(ids), PAGE_SIZE):
            now = self._clock.now()
            target.jobs.enqueue("scene", ids[start : start + PAGE_SIZE], SWEEP, now, due_at=now, bring_forward=False)
        self.tally.differing += len(ids)


def _is_listed(index: IndexStore, config: Stash2PlexConfig, target: str) -> Callable[[str], bool]:
    """Tell by its name whether a file can be in Plex; a path map that is found out by itself changes no names."""
    path_map = given_path_map(config, target)
    return lambda path: index.has_name(path) or (path_map is not None and index.has_name(path_map.to_target(path)))
