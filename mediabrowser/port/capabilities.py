"""What Emby and Jellyfin can hold, and by which words they lock it; alike in all versions that we know."""

from collections.abc import Mapping

from mediabrowser.dialect import Dialect, Product, Property
from mediabrowser.pictures.files import PictureType
from model.capabilities import Capabilities
from model.item import Field, ItemType, TagKind
from model.picture import PictureKind

TEXTS: Mapping[Field, Property] = {
    Field.TITLE: Property.NAME,
    Field.TITLE_SORT: Property.SORT_NAME,
    Field.ORIGINAL_TITLE: Property.ORIGINAL_TITLE,
    Field.SUMMARY: Property.OVERVIEW,
    Field.TAGLINE: Property.TAGLINE,
    Field.DATE: Property.DATE,
    Field.USER_RATING: Property.RATING,
    Field.CONTENT_RATING: Property.OFFICIAL_RATING,
}
"""Fields that are one property with one value. The studio is the first of a list, the scene's id one of several ids."""

LISTS: Mapping[TagKind, Property] = {TagKind.GENRE: Property.GENRES, TagKind.LABEL: Property.TAGS}
WORK: Mapping[TagKind, str] = {TagKind.ACTOR: "Actor", TagKind.DIRECTOR: "Director"}
"""Lists of people, by the type that a person of it has."""

PICTURES: Mapping[PictureKind, PictureType] = {
    PictureKind.POSTER: PictureType.PRIMARY,
    PictureKind.BACKGROUND: PictureType.BACKDROP,
    PictureKind.LANDSCAPE: PictureType.THUMB,
    PictureKind.BANNER: PictureType.BANNER,
}

_PROPERTIES: Mapping[str, Property] = {
    **{field.value: of for field, of in TEXTS.items()},
    **{kind.value: of for kind, of in LISTS.items()},
    **{kind.value: Property.PEOPLE for kind in WORK},
    Field.STUDIO.value: Property.STUDIOS,
    TagKind.COLLECTION.value: Property.COLLECTIONS,
}


def lock_word(name: str, dialect: Dialect) -> str | None:
    """Give the server's word for the lock of what we call so; None where it has none."""
    known = _PROPERTIES.get(name)
    return dialect.lock_word(known) if known is not None else None


def locked_names(words: frozenset[str], dialect: Dialect) -> frozenset[str]:
    """Name what is locked in our words; actors and directors have one lock."""
    return frozenset(name for name in _PROPERTIES if lock_word(name, dialect) in words)


def capabilities_of(product: Product) -> Capabilities:
    dialect = Dialect(product, "")
    not_wide = frozenset({PictureKind.LANDSCAPE.value})
    return Capabilities(
        name=product.value,
        fields=frozenset({*TEXTS, Field.STUDIO, Field.STASH_ID}),
        lists=frozenset({*LISTS, *WORK, TagKind.COLLECTION}),
        locks=frozenset(name for name in _PROPERTIES if lock_word(name, dialect)),
        pictures=frozenset(PICTURES),
        missing={kind: not_wide for kind in ItemType if kind is not ItemType.MOVIE},
        stacked=frozenset({PictureKind.BACKGROUND}),
        finds_by_name=False,
    )
