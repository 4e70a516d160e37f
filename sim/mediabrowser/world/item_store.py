"""The items of the server, by id and by path, with the order of their lists."""

import hashlib
import itertools
import re
from collections.abc import Callable, Iterable

from sim.mediabrowser.quirks import Clock, Quirks
from sim.mediabrowser.world.identity import Identity
from sim.mediabrowser.world.moments import ticks_of
from sim.mediabrowser.world.records import Item

_GUID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_ARTICLES = re.compile(r"^(?:the|a|an) ", re.IGNORECASE)
_FIRST_NUMBER = 3001
_MOST_ORDERS = 50


def digest(*parts: object) -> str:
    return hashlib.md5("".join(map(str, parts)).encode(), usedforsecurity=False).hexdigest()


class ItemStore:
    """Whoever changes an item says so with `save`. `revision` moves with every change."""

    def __init__(self, identity: Identity, quirks: Quirks, clock: Clock) -> None:
        self.items: dict[str, Item] = {}
        self.revision = 0
        self._identity = identity
        self._quirks = quirks
        self._clock = clock
        self._by_path: dict[str, str] = {}
        self._by_kind: dict[str, dict[str, Item]] = {}
        self._numbers = itertools.count(_FIRST_NUMBER)
        self._entities: dict[tuple[str, str], str] = {}
        self._last_ticks = 0
        self._orders: dict[object, tuple[int, list[Item]]] = {}

    def new_id(self, kind: str, path: str) -> str:
        """Jellyfin's id is made of type and path: the same file is always the same id, a moved one is another."""
        if self._identity.flavour.is_emby:
            return str(next(self._numbers))
        return digest(kind, path if self._quirks.case_sensitive_ids else path.lower())

    def parsed_id(self, text: str) -> str | None:
        """Read an id as the server does; None is what it cannot read."""
        text = text.strip()
        if self._identity.flavour.is_emby:
            return text if _DIGITS.fullmatch(text) else None
        return text.replace("-", "").lower() if _GUID.fullmatch(text) else None

    def find(self, text: str) -> Item | None:
        wanted = self.parsed_id(text)
        return self.items.get(wanted) if wanted else None

    def at_path(self, path: str) -> Item | None:
        found = self._by_path.get(path)
        return self.items.get(found) if found else None

    def of_kind(self, kind: str) -> Iterable[Item]:
        return self._by_kind.get(kind, {}).values()

    def add(self, item: Item) -> Item:
        self.items[item.id] = item
        self._by_kind.setdefault(item.kind, {})[item.id] = item
        for path in {item.path, *(file.path for file in item.files)} - {""}:
            self._by_path[path] = item.id
        self.save(item)
        return item

    def remove(self, item: Item) -> None:
        self.items.pop(item.id, None)
        self._by_kind.get(item.kind, {}).pop(item.id, None)
        for path in {item.path, *(file.path for file in item.files)}:
            if self._by_path.get(path) == item.id:
                del self._by_path[path]
        self.revision += 1

    def save(self, item: Item) -> None:
        """Stamp the item: its Etag moves with every save, whoever made it and whatever it changed."""
        item.saved_ticks = self.next_ticks()
        item.stored_values = None
        self.revision += 1

    def next_ticks(self) -> int:
        """Give a moment that nothing else has."""
        self._last_ticks = max(ticks_of(self._clock()), self._last_ticks + 1)
        return self._last_ticks

    def entity_id(self, kind: str, name: str) -> str:
        """Give the id of a person, studio, genre or tag, which is known by its name alone."""
        key = (kind, name.casefold())
        if key not in self._entities:
            self._entities[key] = self.new_id(kind, name.casefold())
        return self._entities[key]

    def sorted(self, key: object, find: Callable[[], list[Item]]) -> list[Item]:
        """Find and sort; the same question asked again is answered from memory until something changes."""
        revision, known = self._orders.get(key, (-1, []))
        if revision != self.revision:
            known = find()
            if len(self._orders) > _MOST_ORDERS:
                self._orders.clear()
            self._orders[key] = (self.revision, known)
        return known

    def etag(self, item: Item) -> str:
        return digest(item.saved_ticks)

    def sort_name(self, item: Item) -> str:
        """Jellyfin computes it: lower-case, digits padded. Emby takes it as it was given."""
        text = item.values.get("ForcedSortName") or _ARTICLES.sub("", item.values.get("Name") or "")
        if self._identity.flavour.is_emby:
            return text
        return _DIGITS.sub(lambda digits: digits[0].rjust(10, "0"), text.lower())
