"""Making items: of files, of folders, of libraries."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sim.mediabrowser.quirks import Clock
from sim.mediabrowser.world.item_store import ItemStore
from sim.mediabrowser.world.moments import text_of, ticks_of
from sim.mediabrowser.world.records import Item, Library, MediaFile, Values, folder_of, is_inside, name_of, stem_of

_KINDS = {"movies": "Movie", "musicvideos": "MusicVideo", "tvshows": "Episode"}


class ItemMaker:
    def __init__(self, store: ItemStore, libraries: dict[str, Library], clock: Clock) -> None:
        self._store = store
        self._libraries = libraries
        self._clock = clock

    def library(
        self, name: str, collection_type: str, locations: Sequence[str], options: dict[str, Any] | None = None
    ) -> Library:
        path = f"/config/root/default/{name}"
        item = Item(self._store.new_id("CollectionFolder", path), "CollectionFolder", path)
        item.values = self._values(name)
        item.library_id = item.id
        self._store.add(item)
        library = Library(item.id, name, collection_type, tuple(locations), dict(options or {}))
        self._libraries[item.id] = library
        return library

    def library_of(self, path: str) -> Library | None:
        return next((library for library in self._libraries.values() if library.holds(path)), None)

    def video(
        self, library: Library, *files: MediaFile, kind: str = "", extra_type: str = "", created_at: float | None = None
    ) -> Item:
        """Make a video of one file, or of several that are parts of one film."""
        path, kind = files[0].path, kind or _KINDS.get(library.collection_type, "Video")
        item = Item(self._store.new_id(kind, path), kind, path, library.item_id, files=list(files))
        item.values = self._values(stem_of(path), created_at)
        item.values["AspectRatio"] = "16:9"
        item.extra_type = extra_type
        item.parent_id = self._folder(library, folder_of(path), created_at)
        item.refreshed_at = self._clock()
        return self._store.add(item)

    def version(self, primary: Item, file: MediaFile) -> Item:
        """Make a further version of a film: an item of its own that belongs to the first."""
        library = self._libraries[primary.library_id]
        item = self.video(library, file, kind=primary.kind)
        item.primary_id = primary.id
        primary.versions.append(item.id)
        self._store.save(primary)
        return item

    def replace_file(self, item: Item, file: MediaFile) -> None:
        item.files = [replace(file, target=one.target) if one.path == file.path else one for one in item.files]
        self._store.save(item)

    def boxset(self, name: str, path: str) -> Item:
        item = Item(self._store.new_id("BoxSet", path), "BoxSet", path)
        item.values = self._values(name)
        return self._store.add(item)

    def _folder(self, library: Library, path: str, created_at: float | None) -> str:
        """Give the id of a folder's item, making it and those above it up to the library's location."""
        if path in library.locations or not library.holds(path):
            return library.item_id
        known = self._store.at_path(path)
        if known is not None:
            return known.id
        item = Item(self._store.new_id("Folder", path), "Folder", path, library.item_id)
        item.values = self._values(name_of(path), created_at)
        item.parent_id = self._folder(library, folder_of(path), created_at)
        return self._store.add(item).id

    def _values(self, name: str, created_at: float | None = None) -> Values:
        return {
            "Name": name,
            "DateCreated": text_of(ticks_of(self._clock() if created_at is None else created_at)),
            "LockData": False,
            "LockedFields": [],
            "Genres": [],
            "Tags": [],
            "Studios": [],
            "Taglines": [],
            "People": [],
            "ProductionLocations": [],
            "ProviderIds": {},
        }


def covers(folder: Item, path: str, libraries: dict[str, Library]) -> bool:
    """Tell whether a path lies in a folder's item, which may stand for a whole library."""
    if folder.kind == "CollectionFolder":
        library = libraries.get(folder.id)
        return library is not None and library.holds(path)
    return is_inside(path, folder.path)
