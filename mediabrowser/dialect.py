"""The two dialects: what Emby and Jellyfin call things, and which versions know what."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from model.errors import Kind, WrongAddress


class Product(StrEnum):
    JELLYFIN = "Jellyfin"
    EMBY = "Emby"


class Property(StrEnum):
    """What we write, by the name that both servers read and write it under."""

    NAME = "Name"
    SORT_NAME = "ForcedSortName"
    OVERVIEW = "Overview"
    TAGLINE = "Taglines"
    DATE = "PremiereDate"
    RATING = "CommunityRating"
    OFFICIAL_RATING = "OfficialRating"
    GENRES = "Genres"
    TAGS = "Tags"
    STUDIOS = "Studios"
    PEOPLE = "People"
    COLLECTIONS = "Collections"
    ORIGINAL_TITLE = "OriginalTitle"


_LOCK_WORDS: Mapping[Property, str] = {
    Property.NAME: "Name",
    Property.OVERVIEW: "Overview",
    Property.OFFICIAL_RATING: "OfficialRating",
    Property.GENRES: "Genres",
    Property.TAGS: "Tags",
    Property.STUDIOS: "Studios",
    Property.PEOPLE: "Cast",
}
_EMBY_LOCK_WORDS: Mapping[Property, str] = {
    **_LOCK_WORDS,
    Property.SORT_NAME: "SortName",
    Property.TAGLINE: "Tagline",
    Property.RATING: "CommunityRating",
    Property.COLLECTIONS: "Collections",
    Property.ORIGINAL_TITLE: "OriginalTitle",
}
_KNOWN: Mapping[Product, tuple[tuple[int, ...], ...]] = {
    Product.JELLYFIN: ((10, 10), (10, 11), (12,)),
    Product.EMBY: ((4, 8), (4, 9)),
}
_MENDED = (10, 11, 5)
_JELLYFIN_ID, _EMBY_ID = re.compile(r"[0-9a-f]{32}"), re.compile(r"\d{1,18}")
# Everything that an update would wipe if it were not sent back, and what we compare.
_DETAIL_FIELDS = (
    "Settings",
    "Path",
    "Etag",
    "DateCreated",
    "SortName",
    "OriginalTitle",
    "Overview",
    "Taglines",
    "CustomRating",
    "Genres",
    "Tags",
    "Studios",
    "ProviderIds",
    "ProductionLocations",
    "MediaSourceCount",
)
_EMBY_FIELDS = (
    "PremiereDate",
    "EndDate",
    "ProductionYear",
    "OfficialRating",
    "CommunityRating",
    "CriticRating",
)


@dataclass(frozen=True)
class Dialect:
    """How one version of one product wants to be spoken to."""

    product: Product
    version: str

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        return tuple(int(number) for number in re.findall(r"\d+", self.version)[:4])

    @property
    def is_emby(self) -> bool:
        return self.product is Product.EMBY

    @property
    def trouble(self) -> str:
        """Say what is wrong with this version, in a sentence for the health check; empty if nothing is known."""
        if self.product is Product.JELLYFIN and (10, 11) <= self.numbers < _MENDED:
            return (
                f"Jellyfin {self.version} loses locks at a restart or pictures at a scan; update it to 10.11.5 or newer"
            )
        return ""

    def check_version(self) -> None:
        """Raise WrongAddress unless we know the habits of this version."""
        known = _KNOWN[self.product]
        if not any(self.numbers[: len(one)] == one for one in known):
            names = ", ".join(".".join(map(str, one)) for one in known)
            text = f"{self.product} {self.version} is not known to this plugin, which knows {names}; nothing is written"
            raise WrongAddress(text, kind=Kind.UNKNOWN_VERSION)

    # Reading.

    def detail_fields(self, *, people: bool) -> str:
        more = _EMBY_FIELDS if self.is_emby else ("SpecialEpisodeNumbers",)
        return ",".join((*_DETAIL_FIELDS, *more, *(("People",) if people else ())))

    @property
    def walk_fields(self) -> str:
        """Jellyfin tells how many versions an item has; Emby does not, so it has to list them."""
        return f"Path,Etag,DateCreated,{'MediaSources' if self.is_emby else 'MediaSourceCount'}"

    def is_id(self, text: str) -> bool:
        """Tell what may be an item's id: one that is none makes the server forget that it was asked for ids."""
        return bool((_EMBY_ID if self.is_emby else _JELLYFIN_ID).fullmatch(text))

    @property
    def no_grouping(self) -> tuple[str, str]:
        """The parameter without which films hide behind their collections, or a delta becomes everything."""
        return ("GroupItemsIntoCollections", "false") if self.is_emby else ("CollapseBoxSetItems", "false")

    @property
    def no_virtual(self) -> tuple[tuple[str, str], ...]:
        """The parameter that leaves out what has no file, an episode that is missing; Emby knows it no longer."""
        return () if self.is_emby else (("ExcludeLocationTypes", "Virtual"),)

    @property
    def changed_since(self) -> str:
        """The filter by the moment of the last save. The plain one is broken on Jellyfin before 10.11."""
        is_broken = self.product is Product.JELLYFIN and self.numbers < (10, 11)
        return "MinDateLastSavedForUser" if is_broken else "MinDateLastSaved"

    @property
    def refresh_body(self) -> bytes:
        """Emby's document demands a body of a refresh since 4.9, though all of it stands in the query."""
        return b"{}" if self.is_emby and self.numbers >= (4, 9) else b""

    # Writing.

    def lock_word(self, field: Property) -> str | None:
        """Name the lock of a field; None where the server has none."""
        return (_EMBY_LOCK_WORDS if self.is_emby else _LOCK_WORDS).get(field)

    def locks_of(self, fields: Iterable[Property]) -> frozenset[str]:
        words = (self.lock_word(field) for field in fields)
        return frozenset(word for word in words if word is not None)

    def stored_names(self, names: Iterable[str]) -> tuple[str, ...]:
        """Write names so that they come back as they are: Jellyfin splits at bars, trims, and folds case."""
        plain = (name.strip() for name in names)
        parted = plain if self.is_emby else (name.replace("|", "/") for name in plain)
        return tuple({name.casefold(): name for name in reversed([one for one in parted if one])}.values())[::-1]


def told_product(document: Mapping[str, object]) -> Product:
    """Find out which of the two answers: only Jellyfin names its product."""
    name, version = document.get("productname"), document.get("version")
    if not isinstance(version, str) or not document.get("id"):
        raise WrongAddress("what answers here is neither Emby nor Jellyfin", kind=Kind.OTHER_PRODUCT)
    return Product.JELLYFIN if isinstance(name, str) and "jellyfin" in name.lower() else Product.EMBY
