"""The queue as the worker holds it: persist-queue's SQLiteAckQueue with due times, keys, claims and dead letters."""

import logging
import os
import sqlite3
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any, Self

import persistqueue.serializers.json
from persistqueue import SQLiteAckQueue
from persistqueue.sqlackqueue import AckStatus

from runtime.database import is_damage, is_sound
from sync_queue import operations
from sync_queue.claim_pause import is_paused
from sync_queue.dlq import DeadLetterQueue
from sync_queue.models import SyncJob, UnreadableJob
from sync_queue.operations import writing
from sync_queue.queue_file import FILE_NAME, connect, is_reported, put_aside, withdraw_report
from sync_queue.session import Session, read_session, remember_api_key, remember_renewed_cookie, remember_session

log = logging.getLogger(__name__)


class QueueManager(SQLiteAckQueue):
    """Jobs on disk, safe against other processes and other threads.

    A plain `SQLiteAckQueue` with the JSON serializer can open and drain the same file. The library's own verbs (put,
    get, ack, nack) keep our rules too; the worker's verbs are enqueue, claim, complete, retry and bury.
    """

    def __init__(self, queue_dir: str) -> None:
        # auto_resume would take back the claims of a living worker.
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - its **kwargs are not typed
            queue_dir, auto_resume=False, serializer=persistqueue.serializers.json
        )
        self._connection: sqlite3.Connection = self._conn
        self._unack_cache: dict[int, Any] = {}
        self._file = os.path.join(queue_dir, FILE_NAME)
        self._inode = os.stat(self._file).st_ino
        self._own_enqueues = 0  # SQLite counts only what others commit
        self.notice: str | None = None

    @classmethod
    def begin(cls, queue_dir: str, now: float) -> Self:
        """Open the queue for the worker who holds the lock: heal it, and take back what a dead worker had claimed."""
        queue, put_aside_as = cls._open_sound(queue_dir)
        withdraw_report(queue_dir)
        if put_aside_as:
            queue.notice = f"The queue was damaged; it is kept as {put_aside_as}. All scenes will be compared anew."
            log.error("%s", queue.notice)
            queue.enqueue("all", [0], "the queue was damaged", now, due_at=operations.AT_ONCE)
        if taken_back := queue.take_back():
            log.info("Taking back %d jobs that a worker had claimed and not finished.", taken_back)
        return queue

    @classmethod
    def _open_sound(cls, queue_dir: str) -> tuple[Self, str | None]:
        try:
            queue = cls(queue_dir)
            if is_sound(queue._connection):
                return queue, None
            queue.close()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
        aside = put_aside(queue_dir, time.strftime("%Y%m%d-%H%M%S"))
        return cls(queue_dir), aside

    def take_back(self, lane: int | None = None) -> int:
        """Let claimed jobs wait again. Only for the worker of their lane, who knows that nobody is working on them."""
        with self._writing() as connection:
            return operations.take_back(connection, lane)

    def enqueue(
        self,
        kind: str,
        ids: list[int],
        reason: str,
        now: float,
        *,
        due_at: float,
        verify: bool = False,
        bring_forward: bool = True,
        target: str = operations.FIRST_TARGET,
    ) -> int:
        with self._writing() as connection:
            self._own_enqueues += 1
            return operations.enqueue(
                connection,
                kind,
                ids,
                reason,
                now,
                due_at=due_at,
                verify=verify,
                bring_forward=bring_forward,
                target=target,
            )

    def of_target(self, target: str) -> "TargetQueue":
        return TargetQueue(self, target)

    def targets(self) -> tuple[str, ...]:
        """Name the targets that were on when a worker last looked."""
        with self.tran_lock:
            return operations.targets_on(self._connection)

    def keep_targets(self, names: tuple[str, ...]) -> None:
        with self._writing() as connection:
            operations.keep_targets(connection, names)

    def claim(self, now: float, limit: int, lane: int = operations.METADATA_LANE) -> list[SyncJob]:
        """Take the jobs that are due, the earliest first. A row that is no job of ours goes to the dead letters.

        While the bar is down, none is.
        """
        jobs: list[SyncJob] = []
        with self._writing() as connection:
            if is_paused(self.path):
                return jobs
            for row_id, data, due_at in operations.claim(connection, now, limit, lane):
                try:
                    jobs.append(SyncJob.from_row(row_id, data, due_at))
                except UnreadableJob as problem:
                    sentence = f"A row of the queue is not a job: {problem}. It was kept here and left alone."
                    DeadLetterQueue(connection).bury(
                        row_id, f"row:{row_id}", data or b"", kind="unreadable", sentence=sentence, now=now
                    )
        return jobs

    def complete(self, jobs: Iterable[SyncJob]) -> None:
        with self._writing() as connection:
            for job in jobs:
                operations.complete(connection, job.row_id, job.key)

    def retry(self, job: SyncJob, due_at: float) -> bool:
        """Let the job wait; False if a newer one of its key waits already and supersedes it."""
        with self._writing() as connection:
            return operations.retry(connection, job.row_id, job.key, job.to_data(), due_at, verify=job.verify)

    def bury(self, job: SyncJob, kind: str, sentence: str, detail: str, now: float) -> None:
        """Give the job up. A newer one of its key that waits already is not touched."""
        with self._writing() as connection:
            DeadLetterQueue(connection).bury(
                job.row_id,
                job.key,
                job.to_data(),
                kind=kind,
                sentence=sentence,
                detail=detail,
                attempts=job.attempts,
                now=now,
            )

    def next_due_at(self, now: float, lane: int = operations.METADATA_LANE) -> float | None:
        """Say when the next job is due, healing due times that a wrong clock has left behind."""
        with self.tran_lock:
            last = operations.last_due_at(self._connection, lane)
            if last is None or last <= now + operations.LONGEST_WAIT_SECONDS:
                return operations.next_due_at(self._connection, lane)
        with self._writing() as connection:
            operations.heal_due_times(connection, now)
        return now

    def mark(self) -> tuple[int, int]:
        """Return a mark that differs from an older one if jobs may have come since; costs microseconds."""
        with self.tran_lock:
            return self._connection.execute("PRAGMA data_version").fetchone()[0], self._own_enqueues

    def nudge(self) -> None:
        """Have lanes that rest look for jobs, and for what is due by the clock."""
        self._own_enqueues += 1

    def is_lost(self) -> bool:
        """Say whether the file was removed, replaced or reported as damaged: new jobs do not arrive here any more."""
        try:
            return is_reported(self.path) or os.stat(self._file).st_ino != self._inode
        except FileNotFoundError:
            return True

    def session(self) -> Session | None:
        with self.tran_lock:
            return read_session(self._connection)

    def keep_session(self, session: Session) -> None:
        with self._writing() as connection:
            remember_session(connection, session)

    def keep_api_key(self, api_key: str) -> None:
        with self._writing() as connection:
            remember_api_key(connection, api_key)

    def keep_renewed_cookie(self, old: str, renewed: str) -> None:
        with self._writing() as connection:
            remember_renewed_cookie(connection, old, renewed)

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        with self.tran_lock, writing(self._connection):
            yield self._connection

    # What follows makes persist-queue's own verbs keep the rules above.

    def _new_db_connection(self, path: str, multithreading: bool, timeout: float) -> sqlite3.Connection:  # noqa: ARG002, FBT001 - the library's signature
        return connect(path, any_thread=True)

    def put(self, item: dict[str, Any]) -> None:
        self.enqueue(item["kind"], [item["id"]], item.get("reason", "put"), time.time(), due_at=operations.AT_ONCE)
        self.put_event.set()

    def _pop(self, rowid: Any = None, next_in_order: Any = False, raw: bool = False) -> Any:  # noqa: ARG002, FBT001, FBT002 - the library's signature
        jobs = self.claim(time.time(), limit=1)
        if not jobs:
            return None
        item = self._serializer.loads(jobs[0].to_data())
        self._unack_cache[jobs[0].row_id] = item
        return {"pqid": jobs[0].row_id, "data": item, "timestamp": jobs[0].queued_at} if raw else item

    def _mark_ack_status(self, key: int, status: str) -> None:
        job = SyncJob.from_row(key, self._serializer.dumps(self._unack_cache[key]), operations.AT_ONCE)
        match status:
            case AckStatus.acked:
                self.complete([job])
            case AckStatus.ack_failed:
                self.bury(job, "given up", "Given up through persist-queue's ack_failed().", "", time.time())
            case _:
                self.retry(job, operations.AT_ONCE)

    @property
    def size(self) -> int:
        with self.tran_lock:
            return self._count()


class TargetQueue:
    """The queue as those see it who work for one target: what they enqueue is for that one."""

    def __init__(self, queue: QueueManager, target: str) -> None:
        self._queue = queue
        self.target = target

    def enqueue(
        self,
        kind: str,
        ids: list[int],
        reason: str,
        now: float,
        *,
        due_at: float,
        verify: bool = False,
        bring_forward: bool = True,
    ) -> int:
        return self._queue.enqueue(
            kind, ids, reason, now, due_at=due_at, verify=verify, bring_forward=bring_forward, target=self.target
        )
