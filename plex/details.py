"""An item in full, read from Plex's answer."""

from xml.etree.ElementTree import Element

from plex.answers import whole_number
from plex.item import ELEMENT, Field, ItemDetails, ItemType, Part, Tag, TagKind
from plex.listing import TRASHED


def parse_details(container: Element) -> list[ItemDetails]:
    """Read every item of the answer that carries files; folders and seasons are passed over."""
    of_all = whole_number(container, "librarySectionID")
    found = (_item(video, of_all) for video in container.iterfind("Video"))
    return [item for item in found if item is not None]


def _item(video: Element, library_of_all: int | None) -> ItemDetails | None:
    rating_key = whole_number(video, "ratingKey")
    library_key = whole_number(video, "librarySectionID") or library_of_all
    kind = video.get("type", "")
    if rating_key is None or library_key is None or kind not in set(ItemType):
        return None
    return ItemDetails(
        rating_key=rating_key,
        library_key=library_key,
        type=ItemType(kind),
        values={field: video.get(field.value, "") for field in Field if field.value in video.attrib},
        tags={kind: _tags(video, kind) for kind in TagKind},
        locked=frozenset(field.get("name", "") for field in video.iterfind("Field") if field.get("locked") == "1"),
        parts=_parts(video, rating_key, library_key),
        thumb=video.get("thumb", ""),
        art=video.get("art", ""),
        guid=video.get("guid", ""),
        updated_at=float(whole_number(video, "updatedAt") or 0),
    )


def _tags(video: Element, kind: TagKind) -> tuple[Tag, ...]:
    return tuple(
        Tag(element.get("tag", ""), element.get("role", ""))
        for element in video.iterfind(ELEMENT[kind])
        if element.get("tag")
    )


def _parts(video: Element, rating_key: int, library_key: int) -> tuple[Part, ...]:
    """List the files of all versions of an item, each with its own size."""
    parts: list[Part] = []
    for media in () if TRASHED in video.attrib else video.iterfind("Media"):
        for part in media.iterfind("Part"):
            milliseconds = whole_number(part, "duration") or whole_number(media, "duration")
            seconds = milliseconds / 1000 if milliseconds else None
            if TRASHED not in media.attrib:
                parts.append(Part(rating_key, library_key, part.get("file", ""), whole_number(part, "size"), seconds))
    return tuple(part for part in parts if part.path)
