"""The one clock: only the loop owns it, everything else is told the time."""

import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """The wall clock, for moments that are kept on disk."""
        ...

    def monotonic(self) -> float:
        """A clock that nobody sets, for spans."""
        ...


class SystemClock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()
