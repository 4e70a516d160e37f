"""Providers: where the values come from that nobody typed, and what they overwrite at a refresh."""

from dataclasses import dataclass

from sim.mediabrowser.quirks import Clock
from sim.mediabrowser.world.item_store import ItemStore
from sim.mediabrowser.world.people import People
from sim.mediabrowser.world.records import Item, Library, Values, stem_of

_LOCK_OF = {"People": "Cast", "ForcedSortName": "SortName", "Taglines": "Tagline"}
"""The word of LockedFields for a property, where it is not the property's own name."""
_KEPT = frozenset({"Name", "DateCreated", "LockData", "LockedFields"})
_NFO_MARGIN_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Nfo:
    """A file beside the video that says what the video is."""

    values: Values
    written_at: float


class Providers:
    def __init__(self, store: ItemStore, people: People, libraries: dict[str, Library], clock: Clock) -> None:
        self.nfo_files: dict[str, Nfo] = {}
        self._store = store
        self._people = people
        self._libraries = libraries
        self._clock = clock
        self._said: dict[str, Values] = {}

    def say(self, item: Item, values: Values) -> None:
        """Set what the providers on the internet will answer at the next refresh."""
        self._said.setdefault(item.id, {}).update(values)

    def save_nfo(self, item: Item) -> None:
        """Write a file beside the video after every save, where the library's options say so."""
        library = self._libraries.get(item.library_id)
        if library is not None and library.saves_nfo and item.is_video:
            self.nfo_files[nfo_path(item)] = Nfo(dict(item.values), self._clock())

    def has_newer_nfo(self, item: Item) -> bool:
        nfo = self.nfo_files.get(nfo_path(item))
        return nfo is not None and nfo.written_at > item.saved_ticks / 1e7 + _NFO_MARGIN_SECONDS

    def refresh(self, item: Item, *, is_first: bool = False, replaces_all: bool = False) -> None:
        """Let the providers overwrite what is not locked. With `replaces_all` they also clear what they do not know."""
        item.refreshed_at = self._clock()
        if item.values.get("LockData") and not is_first:
            return
        before = dict(item.values)
        nfo = self.nfo_files.get(nfo_path(item))
        said = dict(self._said.get(item.id, {}))
        if is_first or replaces_all:
            said.setdefault("Name", stem_of(item.path))
        said.update({name: value for name, value in (nfo.values if nfo else {}).items() if value})
        locked = frozenset(item.names("LockedFields"))
        if replaces_all:
            self._clear(item, locked)
        for name, value in said.items():
            if name == "LockedFields":
                item.values[name] = list(dict.fromkeys([*item.names(name), *value]))
            elif _LOCK_OF.get(name, name) not in locked:
                item.values[name] = value
        if item.values != before or is_first:
            self._people.ensure(item.people)
            self._store.save(item)

    def _clear(self, item: Item, locked: frozenset[str]) -> None:
        for name, value in item.values.items():
            if name not in _KEPT and _LOCK_OF.get(name, name) not in locked:
                item.values[name] = value[:0] if isinstance(value, list) else {} if isinstance(value, dict) else None


def nfo_path(item: Item) -> str:
    return f"{item.path.rpartition('.')[0]}.nfo"
