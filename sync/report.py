"""The port by which an action says how it goes."""

from typing import Protocol


class Reporter(Protocol):
    """Tells the person how an action goes: in Stash's log and progress bar, or on a terminal."""

    def log(self, sentence: str, *, ok: bool = True) -> None: ...
    def progress(self, fraction: float) -> None: ...
