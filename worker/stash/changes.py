"""What has changed in Stash without a hook, read off two snapshots and queued: merges, and hooks that were lost."""

from collections.abc import Callable, Sequence

from runtime.clock import Clock
from stash.client import Newest
from stash.queries import NEWEST
from sync_queue.models import CHANGED
from sync_queue.operations import SOON
from worker.sweeping.sweep import SweptTarget


class StashChanges:
    """Compares what was changed last with the snapshot before; the first sweep is for all that was before the first.

    Stash sorts times as text, so a change in the hour after its clock was set back may wait for the next sweep.
    """

    def __init__(self, targets: Sequence[SweptTarget], ask_for_sweep: Callable[[str], None], clock: Clock) -> None:
        self._targets = targets
        self._ask_for_sweep = ask_for_sweep
        self._clock = clock
        self._before: tuple[Newest, Newest] | None = None
        self._missing = 0

    def note(self, scenes: Newest, performers: Newest) -> None:
        """Queue what has changed, or ask for a sweep where it cannot be told which scenes have."""
        most = max(sum(target.ledger.scenes.counts().values()) for target in self._targets)
        missing = max(most - scenes.count, 0)
        if self._before is not None:
            self._note_changed(scenes.changed_since(self._before[0]))
            if missing > self._missing:  # fewer than we know, and no hook has told which
                self._ask_for_sweep("scenes were merged or deleted in Stash")
            if performers.count < self._before[1].count:  # a merge moves no time of a scene's
                self._enqueue("performer", performers.changed_since(self._before[1]))
        self._before, self._missing = (scenes, performers), missing

    def _note_changed(self, scene_ids: list[int]) -> None:
        if len(scene_ids) >= NEWEST:
            self._ask_for_sweep("many scenes were changed in Stash")
        else:
            self._enqueue("scene", scene_ids)

    def _enqueue(self, kind: str, ids: list[int]) -> None:
        if ids:
            now = self._clock.now()
            for target in self._targets:
                target.jobs.enqueue(kind, ids, CHANGED, now, due_at=SOON, bring_forward=False)
