"""The port to the jobs of one target."""

from typing import Protocol


class JobStore(Protocol):
    """Where those who work on a target leave further work for it."""

    def enqueue(
        self,
        kind: str,
        ids: list[int],
        reason: str,
        now: float,
        *,
        due_at: float,
        verify: bool = False,
        bring_forward: bool = True,
    ) -> int:
        """Have one waiting job per id: add it, or bring the one that waits forward. Return how many were added."""
        ...
