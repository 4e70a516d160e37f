"""Persons: one for each name on the whole server, whatever the case it is written in."""

from collections.abc import Iterable

from sim.mediabrowser.world.item_store import ItemStore
from sim.mediabrowser.world.records import Credit, Item


class People:
    def __init__(self, store: ItemStore) -> None:
        self._store = store
        self._ids: dict[str, str] = {}

    def ensure(self, cast: Iterable[Credit]) -> None:
        """Make a person, without a picture, of every name that has none."""
        for credit in cast:
            if credit.has_entity and credit.name.casefold() not in self._ids:
                person = Item(self._store.entity_id("Person", credit.name), "Person", "")
                person.values["Name"] = credit.name
                self._ids[credit.name.casefold()] = self._store.add(person).id

    def find(self, name: str) -> Item | None:
        return self._store.items.get(self._ids.get(name.casefold(), ""))

    def search(self, term: str) -> list[Item]:
        """Find persons whose name holds the term, in the order of their names."""
        names = sorted(name for name in self._ids if term.casefold() in name)
        return [self._store.items[self._ids[name]] for name in names]
