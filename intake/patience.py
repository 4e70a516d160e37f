"""What an error means for a file's row: how long to wait, how often, and whether it is one. One table, read aloud."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from intake.moving import errors as moving
from intake.publishing import port as publishing
from intake.sources import port as sources
from intake.store.port import Trouble
from intake.store.row import GONE, Row

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


class NoCode(Exception):
    """The name holds no code, and no source knows the file itself."""


class WorkUnsettled(Exception):
    """The name holds a code, and it is not clear what the work is. `candidates_json` are works that it could be."""

    def __init__(self, sentence: str, movie_code: str, candidates_json: str | None = None) -> None:
        super().__init__(sentence)
        self.movie_code = movie_code
        self.candidates_json = candidates_json


class UnknownWork(WorkUnsettled):
    """No source knows the code, perhaps not yet."""


class SeveralWorks(WorkUnsettled):
    """A person must say which work it is."""


class FileChanged(Exception):
    """The path holds another file than the row is about; the next scan finds it."""


class PartsMissing(Exception):
    """Another part of the work is not finished, or is in another worker's hands."""


class Then(Enum):
    """What becomes of the row."""

    WAITS = "it waits in its lane; this is no failure"
    AGAIN = "an error that is tried again by itself, for ever"
    COUNTED = "an error that is tried again as often as max_retries allows"
    PERSON = "an error that waits for a person"


@dataclass(frozen=True, slots=True)
class Rule:
    """After how many seconds it is tried again: the n-th time after the n-th delay, or the last of them."""

    kind: str
    then: Then
    delays: tuple[float, ...] = ()  # for COUNTED: as retry_minutes says


RULES: dict[type[Exception], Rule] = {
    sources.SourceAway: Rule("source_away", Then.WAITS, (5, 15, 30, MINUTE, 5 * MINUTE)),
    sources.SourceRefuses: Rule("source_refuses", Then.WAITS, (5 * MINUTE,)),
    UnknownWork: Rule("unknown", Then.AGAIN, (HOUR, 6 * HOUR, DAY, 3 * DAY, 7 * DAY, 14 * DAY)),
    NoCode: Rule("no_code", Then.PERSON),
    SeveralWorks: Rule("several", Then.PERSON),
    FileChanged: Rule("changed", Then.WAITS, (15,)),
    PartsMissing: Rule("parts", Then.WAITS, (5, 15, MINUTE, 5 * MINUTE, 15 * MINUTE)),
    moving.SourceChanged: Rule("changed", Then.WAITS, (15,)),
    moving.BeingWritten: Rule("being_written", Then.WAITS, (15,)),
    moving.TargetTaken: Rule("taken", Then.WAITS, (0, 5, 15, MINUTE, 5 * MINUTE)),
    moving.FolderGone: Rule("folder_gone", Then.WAITS, (MINUTE,)),
    moving.NoRoom: Rule("no_room", Then.AGAIN, (MINUTE, 5 * MINUTE, 15 * MINUTE)),
    moving.NoRights: Rule("no_rights", Then.AGAIN, (MINUTE, 15 * MINUTE)),
    moving.ReadOnly: Rule("read_only", Then.AGAIN, (MINUTE, 15 * MINUTE)),
    moving.SourceGone: Rule(GONE, Then.PERSON),
    moving.TargetExists: Rule("exists", Then.PERSON),
    moving.SameName: Rule("same_name", Then.PERSON),
    moving.LeadsOut: Rule("leads_out", Then.PERSON),
    moving.NoLink: Rule("no_link", Then.PERSON),
    moving.NotAFile: Rule("not_a_file", Then.PERSON),
    moving.MoveError: Rule("disk", Then.COUNTED),
    publishing.ServerAway: Rule("server_away", Then.WAITS, (5, 15, 30, MINUTE, 5 * MINUTE)),
    publishing.ServerRefuses: Rule("server_refuses", Then.WAITS, (5 * MINUTE,)),
    publishing.ServerFailed: Rule("server_failed", Then.AGAIN, (MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY)),
    publishing.ItemNotIndexed: Rule("not_indexed", Then.AGAIN, (10 * MINUTE, HOUR, 6 * HOUR, DAY)),
    publishing.ItemAmbiguous: Rule("ambiguous", Then.PERSON),
    publishing.WriteRejected: Rule("rejected", Then.PERSON),
    publishing.PicturesFailed: Rule("pictures", Then.AGAIN, (MINUTE, 5 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY)),
    Exception: Rule("bug", Then.COUNTED),
}


FORESEEN = tuple(family for family in RULES if family is not Exception)
"""What a row may meet; anything else is a bug of ours."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the store is to be told. `delay` None: until a person comes."""

    why: Trouble
    is_failure: bool
    delay: float | None
    attempts: int


def rule_for(error: Exception) -> Rule:
    """Return the rule of the nearest family; every error has one."""
    return next(RULES[family] for family in type(error).__mro__ if family in RULES)


def pause_after(error: Exception, failures: int) -> float:
    """Say for how long a source or server that gave this error is left alone, after so many failures before it."""
    delays = rule_for(error).delays or (MINUTE,)
    return delays[min(failures, len(delays) - 1)]


def decide(error: Exception, row: Row, retry_minutes: Sequence[float], max_retries: int) -> Decision:
    """Say what becomes of a row after this error. Only troubles of one kind in a row count together."""
    rule = rule_for(error)
    before = row.attempts if row.error_kind == rule.kind else 0
    why = Trouble(rule.kind, _sentence(error, rule))
    delays = [minutes * MINUTE for minutes in retry_minutes] if rule.then is Then.COUNTED else list(rule.delays)
    gives_up = rule.then is Then.PERSON or (rule.then is Then.COUNTED and before >= max_retries)
    delay = None if gives_up or not delays else delays[min(before, len(delays) - 1)]
    return Decision(why, rule.then is not Then.WAITS, delay, before + 1)


def _sentence(error: Exception, rule: Rule) -> str:
    if rule.kind == "bug":
        return f"A bug of ours, please report it: {type(error).__name__}. The log has the trace."
    return str(error)
