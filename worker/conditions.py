"""The conditions of work: the settings in force, or the reason why there is no work now."""

import threading
from dataclasses import dataclass

from validation.config import Stash2PlexConfig


@dataclass(frozen=True)
class Conditions:
    """Either a configuration to work by, or an obstacle in a sentence."""

    config: Stash2PlexConfig | None
    obstacle: str | None


class CurrentConditions:
    """Set by the thread that watches Stash, read by the threads that work; safe for all of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._doubted = threading.Event()
        self._is_stash_failing = False
        self._current = Conditions(None, "Stash has not been asked for the settings yet.")

    def set(self, conditions: Conditions) -> bool:
        """Replace them; True if they differ from those before."""
        with self._lock:
            changed, self._current = self._current != conditions, conditions
        return changed

    def doubt(self) -> None:
        """Ask the watch to check Stash now: a worker thread got an error from it."""
        self._doubted.set()

    def take_doubt(self) -> bool:
        """True once after `doubt`."""
        is_doubted = self._doubted.is_set()
        self._doubted.clear()
        return is_doubted

    def stash_fails(self) -> bool:
        """Note that Stash gave no proper answer; True the first time since it last did."""
        with self._lock:
            is_new, self._is_stash_failing = not self._is_stash_failing, True
        return is_new

    def stash_works(self) -> None:
        with self._lock:
            self._is_stash_failing = False

    def get(self) -> Conditions:
        with self._lock:
            return self._current
