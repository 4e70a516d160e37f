"""Libraries in our words, and which of them a file lies in."""

import threading
import time
from collections.abc import Callable, Sequence

from mediabrowser.reading.library import Library as OwnLibrary
from mediabrowser.reading.library import library_of
from mediabrowser.reading.reader import Reader
from model.server import Library, LibraryType

FRESH_SECONDS = 60.0
_SHOWS = "tvshows"


def shown_library(library: OwnLibrary) -> Library:
    """Translate a library; all that hold videos are of one of our two types."""
    of_videos = LibraryType.SHOW if library.collection_type == _SHOWS else LibraryType.MOVIE
    return Library(
        key=library.item_id,
        title=library.name,
        type=of_videos.value if library.holds_videos else library.collection_type,
        locations=library.locations,
        is_refreshing=library.is_refreshing,
    )


def own_library(library: Library) -> OwnLibrary:
    """Translate back as much as a question needs."""
    return OwnLibrary(library.key, library.title, locations=library.locations)


class LibraryKeys:
    """Says which library a file lies in: no item names its own. May be shared between threads."""

    def __init__(self, reader: Reader, clock: Callable[[], float] = time.monotonic) -> None:
        self._reader = reader
        self._clock = clock
        self._libraries: Sequence[OwnLibrary] = ()
        self._read_at: float | None = None
        self._lock = threading.Lock()

    def of(self, path: str) -> str:
        """Give the key of the library that a file lies in; empty if it lies in none."""
        found = self.library(path)
        return found.item_id if found is not None else ""

    def library(self, path: str) -> OwnLibrary | None:
        """Give the library that a file lies in."""
        with self._lock:
            now = self._clock()
            if self._read_at is None or now - self._read_at >= FRESH_SECONDS:
                self._libraries, self._read_at = self._reader.libraries(), now
            return library_of(path, self._libraries)
