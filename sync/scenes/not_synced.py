"""Scenes that are not written: what is noted of each in the ledger, and what becomes of its job."""

from ledger.states import SceneState
from ledger.store import Ledger
from model.errors import ChangeRejected, ItemNotFound, TargetError
from runtime.clock import Clock
from sync.outcome import Dead, Done, Outcome
from sync.retries.patience import outcome_of
from sync_queue.models import SWEEP, SyncJob
from validation.config import Stash2PlexConfig
from validation.metadata import InvalidMetadata


class NotSynced:
    """Notes why. `job` is about the scene; `fingerprint` is what that was decided by, so that no sweep asks again."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock

    def invalid(
        self, job: SyncJob, scene_id: int, problem: InvalidMetadata, settings: str, config: Stash2PlexConfig
    ) -> Outcome:
        self._note(scene_id, SceneState.REFUSED, str(problem), problem.fingerprint(settings))
        return outcome_of(problem, job, config)

    def partly(
        self,
        job: SyncJob,
        scene_id: int,
        problem: InvalidMetadata,
        fingerprint: str,
        server: str,
        config: Stash2PlexConfig,
    ) -> Outcome:
        """Note what of a scene is kept back; the server shows all else."""
        told = InvalidMetadata(problem.field, f"{problem.complaint} All else is in {server}.")
        self._note(scene_id, SceneState.REFUSED, str(told), fingerprint)
        return outcome_of(told, job, config)

    def skipped(self, scene_id: int, sentence: str, fingerprint: str) -> Outcome:
        self._note(scene_id, SceneState.SKIPPED, sentence, fingerprint)
        return Done()

    def ambiguous(self, scene_id: int, sentence: str, fingerprint: str) -> Outcome:
        self._note(scene_id, SceneState.AMBIGUOUS, sentence, fingerprint)
        return Done()

    def waiting(
        self,
        job: SyncJob,
        scene_id: int,
        sentence: str,
        fingerprint: str,
        config: Stash2PlexConfig,
        *,
        is_scanned: bool = False,
    ) -> Outcome:
        """Try again with growing patience, then leave it to the sweep: waiting is not failing.

        What a sweep brought is left to the next one at once, unless the server was asked to scan for it: there may be
        thousands that it will never have.
        """
        self._note(scene_id, SceneState.WAITING, sentence, fingerprint)
        if job.reason == SWEEP and not is_scanned and job.attempts == 0:
            return Done()
        outcome = outcome_of(ItemNotFound(sentence), job, config)
        return Done() if isinstance(outcome, Dead) else outcome

    def failed(
        self, job: SyncJob, scene_id: int, error: TargetError, fingerprint: str, config: Stash2PlexConfig
    ) -> Outcome:
        """Do as the error's rule says; of what is tried again nothing is noted."""
        if isinstance(error, ItemNotFound):
            return self.waiting(job, scene_id, str(error), fingerprint, config)
        outcome = outcome_of(error, job, config)
        if isinstance(outcome, Dead):
            state = SceneState.REFUSED if isinstance(error, ChangeRejected) else SceneState.FAILED
            self._note(scene_id, state, str(error), fingerprint)
        return outcome

    def _note(self, scene_id: int, state: SceneState, sentence: str, fingerprint: str) -> None:
        self._ledger.scenes.record_state(scene_id, state, sentence, self._clock.now(), fingerprint=fingerprint)
