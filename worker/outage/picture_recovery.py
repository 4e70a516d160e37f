"""PictureRecovery: stands between the pictures' lane and Plex. What ails pictures alone stops nothing else.

A Plex that takes no uploads (its disk is full, a proxy refuses large bodies) is not down: words go on, and pictures
are tried again now and then, one at a time. Whether it is well otherwise, the probe says after each fault.
"""

import logging

from runtime.clock import Clock
from sync.outage.circuit import PROBE_EVERY_SECONDS, THRESHOLD
from sync.outcome import Dead, Done, Later, Outcome
from sync.retries.backoff import calculate_delay
from sync.retries.patience import CircuitEffect, rule_for
from validation.config import Stash2PlexConfig
from worker.recovery import RecoveryScheduler
from worker.stats import WorkerStats

log = logging.getLogger(__name__)

LATER_SECONDS = 600.0


class PictureRecovery:
    """The same to its lane as RecoveryScheduler is to others. For the lane's thread; `sentence` is for any."""

    def __init__(self, shared: RecoveryScheduler, clock: Clock) -> None:
        self._shared = shared
        self._clock = clock
        self._faults_in_row = 0
        self._again_at = 0.0
        self._config: Stash2PlexConfig | None = None
        self._circumstances: object = None
        self.sentence: str | None = None

    @property
    def stats(self) -> WorkerStats:
        return self._shared.stats

    # --- before the jobs ----------------------------------------------------------------------------------------

    def outage_wait(self, config: Stash2PlexConfig) -> float:
        """Return how long no picture is to be sent; 0 if one may be."""
        self._config = config
        wait = self._shared.outage_wait(config)
        if self._is_refused:
            before, self._circumstances = self._circumstances, self._shared.circumstances(config)
            if before != self._circumstances:  # a person has changed something, or wants it tried
                self._again_at = self._clock.monotonic()
        return max(wait, self._pause())

    def is_outage(self) -> bool:
        return self._shared.is_outage() or self._pause() > 0

    def take(self, wanted: int) -> int:
        return self._shared.take(1 if self._is_refused else wanted)

    def give_back(self, unused: int) -> None:
        self._shared.give_back(unused)

    def throttle_wait(self) -> float:
        return self._shared.throttle_wait()

    @property
    def _is_refused(self) -> bool:
        return self._faults_in_row >= THRESHOLD

    def _pause(self) -> float:
        return max(self._again_at - self._clock.monotonic(), 0.0) if self._is_refused else 0.0

    # --- after the jobs -----------------------------------------------------------------------------------------

    def note(self, outcome: Outcome, config: Stash2PlexConfig) -> Outcome | None:
        """Count what an outcome says of Plex. Return what to do with the job; None: hand it back, it was an outage."""
        fault = outcome.fault if isinstance(outcome, Later | Dead) else None
        if fault is None:
            if isinstance(outcome, Done) and outcome.asked_server:
                self._succeed()
            return self._shared.note(outcome, config)
        if not self._shared.is_well(config):
            self._shared.fail(fault)
            return None
        was_refused = self._is_refused
        self._refused(fault)
        # Once all of them are refused, none is to blame; put off, so that the next try is another's.
        delay = calculate_delay(0, LATER_SECONDS, LATER_SECONDS)
        return Later(delay, str(fault), counts_attempt=False) if was_refused else outcome

    def fail(self, error: Exception) -> bool:
        """A request for a whole batch failed by Plex's fault; say whether no picture is to be sent now."""
        if self._config is None or not self._shared.is_well(self._config):
            return self._shared.fail(error)
        self._refused(error)
        return self.is_outage()

    def _refused(self, fault: Exception) -> None:
        was_refused = self._is_refused
        at_once = rule_for(fault).circuit is CircuitEffect.OPENS
        self._faults_in_row = max(self._faults_in_row + 1, THRESHOLD if at_once else 0)
        if self._is_refused:
            self._again_at = self._clock.monotonic() + PROBE_EVERY_SECONDS
            self._circumstances = self._shared.circumstances(self._config) if self._config else None
            self.sentence = (
                f"{self._shared.title} takes no pictures ({self._shared.cleaned(str(fault))}). All else is synced, and "
                "they are tried again every minute."
            )
        if self._is_refused and not was_refused:
            log.warning("%s", self.sentence)

    def _succeed(self) -> None:
        if self._is_refused:
            log.info("%s takes pictures again.", self._shared.title)
        self._faults_in_row, self.sentence = 0, None
