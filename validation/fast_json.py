"""JSON without the json package, whose import takes as long as half an interpreter's start.

It is the C scanner and the C string encoder that json itself is built on.
"""

from _json import encode_basestring_ascii, make_scanner


class _Context:
    """What the scanner wants to know: how json.loads() behaves."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float  # NaN and Infinity, which json.loads() takes too


WHITE_SPACE = " \t\r\n"


def loads(raw: bytes) -> object:
    """Parse a document; raise ValueError or RecursionError for what is none."""
    text = raw.decode("utf-8-sig").strip(WHITE_SPACE)
    try:
        value, end = make_scanner(_Context())(text, 0)  # pyright: ignore[reportArgumentType] - typeshed errs
    except (StopIteration, SystemError) as stop:  # SystemError: it finds no json.decoder to take its error from
        raise ValueError("no JSON value") from stop
    if end != len(text):
        raise ValueError("something follows the JSON value")
    return value


def dump_flat(fields: dict[str, str | float | bool]) -> str:
    """Write an object whose values are texts, numbers and switches."""
    return "{" + ", ".join(f"{encode_basestring_ascii(key)}: {_dump_one(value)}" for key, value in fields.items()) + "}"


def _dump_one(value: str | float | bool) -> str:  # noqa: FBT001 - a value like any other
    if isinstance(value, bool):
        return "true" if value else "false"
    return encode_basestring_ascii(value) if isinstance(value, str) else repr(value)
