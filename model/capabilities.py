"""What a server can hold: the fields, lists and pictures of its items, and which of them it can lock."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from model.item import Field, ItemType, TagKind
from model.picture import PictureKind

_NOTHING: Mapping[ItemType, frozenset[str]] = {}


@dataclass(frozen=True, slots=True)
class Capabilities:
    """One server's. `locks` are the names of fields, lists and pictures that it can lock one by one."""

    name: str
    """What people call it: Plex, Emby, Jellyfin."""
    fields: frozenset[Field]
    lists: frozenset[TagKind]
    locks: frozenset[str]
    pictures: frozenset[PictureKind]
    missing: Mapping[ItemType, frozenset[str]] = field(default_factory=lambda: _NOTHING)
    """What a type of item lacks of all these, by name."""
    personal: frozenset[Field] = frozenset()
    """Fields that a person alone fills in, never an agent of the server's."""
    stacked: frozenset[PictureKind] = frozenset()
    """Pictures of which an item shows several: ours stands beside the others, and takes the place of none."""
    finds_by_name: bool = True
    """Who looks for a file is told all items that have one of its name; otherwise only those at its very path."""

    def names_for(self, item_type: ItemType) -> frozenset[str]:
        """Name the fields, lists and pictures that this type of item has."""
        known = (what.value for what in (*self.fields, *self.lists, *self.pictures))
        return frozenset(known) - self.missing.get(item_type, frozenset())

    def has(self, what: Field | TagKind | PictureKind, item_type: ItemType) -> bool:
        """Tell whether this type of item has the field, the list or the picture."""
        return what.value in self.names_for(item_type)

    def has_lock(self, what: Field | TagKind | PictureKind) -> bool:
        return what.value in self.locks
