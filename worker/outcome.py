"""What became of a job: a value that the handler returns and only the worker acts on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Done:
    """The job is finished and goes away."""


@dataclass(frozen=True, slots=True)
class Later:
    """The job waits and is tried again; `sentence` says why."""

    delay: float
    sentence: str
    counts_attempt: bool = True


@dataclass(frozen=True, slots=True)
class Dead:
    """The job is given up and waits among the dead letters for a person."""

    kind: str
    sentence: str
    detail: str = ""


Outcome = Done | Later | Dead
