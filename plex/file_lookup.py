"""What to ask Plex's `file=` filter for one file, and whether its answer can be believed."""

import unicodedata

from plex.item import ListedItem
from plex.paths import base_name


def search_terms(path: str) -> list[str]:
    """Give the longest piece of the file's name without a comma, in both Unicode forms.

    Plex compares letter for letter. A comma cannot be escaped: it means "or", and one at the end has returned whole
    libraries.
    """
    pieces = [piece.strip() for piece in base_name(path).split(",")]
    longest = max(pieces, key=len)
    forms = (unicodedata.normalize(form, longest) for form in ("NFC", "NFD"))
    return [term for term in dict.fromkeys(forms) if term]


def contains_term(item: ListedItem, term: str) -> bool:
    """Check an item against what was asked; a server that ignores the filter sends items that fail this."""
    plain = unicodedata.normalize("NFC", term).casefold()
    return any(plain in unicodedata.normalize("NFC", part.path).casefold() for part in item.parts)
