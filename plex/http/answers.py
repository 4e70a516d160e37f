"""Plex's answers as trees: whole, of the right kind, with the characters XML forbids taken out."""

import re
from xml.etree.ElementTree import Element, ParseError, fromstring

from model.errors import AnswerGarbled, Kind
from plex.exceptions import translated

_CONTAINER = "MediaContainer"
_ROOTS = frozenset({_CONTAINER, "LibraryTimeline"})
_MOST_DIGITS = 18  # what the index can keep; Plex counts bytes and seconds with fewer
_FORBIDDEN = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]|\xed[\xa0-\xbf][\x80-\xbf]")
_FORBIDDEN_REFERENCES = re.compile(rb"&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|[xX]0*(?:[0-8bcBC]|[eE]|[fF]|1[0-9a-fA-F]));")


def parse_xml(body: bytes, what: str) -> Element:
    """Parse a small answer."""
    with translated(what):
        try:
            root = fromstring(body)  # noqa: S314 - the session lets no document type through, so there are no entities
        except ParseError:
            root = fromstring(cleaned(body))  # noqa: S314 - as above
    return checked_root(root, what)


def checked_root(root: Element | None, what: str) -> Element:
    """Refuse what is XML and yet no answer of Plex's."""
    if root is None:
        raise AnswerGarbled("an empty answer", kind=Kind.CUT_XML).at(what)
    check_root(root.tag, what)
    return root


def check_root(tag: str, what: str) -> None:
    if tag not in _ROOTS:
        raise AnswerGarbled("something else came instead of Plex's answer", kind=Kind.HTML_PAGE).at(f"{what}: <{tag}>")


def cleaned(body: bytes) -> bytes:
    """Take out the characters that XML forbids and Plex sends all the same."""
    return _FORBIDDEN_REFERENCES.sub(b"", _FORBIDDEN.sub(b"", body))


def whole_number(element: Element, name: str) -> int | None:
    """Read an attribute that should be a whole number; anything else is as good as absent."""
    return as_number(element.get(name))


def as_number(text: str | None) -> int | None:
    return int(text) if text and len(text) <= _MOST_DIGITS and text.isdecimal() and text.isascii() else None
