"""How it stands with a target, as the worker leaves it on disk: the circuit, a recovery, past outages, counters.

Standard library only: the status is told from these files where no package is installed yet.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from runtime.state_file import number_in, read_state, text_in
from sync.speed import Bucket, read_buckets

THRESHOLD = 5
PROBE_EVERY_SECONDS = 60.0
SLOW_PROBE_EVERY_SECONDS = 300.0


class CircuitState(StrEnum):
    """Closed: work. Open: wait. Half-open: one probe is on its way and decides."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why Plex may not be asked: what happened, for machines and in words, and whether a person must mend it."""

    kind: str
    sentence: str
    needs_person: bool = False


@dataclass(frozen=True, slots=True)
class Circuit:
    """Where the circuit stands. Moments are of the wall clock, which somebody may have set meanwhile."""

    state: CircuitState = CircuitState.CLOSED
    strikes: int = 0
    opened_at: float = 0.0
    probe_at: float = 0.0
    kind: str = ""
    sentence: str = ""
    needs_person: bool = False

    @property
    def is_closed(self) -> bool:
        return self.state is CircuitState.CLOSED

    def probe_in(self, now: float) -> float:
        """Return the seconds until the next probe. One further away than any can be was set by a wrong clock."""
        wait = self.probe_at - now
        return wait if 0 < wait <= probe_interval(needs_person=self.needs_person) else 0.0

    def down_since(self, now: float) -> float:
        return min(self.opened_at, now)


def read_circuit(path: str) -> Circuit:
    """Read where the circuit stands. A file that is damaged, or of somebody else, is a closed circuit."""
    return circuit_from(read_state(path))


def circuit_from(raw: Mapping[str, Any]) -> Circuit:
    strikes = min(int(number_in(raw, "strikes")), THRESHOLD - 1)
    if raw.get("state") not in (CircuitState.OPEN, CircuitState.HALF_OPEN):
        return Circuit(strikes=strikes)
    return Circuit(
        CircuitState.OPEN,  # whoever was probing is gone
        opened_at=number_in(raw, "opened_at"),
        probe_at=number_in(raw, "probe_at"),
        kind=text_in(raw, "kind"),
        sentence=text_in(raw, "sentence"),
        needs_person=raw.get("needs_person") is True,
    )


def probe_interval(*, needs_person: bool) -> float:
    return SLOW_PROBE_EVERY_SECONDS if needs_person else PROBE_EVERY_SECONDS


FIRST_RATE = 5.0
LAST_RATE = 20.0
RAMP_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Recovery:
    """A recovery period: when it began, and since when its rate is halved (0: it is not)."""

    began_at: float
    halved_at: float = 0.0

    def progress(self, now: float) -> float:
        """Return how much of the period is over, 0 to 1."""
        return min(max((now - self.began_at) / RAMP_SECONDS, 0.0), 1.0)

    def is_over(self, now: float) -> bool:
        return now - self.began_at >= RAMP_SECONDS

    def rate(self, now: float) -> float:
        """Return the jobs a second that may pass."""
        ramp = FIRST_RATE + (LAST_RATE - FIRST_RATE) * self.progress(now)
        return ramp / 2 if self.halved_at else ramp

    def shifted(self, seconds: float) -> "Recovery":
        return Recovery(self.began_at + seconds, self.halved_at and self.halved_at + seconds)


def read_recovery(path: str, now: float) -> Recovery | None:
    """Read where the period stands: none if there is no file, or one that makes no sense, or it is over."""
    return recovery_from(read_state(path), now)


def recovery_from(raw: Mapping[str, Any], now: float) -> Recovery | None:
    began_at = min(number_in(raw, "began_at"), now)  # a clock was set back: it begins now at the latest
    halved_at = min(number_in(raw, "halved_at"), now)
    found = Recovery(began_at, halved_at)
    return None if not began_at or found.is_over(now) else found


MOST_OUTAGES = 50


@dataclass(frozen=True, slots=True)
class Outage:
    """A time in which Plex could not be asked, and why."""

    began_at: float
    ended_at: float
    kind: str
    sentence: str

    @property
    def seconds(self) -> float:
        return max(0.0, self.ended_at - self.began_at)


@dataclass(frozen=True, slots=True)
class Counters:
    """Jobs that are done or were given up, and how long the worker worked on jobs. `outages`: the last first.

    `hours` and `minutes` are the same by the time at which it was, for a day and for a few minutes.
    """

    done: int = 0
    failed: int = 0
    seconds_worked: float = 0.0
    outages: tuple[Outage, ...] = ()
    hours: tuple[Bucket, ...] = ()
    minutes: tuple[Bucket, ...] = ()

    @property
    def mean_seconds(self) -> float:
        return self.seconds_worked / max(self.done + self.failed, 1)


def read_stats(path: str) -> Counters:
    """Read the counters; what makes no sense counts as nothing."""
    raw = read_state(path)
    found: object = raw.get("outages")
    listed = cast("list[object]", found) if isinstance(found, list) else []
    outages = [_outage(cast("dict[str, Any]", one)) for one in listed if isinstance(one, Mapping)]
    return Counters(
        done=int(number_in(raw, "done")),
        failed=int(number_in(raw, "failed")),
        seconds_worked=number_in(raw, "seconds_worked"),
        outages=tuple(outages[:MOST_OUTAGES]),
        hours=read_buckets(raw, "hours"),
        minutes=read_buckets(raw, "minutes"),
    )


def _outage(raw: dict[str, Any]) -> Outage:
    return Outage(
        number_in(raw, "began_at"), number_in(raw, "ended_at"), text_in(raw, "kind"), text_in(raw, "sentence")
    )
