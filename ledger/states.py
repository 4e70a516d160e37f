"""The states a scene and a picture can be in.

*Queued* and *Plex is down* are not among them: the queue and the circuit know those, and a copy here would be a second
truth. A transition happens only in `Ledger`: `record_sync` leads to SYNCED, `record_undo` to UNDONE, `ignore` to
IGNORED and back, `record_state` to the others.
"""

from enum import StrEnum


class SceneState(StrEnum):
    """Where a scene stands. Every state comes with a sentence that says why and what to do.

    That of SYNCED says what a person's choice keeps out of Plex, and is mostly empty.
    """

    SYNCED = "synced"  # Plex showed what the fingerprint stands for
    WAITING = "waiting"  # for Plex: its file is not there yet
    AMBIGUOUS = "ambiguous"  # several items could be meant, or another scene has the item
    REFUSED = "refused"  # a field cannot be mended, or Plex rejects it
    SKIPPED = "skipped"  # a setting leaves it out
    FAILED = "failed"  # given up; the dead letters have the job
    UNDONE = "undone"  # a person took our values back
    IGNORED = "ignored"  # a person leaves it out, until they take that back


HOLDS_ITEM = frozenset(
    {SceneState.SYNCED, SceneState.FAILED, SceneState.REFUSED, SceneState.UNDONE, SceneState.IGNORED}
)
"""States in which the item a scene was last synced to is still its own.

A failed write gives no item away, nor does an undo: another scene would fill in what a person took back.
"""


class PictureState(StrEnum):
    """Where one picture of a scene stands. Every state but SHOWN comes with a sentence."""

    SHOWN = "shown"  # uploaded or found there, selected, locked
    REFUSED = "refused"  # these bytes are no picture Plex may get; others may come
    FAILED = "failed"  # to be tried again
    UNDONE = "undone"  # a person took it back
