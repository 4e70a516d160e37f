"""What a server holds: items, their parts, their fields and tags."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

LEAST_LEFT = 10  # letters and digits: less than that is no cut text, but another one
COARSEST_ROUNDING = 0.5  # of a rating, to a whole number
_NO_PICTURES: Mapping[str, tuple[str, ...]] = {}


class Field(StrEnum):
    """Single-valued fields. Adapters translate; the names are those that Plex reads and writes them under."""

    TITLE = "title"
    TITLE_SORT = "titleSort"
    ORIGINAL_TITLE = "originalTitle"
    SUMMARY = "summary"
    TAGLINE = "tagline"
    STUDIO = "studio"
    CONTENT_RATING = "contentRating"
    DATE = "originallyAvailableAt"
    USER_RATING = "userRating"
    STASH_ID = "stashId"


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


class ItemType(StrEnum):
    """The types that carry files."""

    MOVIE = "movie"
    EPISODE = "episode"
    CLIP = "clip"
    VIDEO = "video"


@dataclass(frozen=True, slots=True)
class Tag:
    """One name in a list; the role means something for actors only. A photo is the name's, on the whole server."""

    name: str
    role: str = ""


class Part(NamedTuple):
    """One file of an item, where the server sees it. A tuple, for an index makes a hundred thousand of them."""

    item_id: str
    library_key: str
    path: str
    size: int | None = None
    duration_seconds: float | None = None


class Stamp(StrEnum):
    """The two times of an item that a listing can be filtered by."""

    ADDED = "addedAt"
    UPDATED = "updatedAt"


class ListedItem(NamedTuple):
    """An item as a listing tells it: enough to find it by its files, never enough to compare tags or locks."""

    item_id: str
    added_at: float
    updated_at: float
    parts: Sequence[Part]

    def stamped(self, stamp: Stamp) -> float:
        return self.added_at if stamp is Stamp.ADDED else self.updated_at


@dataclass(frozen=True, slots=True)
class Item:
    """An item in full: every tag, every lock."""

    item_id: str
    library_key: str
    type: ItemType
    values: Mapping[Field, str]
    tags: Mapping[TagKind, tuple[Tag, ...]]
    locked: frozenset[str]
    parts: tuple[Part, ...]
    pictures: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _NO_PICTURES)
    """What it shows, by the picture's name: the keys, where the server tells them with the item, else some address."""
    version: str = ""
    """Moves with every save of the item, whoever made it; empty where the server tells none."""
    guid: str = ""
    updated_at: float = 0.0
    is_locked_whole: bool = False
    """A person has locked the item itself, whatever of it is locked besides; only some servers know such a lock."""
    tells_sort_title: bool = False
    """An item without a sort title has none; otherwise the server leaves out one that equals the title."""

    def value(self, name: Field) -> str:
        """Return the field's text, empty where the server has none.

        Some leave out a sort title that equals the title, and write a rating of 7 as 7.0.
        """
        if name is Field.TITLE_SORT and not self.tells_sort_title:
            return self.values.get(name) or self.values.get(Field.TITLE, "")
        text = self.values.get(name, "")
        return _shortest_number(text) if name is Field.USER_RATING else text

    def texts(self) -> dict[Field, str]:
        """Give what all fields show that show anything, each as `value` does."""
        return {name: text for name in (*self.values, Field.TITLE_SORT) if (text := self.value(name))}

    def locks(self) -> frozenset[str]:
        """Name all that is locked as it is shown, each as `is_locked` tells of a field."""
        is_sort_title = self.is_locked(Field.TITLE_SORT)
        return self.locked | {Field.TITLE_SORT.value} if is_sort_title else self.locked

    def is_locked(self, name: Field) -> bool:
        """Tell whether what the field shows is locked; a sort title that is left out is the title's, lock and all."""
        is_the_titles = name is Field.TITLE_SORT and not self.tells_sort_title and not self.values.get(name)
        return name.value in self.locked or (is_the_titles and Field.TITLE.value in self.locked)

    def names(self, kind: TagKind) -> tuple[str, ...]:
        return tuple(tag.name for tag in self.tags.get(kind, ()))


def same_text(one: str, other: str) -> bool:
    """Compare without regard to how words are spaced, and accents put together.

    Servers and parsers turn line breaks into spaces, and some store accents apart from their letters.
    """
    return one.split() == other.split() or _composed(one).split() == _composed(other).split()


@lru_cache(maxsize=16_384)  # a library has some thousand names, and each is compared many times a scene
def name_key(name: str) -> str:
    """Give what names are compared by, as servers do without regard to case; and in one form of Unicode."""
    return name.casefold() if name.isascii() else _composed(unicodedata.normalize("NFD", name).casefold())


def is_form_of(shown: str, sent: str) -> bool:
    """Tell whether a server may have made this of what it was sent: cut, with other quotes, without emoji, rounded."""
    ours, theirs = _skeleton(sent), _skeleton(shown)
    is_cut = len(theirs) >= LEAST_LEFT and ours.startswith(theirs)
    return ours == theirs or is_cut or _is_rounded(shown, sent)


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _skeleton(text: str) -> str:
    """Leave what no server drops or exchanges: letters and digits, without accents, of at most three bytes each."""
    letters = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in letters if letter.isalnum() and letter <= "\uffff")


def _is_rounded(shown: str, sent: str) -> bool:
    try:
        return abs(float(shown) - float(sent)) <= COARSEST_ROUNDING
    except ValueError:
        return False


def shows_new(shown: str, new: str, old: str) -> bool:
    """Tell whether a new text is shown in the place of an old one that may differ from it in spaces alone."""
    return shown == new or (same_text(shown, new) and not same_text(new, old))


def _shortest_number(text: str) -> str:
    try:
        number = float(text)
    except ValueError:
        return text
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


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
