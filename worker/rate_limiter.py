"""RecoveryRateLimiter: after an outage, jobs pass slowly at first, and slower still if Plex stumbles.

5 jobs a second grow to 20 over 300 s. More than 30 % errors in the last 60 s halve the rate for at least 60 s, fewer
than 10 % restore it. Then the limit is gone, and its file with it. Standard library only, as the circuit breaker.
"""

import threading
from collections import deque
from dataclasses import asdict, replace

from runtime.quiet_state import remove_quietly, save_quietly
from sync.outage.circuit import Recovery, read_recovery

FIRST_RATE = 5.0
LAST_RATE = 20.0
RAMP_SECONDS = 300.0
WINDOW_SECONDS = 60.0
HALVED_SECONDS = 60.0
TOO_MANY_ERRORS = 0.3
FEW_ERRORS = 0.1
BURST_SECONDS = 1.0  # what nobody took in a second is gone


class RecoveryRateLimiter:
    """A token bucket, one token a job, that exists only during the recovery period. All lanes share it."""

    def __init__(self, path: str, now: float) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._recovery = read_recovery(path, now)
        self._tokens = 0.0
        self._seen_at = now
        self._results: deque[tuple[float, bool]] = deque()
        if self._recovery is None:
            remove_quietly(path)

    def snapshot(self) -> Recovery | None:
        with self._lock:
            return self._recovery

    def begin(self, now: float) -> None:
        """Plex is back: the period begins, from its start."""
        with self._lock:
            self._results.clear()
            self._tokens, self._seen_at = 0.0, now
            self._become(Recovery(now))

    def take(self, now: float, wanted: int) -> int:
        """Take as many tokens as there are, up to `wanted`; all of them where there is no limit."""
        with self._lock:
            self._follow(now)
            if self._recovery is None:
                return wanted
            taken = min(wanted, int(self._tokens))
            self._tokens -= taken
            return taken

    def give_back(self, tokens: int) -> None:
        """Return tokens for which there was no job."""
        with self._lock:
            self._tokens += tokens

    def until_token(self, now: float) -> float:
        """Return the seconds until there is a token."""
        with self._lock:
            self._follow(now)
            if self._recovery is None:
                return 0.0
            return max(0.0, 1.0 - self._tokens) / self._recovery.rate(now)

    def note(self, now: float, *, is_error: bool) -> None:
        """Count the result of a job that Plex was asked for."""
        with self._lock:
            if self._recovery is not None:
                self._results.append((now, is_error))
            self._follow(now)

    def tick(self, now: float) -> None:
        """Let time pass: end the period when it is over, restore the rate when it may be."""
        with self._lock:
            self._follow(now)

    def _follow(self, now: float) -> None:
        recovery = self._recovery
        if recovery is None:
            return
        elapsed, self._seen_at = now - self._seen_at, now
        if elapsed < 0:  # the clock was set back: the period stays where it was
            recovery = recovery.shifted(elapsed)
            self._results = deque((at + elapsed, is_error) for at, is_error in self._results)
            self._become(recovery)
        rate = recovery.rate(now)
        self._tokens = min(self._tokens + max(elapsed, 0.0) * rate, max(1.0, rate * BURST_SECONDS))
        if recovery.is_over(now):
            self._become(None)
        else:
            self._heed_errors(recovery, now)

    def _heed_errors(self, recovery: Recovery, now: float) -> None:
        while self._results and self._results[0][0] <= now - WINDOW_SECONDS:
            self._results.popleft()
        share = sum(is_error for _, is_error in self._results) / max(len(self._results), 1)
        if share > TOO_MANY_ERRORS and not recovery.halved_at:
            self._become(replace(recovery, halved_at=now))
        elif share < FEW_ERRORS and recovery.halved_at and now - recovery.halved_at >= HALVED_SECONDS:
            self._become(replace(recovery, halved_at=0.0))

    def _become(self, recovery: Recovery | None) -> None:
        self._recovery = recovery
        if recovery is None:
            self._results.clear()
            remove_quietly(self._path)
        else:
            save_quietly(self._path, asdict(recovery))
