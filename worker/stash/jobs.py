"""Stash's own jobs, as the watching and the sweeping thread saw them last."""

import threading
from collections.abc import Sequence

from stash.client import StashJob

REMEMBERED = 10  # so many finished jobs Stash still knows
SEARCHED = 1000  # up to this id the newest job is looked for at first


class StashJobs:
    """Knows whether Stash is busy with a scan, an identify, a generate, and counts how often one has ended.

    One that began and ended between two looks is found by its id, for ids only grow. A plugin's task is none of them:
    some run for ever, and what they edit fires hooks.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_busy = False
        self._rests = 0
        self._last_id: int | None = None
        self._last_added_at = ""

    @property
    def ids_to_ask_for(self) -> Sequence[int]:
        """The newest id known, and such later ones that of any ten in a row, which Stash remembers, one is there."""
        with self._lock:
            last = self._last_id
        after = range(REMEMBERED, (SEARCHED if last is None else REMEMBERED**2) + 1, REMEMBERED)
        return ((last,) if last else ()) + tuple((last or 0) + step for step in (*range(1, REMEMBERED), *after))

    def ids_after(self, known: Sequence[StashJob]) -> Sequence[int]:
        """Name the nine after the newest of `known`, if that was found by a step of ten: they may be there too."""
        newest = max((job.id for job in known), default=0)
        with self._lock:
            is_step = newest - (self._last_id or 0) >= REMEMBERED
        return range(newest + 1, newest + REMEMBERED) if is_step else ()

    def note(self, queue: Sequence[StashJob], known: Sequence[StashJob] | None = None) -> None:
        """Take in the jobs that wait or run and, if Stash was asked, all it knows that were asked for."""
        is_busy = any(not job.is_plugin_task for job in queue)
        with self._lock:
            self._rests += self._is_busy and not is_busy
            self._is_busy = is_busy
            if known is not None:
                self._rests += self._has_missed(known)
                newest = max(known or queue, key=lambda job: job.id, default=None)
                self._last_id, self._last_added_at = (newest.id, newest.added_at) if newest else (0, "")

    def _has_missed(self, known: Sequence[StashJob]) -> bool:
        """Say whether a job may have ended that nobody saw running. None known any more: Stash was restarted."""
        if self._last_id is None:
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
