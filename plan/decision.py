"""A decision on one field: what it was, what it becomes, and why, in words a person can be shown."""

from dataclasses import dataclass
from enum import StrEnum

Value = str | tuple[str, ...]


class Why(StrEnum):
    """Why a field is written, or left as it is; `told` says it of a server by its name."""

    NEW = "new in Stash"
    CHANGED = "changed in Stash"
    REMOVED = "removed in Stash"
    LOST = "lost in {server}, by a refresh or a rebuild"
    STASH_WINS = "changed in Stash and in {server}; Stash wins"
    SERVER_WINS = "changed in Stash and in {server}; {server} keeps its own"
    SERVER_EDIT = "edited in {server}"
    TAKEN_OUT = "taken out in {server}"
    WITH_TITLE = "goes with the title"
    UNUSABLE = "makes no sense in Stash"
    STASH_EMPTY = "empty in Stash, and not ours in {server}"
    RIGHT = "already right"
    OFF = "switched off"
    NOT_HERE = "this kind of item has no such field"

    def told(self, server: str) -> str:
        """Say why, of the server that people call so."""
        return self.value.format(server=server)

    @property
    def writes(self) -> bool:
        return self in _WRITES

    @property
    def is_persons(self) -> bool:
        """Say whether the server keeps what somebody chose there."""
        return self in {Why.SERVER_EDIT, Why.SERVER_WINS, Why.TAKEN_OUT}

    @property
    def is_conflict(self) -> bool:
        return self in {Why.STASH_WINS, Why.SERVER_WINS}


_WRITES = frozenset({Why.NEW, Why.CHANGED, Why.REMOVED, Why.LOST, Why.STASH_WINS})


@dataclass(frozen=True, slots=True)
class Decision:
    """One field of one item. `old` is what the server shows, `new` what it will; both in the words in which we send.

    `withheld` is what Stash has and a person's choice keeps out, empty if nothing.
    """

    field: str
    old: Value
    new: Value
    why: Why
    old_locked: bool = False
    was_ours: bool = False
    withheld: Value = ""
