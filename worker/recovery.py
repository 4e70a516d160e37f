"""RecoveryScheduler: stands between the lanes and Plex. In an outage it probes; after one it lets jobs pass slowly."""

import logging
import threading
from dataclasses import replace
from typing import Protocol

from model.errors import TargetError, for_log
from model.targets import PLEX, TITLES
from runtime.clock import Clock
from runtime.folder import TargetFolder
from runtime.privacy.redaction import Redactor
from sync.outage.circuit import Fault, Outage
from sync.outcome import Dead, Done, Later, Outcome
from sync.retries.patience import CircuitEffect, fault_of, rule_for
from validation.config import Stash2PlexConfig
from worker.circuit_breaker import CircuitBreaker
from worker.rate_limiter import RecoveryRateLimiter
from worker.stats import WorkerStats

log = logging.getLogger(__name__)

LEAST_WAIT_SECONDS = 0.5  # at 5 jobs a second a batch should be more than one


class Probe(Protocol):
    """Who asks whether Plex is back."""

    def ask(self, config: Stash2PlexConfig) -> None:
        """Ask as little as tells whether jobs can work; raise the error that says why not."""
        ...

    def circumstances(self, config: Stash2PlexConfig) -> object:
        """Return what a person may change to mend it: if that differs from before, it is worth asking at once."""
        ...


class RecoveryScheduler:
    """What a lane asks before it claims jobs, and tells what became of them. For all lanes at once."""

    def __init__(
        self, folder: TargetFolder, probe: Probe, clock: Clock, redactor: Redactor, title: str = TITLES[PLEX]
    ) -> None:
        folder.make()
        self.title = title
        self._limiter = RecoveryRateLimiter(folder.recovery, clock.now())
        self._probe = probe
        self._clock = clock
        self._redactor = redactor
        self._lock = threading.Lock()
        self._circumstances: object = None
        self.breaker = CircuitBreaker(folder.circuit, clock.now())
        self.stats = WorkerStats(folder.stats, clock.now)

    # --- before the jobs ----------------------------------------------------------------------------------------

    def outage_wait(self, config: Stash2PlexConfig) -> float:
        """Return how long Plex must be left alone; 0 if it may be asked. Whoever asks when it is time, probes."""
        if self.breaker.snapshot().is_closed:
            return 0.0
        now = self._clock.now()
        if self._is_changed(config):
            self.breaker.probe_soon(now)
        if self.breaker.begin_probe(now):
            self._decide(config)
        circuit = self.breaker.snapshot()
        return 0.0 if circuit.is_closed else max(circuit.probe_in(self._clock.now()), LEAST_WAIT_SECONDS)

    def is_outage(self) -> bool:
        return not self.breaker.snapshot().is_closed

    def take(self, wanted: int) -> int:
        """Say how many jobs may be claimed now."""
        return self._limiter.take(self._clock.now(), wanted)

    def give_back(self, unused: int) -> None:
        if unused:
            self._limiter.give_back(unused)

    def throttle_wait(self) -> float:
        return max(self._limiter.until_token(self._clock.now()), LEAST_WAIT_SECONDS)

    def is_well(self, config: Stash2PlexConfig) -> bool:
        """Ask Plex whether jobs can work, whatever the circuit says."""
        return self._probed(config) is None

    def circumstances(self, config: Stash2PlexConfig) -> object:
        """Return what a person may change to mend what ails Plex, or a picture of ours."""
        return self._probe.circumstances(config)

    def _is_changed(self, config: Stash2PlexConfig) -> bool:
        """Say whether a person has changed something since a lane last asked."""
        found = self.circumstances(config)
        with self._lock:
            before, self._circumstances = self._circumstances, found
        return before is not None and before != found

    def _decide(self, config: Stash2PlexConfig) -> None:
        """Probe, and close the circuit or leave it open."""
        opened = self.breaker.snapshot()
        try:
            fault = self._probed(config)
        except BaseException:
            self.breaker.reopen(Fault(opened.kind, opened.sentence, opened.needs_person), self._clock.now())
            raise
        now = self._clock.now()
        if fault is not None:
            self.breaker.reopen(fault, now)
            log.info("%s is still away: %s", self.title, fault.sentence)
            return
        # In this order: no job may pass before the limit is there, and a crash in between only repeats the probe.
        self.stats.add_outage(Outage(opened.down_since(now), now, opened.kind, opened.sentence))
        self.stats.save()
        self._limiter.begin(now)
        self.breaker.close()
        log.info("%s is back; jobs pass slowly at first.", self.title)

    def _probed(self, config: Stash2PlexConfig) -> Fault | None:
        try:
            self._probe.ask(config)
        except TargetError as error:  # any: who cannot answer this cannot be worked with
            return self._fault(error)
        return None

    # --- after the jobs -----------------------------------------------------------------------------------------

    def note(self, outcome: Outcome, config: Stash2PlexConfig) -> Outcome | None:
        """Count what an outcome says of Plex. Return what to do with the job; None: hand it back, it was an outage."""
        match outcome:
            case Later(fault=Exception() as error, counts_attempt=False):
                return None if self.fail(error) else outcome
            case Later(fault=Exception() as error) | Dead(fault=Exception() as error):
                self.fail(error)
                # It costs the job a try only if Plex is well otherwise; a web page for everything is an outage.
                return outcome if self._probed(config) is None else None
            case Done(asked_server=True):
                self.breaker.succeed()
                self._limiter.note(self._clock.now(), is_error=False)
            case _:
                pass
        return outcome

    def fail(self, error: Exception) -> bool:
        """A request failed by Plex's fault; say whether the circuit is open now."""
        now = self._clock.now()
        self._limiter.note(now, is_error=True)
        at_once = rule_for(error).circuit is CircuitEffect.OPENS
        if self.breaker.fail(self._fault(error), now, at_once=at_once):
            log.warning("%s is left alone, and asked now and then whether it is back: %s", self.title, for_log(error))
        return self.is_outage()

    def _fault(self, error: Exception) -> Fault:
        fault = fault_of(error)
        return replace(fault, sentence=self.cleaned(fault.sentence))

    def cleaned(self, sentence: str) -> str:
        """Leave out what nobody may see."""
        return self._redactor.clean(sentence)

    # --- meanwhile ----------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Let time pass: the recovery period ends, the counters are written now and then."""
        self._limiter.tick(self._clock.now())
        self.stats.save_now_and_then(self._clock.monotonic())
