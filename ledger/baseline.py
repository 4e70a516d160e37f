"""The baseline: what we last wrote to an item, the third side of every merge."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from ledger.database.packed import pack, unpack


@dataclass(frozen=True, slots=True)
class Baseline:
    """By plan field name: the value we wrote, and for lists the names that we added ourselves.

    `found` are names that Stash has too and others had put into a list: they are not ours to take out. `forms` say what
    Plex shows in the place of a value that it stores otherwise than it was sent, empty for a name that it drops.
    `unread` are the fields whose value was sent and not read back yet, and the names of a list. These two call a list
    what Plex calls it: it may have several sources. `unlocked` are fields and lists of a write that broke off before
    it had locked what it wrote.
    """

    scalars: Mapping[str, str] = field(default_factory=dict[str, str])
    sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    found: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    forms: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    unread: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    unlocked: tuple[str, ...] = ()

    def to_json(self) -> str:
        return json.dumps(self._parts())

    def packed(self) -> bytes:
        return pack(self._parts())

    def _parts(self) -> dict[str, object]:
        rest = {"found": self.found, "forms": self.forms, "unread": self.unread, "unlocked": self.unlocked}
        return {"scalars": self.scalars, "sets": self.sets, **{name: of for name, of in rest.items() if of}}

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a baseline, packed or not.

        What makes no sense is none: then nothing in Plex counts as ours, and nothing is removed.
        """
        try:
            raw = unpack(text)
            scalars = _texts(raw["scalars"])
            sets, found, unread = (_lists(raw.get(name, {})) for name in ("sets", "found", "unread"))
            forms = {name: _texts(known) for name, known in raw.get("forms", {}).items()}
            unlocked = tuple(_string(name) for name in _list(raw.get("unlocked", [])))
        except (ValueError, TypeError, KeyError, AttributeError):
            return cls()
        return cls(scalars, sets, found, forms, unread, unlocked)


def _texts(raw: Any) -> dict[str, str]:
    return {name: _string(value) for name, value in raw.items()}


def _lists(raw: Any) -> dict[str, tuple[str, ...]]:
    return {name: tuple(_string(value) for value in _list(values)) for name, values in raw.items()}


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value  # pyright: ignore[reportUnknownVariableType] - of what, is looked at one by one
