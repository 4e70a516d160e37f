"""Pages of a library's listing, as tuples: which item has which files.

A listing cuts tag lists short and tells of no locks; nothing but files and times is read from it.
"""

from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from xml.etree.ElementTree import Element

from plex.answers import each_child, whole_number
from plex.exceptions import Kind, PlexGarbled
from plex.item import ItemPage, ListedItem, Part

PAGE_SIZE = 1000

TRIM: Sequence[tuple[str, str | int]] = (
    ("includeGuids", 0),
    ("excludeElements", "Genre,Director,Writer,Role,Country,Collection,Producer,Image,UltraBlurColors"),
    ("excludeFields", "summary,tagline"),
)
"""What a walk need not carry; a wish that servers may ignore."""


def paging(offset: int, size: int = PAGE_SIZE) -> Mapping[str, str]:
    return {"X-Plex-Container-Start": str(offset), "X-Plex-Container-Size": str(size)}


def parse_page(body: bytes, headers: Mapping[str, str], library_key: int, offset: int) -> ItemPage:
    """Read one page. `offset` is what was asked for; the server's own word counts, if it gives one."""
    what = f"library {library_key}"
    container: dict[str, str] = {}
    items: dict[int, ListedItem] = {}  # a page that is parsed twice must not count twice
    children = 0
    for element in each_child(body, what):
        if element.tag == "MediaContainer":
            container, children = dict(element.attrib), 0
            items.clear()
        elif element.tag in {"Video", "Directory", "Photo", "Track"}:
            children += 1
            item = _listed_item(element, library_key)
            if item is not None:
                items[item.rating_key] = item
    told = _number(container.get("offset"))
    return ItemPage(
        offset=offset if told is None else told,
        count=children,
        total=_total(container, headers, children),
        items=tuple(items.values()),
        server_time=server_time(headers),
    )


def _total(container: Mapping[str, str], headers: Mapping[str, str], children: int) -> int:
    """Find the number of items in all; a server that tells none has ignored the paging and sent everything."""
    size = _number(container.get("size"))
    if size is not None and size != children:
        raise PlexGarbled(f"a page of {size} items holds {children}", kind=Kind.CUT_XML)
    for told in (container.get("totalSize"), headers.get("X-Plex-Container-Total-Size")):
        number = _number(told)
        if number is not None:
            return number
    return children


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() else None


def server_time(headers: Mapping[str, str]) -> float | None:
    """Read the server's own clock: ours may differ, and its times are compared with its times."""
    try:
        return parsedate_to_datetime(headers.get("Date", "")).timestamp()
    except (ValueError, TypeError):
        return None


def _listed_item(video: Element, library_key: int) -> ListedItem | None:
    rating_key = whole_number(video, "ratingKey")
    if rating_key is None:
        return None
    added_at = float(whole_number(video, "addedAt") or 0)
    updated_at = float(whole_number(video, "updatedAt") or 0)
    return ListedItem(rating_key, added_at, updated_at, parts_of(video, rating_key, library_key))


def parts_of(video: Element, rating_key: int, library_key: int) -> tuple[Part, ...]:
    """List the files of an item: those of all its versions, each with its own size."""
    parts: list[Part] = []
    for media in video.iterfind("Media"):
        for part in media.iterfind("Part"):
            path = part.get("file")
            if path:
                milliseconds = whole_number(part, "duration") or whole_number(media, "duration")
                seconds = milliseconds / 1000 if milliseconds else None
                parts.append(Part(rating_key, library_key, path, whole_number(part, "size"), seconds))
    return tuple(parts)
