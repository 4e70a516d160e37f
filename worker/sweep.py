"""The sweep: a walk over all scenes that finds what no hook told, and queues it."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass

from ledger.records import Judgement
from ledger.store import Ledger
from stash.client import PAGE_SIZE, SweepPage
from sync_queue.manager import QueueManager
from sync_queue.models import SWEEP
from sync_queue.operations import AT_ONCE
from validation.config import Stash2PlexConfig
from validation.events import MAX_ID
from worker.clock import Clock
from worker.conditions import ConditionsBoard
from worker.plex_line import known_machine
from worker.stash_jobs import StashJobs
from worker.stash_line import StashLine
from worker.sweep_rules import SweepRules

PATIENCE_SECONDS = 60.0
POLL_SECONDS = 0.1


@dataclass(slots=True)
class Tally:
    """How far a sweep has come: scenes seen, and those of them (or gone from Stash) that were queued."""

    scenes: int = 0
    differing: int = 0


class Sweep:
    """One walk at a time, a page of scenes after the other; where it was is nowhere kept, so it begins anew.

    Its jobs are due now and not at once: a person's edit overtakes them. A job that waits already stays as it is.
    """

    def __init__(
        self,
        queue: QueueManager,
        ledger: Ledger,
        line: StashLine,
        board: ConditionsBoard,
        jobs: StashJobs,
        clock: Clock,
    ) -> None:
        self._queue = queue
        self._ledger = ledger
        self._line = line
        self._board = board
        self._jobs = jobs
        self._clock = clock
        self._stop = threading.Event()
        self._patience_seconds = PATIENCE_SECONDS
        self.tally = Tally()

    def stop(self) -> None:
        """End after the page in hand, for good."""
        self._stop.set()

    def run(self, config: Stash2PlexConfig) -> bool:
        """Walk over all scenes; False if it had to end before the last one. Raises StashError."""
        self.tally = Tally()
        self._patience_seconds = PATIENCE_SECONDS
        try:
            machine, unsettled = known_machine(self._ledger, config), frozenset(self._ledger.unsettled())
            return self._walk(SweepRules(config, machine, unsettled, self._clock.now()))
        finally:
            self._line.hang_up()

    def _walk(self, rules: SweepRules) -> bool:
        last_id = 0
        while self._may_go_on():
            page = self._line.client().sweep_page(last_id)
            self._jobs.note(page.jobs)
            if self._jobs.is_busy:  # what it changes is found by the sweep after it
                return False
            self._enqueue(list(self._differing(page, last_id, rules)))
            self.tally.scenes += len(page.scenes)
            if page.is_last:
                return True
            last_id = page.scenes[-1].id
        return False

    def _may_go_on(self) -> bool:
        """Let the edits of people go first, for a while; then see whether there is still reason to sweep."""
        while self._queue.next_due_at(self._clock.now()) == AT_ONCE and self._patience_seconds > 0:
            self._patience_seconds -= POLL_SECONDS
            if self._stop.wait(POLL_SECONDS):
                break
        return not self._stop.is_set() and self._board.read().obstacle is None

    def _differing(self, page: SweepPage, after_id: int, rules: SweepRules) -> Iterator[int]:
        """List the scenes of a page that are new or changed, and those before its last one that Stash lacks."""
        scenes = {scene.id: scene for scene in page.scenes}
        if not scenes and after_id == 0:  # a Stash that opened the wrong database must not make us forget everything
            return
        for known in self._judgements(after_id, MAX_ID if page.is_last else page.scenes[-1].id):
            scene = scenes.pop(known.scene_id, None)
            if scene is None or rules.wants(scene, known):
                yield known.scene_id
        yield from scenes

    def _judgements(self, after_id: int, up_to_id: int) -> Iterator[Judgement]:
        while known := self._ledger.judgements(after_id, up_to_id, PAGE_SIZE):
            yield from known
            after_id = known[-1].scene_id

    def _enqueue(self, ids: list[int]) -> None:
        for start in range(0, len(ids), PAGE_SIZE):
            now = self._clock.now()
            self._queue.enqueue("scene", ids[start : start + PAGE_SIZE], SWEEP, now, due_at=now, hurries=False)
        self.tally.differing += len(ids)
