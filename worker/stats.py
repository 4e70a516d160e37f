"""What the worker has done since it was installed, and when Plex was away: counters that are kept, roughly.

Written every few seconds at most, and at the end: a crash may lose seconds of counting, never a job. Standard library
only.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from runtime.quiet_state import save_quietly
from sync.outage.circuit import Counters, Outage, read_stats
from sync.speed import HOUR, MINUTE, MOST_HOURS, MOST_MINUTES, counted_in

SAVE_EVERY_SECONDS = 5.0
MOST_OUTAGES = 50


class WorkerStats:
    """The counters of a running worker; all lanes count in one."""

    def __init__(self, path: str, now: Callable[[], float] = time.time) -> None:
        """`now` is the wall clock, by which hours are counted."""
        self._path = path
        self._now = now
        self._lock = threading.Lock()
        self._counters = read_stats(path)
        self._saved = self._counters
        self._saved_at = float("-inf")

    def snapshot(self) -> Counters:
        with self._lock:
            return self._counters

    def count(self, *, done: int = 0, failed: int = 0, seconds: float = 0.0) -> None:
        with self._lock:
            known = self._counters
            self._counters = replace(
                known,
                done=known.done + done,
                failed=known.failed + failed,
                seconds_worked=known.seconds_worked + max(seconds, 0.0),
            )
            if done or failed:
                self._count_by_time(done, failed)

    def _count_by_time(self, done: int, failed: int) -> None:
        now, known = self._now(), self._counters
        self._counters = replace(
            known,
            hours=counted_in(known.hours, HOUR, MOST_HOURS, now, done=done, failed=failed),
            minutes=counted_in(known.minutes, MINUTE, MOST_MINUTES, now, done=done, failed=failed),
        )

    def add_outage(self, outage: Outage) -> None:
        """Remember an outage that is over. Told twice of the same one, after a crash, it keeps the later."""
        with self._lock:
            others = [one for one in self._counters.outages if one.began_at != outage.began_at]
            self._counters = replace(self._counters, outages=(outage, *others)[:MOST_OUTAGES])

    def save_now_and_then(self, monotonic: float) -> None:
        """Write what has changed, if the last time is long enough ago."""
        if monotonic - self._saved_at >= SAVE_EVERY_SECONDS:
            self._saved_at = monotonic
            self.save()

    def save(self) -> None:
        with self._lock:
            if self._counters != self._saved and save_quietly(self._path, _state(self._counters)):
                self._saved = self._counters


def _state(counters: Counters) -> dict[str, Any]:
    buckets = {
        name: [[one.at, one.done, one.failed] for one in getattr(counters, name)] for name in ("hours", "minutes")
    }
    return {**asdict(replace(counters, hours=(), minutes=())), **buckets}
