"""What Plex holds: items, their parts, their fields and tags."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Field(StrEnum):
    """Single-valued fields, by the name Plex reads and writes them under."""

    TITLE = "title"
    TITLE_SORT = "titleSort"
    ORIGINAL_TITLE = "originalTitle"
    SUMMARY = "summary"
    TAGLINE = "tagline"
    STUDIO = "studio"
    CONTENT_RATING = "contentRating"
    DATE = "originallyAvailableAt"
    USER_RATING = "userRating"


class TagKind(StrEnum):
    """Lists of names, by the name an edit gives them. Answers spell actors `Role`; see `ELEMENT`."""

    GENRE = "genre"
    ACTOR = "actor"
    COLLECTION = "collection"
    DIRECTOR = "director"
    WRITER = "writer"
    PRODUCER = "producer"
    COUNTRY = "country"
    LABEL = "label"


ELEMENT: Mapping[TagKind, str] = {
    **{kind: kind.value.capitalize() for kind in TagKind},
    TagKind.ACTOR: "Role",
}


class ItemType(StrEnum):
    """The types that carry files, as Plex spells them."""

    MOVIE = "movie"
    EPISODE = "episode"
    CLIP = "clip"


TYPE_NUMBER: Mapping[ItemType, int] = {ItemType.MOVIE: 1, ItemType.EPISODE: 4, ItemType.CLIP: 12}


@dataclass(frozen=True, slots=True)
class Tag:
    """One name in a list; the role means something for actors only. A photo is the name's, on the whole server."""

    name: str
    role: str = ""


class Part(NamedTuple):
    """One file of an item, where Plex sees it. A tuple, for an index makes a hundred thousand of them."""

    rating_key: int
    library_key: int
    path: str
    size: int | None = None
    duration_seconds: float | None = None


class Stamp(StrEnum):
    """The two times of an item that a listing can be filtered by."""

    ADDED = "addedAt"
    UPDATED = "updatedAt"


class ListedItem(NamedTuple):
    """An item as a listing tells it: enough to find it by its files, never enough to compare tags or locks."""

    rating_key: int
    added_at: float
    updated_at: float
    parts: Sequence[Part]

    def stamped(self, stamp: Stamp) -> float:
        return self.added_at if stamp is Stamp.ADDED else self.updated_at


@dataclass(frozen=True, slots=True)
class ItemDetails:
    """An item in full: every tag, every lock."""

    rating_key: int
    library_key: int
    type: ItemType
    values: Mapping[Field, str]
    tags: Mapping[TagKind, tuple[Tag, ...]]
    locked: frozenset[str]
    parts: tuple[Part, ...]
    thumb: str = ""
    art: str = ""
    guid: str = ""
    updated_at: float = 0.0

    def value(self, name: Field) -> str:
        """Return the field's text, empty where Plex has none.

        Plex leaves out a sort title that equals the title, and writes a rating of 7 as 7.0.
        """
        if name is Field.TITLE_SORT:
            return self.values.get(name) or self.values.get(Field.TITLE, "")
        text = self.values.get(name, "")
        return _shortest_number(text) if name is Field.USER_RATING else text

    def is_locked(self, name: Field) -> bool:
        """Tell whether what the field shows is locked; a sort title that is left out is the title's, lock and all."""
        is_the_titles = name is Field.TITLE_SORT and not self.values.get(name)
        return name.value in self.locked or (is_the_titles and Field.TITLE.value in self.locked)

    def names(self, kind: TagKind) -> tuple[str, ...]:
        return tuple(tag.name for tag in self.tags.get(kind, ()))


def same_text(one: str, other: str) -> bool:
    """Compare without regard to how words are spaced: servers and parsers turn line breaks into spaces."""
    return one.split() == other.split()


def shows_new(shown: str, new: str, old: str) -> bool:
    """Tell whether a new text is shown in the place of an old one that may differ from it in spaces alone."""
    return shown == new or (same_text(shown, new) and not same_text(new, old))


def _shortest_number(text: str) -> str:
    try:
        return f"{float(text):g}"
    except ValueError:
        return text


@dataclass(frozen=True, slots=True)
class ItemPage:
    """One page of a listing; `count` rows of it, from `offset` on, of `total`."""

    offset: int
    count: int
    total: int
    items: Sequence[ListedItem]
    server_time: float | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """What a library says has changed, and when it said so by its own clock."""

    items: tuple[ListedItem, ...]
    server_time: float | None
