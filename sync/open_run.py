"""The open run: what a lane writes until it rests belongs together, and is undone as one."""

from ledger.store import Ledger
from runtime.clock import Clock


class OpenRun:
    """Begins with the first write and ends when the lane rests. For the lane's thread."""

    def __init__(self, ledger: Ledger, kind: str, clock: Clock) -> None:
        self._ledger = ledger
        self._kind = kind
        self._clock = clock
        self._id: int | None = None

    def id(self) -> int:
        """Return the run that is open; where there is none, begin one."""
        if self._id is None:
            self._id = self._ledger.journal.begin_run(self._kind, self._clock.now())
        return self._id

    def end_if_before(self, run_id: int) -> None:
        if self._id is not None and self._id < run_id:
            self.end()

    def end(self) -> None:
        if self._id is not None:
            self._ledger.journal.end_run(self._id, self._clock.now())
            self._id = None
