"""SQLite's one writer: while a scan runs, others may find the database locked."""

from collections.abc import Callable

from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.web.exchange import Refused
from sim.mediabrowser.world.identity import Identity


class WriteLock:
    def __init__(self, identity: Identity, quirks: Quirks, is_scanning: Callable[[], bool]) -> None:
        self._identity = identity
        self._quirks = quirks
        self._is_scanning = is_scanning
        self._writes = 0

    def acquire(self) -> None:
        """Let a write through, or end it with the 500 that hides "database is locked"."""
        if not self._quirks.database_locked_every or not self._identity.flavour.is_jellyfin_since(10, 11):
            return
        if self._is_scanning():
            self._writes += 1
            if self._writes % self._quirks.database_locked_every == 0:
                raise Refused(500, text="SQLite Error 5: 'database is locked'.")
