"""How often a server is asked to look into one folder: at once, and the more rarely the more often it is asked."""

import time
from collections.abc import Callable

from sync.retries.backoff import ceiling

FIRST_GAP_SECONDS, LONGEST_GAP_SECONDS = 2.0, 60.0
FORGET_SECONDS = 180.0


class ScanPace:
    """Neither Emby nor Jellyfin nor Stash notices that it was asked the same a moment ago: each scan is one more."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._asked: dict[str, tuple[float, int]] = {}

    def is_due(self, folder: str) -> bool:
        at, times = self._asked.get(folder, (0.0, 0))
        return times == 0 or self._monotonic() - at >= ceiling(times - 1, FIRST_GAP_SECONDS, LONGEST_GAP_SECONDS)

    def note(self, folder: str) -> None:
        """Remember that it was asked just now."""
        now = self._monotonic()
        recent = {name: one for name, one in self._asked.items() if now - one[0] < FORGET_SECONDS}
        self._asked = {**recent, folder: (now, recent.get(folder, (0.0, 0))[1] + 1)}
