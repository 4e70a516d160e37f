"""Storing: what a server makes of a text or a number before it keeps it."""

import unicodedata

from sim.plex.manners import Manners
from sim.plex.records import Value

_CURLY = {"'": "\N{RIGHT SINGLE QUOTATION MARK}", '"': "\N{RIGHT DOUBLE QUOTATION MARK}"}
_STRAIGHT = {
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
}
_QUOTES = {"kept": {}, "curly": str.maketrans(_CURLY), "straight": str.maketrans(_STRAIGHT)}
_LAST_OF_THREE_BYTES = "\uffff"  # a database of three-byte characters drops what is beyond, emoji above all


def stored_text(text: str, manners: Manners) -> str:
    if not manners.keeps_emoji:
        text = "".join(letter for letter in text if letter <= _LAST_OF_THREE_BYTES)
    text = text.translate(_QUOTES[manners.quotes])
    if manners.unicode_form:
        text = unicodedata.normalize(manners.unicode_form, text)
    return text[: manners.text_limit] if manners.text_limit else text


def stored_value(name: str, value: Value, manners: Manners) -> Value:
    if name == "userRating" and isinstance(value, float) and manners.rating_step:
        return round(value / manners.rating_step) * manners.rating_step
    return stored_text(value, manners) if isinstance(value, str) else value
