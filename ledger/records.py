"""The rows of the ledger, typed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ledger.baseline import Baseline
from ledger.states import PictureState, SceneState
from model.scene import SceneFile

EntryKind = Literal["scalar", "set", "picture"]
Value = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SceneRecord:
    """A scene as we left it, and the item it was last synced to, with what we wrote there.

    An empty fingerprint asks for another look.
    """

    scene_id: int
    state: SceneState
    sentence: str
    fingerprint: str
    item_id: str | None
    server_id: str
    path: str
    recorded_at: float
    synced_at: float | None
    baseline: Baseline


@dataclass(frozen=True, slots=True)
class Pin:
    """The item that a person chose for a scene, and the file that the scene had; an empty path: that was not noted."""

    scene_id: int
    item_id: str
    path: str
    size: int

    def is_of(self, files: Sequence[SceneFile]) -> bool:
        """Tell whether these are the files of the scene that was meant."""
        return not self.path or any(file.path == self.path or 0 < file.size == self.size for file in files)

    def with_file(self, files: Sequence[SceneFile]) -> "Pin":
        """Note the first file as it is now."""
        return replace(self, path=files[0].path, size=files[0].size) if files else self


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """What we wrote to an item of Plex, whichever scene it was for. The path tells it from a later one of that key."""

    item_id: str
    server_id: str
    path: str
    baseline: Baseline
    at: float
    left_at: float | None = None  # when the scene it was for was synced to others instead; see `GIVEN_UP`


@dataclass(frozen=True, slots=True)
class WrittenItem:
    """An item that was written for some scene: whose it is now, and whether it still shows anything of ours."""

    item_id: str
    path: str
    scene_id: int
    left_at: float | None  # when its scene was synced to others instead; see `GIVEN_UP`
    scene_state: SceneState | None  # of that scene, None if Stash has it no more
    shows_ours: bool


@dataclass(frozen=True, slots=True)
class SweepRecord:
    """What a sweep compares a scene with: what became of it, by which fingerprint, on which server, when.

    `covers` are the stamps of its pictures by their kind, those of the item it was last synced to.
    """

    scene_id: int
    state: SceneState
    fingerprint: str
    server_id: str
    recorded_at: float
    covers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One value written and the one it replaced.

    Whoever writes fills in the upper half; what is below comes from the call that records it. `was_ours` says that the
    old value had been written by us.
    """

    field: str
    kind: EntryKind
    old: Value
    new: Value
    old_locked: bool = False
    was_ours: bool = False

    id: int = 0
    run_id: int = 0
    scene_id: int = 0
    item_id: str = ""
    server_id: str = ""
    at: float = 0.0
    undone_at: float | None = None


@dataclass(frozen=True, slots=True)
class JournalWrite:
    """What was written to one item at once, and is not undone."""

    id: int
    entries: tuple[JournalEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSync:
    """What a sync makes of one item: the scene it is for, what it writes, and what is ours afterwards.

    A scene with several items counts as synced to the main one, once all of them are written. `kept` says what a
    person's choice keeps out of them.
    """

    scene_id: int
    item_id: str
    server_id: str
    path: str
    fingerprint: str
    baseline: Baseline
    entries: tuple[JournalEntry, ...] = ()
    is_main: bool = True
    kept: str = ""


@dataclass(frozen=True, slots=True)
class UnfinishedWrite:
    """A write to an item, for a scene, that was announced and not recorded: it may or may not have arrived."""

    scene_id: int
    path: str
    baseline: Baseline
    entries: tuple[JournalEntry, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """What belongs together when it is undone. One that its process did not live to end has no end."""

    id: int
    kind: str
    began_at: float
    ended_at: float | None


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run in numbers: values written, those of them undone since, scenes concerned."""

    run: Run
    written: int
    undone: int
    scenes: int


@dataclass(frozen=True, slots=True)
class JournalSlice:
    """A part of the journal: that of some runs, from the first to the last, of one scene, or some entries by their ids.

    By itself it is all of it.
    """

    first_run: int | None = None
    last_run: int | None = None
    scene_id: int | None = None
    entry_ids: frozenset[int] | None = None

    def covers(self, entry: "JournalEntry") -> bool:
        return (
            (self.first_run is None or entry.run_id >= self.first_run)
            and (self.last_run is None or entry.run_id <= self.last_run)
            and (self.scene_id is None or entry.scene_id == self.scene_id)
            and (self.entry_ids is None or entry.id in self.entry_ids)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneItem:
    """What an undo leaves behind on one item: the entries dealt with, and what is ours there afterwards.

    `scenes` and `item` are as they were read; what somebody else recorded meanwhile is newer, and stays. `item` is None
    where its baseline does not change.
    """

    item_id: str
    server_id: str
    entry_ids: tuple[int, ...]
    scenes: tuple[SceneRecord, ...]
    pictures: tuple[str, ...]
    item: ItemRecord | None
    baseline: Baseline
    still_shown: tuple[str, ...] = ()
    """Pictures of ours that could not be taken away, and are not locked any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedPicture:
    """A picture that was announced for an item and not recorded, and what the item showed before.

    `digest` is the SHA-1 of its bytes.
    """

    scene_id: int
    item_id: str
    server_id: str
    kind: str
    digest: str
    old: str
    old_locked: bool
    was_ours: bool

    def entry(self, arrived: str) -> JournalEntry:
        """Describe what happened, now that the key of the picture that arrived is known."""
        return JournalEntry(
            field=self.kind,
            kind="picture",
            old=self.old,
            new=arrived,
            old_locked=self.old_locked,
            was_ours=self.was_ours,
        )


@dataclass(frozen=True, slots=True)
class PictureRecord:
    """One picture of a scene: `stamp` is what Stash calls its version, `digest` the SHA-256 of its bytes."""

    scene_id: int
    kind: str
    item_id: str
    server_id: str
    stamp: str
    digest: str
    key: str
    state: PictureState
    sentence: str
    at: float
    is_main: bool = True  # on the item that the scene was synced to; it may have others beside it
