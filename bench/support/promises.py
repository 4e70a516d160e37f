"""What a benchmark promises, and the lines by which all of them are read together."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Promise:
    """A figure as it was measured, what it must be, and whether it is."""

    figure: str
    limit: str
    kept: bool

    def __str__(self) -> str:
        return f"{'kept  ' if self.kept else 'BROKEN'} {self.figure} ({self.limit})"


def judge(promises: Iterable[Promise]) -> int:
    """Print a line for each; return the exit code."""
    broken = 0
    for promise in promises:
        print(promise)
        broken += not promise.kept
    return 1 if broken else 0
