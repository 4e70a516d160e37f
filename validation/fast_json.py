"""JSON without the json package, whose import takes as long as half an interpreter's start.

It is the C scanner and the C string encoder that json itself is built on.
"""

from _json import encode_basestring_ascii, make_scanner

TYPE_CHECKING = False  # typing costs the hook time that only a type checker has
if TYPE_CHECKING:
    from typing import cast
else:

    def cast(_type: str, value: object) -> object:
        return value


class _Context:
    """What the scanner wants to know: how json.loads() behaves."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float  # NaN and Infinity, which json.loads() takes too


WHITE_SPACE = " \t\r\n"
BYTE_ORDER_MARK = "\ufeff"


def loads(raw: bytes) -> object:
    """Parse a document; raise ValueError or RecursionError for what is none."""
    text = raw.decode().removeprefix(BYTE_ORDER_MARK).strip(WHITE_SPACE)
    try:
        value, end = make_scanner(_Context())(text, 0)  # pyright: ignore[reportArgumentType] - typeshed errs
    except (StopIteration, SystemError) as stop:  # SystemError: it finds no json.decoder to take its error from
        raise ValueError("no JSON value") from stop
    if end != len(text):
        raise ValueError("something follows the JSON value")
    return value


def dumps(value: object) -> str:
    """Write a value of lists, objects with texts for names, texts, numbers, switches and None."""
    if value is None:
        return "null"
    if isinstance(value, bool | str | int | float):
        return _dump_one(value)
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value).items()
        return "{" + ", ".join([f"{encode_basestring_ascii(name)}: {dumps(one)}" for name, one in fields]) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(dumps, cast("list[object]", value))) + "]"
    raise TypeError(f"{type(value).__name__} is nothing that JSON can hold")


def dump_flat(fields: dict[str, str | float | bool]) -> str:
    """Write an object whose values are texts, numbers and switches."""
    return "{" + ", ".join(f"{encode_basestring_ascii(key)}: {_dump_one(value)}" for key, value in fields.items()) + "}"


def _dump_one(value: str | float | bool) -> str:  # noqa: FBT001 - a value like any other
    if isinstance(value, bool):
        return "true" if value else "false"
    return encode_basestring_ascii(value) if isinstance(value, str) else repr(value)
