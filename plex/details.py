"""An item in full, read from Plex's answer."""

from xml.etree.ElementTree import Element

from model.item import Field, Item, ItemType, Part, Tag, TagKind
from model.picture import PictureKind
from plex.capabilities import ELEMENT
from plex.http.answers import whole_number
from plex.listing import TRASHED

_PICTURES = (PictureKind.POSTER.value, PictureKind.BACKGROUND.value)


def parse_details(container: Element) -> list[Item]:
    """Read every item of the answer that carries files; folders and seasons are passed over."""
    of_all = whole_number(container, "librarySectionID")
    found = (_item(video, of_all) for video in container.iterfind("Video"))
    return [item for item in found if item is not None]


def _item(video: Element, library_of_all: int | None) -> Item | None:
    item_id = whole_number(video, "ratingKey")
    library_key = whole_number(video, "librarySectionID") or library_of_all
    kind = video.get("type", "")
    if item_id is None or library_key is None or kind not in set(ItemType):
        return None
    return Item(
        item_id=str(item_id),
        library_key=str(library_key),
        type=ItemType(kind),
        values={field: video.get(field.value, "") for field in Field if field.value in video.attrib},
        tags={kind: _tags(video, kind) for kind in TagKind},
        locked=frozenset(field.get("name", "") for field in video.iterfind("Field") if field.get("locked") == "1"),
        parts=_parts(video, str(item_id), str(library_key)),
        pictures={name: (address,) for name in _PICTURES if (address := video.get(name))},
        guid=video.get("guid", ""),
        updated_at=float(whole_number(video, "updatedAt") or 0),
    )


def _tags(video: Element, kind: TagKind) -> tuple[Tag, ...]:
    return tuple(
        Tag(element.get("tag", ""), element.get("role", ""))
        for element in video.iterfind(ELEMENT[kind])
        if element.get("tag")
    )


def _parts(video: Element, item_id: str, library_key: str) -> tuple[Part, ...]:
    """List the files of all versions of an item, each with its own size."""
    parts: list[Part] = []
    for media in () if TRASHED in video.attrib else video.iterfind("Media"):
        for part in media.iterfind("Part"):
            milliseconds = whole_number(part, "duration") or whole_number(media, "duration")
            seconds = milliseconds / 1000 if milliseconds else None
            if TRASHED not in media.attrib:
                parts.append(Part(item_id, library_key, part.get("file", ""), whole_number(part, "size"), seconds))
    return tuple(part for part in parts if part.path)
