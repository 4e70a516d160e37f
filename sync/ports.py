"""The ports of the engine beside the target's: where scenes come from, where jobs go, and who is told.

The port of a server that shows scenes is `sync/target.py`.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from model.scene import Scene
from stash.cover import Cover


class Source(Protocol):
    """Where scenes come from: Stash. Every method may raise StashError."""

    def scenes(self, ids: list[int]) -> dict[int, Scene]:
        """Read these scenes; those that are gone are missing."""
        ...

    def scenes_with_files(self, paths: Sequence[str]) -> dict[int, Scene]:
        """Read the scenes that have a file at one of these paths."""
        ...

    def all_scenes(self) -> Iterator[list[Scene]]:
        """Page through all scenes."""
        ...

    def scene_count(self) -> int: ...

    def scene_files(self) -> Iterator[list[tuple[str, int]]]:
        """Page through the paths and sizes of all files."""
        ...

    def scene_ids(self, of: tuple[str, int] | None = None) -> Iterator[list[int]]:
        """Page through the ids of all scenes, or of those of a performer, studio, tag or group."""
        ...

    def exists(self, kind: str, object_id: int) -> bool: ...

    def cover(self, screenshot: str) -> Cover:
        """Fetch the bytes of a scene's cover."""
        ...


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


class Reporter(Protocol):
    """Tells the person how an action goes: in Stash's log and progress bar, or on a terminal."""

    def log(self, sentence: str, *, ok: bool = True) -> None: ...
    def progress(self, fraction: float) -> None: ...
