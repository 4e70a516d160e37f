"""Libraries, and which of them the settings mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from xml.etree.ElementTree import Element

from plex.answers import whole_number
from plex.exceptions import LibraryNotFound
from plex.item import TYPE_NUMBER, ItemType
from plex.paths import lookup_key


class LibraryType(StrEnum):
    """The two kinds that hold videos. "Other Videos" calls itself a movie library."""

    MOVIE = "movie"
    SHOW = "show"


@dataclass(frozen=True, slots=True)
class Library:
    """One library of the server, of whatever type."""

    key: int
    title: str
    type: str
    locations: tuple[str, ...] = ()
    is_refreshing: bool = False
    scanned_at: float = 0.0

    @property
    def holds_videos(self) -> bool:
        return self.type in set(LibraryType)

    @property
    def item_type(self) -> int:
        """The number of the items that carry files: films, or episodes."""
        return TYPE_NUMBER[ItemType.EPISODE if self.type == LibraryType.SHOW else ItemType.MOVIE]


def parse_libraries(container: Element) -> list[Library]:
    """Read `/library/sections`."""
    libraries: list[Library] = []
    for directory in container.iterfind("Directory"):
        key = whole_number(directory, "key")
        if key is not None:
            libraries.append(
                Library(
                    key=key,
                    title=directory.get("title", ""),
                    type=directory.get("type", ""),
                    locations=tuple(place.get("path", "") for place in directory.iterfind("Location")),
                    is_refreshing=directory.get("refreshing") == "1",
                    scanned_at=float(whole_number(directory, "scannedAt") or 0),
                )
            )
    return libraries


def choose_libraries(names: str, libraries: Sequence[Library]) -> list[Library]:
    """Find the libraries that the setting names, comma-separated; none named means all that hold videos.

    A title may itself hold a comma: the longest run of pieces that is a title counts. A name that no library has keeps
    the others from nothing; `missing_libraries` tells it.
    """
    with_videos = [library for library in libraries if library.holds_videos]
    existing = [library.title for library in with_videos]
    pieces = _pieces(names)
    if not pieces and not with_videos:
        raise LibraryNotFound("Plex shows this token no library that holds videos")
    titles, missing = _titles(pieces, {_plain(title) for title in existing})
    if missing and not titles:
        listed = ", ".join(f"'{title}'" for title in existing) or "none"
        asked = ", ".join(f"'{name}'" for name in missing)
        raise LibraryNotFound(
            f"no library with videos is called {asked}; there are: {listed}", missing=missing, existing=existing
        )
    return [library for library in with_videos if not pieces or _plain(library.title) in titles]


def missing_libraries(names: str, libraries: Sequence[Library]) -> list[str]:
    """Name what the setting asks for and no library with videos is called."""
    return _titles(_pieces(names), {_plain(library.title) for library in libraries if library.holds_videos})[1]


def _pieces(names: str) -> list[str]:
    return [piece.strip() for piece in names.split(",") if piece.strip()]


def _plain(title: str) -> str:
    return " ".join(title.split()).casefold()


def _titles(pieces: Sequence[str], existing: set[str]) -> tuple[set[str], list[str]]:
    found: set[str] = set()
    missing: list[str] = []
    start = 0
    while start < len(pieces):
        for end in range(len(pieces), start, -1):
            title = _plain(", ".join(pieces[start:end]))
            if title in existing:
                found.add(title)
                start = end
                break
        else:
            missing.append(pieces[start])
            start += 1
    return found, missing


def library_of(path: str, libraries: Sequence[Library]) -> Library | None:
    """Find the library that a path, as Plex sees it, lies in: the one with the longest location above it."""
    wanted = lookup_key(path) + "/"
    best: tuple[int, Library] | None = None
    for library in libraries:
        for location in library.locations:
            prefix = lookup_key(location) + "/"
            if wanted.startswith(prefix) and (best is None or len(prefix) > best[0]):
                best = (len(prefix), library)
    return best[1] if best else None
