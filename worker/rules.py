"""What an error means for the job it befell and for the circuit: one table, read aloud.

How soon a job is tried again is in `backoff.get_retry_params`.
"""

import traceback
from dataclasses import dataclass
from enum import Enum

from plex.exceptions import (
    ItemGone,
    ItemNotFound,
    LibraryNotFound,
    PlexBusy,
    PlexError,
    PlexRejected,
    PlexUnauthorized,
    PlexUnreachable,
    WrongServer,
)
from sync_queue.models import SyncJob
from validation.config import Stash2PlexConfig
from validation.metadata import InvalidMetadata
from worker.backoff import calculate_delay, get_retry_params
from worker.circuit_breaker import Fault
from worker.outcome import Dead, Later, Outcome

FOR_EVER = 0
BUG_ATTEMPTS = 3


class CircuitEffect(Enum):
    """What an error says of the server."""

    NEVER = "nothing: it is about this job alone"
    COUNTS = "it is the server's own fault; several in a row are an outage"
    OPENS = "nothing can work until a person mends it"


@dataclass(frozen=True, slots=True)
class Rule:
    """How often a job is tried, and what the error says of the server."""

    attempts: int | None  # None: as often as `get_retry_params` says. FOR_EVER: none of the tries is counted.
    circuit: CircuitEffect = CircuitEffect.NEVER

    @property
    def blames_server(self) -> bool:
        return self.circuit is not CircuitEffect.NEVER

    @property
    def stops_all(self) -> bool:
        """Say whether other jobs would fare alike, so that it is no use to go on."""
        return self.attempts == FOR_EVER


RULES: dict[type[Exception], Rule] = {
    PlexUnreachable: Rule(FOR_EVER, CircuitEffect.COUNTS),
    PlexBusy: Rule(None, CircuitEffect.COUNTS),
    ItemNotFound: Rule(None),  # then the sweep looks again; it is no failure
    ItemGone: Rule(None),  # its path was looked up again, and it is not in Plex yet
    PlexUnauthorized: Rule(FOR_EVER, CircuitEffect.OPENS),
    WrongServer: Rule(FOR_EVER, CircuitEffect.OPENS),
    LibraryNotFound: Rule(FOR_EVER, CircuitEffect.OPENS),
    PlexRejected: Rule(1),
    InvalidMetadata: Rule(1),
    Exception: Rule(BUG_ATTEMPTS),  # a bug of ours
}


def rule_for(error: Exception) -> Rule:
    """Return the rule of the nearest family; every error has one."""
    return next(RULES[family] for family in type(error).__mro__ if family in RULES)


def outcome_of(error: Exception, job: SyncJob, config: Stash2PlexConfig) -> Outcome:
    """Decide what becomes of a job after this error."""
    rule, patience = rule_for(error), get_retry_params(error, config.max_retries)
    fault = error if rule.blames_server else None
    delay = calculate_delay(job.attempts, patience.base_seconds, patience.cap_seconds)
    if rule.attempts == FOR_EVER:
        return Later(delay, str(error), counts_attempt=False, fault=fault)
    if job.attempts + 1 >= (rule.attempts or patience.attempts):
        return Dead(_kind(error), _sentence(error), _detail(error), fault=fault)
    return Later(delay, _sentence(error), fault=fault)


def fault_of(error: Exception) -> Fault:
    """Describe an error that blames the server, for the circuit and whoever looks at it."""
    return Fault(_kind(error), str(error), needs_person=rule_for(error).circuit is CircuitEffect.OPENS)


def _kind(error: Exception) -> str:
    if isinstance(error, PlexError):
        return error.kind.value
    return "metadata" if isinstance(error, InvalidMetadata) else "bug"


def _sentence(error: Exception) -> str:
    if isinstance(error, PlexError | InvalidMetadata):
        return str(error)
    return f"A bug of ours, please report it: {type(error).__name__}."


def _detail(error: Exception) -> str:
    """Give the trace of a bug; what Plex or a person did needs none."""
    if isinstance(error, PlexError | InvalidMetadata):
        return ""
    return "".join(traceback.format_exception(error))
