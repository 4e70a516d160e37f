"""A change of one item: fields, lists and locks, as the planner wants them and an adapter sends them."""

from collections.abc import Sequence
from dataclasses import dataclass

from model.item import Field, Item, Tag, TagKind


@dataclass(frozen=True, slots=True)
class FieldEdit:
    """A field gets this value, empty for none, and is locked against the server's agents (or, in an undo, unlocked)."""

    field: Field
    value: str
    locked: bool = True


@dataclass(frozen=True, slots=True)
class TagEdit:
    """A list becomes this one: what is not in it goes."""

    kind: TagKind
    want: tuple[Tag, ...]
    locked: bool = True


@dataclass(frozen=True, slots=True)
class LockEdit:
    """A lock alone, the value left as it is: `thumb` and `art` after an upload."""

    name: str
    locked: bool = True


@dataclass(frozen=True, slots=True)
class ItemChange:
    """All that changes on one item."""

    item: Item
    fields: tuple[FieldEdit, ...] = ()
    tags: tuple[TagEdit, ...] = ()
    locks: tuple[LockEdit, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What it touches, by the names of fields, lists and locks."""
        return (
            *(edit.field.value for edit in self.fields),
            *(edit.kind.value for edit in self.tags),
            *(edit.name for edit in self.locks),
        )

    def only(self, names: Sequence[str]) -> "ItemChange":
        """Keep what touches these names."""
        return ItemChange(
            self.item,
            tuple(edit for edit in self.fields if edit.field.value in names),
            tuple(edit for edit in self.tags if edit.kind.value in names),
            tuple(edit for edit in self.locks if edit.name in names),
        )
