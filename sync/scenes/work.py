"""What a job does: read from Stash what it is about, and hand each scene to the target."""

import logging
from collections.abc import Callable, Generator, Sequence
from typing import Protocol

from model.scene import Scene
from runtime.clock import Clock
from stash.exceptions import StashError, StashRefused, StashUnauthorized, StashUnintelligible
from sync.outcome import Done, Outcome
from sync.ports import JobStore
from sync.retries.patience import after_stash_error
from sync.stash_connection import StashConnection
from sync_queue.models import SyncJob
from sync_queue.operations import SOON
from validation.config import Stash2PlexConfig

log = logging.getLogger(__name__)


class Pipeline(Protocol):
    """Where scenes go."""

    def deliver(
        self, pairs: Sequence[tuple[SyncJob, Scene]], config: Stash2PlexConfig
    ) -> Generator[tuple[SyncJob, Outcome], None, None]:
        """Make the target show what Stash says now, and finish every job."""
        ...

    def forget(self, scene_id: int) -> Outcome:
        """The scene is gone from Stash."""
        ...

    def rest(self, config: Stash2PlexConfig) -> str | None:
        """No job is due; say why scenes must be looked at again, if they must. Raises TargetError."""
        ...


class SceneWork:
    """Reads the scenes of a batch in one request, and turns a job about many scenes into jobs about each.

    `ask_for_sweep` takes the reason for which all scenes are to be compared with what was synced last.
    """

    def __init__(
        self,
        queue: JobStore,
        stash: StashConnection,
        target: Pipeline,
        ask_for_sweep: Callable[[str], None],
        clock: Clock,
    ) -> None:
        self._queue = queue
        self._stash = stash
        self._target = target
        self._ask_for_sweep = ask_for_sweep
        self._clock = clock

    def work(self, jobs: Sequence[SyncJob], config: Stash2PlexConfig) -> Generator[tuple[SyncJob, Outcome], None, None]:
        open_jobs = {job.row_id: job for job in jobs}
        try:
            for job, outcome in self._work(jobs, config):
                del open_jobs[job.row_id]
                yield job, outcome
        except StashError as problem:
            if isinstance(problem, StashUnauthorized):
                self._stash.disconnect()
            if len(open_jobs) > 1 and isinstance(problem, StashRefused | StashUnintelligible):
                for job in open_jobs.values():  # one scene may be what Stash cannot answer for
                    yield from self.work([job], config)
            else:
                for job in open_jobs.values():
                    yield job, after_stash_error(job, problem)

    def _work(
        self, jobs: Sequence[SyncJob], config: Stash2PlexConfig
    ) -> Generator[tuple[SyncJob, Outcome], None, None]:
        scene_jobs = [job for job in jobs if job.kind == "scene"]
        scenes = self._stash.client().scenes([job.id for job in scene_jobs]) if scene_jobs else {}
        for job in scene_jobs:
            if job.id not in scenes:
                yield job, self._target.forget(job.id)
        present = [(job, scenes[job.id]) for job in scene_jobs if job.id in scenes]
        if present:
            yield from self._target.deliver(present, config)
        for job in jobs:
            if job.kind != "scene":
                self._spread(job)
                yield job, Done()

    def rest(self, config: Stash2PlexConfig) -> None:
        if reason := self._target.rest(config):
            self._ask_for_sweep(reason)

    def _spread(self, job: SyncJob) -> None:
        """Enqueue the scenes a job stands for, a page at a time. Doing it twice after a crash does no harm."""
        if job.kind == "all" and not job.verify:
            self._ask_for_sweep(job.reason)  # a worker that dies before it is done starts with one anyway
            return
        client = self._stash.client()
        of = None if job.kind == "all" else (job.kind, job.id)
        if of is not None and not client.exists(*of):
            # Stash no longer knows whose scenes they were, so all are compared, once for however many are gone.
            self._ask_for_sweep(job.reason)
            return
        count = 0
        for ids in client.scene_ids(of):
            now = self._clock.now()
            # Not at once: a person's edit overtakes them. What Stash changed comes before what is only compared.
            due_at = SOON if of is not None and job.due_at <= SOON else now
            self._queue.enqueue("scene", ids, job.reason, now, due_at=due_at, verify=job.verify)
            count += len(ids)
        log.info("%s: %d scenes queued (%s).", job.key, count, job.reason)
