"""A row: the history of one file, from the watched folder to the library.

                    claim                   place                  claim                    complete
   offer ─> pending ─────> processing ──────────────────> moved ─────────> emby_pending ───────────────> completed
               ^               │                            ^                   │                            │
               ├── postpone ───┤ release                    ├──── postpone ─────┤ release      pictures are tried again
               │               │ fail                       │                   │ fail         without leaving it
               │               v                            │                   v
               └── retry ── error (step before placed)      └──── retry ───── error (step placed or later)

A row in `processing` or `emby_pending` belongs to whoever holds its lease; when that runs out, anybody may claim it,
and the next claim number makes every later write of the former owner change nothing.
"""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Where a row is; the words of the table that people know."""

    PENDING = "pending"
    PROCESSING = "processing"
    MOVED = "moved"
    EMBY_PENDING = "emby_pending"
    COMPLETED = "completed"
    ERROR = "error"


class Step(StrEnum):
    """The last thing that was done for the file; work resumes after it."""

    NEW = "new"
    NAMED = "named"  # its code is known, or guessed
    FOUND = "found"  # a source has said what it is
    PLANNED = "planned"  # where it goes is announced; from here on the disk may have changed
    PLACED = "placed"
    INDEXED = "indexed"  # every server shows it
    WRITTEN = "written"
    PICTURED = "pictured"


class Lane(StrEnum):
    """Who works on a row: the lane that handles files, or the one that talks to the servers."""

    FILES = "files"
    PUBLISH = "publish"


GONE = "gone"  # the kind of error of a row whose file is not there: it goes on when it is back
UNDOING = "undoing"  # its files are on their way back, or were when the one who brought them died
UNDONE = "undone"

BEFORE_PLACED = frozenset({Step.NEW, Step.NAMED, Step.FOUND, Step.PLANNED})
WAITING = {Lane.FILES: Status.PENDING, Lane.PUBLISH: Status.MOVED}
WORKING = {Lane.FILES: Status.PROCESSING, Lane.PUBLISH: Status.EMBY_PENDING}


def lane_of(step: Step) -> Lane:
    return Lane.FILES if step in BEFORE_PLACED else Lane.PUBLISH


@dataclass(frozen=True, slots=True)
class Row:
    """One row as the store read it. Moments are seconds since 1970 by the database's clock; an empty text is none."""

    id: int
    file_path: str
    host: str
    identity: str
    status: Status
    step: Step
    movie_code: str
    is_pinned: bool
    actress: str
    subtitle: str
    metadata_json: str
    plan_json: str
    candidates_json: str
    published_json: str
    new_path: str
    emby_item_id: str
    error_kind: str
    error_message: str
    attempts: int
    retry_count: int
    due_at: float
    next_retry_at: float | None
    lease_until: float | None
    claimed_by: str
    claim_no: int
    created_at: float
    updated_at: float

    @property
    def lane(self) -> Lane:
        return lane_of(self.step)

    @property
    def is_being_undone(self) -> bool:
        return self.status is Status.ERROR and self.error_kind == UNDOING


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that the scan saw and the gate let through. `identity` changes when the path holds another file."""

    path: str
    identity: str
