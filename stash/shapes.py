"""The shapes of Stash's answers: each value as what it should be, or StashUnintelligible. Nothing is guessed.

A null, or a field that another version of Stash leaves out, is nothing; a value of another type is a mistake somewhere.
"""

import math
from collections.abc import Mapping
from typing import Any, cast

from stash.exceptions import StashUnintelligible
from validation.events import parse_id

Object = Mapping[str, Any]


def an_object(value: object, what: str) -> Object:
    if isinstance(value, dict):
        return cast("Object", value)
    raise _mistake(value, what)


def an_object_or_none(value: object, what: str) -> Object:
    """Read an object that may be missing; then it is empty."""
    return {} if value is None else an_object(value, what)


def objects(value: object, what: str) -> list[Object]:
    """Read a list of objects; nulls in it are passed over."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise _mistake(value, what)
    return [an_object(one, what) for one in cast("list[object]", value) if one is not None]


def a_text(value: object, what: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise _mistake(value, what)


def an_id(value: object, what: str) -> int:
    found = parse_id(value)
    if found is None:
        raise _mistake(value, what)
    return found


def a_number(value: object, what: str) -> float:
    """Read a number; none is 0."""
    if value is None:
        return 0
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63 and math.isfinite(value):
        return value
    raise _mistake(value, what)


def _mistake(value: object, what: str) -> StashUnintelligible:
    kind = "nothing" if value is None else type(value).__name__
    return StashUnintelligible(
        f"Stash's answer is not as expected: {what} is {kind}. Is this version of Stash supported?"
    )
