"""Storing: what a server makes of a text or a number before it keeps it."""

import unicodedata

from sim.plex.library.records import Value
from sim.plex.quirks import Quirks

_CURLY = {"'": "\N{RIGHT SINGLE QUOTATION MARK}", '"': "\N{RIGHT DOUBLE QUOTATION MARK}"}
_STRAIGHT = {
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
}
_QUOTES = {"kept": {}, "curly": str.maketrans(_CURLY), "straight": str.maketrans(_STRAIGHT)}
_LAST_OF_THREE_BYTES = "\uffff"  # a database of three-byte characters drops what is beyond, emoji above all


def stored_text(text: str, quirks: Quirks) -> str:
    if not quirks.keeps_emoji:
        text = "".join(letter for letter in text if letter <= _LAST_OF_THREE_BYTES)
    text = text.translate(_QUOTES[quirks.quotes])
    if quirks.unicode_form:
        text = unicodedata.normalize(quirks.unicode_form, text)
    return text[: quirks.text_limit] if quirks.text_limit else text


def stored_value(name: str, value: Value, quirks: Quirks) -> Value:
    if name == "userRating" and isinstance(value, float) and quirks.rating_step:
        return round(value / quirks.rating_step) * quirks.rating_step
    return stored_text(value, quirks) if isinstance(value, str) else value
