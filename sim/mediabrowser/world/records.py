"""What the server holds: items with their files, values and pictures, libraries, users."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Values = dict[str, Any]
"""What an update can set, by the property's name. Lists and dictionaries are replaced, never changed in place."""

VIDEO_KINDS = frozenset({"Movie", "Video", "Episode", "MusicVideo", "Trailer"})
FOLDER_KINDS = frozenset({"Folder", "CollectionFolder", "BoxSet", "Series", "Season"})


class Origin(StrEnum):
    """Who put a picture there."""

    CLIENT = "client"
    PERSON = "person"
    FILE = "file"
    """It lay beside the video."""
    PROVIDER = "provider"


@dataclass(frozen=True, slots=True)
class MediaFile:
    """`target` is what a symbolic link points at."""

    path: str
    size: int
    duration_seconds: float
    target: str = ""


@dataclass(frozen=True, slots=True)
class Credit:
    """A person on an item. Without an entity of its own the person is stored, but never shown."""

    name: str
    role: str = ""
    type: str = "Actor"
    has_entity: bool = True


@dataclass(frozen=True, slots=True)
class Picture:
    type: str
    path: str
    content: bytes
    modified_ticks: int
    origin: Origin


@dataclass(slots=True, eq=False)
class Item:
    """One thing with an id: a video, a folder, a collection, a person."""

    id: str
    kind: str
    path: str
    library_id: str = ""
    values: Values = field(default_factory=dict[str, Any])
    files: list[MediaFile] = field(default_factory=list[MediaFile])
    """The first is what is played; the others are further parts of the same film."""
    saved_ticks: int = 0
    refreshed_at: float = 0.0
    pictures: list[Picture] = field(default_factory=list[Picture])
    members: list[str] = field(default_factory=list[str])
    versions: list[str] = field(default_factory=list[str])
    """The ids of the other versions of a film, on the first of them."""
    primary_id: str = ""
    """The id of the first version, on the others."""
    extra_type: str = ""
    parent_id: str = ""
    video_type: str = "VideoFile"
    """Anything else is a folder that holds a disc."""
    is_probed: bool = True
    stored_values: Values | None = None
    """What the database holds while the memory holds something else: an update failed in the middle."""

    @property
    def is_video(self) -> bool:
        return self.kind in VIDEO_KINDS

    @property
    def is_folder(self) -> bool:
        return self.kind in FOLDER_KINDS

    def names(self, name: str) -> list[str]:
        """Read a list of names: Genres, Tags, Studios, LockedFields …"""
        return list(self.values.get(name) or ())

    @property
    def people(self) -> list[Credit]:
        return list(self.values.get("People") or ())

    def pictures_of(self, kind: str) -> list[Picture]:
        return [picture for picture in self.pictures if picture.type == kind]


@dataclass(slots=True)
class Library:
    """A virtual folder. `item_id` is the id of the folder item that stands for it."""

    item_id: str
    name: str
    collection_type: str
    locations: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def saves_locally(self) -> bool:
        return bool(self.options.get("SaveLocalMetadata"))

    @property
    def saves_nfo(self) -> bool:
        return "Nfo" in self.options.get("MetadataSavers", ())

    def holds(self, path: str) -> bool:
        return any(is_inside(path, location) for location in self.locations)


@dataclass(slots=True)
class User:
    id: str
    name: str
    token: str
    is_administrator: bool = False
    hidden: set[str] = field(default_factory=set[str])
    """Ids of items that this user may not see."""


@dataclass(slots=True)
class UserData:
    played: bool = False
    play_count: int = 0
    position_ticks: int = 0
    is_favorite: bool = False
    rating: float | None = None
    last_played: str | None = None
    changed_ticks: int = 0


def is_inside(path: str, folder: str) -> bool:
    """Tell whether a path lies below a folder, or is it; Windows paths have their own separator."""
    separator = "\\" if "\\" in folder else "/"
    return path == folder or path.startswith(folder.rstrip(separator) + separator)


def folder_of(path: str) -> str:
    separator = "\\" if "\\" in path else "/"
    return path.rpartition(separator)[0] or separator


def name_of(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def stem_of(path: str) -> str:
    name = name_of(path)
    return name.rpartition(".")[0] or name
