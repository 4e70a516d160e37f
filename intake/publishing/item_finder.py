"""Finding the item of a file on a server: by its path, else by name and size.

A server that cannot be asked for a name is asked what it saved since the last look, once for all files that are looked
for in that moment.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from intake.naming.shown import quoted
from intake.publishing.port import ItemAmbiguous, ItemNotIndexed
from intake.publishing.server_paths import name_key, path_key
from matching.libraries import choose_libraries, library_of
from model.errors import FilterIgnored
from model.item import ListedItem
from model.sentences import counted
from model.server import Library
from sync.target import Target

LOOK_BACK_SECONDS = 86_400.0  # by our clock, which may differ from the server's
OVERLAP_SECONDS = 30.0
FRESH_SECONDS = 1.0
WALK_FRESH_SECONDS = 60.0
LIBRARIES_FRESH_SECONDS = 60.0
MOST_REMEMBERED = 20_000
MOST_NAMED = 3


@dataclass(slots=True)
class _Lately:
    """What one library has saved lately, by path; `moment` is where the next look begins, by the server's clock."""

    moment: float
    asked_at: float = -FRESH_SECONDS
    by_path: dict[str, ListedItem] = field(default_factory=dict[str, ListedItem])


class ItemFinder:
    """One server's, and of its libraries those that `names` has, with commas between them, or all with videos."""

    def __init__(self, target: Target, names: str = "", monotonic: Callable[[], float] = time.monotonic) -> None:
        self._target = target
        self._names = names
        self._monotonic = monotonic
        self._lately: dict[str, _Lately] = {}
        self._libraries: tuple[float, list[Library]] = (-LIBRARIES_FRESH_SECONDS, [])
        self._walked: tuple[float, list[ListedItem]] = (-WALK_FRESH_SECONDS, [])

    def libraries(self) -> list[Library]:
        """List the libraries that are meant, as they were a minute ago at most."""
        asked_at, found = self._libraries
        if self._monotonic() - asked_at >= LIBRARIES_FRESH_SECONDS:
            there = self._target.libraries()
            found = choose_libraries(self._names, there) if self._names else [one for one in there if one.holds_videos]
            self._libraries = (self._monotonic(), found)
        return found

    def library_of(self, path: str) -> Library | None:
        """Find the library that a path, as the server sees it, lies in."""
        return library_of(path, self.libraries())

    def find(self, path: str, size: int, *, is_last: bool) -> str:
        """Return the item of a file that the server sees at `path`.

        Before the last look it must have been looked into by the server, which would overwrite what is written
        earlier. A path that lies in no library is looked for by name and size at every look.
        """
        library = self.library_of(path)
        found = self._by_path(path, library, is_last=is_last)
        if not found and (is_last or library is None):
            found = self._by_name(path, size)
        if not found:
            raise ItemNotIndexed(f"{self._target.name} does not show {quoted(path)}.{self._hint(library)}")
        if len(found) > 1:
            raise self._ambiguous(found)
        (item_id,) = found
        if not is_last and not self._target.details_of(item_id).parts:
            raise ItemNotIndexed(f"{self._target.name} is still looking into {quoted(path)}.")
        return item_id

    def _hint(self, library: Library | None) -> str:
        if library is not None:
            return ""
        setting = f"{self._target.name.lower()}_path_map"
        return f" No library of it has this folder; if it sees the folder elsewhere, say so in {setting}."

    def _ambiguous(self, found: dict[str, ListedItem]) -> ItemAmbiguous:
        places = ", ".join(quoted(item.parts[0].path) for item in list(found.values())[:MOST_NAMED])
        sentence = f"{self._target.name} has {counted(len(found), 'item')} of this name and size: {places}."
        return ItemAmbiguous(sentence, tuple(found))

    def _by_path(self, path: str, library: Library | None, *, is_last: bool) -> dict[str, ListedItem]:
        """Ask in the file's own library, at the last look everywhere."""
        if library is not None and (item := self._saved_lately(library).by_path.get(path_key(path))):
            return {item.item_id: item}
        for libraries in [[library]] * (library is not None) + [self.libraries()] * is_last:
            found = _at_path(self._asked_for(path, [one for one in libraries if one]), path)
            if found:
                return found
        return _at_path(self._walk(), path) if is_last and not self._finds_by_name else {}

    @property
    def _finds_by_name(self) -> bool:
        return self._target.capabilities.finds_by_name

    def _asked_for(self, path: str, libraries: Sequence[Library]) -> list[ListedItem]:
        found: list[ListedItem] = []
        for library in libraries:
            with suppress(FilterIgnored):  # a server that cannot be asked so
                found += self._target.find_file(library, path)
        return found

    def _saved_lately(self, library: Library) -> _Lately:
        known = self._lately.setdefault(library.key, _Lately(time.time() - LOOK_BACK_SECONDS))
        if not self._finds_by_name and self._monotonic() - known.asked_at >= FRESH_SECONDS:
            changes = self._target.changes_since(library, known.moment)
            if len(known.by_path) > MOST_REMEMBERED:
                known.by_path.clear()
            known.by_path.update((path_key(part.path), item) for item in changes.items for part in item.parts)
            known.asked_at = self._monotonic()
            if changes.server_time is not None:
                known.moment = changes.server_time - OVERLAP_SECONDS
        return known

    def _walk(self) -> list[ListedItem]:
        """Read all that there is, at most once a minute: only for what was not found otherwise."""
        walked_at, found = self._walked
        if self._monotonic() - walked_at >= WALK_FRESH_SECONDS:
            pages = (page for library in self.libraries() for page in self._target.walk(library))
            found = list({item.item_id: item for page in pages for item in page.items}.values())
            self._walked = (self._monotonic(), found)
        return found

    def _by_name(self, path: str, size: int) -> dict[str, ListedItem]:
        """Find the items with a file of this name and size; what a listing does not tell is asked for."""
        listed = self._asked_for(path, self.libraries()) if self._finds_by_name else self._walk()
        wanted = name_key(path)
        named = [item for item in listed if any(name_key(part.path) == wanted for part in item.parts)]
        return {
            item.item_id: item
            for item in (self._target.sized(named) if named else ())
            if any(name_key(part.path) == wanted and part.size == size for part in item.parts)
        }


def _at_path(items: Iterable[ListedItem], path: str) -> dict[str, ListedItem]:
    wanted = path_key(path)
    return {item.item_id: item for item in items if any(path_key(part.path) == wanted for part in item.parts)}
