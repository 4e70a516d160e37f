"""Collections: folders on the server's own disk, known by their name as a file name."""

import re
from collections.abc import Sequence

from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.web.exchange import Refused
from sim.mediabrowser.world.identity import Identity
from sim.mediabrowser.world.item_store import ItemStore
from sim.mediabrowser.world.records import Item, Library
from sim.mediabrowser.world.scanning.item_maker import ItemMaker
from sim.mediabrowser.world.scanning.scans import Scans
from sim.mediabrowser.world.updating.disasters import DisasterKind, Witness

_PLACE = "/config/data/collections"
_NOT_IN_FILE_NAMES = re.compile(r'[/\\:*?"<>|\x00-\x1f]')


class Collections:
    def __init__(
        self,
        identity: Identity,
        quirks: Quirks,
        store: ItemStore,
        libraries: dict[str, Library],
        maker: ItemMaker,
        scans: Scans,
        witness: Witness,
    ) -> None:
        self._identity = identity
        self._quirks = quirks
        self._store = store
        self._libraries = libraries
        self._maker = maker
        self._scans = scans
        self._witness = witness

    def create(self, name: str, members: Sequence[str], *, is_locked: bool = False) -> Item:
        """Make a collection. One whose name is the same as a file name is emptied; a stranger id fails it all."""
        if not name.strip():
            raise Refused(400, text="Value cannot be null. (Parameter 'name')")
        if self._identity.flavour.is_emby and self._quirks.drops_empty_collections and not members:
            raise Refused(400, text="A collection needs at least one item.")
        self._ensure_library()
        path = f"{_PLACE}/{_NOT_IN_FILE_NAMES.sub(' ', name).strip()} [boxset]"
        known = self._store.at_path(path)
        if known is not None:
            path = self._overwrite(known, path)
        item = self._maker.boxset(name, path)
        item.values["LockData"] = is_locked
        if known is not None and self._quirks.same_name_collection == "restored":
            item.members = list(known.members)
        if members:
            self.add(item, members)
        return item

    def add(self, collection: Item, members: Sequence[str]) -> None:
        """Add all or nothing; one that is in already stays once."""
        found = [self._store.items[one] for one in members if one in self._store.items]
        if collection.kind != "BoxSet" or len(found) < len(members):
            raise Refused(400, text="No item exists with the supplied Id")
        for item in found:
            self._witness.judge_touch(item)
        new = [one for one in dict.fromkeys(members) if one not in collection.members]
        if new:
            collection.members = [*collection.members, *new]
            self._store.save(collection)

    def remove(self, collection: Item, members: Sequence[str]) -> None:
        """Take members out; it is saved even if none of them was in."""
        if collection.kind != "BoxSet":
            raise Refused(400, text="No collection exists with the supplied Id")
        collection.members = [one for one in collection.members if one not in members]
        self._store.save(collection)
        if not collection.members and self._identity.flavour.is_emby and self._quirks.drops_empty_collections:
            self._store.remove(collection)

    def holding(self, item_id: str) -> list[Item]:
        return [one for one in self.all() if item_id in one.members]

    def all(self) -> list[Item]:
        return list(self._store.of_kind("BoxSet"))

    def _overwrite(self, known: Item, path: str) -> str:
        if self._quirks.same_name_collection == "second":
            return f"{path} {len(self.all())}"
        if self._quirks.same_name_collection == "emptied" and known.members:
            self._witness.record(DisasterKind.COLLECTION_EMPTIED, known, str(known.values.get("Name")))
        self._store.remove(known)
        return path

    def _ensure_library(self) -> None:
        """The first collection of a Jellyfin brings a library of its own, and that a full scan."""
        if self._identity.flavour.is_emby:
            return
        if not any(library.collection_type == "boxsets" for library in self._libraries.values()):
            self._maker.library("Collections", "boxsets", (_PLACE,))
            self._scans.scan_everything()
