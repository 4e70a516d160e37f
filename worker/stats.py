"""What the worker has done since it was installed, and when Plex was away: counters that are kept, roughly.

Written every few seconds at most, and at the end: a crash may lose seconds of counting, never a job. Standard library
only.
"""

import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from runtime.state_file import number_in, read_state, text_in
from worker.kept_state import keep

SAVE_EVERY_SECONDS = 5.0
MOST_OUTAGES = 50


@dataclass(frozen=True, slots=True)
class Outage:
    """A time in which Plex could not be asked, and why."""

    began_at: float
    ended_at: float
    kind: str
    sentence: str

    @property
    def seconds(self) -> float:
        return max(0.0, self.ended_at - self.began_at)


@dataclass(frozen=True, slots=True)
class Counters:
    """Jobs that are done or were given up, and how long the worker worked on jobs. `outages`: the last first."""

    done: int = 0
    failed: int = 0
    seconds_worked: float = 0.0
    outages: tuple[Outage, ...] = ()

    @property
    def mean_seconds(self) -> float:
        return self.seconds_worked / max(self.done + self.failed, 1)


def read_stats(path: str) -> Counters:
    """Read the counters; what makes no sense counts as nothing."""
    raw = read_state(path)
    found: object = raw.get("outages")
    listed = cast("list[object]", found) if isinstance(found, list) else []
    outages = [_outage(cast("dict[str, Any]", one)) for one in listed if isinstance(one, Mapping)]
    return Counters(
        done=int(number_in(raw, "done")),
        failed=int(number_in(raw, "failed")),
        seconds_worked=number_in(raw, "seconds_worked"),
        outages=tuple(outages[:MOST_OUTAGES]),
    )


def _outage(raw: dict[str, Any]) -> Outage:
    return Outage(
        number_in(raw, "began_at"), number_in(raw, "ended_at"), text_in(raw, "kind"), text_in(raw, "sentence")
    )


class WorkerStats:
    """The counters of a running worker; all lanes count in one."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._counters = read_stats(path)
        self._saved = self._counters
        self._saved_at = float("-inf")

    def look(self) -> Counters:
        with self._lock:
            return self._counters

    def count(self, *, done: int = 0, failed: int = 0, seconds: float = 0.0) -> None:
        with self._lock:
            now = self._counters
            self._counters = replace(
                now,
                done=now.done + done,
                failed=now.failed + failed,
                seconds_worked=now.seconds_worked + max(seconds, 0.0),
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
            if self._counters != self._saved and keep(self._path, asdict(self._counters)):
                self._saved = self._counters
