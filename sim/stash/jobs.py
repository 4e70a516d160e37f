"""The job queue: one job at a time, whatever it is."""

import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sim.stash.clock import ServerClock
from sim.stash.errors import OperationCancelled, ResolverError
from sim.stash.plugins.installed import Progress

KEPT_JOBS = 10
POLL_SECONDS = 0.01


@dataclass
class Job:
    id: int
    description: str
    work: Callable[["Job"], None]
    add_time: str
    status: str = "READY"
    start_time: str | None = None
    end_time: str | None = None
    error: str | None = None
    progress: Progress = field(default_factory=Progress)
    stopped: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)


class JobQueue:
    """First in, first out, on one thread; lives in memory only."""

    def __init__(self, clock: ServerClock) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._queue: list[Job] = []
        self._finished: deque[Job] = deque(maxlen=KEPT_JOBS)
        self._last_id = 0
        self._closed = False
        self._thread = threading.Thread(target=self._loop, name="sim-stash-jobs", daemon=True)
        self._thread.start()

    def add(self, description: str, work: Callable[[Job], None]) -> Job:
        with self._changed:
            self._last_id += 1
            job = Job(self._last_id, description, work, self._clock.stamp())
            self._queue.append(job)
            self._changed.notify_all()
        return job

    def listed(self) -> list[Job] | None:
        """Null, not an empty list, when nothing is queued."""
        with self._changed:
            return list(self._queue) or None

    def find(self, job_id: int) -> Job | None:
        with self._changed:
            return next((job for job in (*self._queue, *self._finished) if job.id == job_id), None)

    def stop(self, job_id: int) -> None:
        """A waiting job never runs; a running plugin is killed."""
        with self._changed:
            for job in self._queue:
                if job.id == job_id:
                    job.stopped.set()
                    job.status = "STOPPING" if job.status == "RUNNING" else job.status

    @contextmanager
    def running(self, description: str) -> Generator[Job]:
        """Show a running job that holds up all others until the block ends."""
        begun, release = threading.Event(), threading.Event()

        def hold(job: Job) -> None:
            begun.set()
            while not release.wait(POLL_SECONDS):
                if job.stopped.is_set():
                    raise OperationCancelled

        job = self.add(description, hold)
        begun.wait()
        try:
            yield job
        finally:
            release.set()
            job.done.wait()

    def close(self) -> None:
        """Stop the running job and forget the rest."""
        with self._changed:
            self._closed = True
            for job in self._queue:
                job.stopped.set()
            self._changed.notify_all()
        self._thread.join(timeout=5)

    def _loop(self) -> None:
        while job := self._next():
            self._run(job)
            with self._changed:
                self._queue.remove(job)
                self._finished.append(job)
            job.done.set()

    def _next(self) -> Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closed)
            return None if self._closed else self._queue[0]

    def _outcome(self, job: Job) -> str:
        if job.stopped.is_set():
            return "CANCELLED"
        job.work(job)
        return "FINISHED"

    def _run(self, job: Job) -> None:
        job.start_time = self._clock.stamp()
        job.status = "RUNNING"
        try:
            job.status = self._outcome(job)
        except OperationCancelled:
            job.status = "CANCELLED"
        except ResolverError as error:
            job.status, job.error = "FAILED", str(error)
        job.end_time = self._clock.stamp()
