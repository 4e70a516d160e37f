"""The library: every record, by id."""

import threading
from typing import Protocol, TypeVar

from sim.stash.clock import ServerClock
from sim.stash.errors import ResolverError
from sim.stash.library.records import Group, Performer, Scene, Studio, Tag, VideoFile


class Record(Protocol):
    id: int
    updated_at: str


R = TypeVar("R", bound=Record)


class Shelf(dict[int, R]):
    """Records of one kind, by id; ids only ever grow, so the order of insertion is the order of ids."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.last_id = 0

    def next_id(self) -> int:
        self.last_id += 1
        return self.last_id

    def put(self, record: R) -> R:
        self[record.id] = record
        self.last_id = max(self.last_id, record.id)
        return record

    def need(self, record_id: int) -> R:
        record = self.get(record_id)
        if record is None:
            raise ResolverError(f"{self.kind} with id {record_id} not found")
        return record


class Library:
    """All shelves under one lock. Only `touch` moves an `updated_at`, so that what bumps it is easy to see."""

    def __init__(self, clock: ServerClock) -> None:
        self.clock = clock
        self.lock = threading.RLock()
        self.scenes: Shelf[Scene] = Shelf("scene")
        self.performers: Shelf[Performer] = Shelf("performer")
        self.studios: Shelf[Studio] = Shelf("studio")
        self.tags: Shelf[Tag] = Shelf("tag")
        self.groups: Shelf[Group] = Shelf("group")
        self.uploaded: dict[tuple[str, int, int], bytes] = {}
        """Pictures that a client sent, by (kind, id, version)."""
        self._last_file_id = 0

    def touch(self, record: Record) -> None:
        record.updated_at = self.clock.stamp()

    def draft_scene(self, stamp: str | None = None) -> Scene:
        """A new scene that is not on the shelf yet."""
        now = stamp or self.clock.stamp()
        return Scene(self.scenes.next_id(), created_at=now, updated_at=now)

    def new_scene(self, stamp: str | None = None) -> Scene:
        return self.scenes.put(self.draft_scene(stamp))

    def new_file(self, path: str, size: int, stamp: str | None = None) -> VideoFile:
        now = stamp or self.clock.stamp()
        self._last_file_id += 1
        oshash = f"{self._last_file_id * 0x9E3779B97F4A7C15 % 2**64:016x}"
        return VideoFile(self._last_file_id, path, size, now, now, now, oshash=oshash)

    def scenes_with(self, kind: str, record_id: int) -> list[Scene]:
        """Every scene that refers to the given performer, studio, tag or group."""
        return [scene for scene in self.scenes.values() if record_id in refers_to(scene, kind)]


def refers_to(scene: Scene, kind: str) -> tuple[int, ...]:
    if kind == "performer":
        return scene.performer_ids
    if kind == "tag":
        return scene.tag_ids
    if kind == "group":
        return tuple(link.group_id for link in scene.groups)
    return () if scene.studio_id is None else (scene.studio_id,)
