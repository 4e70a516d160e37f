"""A server, by what it says of itself, and its libraries."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class ServerIdentity:
    """Which server this is."""

    server_id: str
    name: str = ""
    version: str = ""
    platform: str = ""

    @property
    def ignores_case(self) -> bool:
        """Does the file system under the server ignore case? Windows paths say so themselves; macOS ones do not."""
        return self.platform.lower().startswith(("macos", "darwin", "windows"))


class LibraryType(StrEnum):
    """The two kinds that hold videos. "Other Videos" calls itself a movie library."""

    MOVIE = "movie"
    SHOW = "show"


@dataclass(frozen=True, slots=True)
class Library:
    """One library of the server, of whatever type."""

    key: str
    title: str
    type: str
    locations: tuple[str, ...] = ()
    is_refreshing: bool = False
    scanned_at: float = 0.0

    @property
    def holds_videos(self) -> bool:
        return self.type in set(LibraryType)
