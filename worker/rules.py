"""What an error means for the job it befell: one table, read aloud."""

from dataclasses import dataclass

from plex.exceptions import (
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
from worker.backoff import calculate_delay
from worker.outcome import Dead, Later, Outcome


@dataclass(frozen=True, slots=True)
class Rule:
    """How often and how soon a job is tried again, and whether all jobs must wait with it."""

    base_seconds: float
    cap_seconds: float
    attempts: int | None  # None: as often as the setting max_retries says; 0: for ever, and not counted
    stops_all: bool = False


RULES: dict[type[PlexError], Rule] = {
    PlexUnreachable: Rule(30.0, 30.0, attempts=0, stops_all=True),
    PlexUnauthorized: Rule(60.0, 60.0, attempts=0, stops_all=True),
    WrongServer: Rule(60.0, 60.0, attempts=0, stops_all=True),
    LibraryNotFound: Rule(60.0, 60.0, attempts=0, stops_all=True),
    PlexBusy: Rule(5.0, 80.0, attempts=None),
    ItemNotFound: Rule(30.0, 600.0, attempts=12),
    PlexRejected: Rule(0.0, 0.0, attempts=1),
}


def rule_for(error: PlexError) -> Rule:
    """Return the rule of the nearest family; every family has one, and a test says so."""
    return next(RULES[family] for family in type(error).__mro__ if family in RULES)


def outcome_of(error: PlexError, job: SyncJob, config: Stash2PlexConfig) -> Outcome:
    rule = rule_for(error)
    if rule.attempts == 0:
        return Later(rule.base_seconds, str(error), counts_attempt=False)
    attempts = config.max_retries if rule.attempts is None else rule.attempts
    if job.attempts + 1 >= attempts:
        return Dead(error.kind.value, str(error))
    return Later(calculate_delay(job.attempts, rule.base_seconds, rule.cap_seconds), str(error))
