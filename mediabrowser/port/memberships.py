"""Which collections hold an item: read seldom, kept for a short while, written by membership alone."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from mediabrowser.collections import Collection, Collections, named
from model.errors import ChangeRejected, ItemNotFound
from model.item import name_key

FRESH_SECONDS = 30.0


class Memberships:
    """The collections of the server with their members. May be shared between threads.

    Only those that were saved since they were read are read again. None is made before it was looked for, none is ever
    emptied or deleted.
    """

    def __init__(self, collections: Collections, clock: Callable[[], float] = time.monotonic) -> None:
        self._collections = collections
        self._clock = clock
        self._known: dict[str, Collection] = {}
        self._members: dict[str, dict[str, None]] = {}
        self._holders: dict[str, dict[str, None]] = {}
        """By item, the collections that hold it: the same as `_members`, read the other way."""
        self._read_at: float | None = None
        self._lock = threading.RLock()

    def names_of(self, item_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Name the collections that hold each of these."""
        with self._lock:
            self._refresh()
            return {item_id: self._names(item_id) for item_id in item_ids}

    def add_all(self, members: Mapping[str, Sequence[str]]) -> None:
        """Add items to the collections of these names, each of which is made if there is none."""
        with self._lock:
            self._refresh()
            for name, item_ids in members.items():
                self._add(name, item_ids)

    def set_names(self, item_id: str, names: Sequence[str]) -> None:
        """Have an item be in the collections of these names, and in no other."""
        wanted = {name_key(name): name for name in names}
        with self._lock:
            self._refresh()
            held = {name_key(name) for name in self._names(item_id)}
            for key, name in wanted.items():
                if key not in held:
                    self._add(name, [item_id])
            for collection_id in list(self._holders.get(item_id, ())):
                if name_key(self._known[collection_id].name) not in wanted:
                    self._collections.remove(collection_id, [item_id])
                    self._members[collection_id].pop(item_id, None)
                    self._holders[item_id].pop(collection_id, None)

    def _names(self, item_id: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._known[one].name for one in self._holders.get(item_id, ())))

    def _add(self, name: str, item_ids: Sequence[str]) -> None:
        found = named(name, list(self._known.values()))
        if found is not None:
            try:
                self._collections.add(found.item_id, item_ids)
            except (ItemNotFound, ChangeRejected):  # it is gone since it was read, as Emby's are with their last member
                self._forget(found.item_id)
                found = None
        if found is None:
            found = self._collections.ensure(name, item_ids)
        self._keep(found, item_ids)

    def _keep(self, collection: Collection, item_ids: Iterable[str]) -> None:
        """Note members of a collection; by its old Etag it will be read again when it is time."""
        self._known[collection.item_id] = collection
        members = self._members.setdefault(collection.item_id, {})
        for item_id in item_ids:
            members[item_id] = None
            self._holders.setdefault(item_id, {})[collection.item_id] = None

    def _forget(self, collection_id: str) -> None:
        self._known.pop(collection_id, None)
        for item_id in self._members.pop(collection_id, {}):
            self._holders[item_id].pop(collection_id, None)

    def _refresh(self) -> None:
        now = self._clock()
        if self._read_at is not None and now - self._read_at < FRESH_SECONDS:
            return
        before, members = self._known, self._members
        self._known, self._members, self._holders = {}, {}, {}
        self._read_at = None
        for collection in self._collections.list():
            known = before.get(collection.item_id)
            is_same = known is not None and known.etag == collection.etag != ""
            kept = members[collection.item_id] if is_same else self._collections.members(collection.item_id)
            self._keep(collection, kept)
        self._read_at = now
