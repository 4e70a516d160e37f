"""Flavours: which server this is, and what follows from its name and version."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property


class Product(StrEnum):
    JELLYFIN = "Jellyfin"
    EMBY = "Emby"


_LOCKS = ["Cast", "Genres", "ProductionLocations", "Studios", "Tags", "Name", "Overview", "Runtime", "OfficialRating"]
_EMBY_4_8 = [
    "Collections",
    "ChannelNumber",
    "SortName",
    "OriginalTitle",
    "SortIndexNumber",
    "SortParentIndexNumber",
    "CommunityRating",
    "CriticRating",
    "Tagline",
]
_EMBY_4_9 = ["Composers", "Artists", "AlbumArtists"]
_PEOPLE = ["Actor", "Director", "Composer", "Writer", "GuestStar", "Producer", "Conductor", "Lyricist"]
_JELLYFIN_PEOPLE = [
    "Unknown",
    "Arranger",
    "Engineer",
    "Mixer",
    "Remixer",
    "Creator",
    "Artist",
    "AlbumArtist",
    "Author",
    "Illustrator",
    "Penciller",
    "Inker",
    "Colorist",
    "Letterer",
    "CoverArtist",
    "Editor",
    "Translator",
]


@dataclass(frozen=True)
class Flavour:
    """`version` is what the server says of itself; what it does follows from it."""

    name: str
    product: Product
    version: str

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        return tuple(int(number) for number in re.findall(r"\d+", self.version))

    @property
    def is_emby(self) -> bool:
        return self.product is Product.EMBY

    @property
    def is_jellyfin(self) -> bool:
        return self.product is Product.JELLYFIN

    def is_jellyfin_since(self, *numbers: int) -> bool:
        return self.is_jellyfin and self.numbers >= numbers

    def is_jellyfin_before(self, *numbers: int) -> bool:
        return self.is_jellyfin and self.numbers < numbers

    def is_emby_since(self, *numbers: int) -> bool:
        return self.is_emby and self.numbers >= numbers

    @property
    def lock_words(self) -> frozenset[str]:
        """The words of LockedFields; any other fails the whole update."""
        more = [*_EMBY_4_8, *(_EMBY_4_9 if self.is_emby_since(4, 9) else [])] if self.is_emby else []
        return frozenset((*_LOCKS, *more))

    @property
    def person_types(self) -> frozenset[str]:
        narrator = ["Narrator"] if self.is_jellyfin_since(12) else []
        return frozenset(_PEOPLE if self.is_emby else (*_PEOPLE, *_JELLYFIN_PEOPLE, *narrator))

    @property
    def has_startup_server(self) -> bool:
        """While it starts, a small server of its own answers: `/System/Info/Public` is 200 already."""
        return self.is_jellyfin_since(10, 11)

    @property
    def loses_locks_at_restart(self) -> bool:
        return self.is_jellyfin_since(10, 11, 0) and self.is_jellyfin_before(10, 11, 4)

    @property
    def drops_local_backdrops(self) -> bool:
        return self.is_jellyfin_since(10, 11, 0) and self.is_jellyfin_before(10, 11, 5)

    @property
    def keeps_missing_lists(self) -> bool:
        """Tags, Genres and ProviderIds that an update leaves out stay as they are."""
        return self.is_jellyfin_since(12)

    def with_version(self, version: str) -> "Flavour":
        return replace(self, version=version)


FLAVOURS = {
    flavour.name: flavour
    for flavour in (
        Flavour("jellyfin-10.10", Product.JELLYFIN, "10.10.7"),
        Flavour("jellyfin-10.11", Product.JELLYFIN, "10.11.11"),
        Flavour("jellyfin-12", Product.JELLYFIN, "12.1.0"),
        Flavour("emby-4.8", Product.EMBY, "4.8.11.0"),
        Flavour("emby-4.9", Product.EMBY, "4.9.1.90"),
    )
}
