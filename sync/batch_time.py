"""The time of a batch: others wait behind it, and what it has read grows old."""

from runtime.clock import Clock

BATCH_SECONDS = 2.0
DETAILS_PER_REQUEST = 50
FRESH_SECONDS = 2.0  # what was read before is read again before it is written over: a person may have edited it


class BatchTime:
    """Runs from the batch's beginning."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began_at = clock.monotonic()

    def is_up(self) -> bool:
        """Say whether nothing more of the batch is begun."""
        return self._clock.monotonic() - self._began_at >= BATCH_SECONDS
