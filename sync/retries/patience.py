"""The one table of patience: what an error means for a job (how often, how long) and says of the server."""

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
from stash.cover import CoverRefused, NoCover
from stash.exceptions import StashError, StashUnauthorized, StashUnreachable
from sync.outage.circuit import Fault
from sync.outcome import Dead, Later
from sync.retries.backoff import COVER, DEFAULT_RETRIES, LONG, SHORT, Curve, RetryParams, calculate_delay
from sync_queue.models import SyncJob
from validation.config import Stash2PlexConfig
from validation.metadata import InvalidMetadata

FOR_EVER = 0
BUG_ATTEMPTS = 3
PATIENT_ATTEMPTS = 12
STASH_AWAY_SECONDS = 5.0  # nothing can be done without Stash: it is asked again and again
LONGEST_ASKED_SECONDS = 600.0  # no server is believed that asks for more


class CircuitEffect(Enum):
    """What an error says of the server."""

    NEVER = "nothing: it is about this job alone"
    COUNTS = "it is the server's own fault; several in a row are an outage"
    OPENS = "nothing can work until a person mends it"


@dataclass(frozen=True, slots=True)
class Rule:
    """How often a job is tried, how long it waits in between, and what the error says of the server."""

    attempts: int | None  # None: as often as the setting max_retries says. FOR_EVER: none of the tries is counted.
    circuit: CircuitEffect = CircuitEffect.NEVER
    curve: Curve = SHORT

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
    ItemNotFound: Rule(PATIENT_ATTEMPTS, curve=LONG),  # then the sweep looks again; it is no failure
    ItemGone: Rule(PATIENT_ATTEMPTS, curve=LONG),  # its path was looked up again, and it is not there yet
    AccessDenied: Rule(FOR_EVER, CircuitEffect.OPENS),
    WrongServer: Rule(FOR_EVER, CircuitEffect.OPENS),
    WrongAddress: Rule(FOR_EVER, CircuitEffect.OPENS),
    ItemChanged: Rule(None),
    LibraryNotFound: Rule(FOR_EVER, CircuitEffect.OPENS),
    ChangeRejected: Rule(1),
    InvalidMetadata: Rule(1),
    StashUnreachable: Rule(FOR_EVER),
    StashUnauthorized: Rule(FOR_EVER),
    StashError: Rule(PATIENT_ATTEMPTS, curve=LONG),
    NoCover: Rule(PATIENT_ATTEMPTS, curve=COVER),
    CoverRefused: Rule(1),
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
    delay = max(calculate_delay(job.attempts, *rule.curve), min(_asked_seconds(error), LONGEST_ASKED_SECONDS))
    if rule.attempts == FOR_EVER and not counts_all:
        return Later(delay, str(error), counts_attempt=False, fault=fault, detail=request_of(error))
    if job.attempts + 1 >= patience.attempts:
        return Dead(_kind(error), _sentence(error), _detail(error), fault=fault)
    return Later(delay, _sentence(error), fault=fault, detail=request_of(error))


def get_retry_params(error: Exception, max_retries: int = DEFAULT_RETRIES) -> RetryParams:
    """Return how patient to be after this error."""
    rule = rule_for(error)
    return RetryParams(*rule.curve, rule.attempts or max_retries)


def after_stash_error(job: SyncJob, problem: StashError) -> Later | Dead:
    """Wait for a Stash that is away; count the tries with one that answers and refuses."""
    rule = rule_for(problem)
    if rule.attempts == FOR_EVER:
        return Later(STASH_AWAY_SECONDS, str(problem), counts_attempt=False, is_stash_away=True)
    if job.attempts + 1 >= get_retry_params(problem).attempts:
        return Dead("Stash", str(problem))
    return Later(calculate_delay(job.attempts, *rule.curve), str(problem), is_stash_failing=True)


def after_missing_cover(job: SyncJob, problem: Exception) -> Later | None:
    """Wait for a cover that may still come; None if it is given up."""
    rule = rule_for(problem)
    # A full comparison has waited for a missing one before.
    attempts = 1 if isinstance(problem, NoCover) and job.verify else get_retry_params(problem).attempts
    if job.attempts + 1 >= attempts:
        return None
    return Later(calculate_delay(job.attempts, *rule.curve), str(problem))


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
