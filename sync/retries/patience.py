"""What an error means for the job it befell and for the circuit: one table, read aloud.

How soon a job is tried again is in `backoff.get_retry_params`.
"""

import traceback
from dataclasses import dataclass
from enum import Enum

from model.errors import (
    AccessDenied,
    ChangeRejected,
    ItemChanged,
    ItemGone,
    ItemNotFound,
    LibraryNotFound,
    TargetBusy,
    TargetError,
    TargetUnreachable,
    WrongAddress,
    WrongServer,
    request_of,
)
from sync.outage.circuit import Fault
from sync.outcome import Dead, Later
from sync.retries.backoff import calculate_delay, get_retry_params
from sync_queue.models import SyncJob
from validation.config import Stash2PlexConfig
from validation.metadata import InvalidMetadata

FOR_EVER = 0
BUG_ATTEMPTS = 3
LONGEST_ASKED_SECONDS = 600.0  # no server is believed that asks for more


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
    TargetUnreachable: Rule(FOR_EVER, CircuitEffect.COUNTS),
    TargetBusy: Rule(None, CircuitEffect.COUNTS),
    ItemNotFound: Rule(None),  # then the sweep looks again; it is no failure
    ItemGone: Rule(None),  # its path was looked up again, and it is not in Plex yet
    AccessDenied: Rule(FOR_EVER, CircuitEffect.OPENS),
    WrongServer: Rule(FOR_EVER, CircuitEffect.OPENS),
    WrongAddress: Rule(FOR_EVER, CircuitEffect.OPENS),
    ItemChanged: Rule(None),
    LibraryNotFound: Rule(FOR_EVER, CircuitEffect.OPENS),
    ChangeRejected: Rule(1),
    InvalidMetadata: Rule(1),
    Exception: Rule(BUG_ATTEMPTS),  # a bug of ours
}


def rule_for(error: Exception) -> Rule:
    """Return the rule of the nearest family; every error has one."""
    return next(RULES[family] for family in type(error).__mro__ if family in RULES)


def outcome_of(error: Exception, job: SyncJob, config: Stash2PlexConfig, *, counts_all: bool = False) -> Later | Dead:
    """Decide what becomes of a job after this error.

    `counts_all` gives up on every error in the end, for a lane that hears of each fault whether Plex is well otherwise.
    """
    rule, patience = rule_for(error), get_retry_params(error, config.max_retries)
    fault = error if rule.blames_server else None
    delay = max(
        calculate_delay(job.attempts, patience.base_seconds, patience.cap_seconds),
        min(_asked_seconds(error), LONGEST_ASKED_SECONDS),
    )
    if rule.attempts == FOR_EVER and not counts_all:
        return Later(delay, str(error), counts_attempt=False, fault=fault, detail=request_of(error))
    if job.attempts + 1 >= (rule.attempts or patience.attempts):
        return Dead(_kind(error), _sentence(error), _detail(error), fault=fault)
    return Later(delay, _sentence(error), fault=fault, detail=request_of(error))


def fault_of(error: Exception) -> Fault:
    """Describe an error that blames the server, for the circuit and whoever looks at it."""
    return Fault(_kind(error), str(error), needs_person=rule_for(error).circuit is CircuitEffect.OPENS)


def _kind(error: Exception) -> str:
    if isinstance(error, TargetError):
        return error.kind.value
    return "metadata" if isinstance(error, InvalidMetadata) else "bug"


def _sentence(error: Exception) -> str:
    if isinstance(error, TargetError | InvalidMetadata):
        return str(error)
    return f"A bug of ours, please report it: {type(error).__name__}."


def _detail(error: Exception) -> str:
    """Give the trace of a bug; of what Plex or a person did, the request."""
    if isinstance(error, TargetError | InvalidMetadata):
        return request_of(error)
    return "".join(traceback.format_exception(error))


def _asked_seconds(error: BaseException) -> float:
    """Say how long the server asked us to wait, by this error or by one that it came of; 0 if it did not."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, TargetError) and cause.retry_after:
            return cause.retry_after
        cause = cause.__cause__
    return 0.0
