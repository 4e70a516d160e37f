"""The baseline: what we last wrote to an item, the third side of every merge."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Baseline:
    """By plan field name: the value we wrote, and for lists the names that we added ourselves."""

    scalars: Mapping[str, str] = field(default_factory=dict[str, str])
    sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def to_json(self) -> str:
        return json.dumps({"scalars": dict(self.scalars), "sets": {name: list(of) for name, of in self.sets.items()}})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a baseline; what makes no sense is none: then nothing in Plex counts as ours, and nothing is removed."""
        try:
            raw = json.loads(text)
            scalars = {name: _string(value) for name, value in raw["scalars"].items()}
            sets = {name: tuple(_string(value) for value in _list(values)) for name, values in raw["sets"].items()}
        except (ValueError, TypeError, KeyError, AttributeError):
            return cls()
        return cls(scalars, sets)


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value  # pyright: ignore[reportUnknownVariableType] - of what, is looked at one by one
