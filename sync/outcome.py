"""What became of a job: a value that the handler returns and only the worker acts on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Done:
    """The job is finished and goes away. `asked_server`: the server did what it was asked, so it is well."""

    asked_server: bool = False


@dataclass(frozen=True, slots=True)
class Later:
    """The job waits and is tried again; `sentence` says why, and `fault` is the server's if it was one.

    `detail` is for the log. `is_stash_away`: all jobs wait for the same, and the watch on Stash says so;
    `is_stash_failing`: Stash is there and gives no proper answer, most likely to none of them.
    """

    delay: float
    sentence: str
    counts_attempt: bool = True
    fault: Exception | None = None
    detail: str = ""
    is_stash_away: bool = False
    is_stash_failing: bool = False


@dataclass(frozen=True, slots=True)
class Dead:
    """The job is given up and waits among the dead letters for a person."""

    kind: str
    sentence: str
    detail: str = ""
    fault: Exception | None = None


@dataclass(frozen=True, slots=True)
class Unbegun:
    """The time of its batch was up before its turn: it goes back as it was, and what is more urgent comes first."""


Outcome = Done | Later | Dead | Unbegun
