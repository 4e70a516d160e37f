"""A decision on one field: what it was, what it becomes, and why, in words a person can be shown."""

from dataclasses import dataclass
from enum import StrEnum

Value = str | tuple[str, ...]


class Why(StrEnum):
    """Why a field is written, or left as it is."""

    NEW = "new in Stash"
    CHANGED = "changed in Stash"
    REMOVED = "removed in Stash"
    LOST = "lost in Plex, by a refresh or a rebuild"
    STASH_WINS = "changed in Stash and in Plex; Stash wins"
    PLEX_WINS = "changed in Stash and in Plex; Plex keeps its own"
    PLEX_EDIT = "edited in Plex"
    STASH_EMPTY = "empty in Stash, and not ours in Plex"
    RIGHT = "already right"
    OFF = "switched off"
    NOT_HERE = "this kind of item has no such field"

    @property
    def writes(self) -> bool:
        return self in _WRITES

    @property
    def is_persons(self) -> bool:
        """Say whether Plex keeps what somebody chose there."""
        return self in {Why.PLEX_EDIT, Why.PLEX_WINS}

    @property
    def is_conflict(self) -> bool:
        return self in {Why.STASH_WINS, Why.PLEX_WINS}


_WRITES = frozenset({Why.NEW, Why.CHANGED, Why.REMOVED, Why.LOST, Why.STASH_WINS})


@dataclass(frozen=True, slots=True)
class Decision:
    """One field of one item. `old` is what Plex shows, `new` what it will show."""

    field: str
    old: Value
    new: Value
    why: Why
    old_locked: bool = False
    was_ours: bool = False
