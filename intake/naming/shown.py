"""A path as a sentence shows it: between marks that tell where it ends, undecodable bytes as hexadecimal numbers."""

import re

_UNDECODABLE = re.compile("[\udc80-\udcff]")
_OPEN, _CLOSE = "\u201c", "\u201d"


def quoted(path: str) -> str:
    """Write a path, or a file's name, into a sentence."""
    return f"{_OPEN}{printable(path).replace(_CLOSE, chr(34))}{_CLOSE}"


def printable(path: str) -> str:
    """Write what Python could not decode in a name as the bytes that it is."""
    return _UNDECODABLE.sub(lambda found: f"\\x{ord(found[0]) - 0xDC00:02x}", path)


def is_text(path: str) -> bool:
    """Tell whether a path can be written down as it is."""
    return _UNDECODABLE.search(path) is None
