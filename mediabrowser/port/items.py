"""An item in our words, made of the server's document."""

from collections.abc import Mapping, Sequence

from mediabrowser.dialect import Dialect
from mediabrowser.pictures.gallery import picture_tags
from mediabrowser.port.capabilities import PICTURES, WORK, locked_names
from mediabrowser.reading.document import ItemDocument
from mediabrowser.reading.listing import ListedItem as Listed
from model.item import Field, Item, ItemType, ListedItem, Part, Tag, TagKind

STASH = "Stash"
"""The provider under which the scene's id is kept."""

_TYPES: Mapping[str, ItemType] = {
    "Movie": ItemType.MOVIE,
    "Episode": ItemType.EPISODE,
    "MusicVideo": ItemType.CLIP,
}


def item_of(
    document: ItemDocument, dialect: Dialect, library_key: str, parts: Sequence[Part], collections: Sequence[str]
) -> Item:
    """Translate a document. Of one that is not whole, values and locks may be missing."""
    return Item(
        item_id=document.item_id,
        library_key=library_key,
        type=_TYPES.get(document.type, ItemType.VIDEO),
        values={name: text for name, text in _values(document).items() if text},
        tags={**_tags(document), TagKind.COLLECTION: tuple(map(Tag, collections))},
        locked=locked_names(frozenset(document.locks), dialect),
        parts=tuple(parts),
        pictures={kind.value: tags for kind, of in PICTURES.items() if (tags := picture_tags(document, of))},
        version=document.etag,
        is_locked_whole=document.is_locked,
        tells_sort_title=True,
    )


def _values(document: ItemDocument) -> dict[Field, str]:
    return {
        Field.TITLE: document.name,
        Field.TITLE_SORT: document.forced_sort_name,
        Field.ORIGINAL_TITLE: document.original_title,
        Field.SUMMARY: document.overview,
        Field.TAGLINE: document.tagline,
        Field.STUDIO: next(iter(document.studios), ""),
        Field.DATE: document.date,
        Field.USER_RATING: "" if document.rating is None else repr(document.rating),
        Field.CONTENT_RATING: document.official_rating,
        Field.STASH_ID: document.provider_id(STASH),
    }


def _tags(document: ItemDocument) -> dict[TagKind, tuple[Tag, ...]]:
    people = {
        kind: tuple(Tag(one.name, one.role) for one in document.people if one.type == work)
        for kind, work in WORK.items()
    }
    return {
        TagKind.GENRE: tuple(map(Tag, document.genres)),
        TagKind.LABEL: tuple(map(Tag, document.tags)),
        **people,
    }


def listed_item(item: Listed, library_key: str) -> ListedItem:
    """Translate an item of a listing; neither of its times is told."""
    return ListedItem(item.item_id, 0.0, 0.0, parts_of(item, library_key))


def parts_of(item: Listed, library_key: str) -> tuple[Part, ...]:
    return tuple(Part(item.item_id, library_key, file.path, file.size, file.duration_seconds) for file in item.files)
