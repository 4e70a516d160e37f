"""Stash's own jobs, as the watching and the sweeping thread saw them last."""

import threading
from collections.abc import Callable, Sequence

from stash.client import StashJob

REMEMBERED = 10  # so many finished jobs Stash still knows
SEARCHED = 1000  # up to this id the newest job is looked for at first
MOST_SEARCHED = 128_000  # a Stash that runs for a year and begins a job every four minutes

Ask = Callable[[Sequence[int]], Sequence[StashJob]]
"""Asks Stash which of these jobs it still knows."""


class StashJobs:
    """Knows whether Stash is busy with a scan, an identify, a generate, and counts how often one has ended.

    One that began and ended between two looks is found by its id, for ids only grow. A plugin's task is none of them:
    some run for ever, and what they edit fires hooks.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_busy = False
        self._rests = 0
        self._last_id: int | None = None  # 0: there is none; None: it is not found yet
        self._searched = 0
        self._last_added_at = ""

    @property
    def ids_to_ask_for(self) -> Sequence[int]:
        """Such ids that of any ten in a row, which Stash remembers, one is there: after the newest that is known.

        Where none is, from the first on; and farther with every look, until it is sure that there is none.
        """
        with self._lock:
            last, searched = self._last_id, self._searched
        if last:
            return (last, *(last + step for step in _steps(REMEMBERED**2)))
        return (*_steps(SEARCHED), *(searched + step for step in _steps(searched)[REMEMBERED - 1 :]))

    def search_on(self, known: Sequence[StashJob], ask: Ask) -> Sequence[StashJob]:
        """Give `known`, Stash's answer to the ids asked for, with the later jobs that these did not name.

        One that knows not even the newest was restarted, or has run very many since: it is asked from the first on.
        """
        with self._lock:
            last = self._last_id or 0
        found = [*known, *(ask(_steps(SEARCHED)) if last and not known else ())]
        newest = max((job.id for job in found), default=0)
        is_step = newest >= REMEMBERED and not last <= newest < last + REMEMBERED
        return [*found, *ask(range(newest + 1, newest + REMEMBERED))] if is_step else found

    def note(self, queue: Sequence[StashJob], known: Sequence[StashJob] | None = None) -> None:
        """Take in the jobs that wait or run and, if Stash was asked, all it knows that were asked for."""
        is_busy = any(not job.is_plugin_task for job in queue)
        with self._lock:
            self._rests += self._is_busy and not is_busy
            self._is_busy = is_busy
            if known is not None:
                self._rests += self._has_missed(known)
                self._note_newest(max(known or queue, key=lambda job: job.id, default=None))

    def _note_newest(self, newest: StashJob | None) -> None:
        if newest is not None:
            self._last_id, self._last_added_at, self._searched = newest.id, newest.added_at, 0
        elif self._last_id != 0:
            searched = max(2 * self._searched, SEARCHED)
            self._last_id, self._searched = (None, searched) if searched < MOST_SEARCHED else (0, 0)

    def _has_missed(self, known: Sequence[StashJob]) -> bool:
        """Say whether a job may have ended that nobody saw running. None known any more: Stash was restarted."""
        if self._last_id is None and not self._searched:  # the first look
            return False
        new = [job for job in known if (job.id, job.added_at) != (self._last_id, self._last_added_at)]
        return (bool(self._last_id) and not known) or any(
            job.id == self._last_id or (job.has_ended and not job.is_plugin_task) for job in new
        )

    @property
    def is_busy(self) -> bool:
        with self._lock:
            return self._is_busy

    @property
    def rests(self) -> int:
        with self._lock:
            return self._rests


def _steps(up_to: int) -> Sequence[int]:
    """Give one to nine, and then every tenth."""
    return (*range(1, REMEMBERED), *range(REMEMBERED, up_to + 1, REMEMBERED))
