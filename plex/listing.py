"""Pages of a library's listing, as tuples: which item has which files.

A listing cuts tag lists short and tells of no locks; nothing but files and times is read from it.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from xml.parsers.expat import ExpatError, ParserCreate

from model.errors import AnswerGarbled, Kind
from model.item import ItemPage, ListedItem, Part
from model.paths import base_name
from plex.exceptions import translated
from plex.http.answers import as_number, check_root, cleaned

PAGE_SIZE = 1000
TRASHED = "deletedAt"
"""Marks an item or a version of it whose file is gone and which waits in Plex's trash: no place to write to."""

TRIM: Sequence[tuple[str, str | int]] = (
    ("includeGuids", 0),
    ("excludeElements", "Genre,Director,Writer,Role,Country,Collection,Producer,Image,UltraBlurColors"),
    ("excludeFields", "summary,tagline"),
)
"""What a walk need not carry; a wish that servers may ignore."""


def paging(offset: int, size: int = PAGE_SIZE) -> Mapping[str, str]:
    return {"X-Plex-Container-Start": str(offset), "X-Plex-Container-Size": str(size)}


def parse_page(body: bytes, headers: Mapping[str, str], library_key: str, offset: int) -> ItemPage:
    """Read one page. `offset` is what was asked for; the server's own word counts, if it gives one."""
    with translated(f"library {library_key}"):
        try:
            reader = _read(body, library_key)
        except ExpatError:
            reader = _read(cleaned(body), library_key)
    container = reader.container
    if container is None:
        raise AnswerGarbled("no list came", kind=Kind.CUT_XML).at(f"library {library_key}")
    told = as_number(container.get("offset"))
    return ItemPage(
        offset=offset if told is None else told,
        count=reader.count,
        total=_total(container, headers, reader.count),
        items=reader.items,
        server_time=server_time(headers),
    )


def _read(body: bytes, library_key: str) -> "_Reader":
    reader = _Reader(library_key)
    parser = ParserCreate()
    parser.StartElementHandler = reader.start
    parser.Parse(body, True)  # noqa: FBT003 - expat's own signature
    return reader


class _Reader:
    """Takes a page element by element, without ever building its tree: faster, and no memory to speak of."""

    def __init__(self, library_key: str) -> None:
        self.container: dict[str, str] | None = None
        self.items: list[ListedItem] = []
        self.count = 0
        self._library_key = library_key
        self._item_id: str | None = None
        self._parts: list[Part] = []
        self._media_duration: str | None = None
        self._item_is_trash = False
        self._is_trash = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the beginning of an element. A file belongs to the item that began last, for items do not nest here."""
        if tag == "Part":
            path = attributes.get("file")
            if path and self._item_id is not None and not self._is_trash:
                milliseconds = as_number(attributes.get("duration") or self._media_duration)
                seconds = milliseconds / 1000 if milliseconds else None
                size = as_number(attributes.get("size"))
                self._parts.append(Part(self._item_id, self._library_key, path, size, seconds))
        elif tag == "Media":
            self._media_duration = attributes.get("duration")
            self._is_trash = self._item_is_trash or TRASHED in attributes
        elif tag == "Video":
            self._begin_item(attributes)
        elif self.container is None:
            check_root(tag, f"library {self._library_key}")
            self.container = attributes

    def _begin_item(self, attributes: dict[str, str]) -> None:
        self.count += 1
        key = as_number(attributes.get("ratingKey"))
        self._item_id = None if key is None else str(key)
        self._parts = []
        self._item_is_trash = TRASHED in attributes
        if self._item_id is not None:
            added_at = float(as_number(attributes.get("addedAt")) or 0)
            updated_at = float(as_number(attributes.get("updatedAt")) or 0)
            self.items.append(ListedItem(self._item_id, added_at, updated_at, self._parts))


def _total(container: Mapping[str, str], headers: Mapping[str, str], count: int) -> int:
    """Find the number of items in all; a server that tells none has ignored the paging and sent everything."""
    size = as_number(container.get("size"))
    if size is not None and size != count:
        raise AnswerGarbled("a part of a list came cut", kind=Kind.CUT_XML).at(f"{count} of {size} items")
    for told in (container.get("totalSize"), headers.get("X-Plex-Container-Total-Size")):
        number = as_number(told)
        if number is not None:
            return number
    return count


def server_time(headers: Mapping[str, str]) -> float | None:
    """Read the server's own clock: ours may differ, and its times are compared with its times."""
    try:
        return parsedate_to_datetime(headers.get("Date", "")).timestamp()
    except (ValueError, TypeError):
        return None


# --- one file by its name ---------------------------------------------------------------------------------------------


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
