"""Pages over several targets: one list, in one order, of which each target has a part.

`after` says for each target how far its part has come: `plex:12;emby:7`. A number alone is that of the only target.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from model.targets import TITLES
from model.user_error import UserError

Row = TypeVar("Row")


class Placed(NamedTuple, Generic[Row]):
    """A row, what the list is ordered by, and its number within its target."""

    order: Any
    number: int
    row: Row


def merged_page(
    targets: Sequence[str], after: str, limit: int, read: Callable[[str, int, int], Sequence[Placed[Row]]]
) -> tuple[tuple[Row, ...], str | None]:
    """Read a page of all targets' rows; `read` gives those of one target behind a number, in order, at most so many."""
    places = _places(targets, after)
    found = [(target, one) for target in targets for one in read(target, places[target], limit)]
    found.sort(key=lambda pair: pair[1].order)
    for target, one in found[:limit]:
        places[target] = one.number
    rows = tuple(one.row for _, one in found[:limit])
    return rows, _written(places) if len(found) >= limit else None


def _places(targets: Sequence[str], after: str) -> dict[str, int]:
    places = dict.fromkeys(targets, 0)
    for part in filter(None, after.split(";")):
        name, _, number = part.rpartition(":")
        if not number.isdigit() or (name and name not in TITLES) or (not name and len(targets) > 1):
            raise UserError(f"after must be `next` of the page before; it is {after!r:.60}.")
        if (name or targets[0]) in places:
            places[name or targets[0]] = int(number)
    return places


def _written(places: dict[str, int]) -> str:
    return ";".join(f"{target}:{number}" for target, number in places.items() if number)
