"""The rows of the ledger, typed."""

from dataclasses import dataclass
from typing import Literal

from ledger.baseline import Baseline
from ledger.states import PictureState, SceneState

EntryKind = Literal["scalar", "set", "picture"]
Value = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SceneRecord:
    """A scene as we left it, and the item it was last synced to. An empty fingerprint asks for another look."""

    scene_id: int
    state: SceneState
    sentence: str
    fingerprint: str
    rating_key: int | None
    machine: str
    path: str
    recorded_at: float
    synced_at: float | None
    baseline: Baseline


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
    rating_key: int = 0
    machine: str = ""
    at: float = 0.0
    undone_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSync:
    """What a sync makes of one item: the scene it is for, what it writes, and what is ours afterwards."""

    scene_id: int
    rating_key: int
    machine: str
    path: str
    fingerprint: str
    baseline: Baseline
    entries: tuple[JournalEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Intent:
    """A write that was under way to an item, and nobody lived to record."""

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
class PictureRecord:
    """One picture of a scene: `stamp` is what Stash calls its version, `digest` the SHA-256 of its bytes."""

    scene_id: int
    kind: str
    rating_key: int
    machine: str
    stamp: str
    digest: str
    key: str
    state: PictureState
    sentence: str
    at: float
