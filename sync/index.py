"""PathIndex: from a file's path to its item, without asking the server more than needed.

A full walk at first and once a day, changes in between, a look-up by name where a file is not found. A walk counts only
if its pages join: each repeats the last item of the one before, the total never changes, and every item came.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ledger.index_store import Freshness, IndexStore, WalkState
from matching.derivation import SizedPath
from matching.libraries import choose_libraries, library_of, missing_libraries
from matching.matcher import match
from matching.path_map import PathMap
from model.errors import FilterIgnored
from model.item import ItemPage, ListedItem, Part
from model.match import Match, MatchConfidence
from model.paths import normalise
from model.scene import SceneFile
from model.server import Library
from sync.target import LOOKUP_LIMIT, Target

WALK_EVERY_SECONDS = 24 * 3600.0
WALK_AGAIN_SECONDS = 900.0  # after one that would not come together
WALK_WITHOUT_CHANGES_SECONDS = 3600.0  # on servers that cannot tell what changed
OVERLAP_SECONDS = 120.0
_ATTEMPTS = 3
_ITEMS_PER_TRANSACTION = 10_000  # a commit rewrites a good part of the two indexes, be it for one page or for ten

_log = logging.getLogger(__name__)


class Refreshed(StrEnum):
    """How a library was brought up to date."""

    WALKED = "walked"
    SHIFTED = "shifted"  # walked, but it kept moving: nothing was forgotten
    CHANGES = "changes"
    UNCHANGED = "unchanged"  # the server cannot tell changes and the last walk is recent


@dataclass(frozen=True, slots=True)
class LibraryRefresh:
    """What was done for one library."""

    library: Library
    how: Refreshed
    items: int = 0
    forgotten: int = 0


class PathIndex:
    """The index of the chosen libraries. For one thread, as its store is."""

    def __init__(self, store: IndexStore, client: Target, library_names: str = "") -> None:
        self._store = store
        self._client = client
        self._names = library_names
        self._libraries: list[Library] | None = None
        self._deaf: set[str] = set()  # libraries that were found to ignore `file=`

    def libraries(self) -> list[Library]:
        """Give the chosen libraries; asked for once, and anew with every refresh."""
        if self._libraries is None:
            libraries = self._client.libraries()
            server = self._client.name
            self._libraries = choose_libraries(self._names, libraries, server)
            if missing := missing_libraries(self._names, libraries):
                names = ", ".join(missing)
                setting = f"{server.lower()}_library"
                _log.warning("%s names what %s does not have: %s. The others are used.", setting, server, names)
            self._store.keep_only(self._libraries, self._client.server().server_id)
        return self._libraries

    # --- keeping up ---------------------------------------------------------------------------------------------

    def refresh(self, now: float, *, full: bool = False) -> list[LibraryRefresh]:
        """Bring the index up to date: by a walk where one is due, by changes elsewhere."""
        self._libraries = None
        self._deaf.clear()
        return [self._refresh(library, now, full=full) for library in self.libraries()]

    def _refresh(self, library: Library, now: float, *, full: bool) -> LibraryRefresh:
        freshness = self._store.freshness(library.key)
        if full or freshness is None or is_walk_due([freshness], now):
            return self._walk(library, now)
        if freshness.changes_read_at is None:
            return LibraryRefresh(library, Refreshed.UNCHANGED)
        try:
            return self._read_changes(library, freshness.changes_read_at, now)
        except FilterIgnored:
            if now - freshness.started_at >= WALK_WITHOUT_CHANGES_SECONDS:
                return self._walk(library, now)
            return LibraryRefresh(library, Refreshed.UNCHANGED)

    def _read_changes(self, library: Library, since: float, now: float) -> LibraryRefresh:
        changes = self._client.changes_since(library, max(0.0, since - OVERLAP_SECONDS))
        self._store.replace(library.key, changes.items, changes.server_time or now)
        return LibraryRefresh(library, Refreshed.CHANGES, len(changes.items))

    def _walk(self, library: Library, now: float) -> LibraryRefresh:
        for _ in range(_ATTEMPTS):
            walk = self._store.begin_walk(library, self._client.server().server_id, now)
            progress = self._read_pages(library, walk)
            if progress.is_whole:
                server_time = progress.server_time or now
                forgotten = self._store.complete_walk(library.key, walk, now, server_time)
                return LibraryRefresh(library, Refreshed.WALKED, len(progress.seen), forgotten)
            self._store.shift_walk(library.key, walk)
            _log.info("%s library %s changed while it was read", self._client.name, library.title)
        return LibraryRefresh(library, Refreshed.SHIFTED)

    def _read_pages(self, library: Library, walk: int) -> "_Progress":
        progress = _Progress()
        unsaved: list[ListedItem] = []
        for page in self._client.walk(library):
            if not progress.takes(page):
                break
            unsaved.extend(page.items)
            if len(unsaved) >= _ITEMS_PER_TRANSACTION:
                self._store.add(unsaved, walk)
                unsaved.clear()
        self._store.add(unsaved, walk)
        return progress

    # --- looking up ---------------------------------------------------------------------------------------------

    def candidates(self, files: Sequence[SceneFile], path_map: PathMap) -> list[Part]:
        """Gather what could be one of these files, from the index alone, with all files of the items concerned."""
        found: dict[Part, None] = {}
        for file in files:
            mapped = path_map.to_target(file.path)
            exact = self._store.at_path(mapped)
            if not any(normalise(part.path) == mapped and file.size in {None, 0, part.size} for part in exact):
                exact += self._store.with_name(file.path)  # not there, or not the same file: who else could it be?
            found.update(dict.fromkeys(exact))
        for item in {part.item_id for part in found}:
            found.update(dict.fromkeys(self._store.of_item(item)))
        return list(found)

    def look_up(self, target_path: str) -> list[Part]:
        """Ask the server for a file by its name; remember and give what it has of that name."""
        home = library_of(target_path, self.libraries())
        places = [home] if home else self.libraries()
        return [part for library in places if library.key not in self._deaf for part in self._ask(library, target_path)]

    def _ask(self, library: Library, target_path: str) -> list[Part]:
        try:
            items = self._client.find_file(library, target_path)
        except FilterIgnored:
            self._deaf.add(library.key)  # this server cannot say; the next walk will
            return []
        self._store.replace(library.key, items)
        self._forget_others(library, target_path, items)
        return [part for item in items for part in item.parts]

    def _forget_others(self, library: Library, target_path: str, items: Sequence[ListedItem]) -> None:
        """Forget items of this name that it has no longer: a rebuilt one is there twice until the next walk."""
        if not 0 < len(items) < LOOKUP_LIMIT:  # none may mean that the server did not understand; many, that it stopped
            return
        there = {item.item_id for item in items}
        by_name = self._client.capabilities.finds_by_name
        for part in self._store.with_name(target_path) if by_name else self._store.at_path(target_path):
            if part.library_key == library.key and part.item_id not in there:
                self._store.forget(part.item_id)

    def find_again(self, item_id: str, target_path: str) -> list[Part]:
        """Forget an item that answered 404 and ask where its file is now."""
        self._store.forget(item_id)
        return self.look_up(target_path)

    def resolve(
        self,
        files: Sequence[SceneFile],
        path_map: PathMap,
        *,
        pinned: str | None = None,
        ignore_case: bool = False,
        may_ask: bool = True,
    ) -> Match:
        """Find a scene's item in the index; if that is not sure, ask for the files by name and try again."""
        server = self._client.name
        known = self.candidates(files, path_map)
        answer = match(files, known, path_map, pinned=pinned, ignore_case=ignore_case, server=server)
        if answer.confidence is MatchConfidence.HIGH or not may_ask:
            return answer
        for file in files:
            self.look_up(path_map.to_target(file.path))
        return match(files, self.candidates(files, path_map), path_map, ignore_case=ignore_case, server=server)

    def count_files(self) -> int:
        return self._store.count_parts()

    def sized_paths(self) -> Iterator[SizedPath]:
        """Give all files, as the derivation of a path map takes them."""
        return (SizedPath(path, size) for path, size in self._store.all_parts())


def is_walk_due(walks: Iterable[Freshness], now: float) -> bool:
    """Tell whether one of the libraries is to be walked. A walk of the future was made by a clock that was wrong."""
    return any(not 0 <= now - begun < patience for begun, patience in map(_patience, walks))


def _patience(walk: Freshness) -> tuple[float, float]:
    """Say since when and for how long a walk holds; one that was interrupted, for no time at all."""
    if walk.state is WalkState.RUNNING:
        return walk.started_at, 0.0
    if walk.state is WalkState.SHIFTED:
        return walk.started_at, WALK_AGAIN_SECONDS
    return walk.completed_at or 0.0, WALK_EVERY_SECONDS


class _Progress:
    """A walk as far as it has come, and whether its pages join."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.server_time: float | None = None
        self._total: int | None = None
        self._last: str | None = None
        self._joined = True

    @property
    def is_whole(self) -> bool:
        return self._joined and len(self.seen) == self._total

    def takes(self, page: ItemPage) -> bool:
        """Take in a page, unless the list has moved since the one before."""
        if self._total is None:
            self._total, self.server_time = page.total, page.server_time
        first = page.items[0].item_id if page.items else None
        self._joined = page.total == self._total and self._last in {None, first}
        if self._joined:
            self.seen.update(item.item_id for item in page.items)
            self._last = page.items[-1].item_id if page.items else None
        return self._joined
