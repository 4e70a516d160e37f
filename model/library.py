"""A library of a server."""

from dataclasses import dataclass
from enum import StrEnum


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
