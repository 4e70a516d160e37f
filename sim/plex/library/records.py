"""The records a library is made of. Compact: a hundred thousand items fit in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

Value = str | int | float
NOTHING: Mapping[str, Value] = MappingProxyType({})

TYPE_NUMBERS = {
    "movie": 1,
    "show": 2,
    "season": 3,
    "episode": 4,
    "artist": 8,
    "album": 9,
    "track": 10,
    "clip": 12,
    "photo": 13,
    "photoalbum": 14,
    "collection": 18,
}
TYPE_NAMES = {number: name for name, number in TYPE_NUMBERS.items()}
TOP_TYPE = {"movie": "movie", "show": "show", "artist": "artist", "photo": "photoalbum"}
ELEMENTS = {"movie": "Video", "episode": "Video", "clip": "Video", "track": "Track", "photo": "Photo"}


@dataclass(frozen=True, slots=True)
class Tagging:
    """A tag as it hangs on one item; `text` is an actor's role."""

    tag_id: int
    text: str = ""


Tags = Mapping[str, tuple[Tagging, ...]]
NO_TAGS: Tags = MappingProxyType({})


@dataclass(slots=True)
class Part:
    id: int
    file: str
    size: int
    duration: int
    analysed: bool = True

    @property
    def container(self) -> str:
        return self.file.rpartition(".")[2].lower()


@dataclass(slots=True)
class Media:
    id: int
    parts: tuple[Part, ...]

    @property
    def duration(self) -> int:
        return sum(part.duration for part in self.parts)


@dataclass(slots=True)
class Item:
    """One row of the library. The three mappings are replaced, never changed, so that untouched items can share them.

    `edits` and `tags` lie over what the agent says; a refresh blows away whatever `locks` does not hold down.
    """

    item_id: int
    section_id: int
    kind: str
    added_at: int
    media: tuple[Media, ...] = ()
    updated_at: int = 0
    parent: int = 0
    index: int = 0
    deleted_at: int = 0
    told: Mapping[str, Value] = field(default_factory=lambda: NOTHING)
    edits: Mapping[str, Value] = field(default_factory=lambda: NOTHING)
    tags: Tags = field(default_factory=lambda: NO_TAGS)
    locks: frozenset[str] = frozenset()

    @property
    def first_part(self) -> Part | None:
        return self.media[0].parts[0] if self.media else None

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(part for media in self.media for part in media.parts)

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(part.file for part in self.parts)

    @property
    def element(self) -> str:
        return ELEMENTS.get(self.kind, "Directory")


@dataclass(slots=True)
class Section:
    id: int
    kind: str
    title: str
    agent: str
    scanner: str
    locations: tuple[str, ...]
    uuid: str
    created_at: int
    scanned_at: int
    updated_at: int
    language: str = "en-US"
    content_changed_at: int = 1
    location_ids: tuple[int, ...] = field(default=())

    @property
    def is_personal(self) -> bool:
        """No agent looks anything up: "Other Videos"."""
        return self.agent.endswith(".agents.none")

    def holds(self, path: str) -> bool:
        return any(is_inside(path, location) for location in self.locations)


def is_inside(path: str, folder: str) -> bool:
    """Whether the path is the folder or lies below it, be it a Linux or a Windows one."""
    folder = folder.rstrip("/\\")
    return path == folder or (path.startswith(folder) and path[len(folder)] in "/\\")
