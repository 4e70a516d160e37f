"""What an action is given: the data folder, the queue, the person to report to, and the way to the targets.

Standard library only, and little of it: a status waits for every import made here.
"""

from __future__ import annotations

import time

from model.user_error import UserError
from runtime.database import is_damage, sqlite3, why
from runtime.folder import DataFolder
from runtime.launch import ensure_worker
from runtime.lock import is_held
from sync.known_targets import KnownTargets, targets_from
from sync_queue.action_queue import ActionQueue
from sync_queue.operations import AT_ONCE, key_of
from sync_queue.queue_file import explain, report_damage
from sync_queue.session import Session
from tasks.answers import QueueCounts
from validation.fast_json import loads
from validation.json_shapes import as_object

TYPE_CHECKING = False  # typing and collections.abc take time that only a type checker has
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ledger.store import Ledger
    from sync.context import TargetOpener
    from sync.ports import Reporter
    from sync_queue.browse import SeenJob


class TaskContext:
    """Opened once for an action. `opening` gives what opens targets; it is loaded when the first one is needed."""

    def __init__(
        self,
        folder: DataFolder,
        queue: ActionQueue,
        reporter: Reporter,
        opening: Callable[[], TargetOpener],
    ) -> None:
        self.folder = folder
        self.queue = queue
        self.reporter = reporter
        self.opening = opening
        self._known_targets: KnownTargets | None = None

    def now(self) -> float:
        return time.time()

    # --- the queue ------------------------------------------------------------------------------------------------

    def counts(self, target: str | None = None, *, is_alive: bool | None = None) -> QueueCounts:
        """Count the jobs by where they stand, of one target or of all.

        What a dead worker had in hand is due again: the next one takes it.
        """
        counts = QueueCounts(**self.queue.count(self.now(), target))
        if self.is_worker_alive() if is_alive is None else is_alive:
            return counts
        return QueueCounts(counts.due + counts.claimed, counts.later, 0, counts.dead)

    def enqueue(
        self,
        kind: str,
        ids: Iterable[int],
        reason: str,
        targets: Iterable[str],
        *,
        due_at: float = AT_ONCE,
        verify: bool = False,
    ) -> int:
        """Queue these for the worker, in a transaction of their own; return how many did not wait already."""
        return self.queue.enqueue(kind, list(ids), reason, targets, self.now(), due_at=due_at, verify=verify)

    def key(self, kind: str, object_id: int, target: str) -> str:
        """Name the job that does this for a target."""
        return key_of(kind, object_id, target)

    def jobs(self, keys: Iterable[str]) -> list[SeenJob]:
        """Find the jobs of these keys; none is in hand where no worker lives."""
        from sync_queue.browse import SeenJob  # noqa: PLC0415 - a status has no time for it

        alive = self.is_worker_alive()
        return [SeenJob(seen.job, seen.is_claimed and alive) for seen in self.queue.browser.jobs_with(keys)]

    def session(self) -> Session:
        session = self.queue.session()
        if session is None:
            raise UserError(
                "The plugin does not know yet where Stash is. Edit any scene in Stash, or run a task there."
            )
        return session

    def is_worker_alive(self) -> bool:
        return is_held(self.folder.worker_lock)

    def wake_worker(self) -> None:
        ensure_worker(self.folder)

    # --- the targets ----------------------------------------------------------------------------------------------

    def known_targets(self) -> KnownTargets:
        if self._known_targets is None:
            self._known_targets = targets_from(read_json(self.folder.targets_state))
        return self._known_targets

    def targets(self, chosen: str | None = None) -> tuple[str, ...]:
        """Name the targets that an action is about: the one that was chosen, or all that are on."""
        return self.known_targets().on if chosen is None else (chosen,)

    def one_target(self, chosen: str | None) -> str:
        """Name the one target that is meant."""
        first, *others = self.targets(chosen)
        if others:
            raise UserError(f'Say which: "target": one of {", ".join([first, *others])}.')
        return first

    def ledger_errors(self, target: str) -> LedgerErrors:
        """Have what SQLite says of a target's ledger be a sentence."""
        return LedgerErrors(self.folder.target(target).ledger)

    def ledger(self, target: str) -> LedgerOpening:
        """Open what is known of a target's scenes: `with context.ledger("plex") as ledger:`."""
        return LedgerOpening(self.folder, target)


class LedgerOpening:
    """A ledger that is open for one action. A worker may be at work on the same file meanwhile."""

    def __init__(self, folder: DataFolder, target: str) -> None:
        self._errors = LedgerErrors(folder.target(target).ledger)
        self._folder = folder
        self._target = target

    def __enter__(self) -> Ledger:
        from ledger.store import Ledger  # noqa: PLC0415 - a status reads by itself what it needs, and has no time for it

        with self._errors:
            self._ledger = Ledger.open_at(lambda: self._folder.target(self._target).ledger)
        return self._ledger

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._ledger.close()
        self._errors.__exit__(kind, error, trace)


class LedgerErrors:
    """Turns what SQLite complains of, with the ledger at this path, into a sentence."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise UserError(f"The record of what was synced ({self._path}) cannot be used: {why(error)}.") from error


class open_context:  # noqa: N801 - reads as a word: `with open_context(…) as context:`
    """Open the queue, keep the session that came from Stash, and turn what SQLite says into a sentence."""

    def __init__(
        self,
        folder: DataFolder,
        session: Session | None,
        reporter: Reporter,
        opening: Callable[[], TargetOpener],
    ) -> None:
        self._folder = folder
        self._session = session
        self._reporter = reporter
        self._opening = opening
        self._queue: ActionQueue | None = None

    def __enter__(self) -> TaskContext:
        try:
            self._folder.make()
            self._queue = ActionQueue(self._folder.queue_dir)
            if self._session is not None:
                self._queue.keep_session(self._session)
        except (sqlite3.Error, OSError) as error:
            self.__exit__(None, error, None)
            raise
        return TaskContext(self._folder, self._queue, self._reporter, self._opening)

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if self._queue is not None:
            self._queue.close()
        if isinstance(error, sqlite3.Error):
            if is_damage(error):
                report_damage(self._folder.queue_dir)
                ensure_worker(self._folder)  # it is the worker who puts a damaged queue aside
            raise UserError(explain(error, self._folder.queue_dir)) from error
        if isinstance(error, OSError):
            raise UserError(f"The data folder {self._folder.root} cannot be used: {error.strerror}.") from error


def read_json(path: str) -> dict[str, object]:
    """Read a small state file; nothing, if there is none or none that makes sense. Without the package json."""
    try:
        with open(path, "rb") as file:
            return as_object(loads(file.read())) or {}
    except (OSError, ValueError, RecursionError):
        return {}
