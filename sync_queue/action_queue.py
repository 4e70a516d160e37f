"""The queue as an action sees it: light to open, nothing is claimed, and nothing of persist-queue is loaded."""

from __future__ import annotations

from runtime.database import sqlite3
from sync_queue import operations
from sync_queue.queue_file import connect
from sync_queue.session import Session, read_session, remember_session

TYPE_CHECKING = False  # typing and collections.abc take time that only a type checker has
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from sync_queue.browse import JobBrowser
    from sync_queue.dlq import DeadLetterQueue


class ActionQueue:
    """One connection, for one action. Raises sqlite3.Error."""

    def __init__(self, queue_dir: str) -> None:
        self._queue_dir = queue_dir
        self._connection: sqlite3.Connection = connect(queue_dir)

    def close(self) -> None:
        self._connection.close()

    def writing(self) -> operations.writing:
        """Make one transaction of what is done inside."""
        return operations.writing(self._connection)

    def count(self, now: float, target: str | None) -> dict[str, int]:
        return operations.count(self._connection, now, target)

    def enqueue(
        self,
        kind: str,
        ids: list[int],
        reason: str,
        targets: Iterable[str],
        now: float,
        *,
        due_at: float,
        verify: bool = False,
    ) -> int:
        """Have one waiting job per id for each of the targets; return how many did not wait already."""
        with self.writing():
            added = [
                operations.enqueue(
                    self._connection, kind, ids, reason, now, due_at=due_at, verify=verify, target=target
                )
                for target in targets
            ]
        return max(added, default=0)

    def make_all_due(self, now: float) -> None:
        with self.writing():
            operations.make_all_due(self._connection, now)

    def clear_waiting(self) -> int:
        """Remove the waiting jobs; return how many there were."""
        with self.writing():
            return operations.clear_waiting(self._connection)

    def next_due_at(self, lane: int) -> float | None:
        return operations.next_due_at(self._connection, lane)

    def claims_paused(self, is_worked_on: Callable[[], bool]) -> AbstractContextManager[None]:
        """Have no job claimed meanwhile; see `claim_pause`."""
        from sync_queue.claim_pause import claims_paused  # noqa: PLC0415 - a status has no time for it

        return claims_paused(self._queue_dir, self._connection, is_worked_on)

    def session(self) -> Session | None:
        return read_session(self._connection)

    def keep_session(self, session: Session) -> None:
        with self.writing():
            remember_session(self._connection, session)

    @property
    def browser(self) -> JobBrowser:
        from sync_queue.browse import JobBrowser  # noqa: PLC0415 - as above

        return JobBrowser(self._connection)

    @property
    def dead_letters(self) -> DeadLetterQueue:
        """What is written there wants a transaction."""
        from sync_queue.dlq import DeadLetterQueue  # noqa: PLC0415 - as above

        return DeadLetterQueue(self._connection)
