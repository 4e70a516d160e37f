"""The port to the store: what the service and the command line can rely on, whichever database is behind it.

All moments come from the database's own clock, so that two machines, or one whose clock is set back, agree on whose
turn it is. No lock outlives a call.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from intake.store.row import FoundFile, Lane, Row, Status, Step

LEASE_SECONDS = 60.0
RENEW_SECONDS = 20.0


class Offered(Enum):
    """What became of an offer."""

    NEW = "a row was made"
    RENEWED = "the path holds another file than its row was about; the row begins anew"
    BACK = "the very file that was gone is there again; its row goes on"
    KNOWN = "there is a row for this very file"
    BUSY = "the row of that path is being worked on; offer it again later"


@dataclass(frozen=True, slots=True)
class Progress:
    """What a worker learned about its file. None leaves the column as it is."""

    step: Step | None = None
    movie_code: str | None = None
    actress: str | None = None
    subtitle: str | None = None
    metadata_json: str | None = None
    plan_json: str | None = None
    candidates_json: str | None = None
    published_json: str | None = None
    new_path: str | None = None
    emby_item_id: str | None = None
    attempts: int | None = None
    identity: str | None = None


NOTHING_NEW = Progress()


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a row did not get further: a kind for machines, a sentence for people."""

    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class BeforeUndo:
    """How a row was before its undo began."""

    status: Status
    error_kind: str
    error_message: str
    is_retried: bool


class ChangeListener(Protocol):
    """Waits in one thread for rows to become claimable. It may miss some, so the listener also looks by itself."""

    def wait(self, seconds: float) -> bool:
        """Return True as soon as something may have changed, False after so many seconds."""
        ...

    def close(self) -> None: ...


class IntakeStore(Protocol):
    """One connection. Any thread may use it, one at a time; a lane has a store of its own."""

    # --- the scan -----------------------------------------------------------------------------------------------

    def offer(self, files: Sequence[FoundFile]) -> list[Offered]:
        """Have a row for each file, in one transaction; say in the same order what became of each."""
        ...

    # --- a worker -----------------------------------------------------------------------------------------------

    def claim(self, lane: Lane, sees: Callable[[Row], bool], limit: int = 1) -> list[Row]:
        """Take the next rows that are due, or whose owner's lease ran out; at most so many.

        Rows of this host come first; one of another host, or of none, only if `sees` says that its file is here.
        """
        ...

    def take_back(self, dead: str) -> int:
        """End the leases of workers whose names begin so; only for one who knows that they are dead. Say how many."""
        ...

    def renew(self, rows: Sequence[Row]) -> frozenset[int]:
        """Hold rows for another `LEASE_SECONDS`; return the numbers of those that are another's by now.

        One that was handed back, or is done, stays so.
        """
        ...

    def save(self, row: Row, progress: Progress) -> Row:
        """Keep what was learned, and the row in hand. Like all that follow: LeaseLost if it is another's by now."""
        ...

    def claim_beside(self, paths: Sequence[str]) -> list[Row]:
        """Take the rows of this host's files at all these paths as well, due or not: they are moved as one.

        Raises RowBusy, and takes none, if one of them has no row or is another's.
        """
        ...

    def save_all(self, learned: Sequence[tuple[Row, Progress]], new_folders: Collection[str] = ()) -> list[Row]:
        """Keep what was learned of several rows in hand, in one transaction; it is on disk when this returns.

        `new_folders` are those that are about to be made for their files.
        """
        ...

    def withdraw(self, row: Row) -> None:
        """Take a row in hand away: what it was made for is another row's file."""
        ...

    def release(self, row: Row, progress: Progress = NOTHING_NEW) -> None:
        """Hand the row back: it is due at once and nothing was tried."""
        ...

    def postpone(self, row: Row, seconds: float, why: Trouble, progress: Progress = NOTHING_NEW) -> None:
        """Let the row wait in its lane; this is no failure."""
        ...

    def place(self, placed: Sequence[tuple[Row, Progress]], end: Trouble | None = None) -> None:
        """`processing` → `moved`: the files are where they belong, and their publishing is due. One transaction.

        With `end`, a sentence why nothing more is to be done, they are `completed` at once.
        """
        ...

    def complete(
        self, row: Row, progress: Progress, *, pictures_in: float | None = None, note: Trouble | None = None
    ) -> None:
        """To `completed`; with `pictures_in` the row is claimed once more then, and stays completed meanwhile."""
        ...

    def fail(self, row: Row, why: Trouble, retry_in: float | None, progress: Progress = NOTHING_NEW) -> None:
        """To `error`, to be claimed again by itself after `retry_in` seconds; None waits for a person."""
        ...

    # --- a person -----------------------------------------------------------------------------------------------

    def retry(self, row_id: int) -> Row:
        """Let a row go on where it stopped, now and with all its tries. Raises RowBusy while it is leased."""
        ...

    def retry_all(self) -> int:
        """Do so for every row in error that a person has not taken back on purpose; say how many."""
        ...

    def reset(self, row_id: int) -> Row:
        """Let any row begin anew, unless it is leased; where its file was placed stays known.

        A row whose move was announced goes on with that: the file may have been moved already.
        Raises PathTaken if another file has come to its path.
        """
        ...

    def set_code(self, row_id: int, code: str) -> Row:
        """Pin a person's word on what the file is, and let the row begin anew with it, as `reset` does."""
        ...

    def take(self, row_id: int) -> Row:
        """Hold a row, whatever its status, for a person who undoes it; it stays where it is. Raises RowBusy."""
        ...

    def let_go(self, row: Row) -> None:
        """Hand back what `take` has taken, as it is."""
        ...

    def announce_undo(self, rows: Sequence[Row], plan_json: str) -> list[Row]:
        """To `error`, being undone: no lane and no scan touches the files until `mark_undone` or `call_off_undo`.

        Rows that were made early for the same paths are withdrawn. Raises RowBusy, and changes nothing, if a worker
        has one of them in hand or may have moved its file.
        """
        ...

    def call_off_undo(self, rows: Sequence[tuple[Row, BeforeUndo]], plan_json: str) -> None:
        """Hand rows back as they were before `announce_undo`: all their files are in their place."""
        ...

    def mark_undone(self, undone: Sequence[tuple[Row, str]], sentence: str) -> None:
        """To `error`: the files, each with its identity, are back at `file_path` and stay there until a retry."""
        ...

    def made_folders(self, paths: Collection[str]) -> frozenset[str]:
        """Say which of these folders were made for files that were brought in; a person's are not among them."""
        ...

    def forget_folders(self, paths: Collection[str]) -> None:
        """Forget folders that are gone again."""
        ...

    def cleanup(self, older_than_seconds: float) -> int:
        """Take completed rows of that age out of lists and counts, and drop what was found about them; say how many.

        What identifies the file is kept, so that one that stayed in the watched folder is not taken for a new one, and
        so is where it was moved, so that it can be undone.
        """
        ...

    # --- looking ------------------------------------------------------------------------------------------------

    def get(self, row_id: int) -> Row:
        """Return a row, also one that was cleaned up; raises RowUnknown."""
        ...

    def rows_of_path(self, path: str) -> list[Row]:
        """Return all rows that a path has had, the newest first."""
        ...

    def rows(self, status: Status | None = None, limit: int = 50) -> list[Row]:
        """Return the newest rows."""
        ...

    def counts(self) -> Mapping[Status, int]:
        """Return how many rows are where; every status has its number."""
        ...

    def next_due_in(self, lane: Lane) -> float | None:
        """Say in how many seconds a row of this host can be claimed by somebody; None if none waits."""
        ...

    def listener(self) -> ChangeListener: ...

    def close(self) -> None: ...
