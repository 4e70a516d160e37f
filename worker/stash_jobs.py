"""Stash's own jobs, as the watching and the sweeping thread saw them last."""

import threading
from collections.abc import Iterable

from stash.client import StashJob


class StashJobs:
    """Knows whether Stash is busy with a scan, an identify, a generate, and counts how often it has come to rest.

    A plugin's task is not one of them: some run for ever, and what they edit fires hooks.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_busy = False
        self._rests = 0

    def note(self, jobs: Iterable[StashJob]) -> None:
        is_busy = any(not job.is_plugin_task for job in jobs)
        with self._lock:
            self._rests += self._is_busy and not is_busy
            self._is_busy = is_busy

    @property
    def is_busy(self) -> bool:
        with self._lock:
            return self._is_busy

    @property
    def rests(self) -> int:
        with self._lock:
            return self._rests
