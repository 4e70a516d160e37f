"""The sweeper: knows when a sweep is due, and has it run in a thread of its own."""

import json
import logging
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ledger.store import Ledger
from ledger.values import LAST_SWEEP
from plan.fields import settings_text
from runtime.clock import Clock
from runtime.database import is_damage
from stash.exceptions import StashError, StashUnreachable
from sync.pictures.covers import wanted_kinds
from validation.config import Stash2PlexConfig
from validation.json_shapes import as_object
from worker.conditions import CurrentConditions
from worker.stash.jobs import StashJobs
from worker.sweeping.sweep import LedgerDamaged, Sweep

log = logging.getLogger(__name__)

AGAIN_AFTER_SECONDS = 60.0
SECONDS_AN_HOUR = 3600.0


@dataclass(frozen=True)
class Swept:
    """What the last whole sweep was made under; whatever has changed since is a reason for another."""

    ended_at: float
    settings: tuple[object, ...]
    rests: int


class Sweeper:
    """The main thread looks after it at every beat, which costs next to nothing; between sweeps there is no thread."""

    def __init__(
        self, sweep: Sweep, ledgers: Sequence[Ledger], conditions: CurrentConditions, jobs: StashJobs, clock: Clock
    ) -> None:
        self._sweep = sweep
        self._ledgers = ledgers
        self._conditions = conditions
        self._jobs = jobs
        self._clock = clock
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._asked: str | None = None
        self._swept: Swept | None = None
        self._not_before = 0.0
        self._problem: str | None = None
        self.found_damage = False
        self._last = _read(ledgers[0].values.get(LAST_SWEEP))

    def ask(self, reason: str) -> None:
        """Have a sweep as soon as possible, and another one if it is just running. For any thread."""
        with self._lock:
            self._asked = reason

    def tick(self) -> None:
        """Begin a sweep if one is due."""
        if not self.is_running and (reason := self.reason()):
            self._thread = threading.Thread(target=self.sweep, args=(reason,), name="Sweep", daemon=True)
            self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def stop(self, patience_seconds: float) -> bool:
        """Ask a running sweep to end; say whether it did."""
        self._sweep.stop()
        if self._thread is not None:
            self._thread.join(patience_seconds)
        return not self.is_running

    def reason(self) -> str | None:
        """Say why a sweep is due now, if one is."""
        conditions, now = self._conditions.get(), self._clock.monotonic()
        config = conditions.config
        if config is None or conditions.obstacle or self._jobs.is_busy or now < self._not_before:
            return None
        if self._asked is not None:
            return self._asked
        if self._swept is None:
            return "the worker has started"
        if self._swept.settings != _settings(config):
            return "the settings have changed"
        if self._swept.rests != self._jobs.rests:
            return "Stash's own jobs have ended"
        is_time = now - self._swept.ended_at >= config.reconcile_interval * SECONDS_AN_HOUR
        return "it is time" if config.reconcile_interval and is_time else None

    def sweep(self, reason: str) -> None:
        """Run one sweep to its end, whatever that is."""
        config, began_at = self._conditions.get().config, self._clock.monotonic()
        if config is None:
            return
        rests, asked = self._jobs.rests, self._take_asked()
        log.info("Sweep begins: %s.", reason)
        if self._run(config):
            now = self._clock.monotonic()
            self._swept = Swept(now, _settings(config), rests)
            self._keep(reason, now - began_at)
            self._sweep.wake_lanes()
        elif asked is not None:
            self.ask(asked)

    def _take_asked(self) -> str | None:
        with self._lock:
            asked, self._asked = self._asked, None
        return asked

    def _run(self, config: Stash2PlexConfig) -> bool:
        """Say whether all scenes were seen. What keeps it from that is no failure: it begins anew when it can."""
        try:
            is_whole = self._sweep.run(config)
        except StashUnreachable as problem:
            self._problem = str(problem)
            self._conditions.doubt()  # the watch says so, once
        except (StashError, sqlite3.Error, LedgerDamaged) as problem:
            self._problem = str(problem)
            log.warning("Sweep is broken off: %s", problem)
            if isinstance(problem, LedgerDamaged) or (isinstance(problem, sqlite3.Error) and is_damage(problem)):
                self.found_damage = True
        except Exception:
            self._problem = "A bug of ours; the worker's log has the trace."
            log.exception("Sweep is broken off by a bug of ours.")
        else:
            self._problem, tally = None, self._sweep.tally
            end = "ends" if is_whole else "is broken off"
            log.info("Sweep %s: %d scenes compared, %d queued.", end, tally.scenes, tally.differing)
            return is_whole
        self._not_before = self._clock.monotonic() + AGAIN_AFTER_SECONDS
        return False

    def status(self) -> dict[str, Any]:
        """Tell where the sweep stands and how the last one went."""
        tally = self._sweep.tally
        return {
            "running": self.is_running,
            "seen": tally.scenes if self.is_running else 0,
            "waits_for_stash": self._jobs.is_busy,
            "problem": self._problem,
            "last": self._last,
            "next_at": self._next_at(),
        }

    def _next_at(self) -> float | None:
        """Say when the next sweep is due by the clock, if nothing else is a reason for one before."""
        config, at = self._conditions.get().config, (self._last or {}).get("at")
        hours = config.reconcile_interval if config else 0
        return at + hours * SECONDS_AN_HOUR if hours and isinstance(at, int | float) else None

    def _keep(self, reason: str, seconds: float) -> None:
        tally = self._sweep.tally
        self._last = {
            "at": self._clock.now(),
            "reason": reason,
            "scenes": tally.scenes,
            "differing": tally.differing,
            "seconds": round(seconds, 1),
        }
        try:
            for ledger in self._ledgers:
                ledger.values.set(LAST_SWEEP, json.dumps(self._last))
        except sqlite3.Error as error:
            log.warning("The sweep's result could not be kept: %s.", error)


def _read(kept: str | None) -> dict[str, Any] | None:
    try:
        return as_object(json.loads(kept or "null"))
    except ValueError:
        return None


def _settings(config: Stash2PlexConfig) -> tuple[object, ...]:
    """Give the settings that decide what a sweep finds."""
    of_targets = [(settings_text(config, name), config.target(name).url) for name in config.targets]
    return *of_targets, *wanted_kinds(config)
