"""Clean text: what people and scrapers typed, made fit for Plex. Each function applied twice does what it does once."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from itertools import accumulate
from urllib.parse import quote

MAX_CHARACTERS = 255  # of a title or a name; as many emoji, encoded twice to be removed, are 5 kB of a request line's 8
ELLIPSIS = "…"

_IDEOGRAPHIC_SPACE = "\u3000"
_JOINER = "\u200d"

# They show nothing and part nothing. The joiners U+200C and U+200D are not among them: emoji and Persian need those.
_INVISIBLE = re.compile("[\u200b\u2060\ufeff]")
_LINE_BREAK = re.compile("\r\n|[\r\u0085\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_ODD_SPACE = re.compile(rf"[^\S\n{_IDEOGRAPHIC_SPACE}]")
_SPACES = re.compile(r"\s+")
_MANY_BREAKS = re.compile(r"\n{3,}")

# White space, and marks that steer the text beside them and mean nothing at its ends.
_EDGE = f" {_IDEOGRAPHIC_SPACE}\u200c{_JOINER}\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # two of them are one flag
_SKIN_TONES = "".join(map(chr, range(0x1F3FB, 0x1F400)))
_FLAG_TAGS = "".join(map(chr, range(0xE0020, 0xE0080)))

_DATE = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?", re.ASCII)


def whole_characters(text: str) -> str:
    """Join surrogates that make a pair and put U+FFFD for those that do not: no encoder takes them."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def one_line(text: str) -> str:
    """Return a title or a name: one line, single spaces, at most `MAX_CHARACTERS`."""
    if _is_plain(text):
        return text
    return _known_line(text) if len(text) <= MAX_CHARACTERS else _clean_line(text)


def _clean_line(text: str) -> str:
    visible = _CONTROL.sub(" ", _INVISIBLE.sub("", whole_characters(text)))
    spaced = _SPACES.sub(_one_space, unicodedata.normalize("NFC", visible)).strip(_EDGE)
    return spaced if len(spaced) <= MAX_CHARACTERS else _cut(spaced, MAX_CHARACTERS - 1) + ELLIPSIS


_known_line = lru_cache(maxsize=4096)(_clean_line)  # a library has few names and many scenes


def paragraphs(text: str) -> str:
    """Return a text of several lines, broken by line feeds alone and by no more than two in a row."""
    visible = _LINE_BREAK.sub("\n", _INVISIBLE.sub("", whole_characters(text)))
    spaced = _ODD_SPACE.sub(" ", unicodedata.normalize("NFC", _CONTROL.sub(" ", visible)))
    lines = "\n".join(line.rstrip(_EDGE) for line in spaced.split("\n"))
    return _MANY_BREAKS.sub("\n\n", lines).strip(_EDGE + "\n")


def full_date(text: str) -> str:
    """Return the day as YYYY-MM-DD, the first one where only a year or a month is known, or raise ValueError."""
    parts = _DATE.fullmatch(text.strip())
    if parts is None:
        raise ValueError(f"{text!r} is not a date")
    return date(*(int(part or 1) for part in parts.groups())).isoformat()


def fit_encoded(text: str, max_encoded_bytes: int) -> str:
    """Cut a text to so many bytes of percent-encoded UTF-8; Cyrillic counts six a letter, Chinese nine."""
    text = whole_characters(text)
    # No character takes more than four bytes of UTF-8, each of which may become three.
    if len(text) * 12 <= max_encoded_bytes or _encoded_bytes(text) <= max_encoded_bytes:
        return text
    ending = ELLIPSIS if _encoded_bytes(ELLIPSIS) <= max_encoded_bytes else ""
    room = max_encoded_bytes - _encoded_bytes(ending)
    sizes = accumulate(_encoded_bytes(letter) for letter in text[: max(room, 0)])
    return _cut(text, bisect_right(list(sizes), room)) + ending


def distinct_names(names: Iterable[str]) -> tuple[str, ...]:
    """Clean names in their order; of those that differ in case only, the first."""
    chosen: dict[str, str] = {}
    for name in filter(None, map(one_line, names)):
        chosen.setdefault(name.casefold(), name)
    return tuple(chosen.values())


def _is_plain(text: str) -> bool:
    """Recognise the many names that need nothing, at a twentieth of the cost of cleaning them."""
    return (
        text.isascii()
        and text.isprintable()
        and "  " not in text
        and text == text.strip()
        and len(text) <= MAX_CHARACTERS
    )


def _one_space(run: re.Match[str]) -> str:
    """Japanese parts names with its own wide space, which stays unless it is mixed with others."""
    return _IDEOGRAPHIC_SPACE if set(run[0]) == {_IDEOGRAPHIC_SPACE} else " "


def _encoded_bytes(text: str) -> int:
    return len(quote(text, safe=""))


# --- where to cut -------------------------------------------------------------------------------------------------


def _cut(text: str, end: int) -> str:
    """Keep at most `end` characters and no part of what a reader sees as one, unless that is all there is."""
    place = end
    while place > 0 and _is_inside_a_cluster(text, place):
        place -= 1
    return text[: place or end].rstrip()


def _is_inside_a_cluster(text: str, place: int) -> bool:
    before, after = text[place - 1], text[place]
    if after in _FLAG_LETTERS:
        kept = text[:place]
        return (len(kept) - len(kept.rstrip(_FLAG_LETTERS))) % 2 == 1
    return _JOINER in (before, after) or _belongs_to_what_precedes(after)


def _belongs_to_what_precedes(letter: str) -> bool:
    is_mark = unicodedata.category(letter).startswith("M")  # an accent, or which of its two shapes an emoji takes
    return is_mark or letter in _SKIN_TONES or letter in _FLAG_TAGS
