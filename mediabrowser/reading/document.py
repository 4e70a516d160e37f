"""An item as the server shows it: read through typed properties, kept whole so that it can be sent back whole."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mediabrowser.reading.dates import date_text
from model.errors import AnswerGarbled, Kind
from validation.json_shapes import as_list, as_object, as_text


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody on an item: `type` is Actor, Director …"""

    name: str
    role: str = ""
    type: str = "Actor"


@dataclass(frozen=True, slots=True)
class ItemDocument:
    """`raw` is what came, with all that we do not know of. Only a whole document, locks and all, may be sent back."""

    raw: Mapping[str, Any]
    is_whole: bool

    @property
    def item_id(self) -> str:
        return as_text(self.raw.get("Id"))

    @property
    def server_id(self) -> str:
        return as_text(self.raw.get("ServerId"))

    @property
    def etag(self) -> str:
        """Moves with every save, whoever made it and whatever it changed. Empty where the server does not tell it."""
        return as_text(self.raw.get("Etag"))

    @property
    def type(self) -> str:
        return as_text(self.raw.get("Type"))

    @property
    def path(self) -> str:
        return as_text(self.raw.get("Path"))

    @property
    def name(self) -> str:
        return as_text(self.raw.get("Name"))

    @property
    def forced_sort_name(self) -> str:
        """Give what somebody typed; `SortName` is computed, and never what was sent."""
        return as_text(self.raw.get("ForcedSortName"))

    @property
    def original_title(self) -> str:
        return as_text(self.raw.get("OriginalTitle"))

    @property
    def overview(self) -> str:
        return as_text(self.raw.get("Overview"))

    @property
    def tagline(self) -> str:
        return next(iter(self._texts("Taglines")), "")

    @property
    def date(self) -> str:
        """The day of the premiere, or whatever else there is: see `mediabrowser.reading.dates`."""
        return date_text(as_text(self.raw.get("PremiereDate")), self.year)

    @property
    def year(self) -> int | None:
        year = self.raw.get("ProductionYear")
        return year if isinstance(year, int) else None

    @property
    def rating(self) -> float | None:
        """The rating that all users share, 0 to 10; 0 reads as none."""
        rating = self.raw.get("CommunityRating")
        return float(rating) if isinstance(rating, int | float) and rating > 0 else None

    @property
    def official_rating(self) -> str:
        return as_text(self.raw.get("OfficialRating"))

    @property
    def genres(self) -> tuple[str, ...]:
        return max(self._names("GenreItems"), self._texts("Genres"), key=len)

    @property
    def tags(self) -> tuple[str, ...]:
        """Emby shows tags as pairs, and leaves the plain list out or empty."""
        return max(self._names("TagItems"), self._texts("Tags"), key=len)

    @property
    def studios(self) -> tuple[str, ...]:
        return self._names("Studios")

    @property
    def people(self) -> tuple[Person, ...]:
        return tuple(
            Person(as_text(one.get("Name")), as_text(one.get("Role")), as_text(one.get("Type")))
            for one in self.raw_people
        )

    @property
    def raw_people(self) -> tuple[Mapping[str, object], ...]:
        """Everybody on the item with all that came of them, in the order of `people`."""
        return tuple(self._objects("People"))

    @property
    def provider_ids(self) -> dict[str, str]:
        pairs = as_object(self.raw.get("ProviderIds")) or {}
        return {name: value for name, value in pairs.items() if isinstance(value, str)}

    def provider_id(self, provider: str) -> str:
        """Give the id of a provider, whose name both servers read in any case; empty if there is none."""
        return self.provider_ids.get(self.provider_name(provider), "")

    def provider_name(self, provider: str) -> str:
        """Spell a provider as the item does."""
        names = as_object(self.raw.get("ProviderIds")) or {}
        alike = (name for name in names if name.casefold() == provider.casefold())
        return provider if provider in names else next(alike, provider)

    @property
    def locks(self) -> tuple[str, ...]:
        """The locked fields, in the server's words and order."""
        return self._texts("LockedFields")

    @property
    def is_locked(self) -> bool:
        """The whole item is locked: no provider touches it."""
        return self.raw.get("LockData") is True

    @property
    def image_tags(self) -> dict[str, str]:
        """The tag of each single picture, by its type. A tag says when a file was written, not what it shows."""
        pairs = as_object(self.raw.get("ImageTags")) or {}
        return {name: value for name, value in pairs.items() if isinstance(value, str)}

    @property
    def backdrop_tags(self) -> tuple[str, ...]:
        """The tags of the backdrops, in the order of their indexes."""
        return self._texts("BackdropImageTags")

    @property
    def is_probed(self) -> bool:
        """The server's first look at the file is over; before, whatever is written may be overwritten."""
        return self.raw.get("RunTimeTicks") is not None

    def _texts(self, name: str) -> tuple[str, ...]:
        return tuple(one for one in as_list(self.raw.get(name)) or () if isinstance(one, str))

    def _objects(self, name: str) -> Iterator[dict[str, object]]:
        return (one for one in map(as_object, as_list(self.raw.get(name)) or ()) if one is not None)

    def _names(self, name: str) -> tuple[str, ...]:
        return tuple(as_text(one.get("Name")) for one in self._objects(name) if as_text(one.get("Name")))


def read_documents(answer: object, what: str, *, is_whole: bool) -> list[ItemDocument]:
    """Read a list of items."""
    items = as_list((as_object(answer) or {}).get("Items"))
    if items is None:
        raise AnswerGarbled(f"{what}: no list of items came", kind=Kind.OTHER_SHAPE)
    return [read_document(item, what, is_whole=is_whole) for item in items]


def read_document(answer: object, what: str, *, is_whole: bool) -> ItemDocument:
    raw = as_object(answer)
    if raw is None or not as_text(raw.get("Id")):
        raise AnswerGarbled(f"{what}: what came is no item", kind=Kind.OTHER_SHAPE)
    return ItemDocument(raw, is_whole)
