"""SyncWorker: takes jobs that are due and finishes each by what became of it."""

import logging
import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from model.errors import TargetError, for_log
from model.sentences import counted
from runtime.clock import Clock
from runtime.database import is_damage, why
from runtime.privacy.redaction import Redactor
from sync.outcome import Dead, Done, Later, Outcome, Unbegun
from sync.retries.backoff import ceiling
from sync.retries.patience import outcome_of, rule_for
from sync_queue.manager import QueueManager
from sync_queue.models import SyncJob
from sync_queue.operations import FIRST_TARGET, METADATA_LANE
from validation.config import Stash2PlexConfig
from worker.conditions import CurrentConditions
from worker.outage.picture_recovery import PictureRecovery
from worker.recovery import RecoveryScheduler

log = logging.getLogger(__name__)

BATCH = 50
IDLE_SECONDS = 300.0
OBSTACLE_SECONDS = 2.0
DEFAULT_POLL_SECONDS = 0.25
LONGEST_TROUBLE_SECONDS = 60.0


class Why(Enum):
    """Why the worker rests."""

    WORKED = "worked"
    IDLE = "nothing is due"
    OBSTACLE = "there is an obstacle"
    OUTAGE = "Plex is left alone"
    THROTTLED = "Plex is coming back and is not hurried"
    TROUBLE = "the data folder could not be used"


@dataclass(frozen=True)
class Pause:
    """How long to rest before the next step, and why."""

    seconds: float
    why: Why


class UnfinishedJobs(Exception):
    """The handler ended without a word on some of its jobs."""


class JobHandler(Protocol):
    """What a job does."""

    def work(self, jobs: Sequence[SyncJob], config: Stash2PlexConfig) -> Generator[tuple[SyncJob, Outcome], None, None]:
        """Work on a batch and say of each job what became of it, as soon as it is known.

        A job that is not spoken of is tried again; so is one whose handling raised, by itself. A TargetError is about
        the batch as a whole. In an outage the rest of the batch is not asked for. A batch that takes long leaves what
        is left Unbegun: a person's Save may wait behind it.
        """
        ...

    def rest(self, config: Stash2PlexConfig) -> None:
        """No job is due: finish what was begun, and do what is due by the clock. Raises TargetError."""
        ...


class SyncWorker:
    """A daemon thread that drains the queue. One step finishes at most one batch."""

    def __init__(
        self,
        queue: QueueManager,
        handler: JobHandler,
        conditions: CurrentConditions,
        recovery: RecoveryScheduler | PictureRecovery,
        clock: Clock,
        redactor: Redactor,
        *,
        target: str = FIRST_TARGET,
        lane: int = METADATA_LANE,
        batch: int = BATCH,
        least_poll_seconds: float = 0.0,
    ) -> None:
        self._queue = queue
        self._handler = handler
        self._conditions = conditions
        self._recovery = recovery
        self._clock = clock
        self._redactor = redactor
        self._target = target
        self._lane = lane
        self._batch = self._limit = batch
        self._least_poll_seconds = least_poll_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="SyncWorker", daemon=True)
        self._troubles = 0
        self._mark = (0, 0)
        self.trouble: str | None = None
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
                pause, self.trouble = self.step(), None
                self._troubles = 0 if pause.why in (Why.WORKED, Why.IDLE) else self._troubles
            except Exception as error:  # noqa: BLE001 - the worker's catch-all: a full disk or a bug must not end it
                pause = self._after_trouble(error)
            self._rest(pause)

    def step(self) -> Pause:
        """Settle at most one batch and say how long to rest before the next."""
        conditions = self._conditions.get()
        if conditions.config is None or conditions.obstacle or self._target not in conditions.config.targets:
            return Pause(OBSTACLE_SECONDS, Why.OBSTACLE)
        if wait := self._recovery.outage_wait(conditions.config):
            return Pause(min(wait, OBSTACLE_SECONDS), Why.OUTAGE)
        room = self._recovery.take(self._limit)
        if not room:
            return Pause(self._recovery.throttle_wait(), Why.THROTTLED)
        jobs = self._claim(room)
        if not jobs:
            self._idle(conditions.config)
            return Pause(self._until_next_due(), Why.IDLE)
        self._work(jobs, conditions.config)
        return Pause(0.0, Why.WORKED)

    def _idle(self, config: Stash2PlexConfig) -> None:
        try:
            self._handler.rest(config)
        except TargetError as error:
            log.info("%s", error)
            if rule_for(error).blames_server:
                self._recovery.fail(error)

    def _claim(self, room: int) -> list[SyncJob]:
        self._mark = self._queue.mark()
        if self._troubles:
            self._queue.take_back(self._lane)
        jobs = self._queue.claim(self._clock.now(), room, self._lane)
        self._recovery.give_back(room - len(jobs))
        return jobs

    def _until_next_due(self) -> float:
        now = self._clock.now()
        next_due_at = self._queue.next_due_at(now, self._lane)
        return IDLE_SECONDS if next_due_at is None else max(DEFAULT_POLL_SECONDS, next_due_at - now)

    def _work(self, jobs: Sequence[SyncJob], config: Stash2PlexConfig) -> None:
        open_jobs = {job.row_id: job for job in jobs}
        began_at = self._clock.monotonic()
        try:
            unbegun = self._hand_over(open_jobs, config)
            # The next batch is as big as this one could be in its time.
            self._limit = max(1, len(jobs) - unbegun) if unbegun else min(self._limit * 2, self._batch)
        except sqlite3.Error:
            raise  # the queue or the ledger itself: what is still claimed is taken back
        except TargetError as error:
            self._after_batch(error)
        except Exception as error:
            log.exception("A bug of ours, with %d jobs in hand.", len(open_jobs))
            self._after_bug(error, list(open_jobs.values()), config)
        finally:
            self._recovery.stats.count(seconds=self._clock.monotonic() - began_at)

    def _hand_over(self, open_jobs: dict[int, SyncJob], config: Stash2PlexConfig) -> int:
        """Settle each job as the handler says, and return how many it had no time for."""
        done: list[SyncJob] = []
        unbegun = 0
        was_outage = False
        try:
            with closing(self._handler.work(list(open_jobs.values()), config)) as outcomes:
                for job, outcome in outcomes:
                    match self._recovery.note(outcome, config):
                        case None:
                            was_outage = True
                        case Done():
                            done.append(job)
                            self._conditions.stash_works()
                        case Unbegun():
                            unbegun += 1
                        case noted:
                            self._finish(job, noted)
                    del open_jobs[job.row_id]
                    if self._recovery.is_outage():
                        was_outage = True
                        break
        finally:
            # One transaction for all of them. Dying before it costs a look at scenes that have not changed.
            self._queue.complete(done)
            self._recovery.stats.count(done=len(done))
        if was_outage or unbegun:
            self._queue.take_back(self._lane)  # as they were: due, in their order, with all their attempts
        if open_jobs and not was_outage:
            raise UnfinishedJobs(f"{counted(len(open_jobs), 'job')} not spoken of")
        self._recovery.give_back(unbegun)
        return unbegun

    def _after_batch(self, error: TargetError) -> None:
        """Hand the batch back as it was, and go on with one job at a time: one of them may be the cause."""
        log.info("%s", for_log(error))
        if rule_for(error).blames_server:
            self._recovery.fail(error)
        self._limit = 1
        self._queue.take_back(self._lane)

    def _after_bug(self, error: Exception, jobs: Sequence[SyncJob], config: Stash2PlexConfig) -> None:
        if len(jobs) == 1:
            self._finish(jobs[0], outcome_of(error, jobs[0], config))
            return
        for job in jobs:
            if self._recovery.is_outage():
                self._queue.take_back(self._lane)
                return
            self._work([job], config)

    def _finish(self, job: SyncJob, outcome: Later | Dead) -> None:
        now = self._clock.now()
        match outcome:
            case Later(delay, text, counts):
                sentence = self._redactor.clean(text)
                waits = self._queue.retry(job.after_failure(sentence, counts=counts), now + delay)
                then = f"Again in {delay:.0f} s." if waits else "A newer job waits."
                is_told = outcome.is_stash_away or (outcome.is_stash_failing and not self._conditions.stash_fails())
                log.log(
                    logging.DEBUG if is_told else logging.INFO,
                    "%s: %s %s%s",
                    job.key,
                    sentence,
                    then,
                    _request(outcome.detail),
                )
                if outcome.is_stash_away:
                    self._conditions.doubt()
            case Dead(kind, text, detail):
                sentence = self._redactor.clean(text)
                failed = job.after_failure(sentence, counts=True)
                self._queue.bury(failed, kind, sentence, self._redactor.clean(detail), now)
                self._recovery.stats.count(failed=1)
                log.error("%s: given up. %s%s", job.key, sentence, _request(detail))

    def _after_trouble(self, error: Exception) -> Pause:
        self._troubles += 1
        is_disk = isinstance(error, sqlite3.Error)
        self.lost_queue = is_disk and is_damage(error)
        before, self.trouble = self.trouble, f"The work cannot go on: {why(error) if is_disk else _bug(error)}."
        if self.trouble != before:  # a full disk stays full for a while
            log.error("%s", self.trouble, exc_info=not is_disk)
        return Pause(ceiling(self._troubles - 1, OBSTACLE_SECONDS, LONGEST_TROUBLE_SECONDS), Why.TROUBLE)

    def _rest(self, pause: Pause) -> None:
        """Sleep in short slices, and wake when a job comes: a look at the queue costs microseconds."""
        until, wall_until = self._clock.monotonic() + pause.seconds, self._clock.now() + pause.seconds
        # By both clocks: one stands while a laptop sleeps, the other may be set back.
        while (left := until - self._clock.monotonic()) > 0 and not self._stop.is_set():
            if self._clock.now() >= wall_until:
                return
            conditions = self._conditions.get()
            poll = conditions.config.poll_interval if conditions.config else DEFAULT_POLL_SECONDS
            self._stop.wait(min(left, max(poll, self._least_poll_seconds)))
            if pause.why is Why.IDLE and self._queue.mark() != self._mark:
                return
            if pause.why is Why.OBSTACLE and self._conditions.get().obstacle is None:
                return
            if pause.why is Why.OUTAGE and not self._recovery.is_outage():
                return
            if self._queue.is_lost():
                self.lost_queue = True
                return


def _request(detail: str) -> str:
    """Write a request behind a line of the log; the trace of a bug is in it already."""
    return f" [{detail}]" if detail and "\n" not in detail else ""


def _bug(error: Exception) -> str:
    return f"a bug of ours ({type(error).__name__}), please report it; the log has the trace"
