"""The state of an item: all there is to it in details, the little that lists show."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sim.plex.library.library import Library
from sim.plex.library.pictures import Pictures
from sim.plex.library.records import Item, Media, Part, Tagging, Value
from sim.plex.library.tags import LIST_LIMITS, ROLE_CAP, TAG_ELEMENTS
from sim.plex.web.exchange import Request
from sim.plex.web.markup import Attribute, Node

_SCALARS_FIRST = ("studio",)
_SCALARS = (
    "originalTitle",
    "editionTitle",
    "contentRating",
    "summary",
    "rating",
    "audienceRating",
    "userRating",
    "lastRatedAt",
    "year",
    "tagline",
)
_BLUR = ("topLeft", "topRight", "bottomRight", "bottomLeft")


@dataclass(frozen=True, slots=True)
class Trim:
    """What a request wants left out of the states, or added to them."""

    elements: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()
    guids: bool = False
    checked: bool = False

    @classmethod
    def of(cls, request: Request) -> "Trim":
        """`includeFields` means "also these", but "only these" to whoever names a version of the API."""
        version = request.headers.get("x-plex-pms-api-version", "0")
        return cls(
            request.names("excludeElements"),
            request.names("excludeFields"),
            request.names("includeFields") if version[:1] not in ("0", "") else frozenset(),
            request.is_on("includeGuids"),
            request.is_on("checkFiles"),
        )

    def cut(self, node: Node) -> Node:
        if self.elements:
            node.children = [child for child in node.children if child.tag not in self.elements]
        if self.fields or self.only:
            node.attributes = {
                name: value
                for name, value in node.attributes.items()
                if name not in self.fields and (not self.only or name in self.only)
            }
        return node


UNTRIMMED = Trim()


class ItemXml:
    def __init__(self, library: Library, pictures: Pictures) -> None:
        self._library = library
        self._pictures = pictures

    def in_list(self, item: Item, trim: Trim = UNTRIMMED) -> Node:
        attributes = self._attributes(item)
        return trim.cut(Node(item.element, attributes, self._list_children(item, attributes, guids=trim.guids)))

    def in_full(self, item: Item, trim: Trim = UNTRIMMED) -> Node:
        section = self._library.sections[item.section_id]
        attributes = self._attributes(item)
        attributes["librarySectionTitle"] = section.title
        attributes["librarySectionID"] = section.id
        attributes["librarySectionKey"] = f"/library/sections/{section.id}"
        return trim.cut(Node(item.element, attributes, self._full_children(item, attributes, checked=trim.checked)))

    # Attributes.

    def _attributes(self, item: Item) -> dict[str, Attribute]:
        values = self._library.values(item)
        attributes: dict[str, Attribute] = {"ratingKey": str(item.item_id), "key": _key(item)}
        attributes.update(self._family(item))
        attributes["guid"] = self.guid(item)
        attributes.update(_some(values, _SCALARS_FIRST))
        attributes["type"] = "photo" if item.kind == "photoalbum" else item.kind
        attributes["title"] = str(values.get("title", ""))
        sort_title = self._library.sort_title(item, values)
        attributes["titleSort"] = sort_title if sort_title != attributes["title"] else None
        date = str(values.get("originallyAvailableAt", ""))
        attributes["summary"] = ""  # always there, and here, even when empty
        attributes.update(_some({**values, "year": int(date[:4]) if date else ""}, _SCALARS))
        attributes["thumb"] = self._pictures.address(item, "thumb")
        attributes["art"] = self._pictures.address(item, "art")
        attributes["duration"] = item.media[0].duration if item.media and item.media[0].parts[0].analysed else None
        attributes["originallyAvailableAt"] = date or None
        attributes["addedAt"] = int(values["addedAt"])
        attributes["updatedAt"] = item.updated_at or None
        attributes["deletedAt"] = item.deleted_at or None
        return attributes

    def _family(self, item: Item) -> dict[str, Attribute]:
        library, family = self._library, dict[str, Attribute]()
        if item.kind == "collection":
            return {"subtype": library.sections[item.section_id].kind, "childCount": library.collections.size(item)}
        if item.kind in ("show", "season", "artist", "album", "photoalbum"):
            family["childCount"] = family["leafCount"] = len(library.children(item.item_id))
        if item.index:
            family["index"] = item.index
        relative = library.items.get(item.parent)
        for role in ("parent", "grandparent"):
            if relative is None:
                break
            family[f"{role}RatingKey"] = str(relative.item_id)
            family[f"{role}Key"] = f"/library/metadata/{relative.item_id}"
            family[f"{role}Title"] = str(library.values(relative).get("title", ""))
            if role == "parent" and relative.index:
                family["parentIndex"] = relative.index
            relative = library.items.get(relative.parent)
        return family

    def guid(self, item: Item) -> str:
        section = self._library.sections[item.section_id]
        digest = hashlib.sha1(str(item.item_id).encode(), usedforsecurity=False).hexdigest()
        if item.kind == "collection":
            return f"collection://{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"
        return f"{section.agent}://{digest}?lang=xn" if section.is_personal else f"plex://{item.kind}/{digest[:24]}"

    # Children.

    def _list_children(self, item: Item, attributes: Mapping[str, Attribute], *, guids: bool) -> Iterator[Node]:
        yield from (_media(media, is_full=False) for media in item.media)
        yield from _images(item, attributes)
        if guids and not self._library.sections[item.section_id].is_personal:
            yield Node("Guid", {"id": f"imdb://tt{item.item_id:07}"})
        for kind, taggings in self._library.tags(item).items():
            for tagging in taggings[: LIST_LIMITS.get(kind, 0)]:
                yield Node(TAG_ELEMENTS[kind], {"tag": self._library.registry[tagging.tag_id].name})

    def _full_children(self, item: Item, attributes: Mapping[str, Attribute], *, checked: bool) -> Iterator[Node]:
        yield from (_media(media, is_full=True, checked=checked) for media in item.media)
        yield from _images(item, attributes)
        if not self._library.sections[item.section_id].is_personal:
            yield Node("Guid", {"id": f"imdb://tt{item.item_id:07}"})
        for kind, taggings in self._library.tags(item).items():
            shown = taggings[:ROLE_CAP] if kind == "actor" else taggings
            yield from (self._tag(kind, tagging) for tagging in shown)
        yield from (Node("Field", {"locked": True, "name": name}) for name in sorted(item.locks))

    def _tag(self, kind: str, tagging: Tagging) -> Node:
        tag = self._library.registry[tagging.tag_id]
        attributes: dict[str, Attribute] = {"id": tag.id, "filter": f"{kind}={tag.id}", "tag": tag.name}
        if kind == "actor":
            attributes["role"] = tagging.text or None
            attributes["thumb"] = tag.thumb or None
        return Node(TAG_ELEMENTS[kind], attributes)


def _images(item: Item, attributes: Mapping[str, Attribute]) -> Iterator[Node]:
    for kind, use in (("thumb", "coverPoster"), ("art", "background")):
        if url := attributes.get(kind):
            yield Node("Image", {"alt": attributes.get("title"), "type": use, "url": url})
    colour = item.item_id * 2_654_435_761 % 0xFFFFFF
    yield Node("UltraBlurColors", {corner: f"{(colour + place) % 0xFFFFFF:06x}" for place, corner in enumerate(_BLUR)})


def _key(item: Item) -> str:
    if item.kind == "collection":
        return f"/library/collections/{item.item_id}/children"
    children = "/children" if item.element == "Directory" else ""
    return f"/library/metadata/{item.item_id}{children}"


def _some(values: dict[str, Value], names: tuple[str, ...]) -> dict[str, Attribute]:
    return {name: values[name] for name in names if values.get(name, "") != ""}


def _media(media: Media, *, is_full: bool, checked: bool = False) -> Node:
    first = media.parts[0]
    attributes: dict[str, Attribute] = {"id": media.id}
    if first.analysed:
        attributes |= {
            "duration": media.duration,
            "bitrate": first.size * 8 // max(first.duration, 1),
            "width": 1920,
            "height": 1080,
            "aspectRatio": 1.78,
            "audioChannels": 2,
            "audioCodec": "aac",
            "videoCodec": "h264",
            "videoResolution": "1080",
        }
    attributes |= {"container": first.container, "videoFrameRate": "24p", "videoProfile": "high"}
    return Node("Media", attributes, (_part(part, is_full=is_full, checked=checked) for part in media.parts))


def _part(part: Part, *, is_full: bool, checked: bool) -> Node:
    attributes: dict[str, Attribute] = {"accessible": True, "exists": True} if checked else {}
    attributes |= {
        "id": part.id,
        "key": f"/library/parts/{part.id}/1700000000/file.{part.container}",
        "duration": part.duration if part.analysed else None,
        "file": part.file,
        "size": part.size,
        "container": part.container,
        "videoProfile": "high",
    }
    return Node("Part", attributes, _streams(part) if is_full and part.analysed else ())


def _streams(part: Part) -> Iterator[Node]:
    common: dict[str, Attribute] = {"default": True, "language": "English", "languageCode": "eng"}
    yield Node(
        "Stream",
        {"id": part.id * 2, "streamType": 1, "codec": "h264", "index": 0, "displayTitle": "1080p (H.264)", **common},
    )
    yield Node(
        "Stream",
        {
            "id": part.id * 2 + 1,
            "streamType": 2,
            "selected": True,
            "codec": "aac",
            "index": 1,
            "channels": 2,
            "displayTitle": "English (AAC Stereo)",
            **common,
        },
    )
