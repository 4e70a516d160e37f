"""Quiet: a file is finished when size, time and inode have stayed for a while and no process has it open for writing.

Nobody sleeps beside a file: this is a table of when to look again.
"""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass

from intake.naming.shown import quoted
from intake.watching.gate import Refusal
from intake.watching.identity import FileIdentity
from intake.watching.seen import SeenFile
from runtime.lock import has_writer

STABLE_SECONDS = 10.0


@dataclass(slots=True)
class _Watched:
    identity: FileIdentity
    since: float
    look_again_at: float


class QuietTable:
    """When each file was first seen as it is now. `now` is any clock that is never set back."""

    def __init__(
        self, stable_seconds: float = STABLE_SECONDS, is_being_written: Callable[[str], bool] = has_writer
    ) -> None:
        self._stable_seconds = stable_seconds
        self._is_being_written = is_being_written
        self._watched: dict[str, _Watched] = {}

    def look(self, file: SeenFile, now: float) -> Refusal | None:
        """Return why a file is not finished; None if it is."""
        watched = self._watched.get(file.path)
        if watched is None or watched.identity != file.identity:
            watched = self._watched[file.path] = _Watched(file.identity, now, now + self._stable_seconds)
        if now < watched.since + self._stable_seconds:
            return Refusal(
                "changing", f"{quoted(file.relative)} arrived or changed a moment ago; it is looked at again."
            )
        if self._is_being_written(file.path):
            watched.look_again_at = now + self._stable_seconds
            return Refusal(
                "being_written", f"A program is still writing {quoted(file.relative)}; it is looked at again."
            )
        watched.look_again_at = math.inf
        return None

    def keep_only(self, paths: Collection[str]) -> None:
        """Forget the files that are gone, or are known."""
        for path in self._watched.keys() - set(paths):
            del self._watched[path]

    def look_again_at(self) -> float:
        """Say when the next file is to be looked at; infinity if none is."""
        return min((watched.look_again_at for watched in self._watched.values()), default=math.inf)
