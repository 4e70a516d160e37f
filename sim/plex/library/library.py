"""The library: sections, their items, and what an item says once agent, edits and locks are laid over each other."""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from uuid import UUID

from sim.plex.library import agents
from sim.plex.library.collection_tags import Collections
from sim.plex.library.records import NO_TAGS, TOP_TYPE, Item, Media, Part, Section, Tagging, Tags, Value
from sim.plex.library.sorted_items import SortedItems
from sim.plex.library.tags import TagRegistry
from sim.plex.quirks import Clock
from sim.plex.web.exchange import Refused

_ARTICLE = re.compile(r"^(the|a|an) ", re.IGNORECASE)
KEPT_ON_REFRESH = frozenset({"userRating", "lastRatedAt", "addedAt"})
"""What no agent knows about, so no refresh takes it away."""


class Library:
    def __init__(self, clock: Clock, registry: TagRegistry) -> None:
        self.sections: dict[int, Section] = {}
        self.items: dict[int, Item] = {}
        self.registry = registry
        self.collections = Collections(self)
        self.answers: dict[int, dict[str, Value]] = {}
        self._clock = clock
        self._shelves: defaultdict[tuple[int, str], SortedItems] = defaultdict(SortedItems)
        self._children: defaultdict[int, list[int]] = defaultdict(list)
        self._keys = itertools.count(1)
        self._part_ids = itertools.count(1)
        self._location_ids = itertools.count(1)

    def now(self) -> int:
        return int(self._clock())

    # Sections and items come and go.

    def add_section(
        self, title: str, kind: str, locations: Iterable[str], *, agent: str, scanner: str, language: str = "xn"
    ) -> Section:
        now, number, paths = self.now(), max(self.sections, default=0) + 1, tuple(locations)
        uuid = str(UUID(int=0x5EC << 112 | number))
        section = Section(number, kind, title, agent, scanner, paths, uuid, now, now, now, language)
        section.location_ids = tuple(next(self._location_ids) for _ in paths)
        self.sections[number] = section
        return section

    def take_away(self, section: Section) -> list[Item]:
        """Part with a section and its items; an item without its section would be neither there nor gone."""
        items = [item for item in self.items.values() if item.section_id == section.id]
        for item in items:
            del self.items[item.item_id]
        del self.sections[section.id]
        return items

    def bring_back(self, section: Section, items: Iterable[Item]) -> None:
        self.sections[section.id] = section
        self.items.update((item.item_id, item) for item in items)

    def add_item(self, item: Item, *, many: bool = False) -> Item:
        """Take the item in under the next key. `many` puts off the sorting."""
        item.item_id = next(self._keys)
        self.items[item.item_id] = item
        if item.parent:
            self._children[item.parent].append(item.item_id)
        order = self.order(item.section_id, item.kind)
        (order.fill if many else order.put)(item.item_id, self.sort_title(item).casefold())
        self.sections[item.section_id].content_changed_at += 1
        return item

    def new_part(self, file: str, size: int, duration: int) -> Part:
        return Part(next(self._part_ids), file, size, duration)

    def new_media(self, *parts: Part) -> Media:
        return Media(parts[0].id, parts)

    def remove_item(self, item_id: int) -> Item:
        item = self.item(item_id)
        del self.items[item_id]
        self.order(item.section_id, item.kind).take(item_id)
        self.collections.forget(item)
        self.sections[item.section_id].content_changed_at += 1
        return item

    # Looking.

    def item(self, item_id: int) -> Item:
        if (item := self.items.get(item_id)) is None:
            raise Refused(404)
        return item

    def section(self, section_id: int) -> Section:
        if (section := self.sections.get(section_id)) is None:
            raise Refused(404)
        return section

    def order(self, section_id: int, kind: str | None = None) -> SortedItems:
        return self._shelves[section_id, kind or TOP_TYPE[self.sections[section_id].kind]]

    def holding(self, file: str) -> Item | None:
        return next((item for item in self.items.values() if file in item.files), None)

    def children(self, item_id: int) -> list[Item]:
        return [self.items[key] for key in self._children.get(item_id, ()) if key in self.items]

    def values(self, item: Item) -> dict[str, Value]:
        values = agents.says(self.sections[item.section_id], item)
        values["addedAt"] = item.added_at
        values.update(item.edits)
        return values

    def tags(self, item: Item) -> Tags:
        told = agents.names(self.sections[item.section_id], item)
        if not told and item.tags is NO_TAGS:
            return NO_TAGS
        tags = {
            kind: tuple(self._tagging(kind, name, place) for place, name in enumerate(names))
            for kind, names in told.items()
        }
        tags.update(item.tags)
        return tags

    def _tagging(self, kind: str, name: str, place: int) -> Tagging:
        return Tagging(self.registry.obtain(kind, name).id, f"Part {place}" if kind == "actor" else "")

    def sort_title(self, item: Item, values: Mapping[str, Value] | None = None) -> str:
        values = values if values is not None else self.values(item)
        return str(values.get("titleSort") or _ARTICLE.sub("", str(values.get("title", ""))))

    # Changing.

    def write(self, item: Item, values: Mapping[str, Value]) -> None:
        """Lay scalars over what the agent says. That, unlike an edit of tags, shows in `updatedAt`."""
        item.edits = {**item.edits, **values}
        self.touch(item)
        self.order(item.section_id, item.kind).put(item.item_id, self.sort_title(item).casefold())

    def touch(self, item: Item) -> None:
        item.updated_at = max(self.now(), item.updated_at)
        self.sections[item.section_id].content_changed_at += 1

    def set_tags(self, item: Item, kind: str, taggings: Iterable[Tagging]) -> None:
        item.tags = {**item.tags, kind: tuple(taggings)}
        if kind == "collection":
            self.collections.settle(item)

    def lock(self, item: Item, fields: Mapping[str, bool]) -> None:
        """Lock or unlock. A lock holds the value of that moment, also where the agent had given it."""
        values, tags = self.values(item), self.tags(item)
        for name, is_locked in fields.items():
            if not is_locked:
                item.locks -= {name}
                continue
            item.locks |= {name}
            if name in tags:
                self.set_tags(item, name, tags[name])
            elif name in values:
                item.edits = {**item.edits, name: values[name]}

    def refresh(self, item: Item) -> None:
        """Ask the agent again: what is not locked becomes the agent's."""
        item.told = {**item.told, **self.answers.pop(item.item_id, {})}
        keep = item.locks | KEPT_ON_REFRESH
        item.edits = {name: value for name, value in item.edits.items() if name in keep}
        item.tags = {kind: tags for kind, tags in item.tags.items() if kind in keep} or NO_TAGS
        self.collections.settle(item)
        self.touch(item)
        self.order(item.section_id, item.kind).put(item.item_id, self.sort_title(item).casefold())
