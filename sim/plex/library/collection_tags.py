"""Collections: a tag on the items that is at the same time an item of its own."""

from typing import TYPE_CHECKING

from sim.plex.library.records import Item
from sim.plex.web.exchange import Refused

if TYPE_CHECKING:  # the library owns its collections
    from sim.plex.library.library import Library


class Collections:
    def __init__(self, library: "Library") -> None:
        self._library = library
        self._members: dict[tuple[int, int], set[int]] = {}
        self._objects: dict[tuple[int, int], int] = {}

    def settle(self, item: Item) -> None:
        """Bring the collections in line with the tags of this item: made with the first member, gone with the last."""
        wanted = {tagging.tag_id for tagging in item.tags.get("collection", ())}
        for tag_id in wanted:
            self._join(item, tag_id)
        for section_id, tag_id in list(self._members):
            if section_id == item.section_id and tag_id not in wanted:
                self._leave(item, tag_id)

    def forget(self, item: Item) -> None:
        """Forget an item that is gone from the library."""
        if item.kind == "collection":
            self._dissolve(item)
            return
        for section_id, tag_id in list(self._members):
            if section_id == item.section_id:
                self._leave(item, tag_id)

    def members(self, collection: Item) -> list[Item]:
        place = self._place(collection)
        return [self._library.items[key] for key in sorted(self._members.get(place, ()))] if place else []

    def size(self, collection: Item) -> int:
        place = self._place(collection)
        return len(self._members.get(place, ())) if place else 0

    def rename(self, collection: Item, name: str) -> None:
        """Rename the tag with it, on every member; a name that is taken is a conflict."""
        place = self._place(collection)
        assert place is not None
        tag = self._library.registry[place[1]]
        other = self._library.registry.get("collection", name)
        if other is not None and other is not tag and (place[0], other.id) in self._objects:
            raise Refused(409)
        self._library.registry.rename(tag, name)

    def _place(self, collection: Item) -> tuple[int, int] | None:
        return next((place for place, key in self._objects.items() if key == collection.item_id), None)

    def _join(self, item: Item, tag_id: int) -> None:
        place = (item.section_id, tag_id)
        self._members.setdefault(place, set()).add(item.item_id)
        if place not in self._objects:
            told = {"title": self._library.registry[tag_id].name}
            collection = Item(0, item.section_id, "collection", self._library.now(), told=told)
            self._objects[place] = self._library.add_item(collection).item_id

    def _leave(self, item: Item, tag_id: int) -> None:
        place = (item.section_id, tag_id)
        members = self._members[place]
        members.discard(item.item_id)
        if not members:
            del self._members[place]
            if key := self._objects.pop(place, None):
                self._library.remove_item(key)

    def _dissolve(self, collection: Item) -> None:
        place = self._place(collection)
        if place is None:
            return
        del self._objects[place]
        for member in self._members.pop(place, set()):
            item = self._library.items[member]
            kept = tuple(tag for tag in item.tags.get("collection", ()) if tag.tag_id != place[1])
            item.tags = {**item.tags, "collection": kept}
