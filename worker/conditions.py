"""The conditions of work: the settings in force, or the reason why there is no work now."""

import threading
from dataclasses import dataclass

from validation.config import Stash2PlexConfig


@dataclass(frozen=True)
class Conditions:
    """Either a configuration to work by, or an obstacle in a sentence."""

    config: Stash2PlexConfig | None
    obstacle: str | None


class ConditionsBoard:
    """Where the watching thread posts the conditions and the working threads read them, or doubt them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._doubted = threading.Event()
        self._conditions = Conditions(None, "Stash has not been asked for the settings yet.")

    def post(self, conditions: Conditions) -> bool:
        """Post them; say whether they are new."""
        with self._lock:
            changed, self._conditions = self._conditions != conditions, conditions
        return changed

    def doubt(self) -> None:
        """Have the watch look at once: Stash has failed somebody who works."""
        self._doubted.set()

    def take_doubt(self) -> bool:
        """Say whether somebody has doubted them since this was asked last."""
        is_doubted = self._doubted.is_set()
        self._doubted.clear()
        return is_doubted

    def read(self) -> Conditions:
        with self._lock:
            return self._conditions
