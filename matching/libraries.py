"""Which libraries the settings mean, and which of them a path lies in."""

from collections.abc import Sequence

from model.errors import LibraryNotFound
from model.paths import lookup_key
from model.server import Library


def choose_libraries(names: str, libraries: Sequence[Library], server: str = "the server") -> list[Library]:
    """Find the libraries that the setting names, comma-separated; none named means all that hold videos.

    A title may itself hold a comma: the longest run of pieces that is a title counts. A name that no library has keeps
    the others from nothing; `missing_libraries` tells it. `server` is what people call it.
    """
    with_videos = [library for library in libraries if library.holds_videos]
    existing = [library.title for library in with_videos]
    pieces = _pieces(names)
    if not pieces and not with_videos:
        raise LibraryNotFound(f"{server} shows us no library that holds videos")
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
    """Find the library that a path, as the server sees it, lies in: the one with the longest location above it."""
    wanted = lookup_key(path) + "/"
    best: tuple[int, Library] | None = None
    for library in libraries:
        for location in library.locations:
            prefix = lookup_key(location) + "/"
            if wanted.startswith(prefix) and (best is None or len(prefix) > best[0]):
                best = (len(prefix), library)
    return best[1] if best else None
