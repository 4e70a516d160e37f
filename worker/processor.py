"""SyncWorker: takes jobs that are due and settles each by what became of it."""

import logging
import sqlite3
import threading
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from runtime.redaction import Redactor
from sync_queue.manager import QueueManager
from sync_queue.models import SyncJob
from sync_queue.operations import METADATA_LANE
from sync_queue.queue_file import is_damage
from validation.config import Stash2PlexConfig
from worker.backoff import calculate_delay
from worker.clock import Clock
from worker.conditions import ConditionsBoard
from worker.outcome import Dead, Done, Later, Outcome

log = logging.getLogger(__name__)

BATCH = 50
IDLE_SECONDS = 3600.0
OBSTACLE_SECONDS = 2.0
DEFAULT_POLL_SECONDS = 0.25
BUG_ATTEMPTS = 3
BUG_BASE_SECONDS = 5.0
BUG_CAP_SECONDS = 80.0


class Why(Enum):
    """Why the worker rests."""

    WORKED = "worked"
    IDLE = "nothing is due"
    OBSTACLE = "there is an obstacle"
    TROUBLE = "the queue could not be used"


@dataclass(frozen=True)
class Pause:
    """How long to rest before the next step, and why."""

    seconds: float
    why: Why


class UnsettledJobs(Exception):
    """The handler ended without a word on some of its jobs."""


class JobHandler(Protocol):
    """What a job does."""

    def work(self, jobs: Sequence[SyncJob], config: Stash2PlexConfig) -> Iterable[tuple[SyncJob, Outcome]]:
        """Work on a batch and say of each job what became of it, as soon as it is known.

        A job that is not spoken of is tried again; so is one whose handling raised, by itself.
        """
        ...

    def rest(self) -> None:
        """Nothing is due: finish what was begun."""
        ...


class SyncWorker:
    """A daemon thread that drains the queue. One step settles at most one batch."""

    def __init__(
        self,
        queue: QueueManager,
        handler: JobHandler,
        board: ConditionsBoard,
        clock: Clock,
        redactor: Redactor,
        *,
        lane: int = METADATA_LANE,
        batch: int = BATCH,
        least_poll_seconds: float = 0.0,
    ) -> None:
        self._queue = queue
        self._handler = handler
        self._board = board
        self._clock = clock
        self._redactor = redactor
        self._lane = lane
        self._batch = batch
        self._least_poll_seconds = least_poll_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="SyncWorker", daemon=True)
        self._had_trouble = False
        self._mark = (0, 0)
        self.lost_queue = False

    def start(self) -> None:
        self._thread.start()

    def stop(self, patience_seconds: float) -> bool:
        """Ask it to end after the batch in hand; say whether it did."""
        self._stop.set()
        self._thread.join(patience_seconds)
        return not self._thread.is_alive()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set() and not self.lost_queue:
            try:
                pause = self.step()
            except Exception as error:  # noqa: BLE001 - the worker's catch-all: a full disk or a bug must not end it
                pause = self._after_trouble(error)
            self._rest(pause)

    def step(self) -> Pause:
        """Settle at most one batch and say how long to rest before the next."""
        conditions = self._board.read()
        if conditions.config is None or conditions.obstacle:
            return Pause(OBSTACLE_SECONDS, Why.OBSTACLE)
        now = self._clock.now()
        self._mark = self._queue.mark()
        if self._had_trouble:
            self._queue.take_back(self._lane)
            self._had_trouble = False
        jobs = self._queue.claim(now, self._batch, self._lane)
        if not jobs:
            self._handler.rest()
            return Pause(self._until_next_due(now), Why.IDLE)
        self._work(jobs, conditions.config)
        return Pause(0.0, Why.WORKED)

    def _until_next_due(self, now: float) -> float:
        next_due_at = self._queue.next_due_at(now, self._lane)
        return IDLE_SECONDS if next_due_at is None else max(DEFAULT_POLL_SECONDS, next_due_at - now)

    def _work(self, jobs: Sequence[SyncJob], config: Stash2PlexConfig) -> None:
        open_jobs = {job.row_id: job for job in jobs}
        try:
            self._hand_over(open_jobs, config)
        except sqlite3.Error:
            raise  # the queue itself: what is still claimed is taken back
        except Exception as error:
            log.exception("A bug of ours, with %d jobs in hand.", len(open_jobs))
            if len(open_jobs) == 1:
                (job,) = open_jobs.values()
                self._settle(job, _after_bug(job, error))
            else:
                for job in open_jobs.values():
                    self._work([job], config)

    def _hand_over(self, open_jobs: dict[int, SyncJob], config: Stash2PlexConfig) -> None:
        done: list[SyncJob] = []
        try:
            for job, outcome in self._handler.work(list(open_jobs.values()), config):
                if isinstance(outcome, Done):
                    done.append(job)
                else:
                    self._settle(job, outcome)
                del open_jobs[job.row_id]
        finally:
            # One transaction for all of them. Dying before it costs a look at scenes that have not changed.
            self._queue.complete(done)
        if open_jobs:
            raise UnsettledJobs(f"{len(open_jobs)} jobs were not spoken of")

    def _settle(self, job: SyncJob, outcome: Outcome) -> None:
        now = self._clock.now()
        match outcome:
            case Done():
                self._queue.complete([job])
            case Later(delay, text, counts):
                sentence = self._redactor.clean(text)
                waits = self._queue.retry(job.after_failure(sentence, counts=counts), now + delay)
                log.info("%s: %s %s", job.key, sentence, f"Again in {delay:.0f} s." if waits else "A newer job waits.")
            case Dead(kind, text, detail):
                sentence = self._redactor.clean(text)
                failed = job.after_failure(sentence, counts=True)
                self._queue.bury(failed, kind, sentence, self._redactor.clean(detail), now)
                log.error("%s: given up. %s", job.key, sentence)

    def _after_trouble(self, error: Exception) -> Pause:
        if isinstance(error, sqlite3.DatabaseError) and is_damage(error):
            self.lost_queue = True
        self._had_trouble = True
        log.error("The queue cannot be used now: %s", error, exc_info=not isinstance(error, sqlite3.Error))
        return Pause(OBSTACLE_SECONDS, Why.TROUBLE)

    def _rest(self, pause: Pause) -> None:
        """Sleep in short slices, and wake when a job comes: a look at the queue costs microseconds."""
        until = self._clock.monotonic() + pause.seconds
        while (left := until - self._clock.monotonic()) > 0 and not self._stop.is_set():
            conditions = self._board.read()
            poll = conditions.config.poll_interval if conditions.config else DEFAULT_POLL_SECONDS
            self._stop.wait(min(left, max(poll, self._least_poll_seconds)))
            if pause.why is Why.IDLE and self._queue.mark() != self._mark:
                return
            if pause.why is Why.OBSTACLE and self._board.read().obstacle is None:
                return
            if self._queue.is_lost():
                self.lost_queue = True
                return


def _after_bug(job: SyncJob, error: Exception) -> Outcome:
    sentence = f"A bug of ours, please report it: {type(error).__name__}."
    if job.attempts + 1 >= BUG_ATTEMPTS:
        return Dead("bug", sentence, "".join(traceback.format_exception(error)))
    return Later(calculate_delay(job.attempts, BUG_BASE_SECONDS, BUG_CAP_SECONDS), sentence)
