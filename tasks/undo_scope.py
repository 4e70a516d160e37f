"""How much an undo takes back: the last run, a given one, one scene, or everything."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from stash.wire import Refusal
from validation.events import parse_id

_CHOICES = ("run_id", "scene_id", "all")
_SWITCH = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class UndoScope:
    """At most one of them is given; with none it is the last run."""

    run_id: int | None = None
    scene_id: int | None = None
    everything: bool = False

    def __post_init__(self) -> None:
        if sum((self.run_id is not None, self.scene_id is not None, self.everything)) > 1:
            raise Refusal("Undo takes one of run_id, scene_id and all, not several.")

    @classmethod
    def from_args(cls, args: Mapping[str, object]) -> Self:
        """Read what a task was given. What is not understood is refused: a slip must not undo more than was meant."""
        strange = sorted(str(name) for name in args if name not in {"mode", *_CHOICES})
        if strange:
            raise Refusal(
                f"Undo does not know {', '.join(strange)}; it takes one of {', '.join(_CHOICES)}, or nothing."
            )
        return cls(_id(args, "run_id"), _id(args, "scene_id"), _switch(args, "all"))


def _id(args: Mapping[str, object], name: str) -> int | None:
    if name not in args:
        return None
    found = parse_id(args[name])
    if found is None:
        raise Refusal(f"{name} must be a whole number above 0; it is {args[name]!r:.60}.")
    return found


def _switch(args: Mapping[str, object], name: str) -> bool:
    found = _SWITCH.get(str(args.get(name, False)).strip().lower())
    if found is None:
        raise Refusal(f"{name} must be true or false; it is {args[name]!r:.60}.")
    return found
