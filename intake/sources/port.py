"""The port to a source of metadata, and how the answers of several become one.

SourceError
├── SourceAway       nothing answered, or nothing that makes sense: for all files alike, and it costs none a try
└── SourceRefuses    it answers, and not to us: a token, a plug-in that is off; a person must mend it
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from intake.naming.codes import Candidate, Code, read_code
from intake.sources.work import Work


class SourceError(Exception):
    """The text is a sentence for a person and carries no secret."""


class SourceAway(SourceError):
    """It may answer later."""


class SourceRefuses(SourceError):
    """It will not answer before somebody changes something."""


@dataclass(frozen=True, slots=True)
class Question:
    """A file, and the codes that its name may hold, or the one that a person gave it."""

    path: str
    candidates: tuple[Candidate, ...]

    @property
    def certain(self) -> tuple[Code, ...]:
        return tuple(one.code for one in self.candidates if one.is_certain)


@dataclass(frozen=True, slots=True)
class Offer:
    """One work that a source has. `is_of_file`: known by the file itself, be there a code or none."""

    work: Work
    is_of_file: bool = False


class MetadataSource(Protocol):
    """One place to ask."""

    name: str

    def find(self, question: Question) -> Sequence[Offer]:
        """Return what it has, also works of other codes than were asked for; nothing if it knows none."""
        ...

    def check(self) -> str:
        """Say in a sentence that it answers; raises SourceError."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Found:
    """One work, and its code: the asked one, or for a file that is known by itself the source's."""

    work: Work
    code: Code


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody knows it, perhaps not yet; `other_codes` are what was answered instead."""

    other_codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Several:
    """A person must choose; the sentence says between what."""

    works: tuple[Work, ...]
    sentence: str


Answer = Found | Unknown | Several


def ask_all(sources: Sequence[MetadataSource], question: Question) -> Answer:
    """Ask in order until one has the work, and the next ones for a title or performers that it lacks.

    Where nobody has it, a source that did not answer might: then its error is raised.
    """
    answer: Answer = Unknown()
    failed: SourceError | None = None
    for source in sources:
        try:
            answer = _better(answer, judge(source.find(question), question))
        except SourceError as error:
            failed = failed or error
        if isinstance(answer, Several) or (isinstance(answer, Found) and _is_enough(answer.work)):
            return answer
    if failed is not None and isinstance(answer, Unknown):
        raise failed
    return answer


def judge(offers: Sequence[Offer], question: Question) -> Answer:
    """Decide what a source's offers mean: only the asked code counts, or the file itself."""
    of_file = [one.work for one in offers if one.is_of_file]
    if of_file:
        return _judge_by_file(of_file, question)
    for candidate in question.candidates:
        works = _distinct([one.work for one in offers if _is_same(one.work, candidate.code)])
        if len(works) > 1:
            sentence = f"{candidate.code.text} is the code of {len(works)} works. Choose one by a sidecar, or set-code."
            return Several(tuple(works), sentence)
        if works:
            return Found(works[0], candidate.code)
    return Unknown(tuple(dict.fromkeys(one.work.code for one in offers if one.work.code)))


def _judge_by_file(works: Sequence[Work], question: Question) -> Answer:
    distinct = _distinct(works)
    if len(distinct) > 1:
        return Several(tuple(distinct), f"{len(distinct)} works claim this very file. Choose one with set-code.")
    work = distinct[0]
    if not work.code:
        code = next(iter(question.certain), read_code(""))
        return Found(work, code)
    code = read_code(work.code)
    if question.certain and not any(code.is_same(one) for one in question.certain):
        named = question.certain[0].text
        return Several(
            (work,), f"The name says {named} and {work.source} says {code.text}. Say with set-code which it is."
        )
    return Found(work, code)


def _is_same(work: Work, code: Code) -> bool:
    return bool(work.code) and read_code(work.code).is_same(code)


def _distinct(works: Sequence[Work]) -> list[Work]:
    """Take works of the same code, title and performers for one."""
    return list({(one.code.casefold(), one.title.casefold(), one.performers): one for one in reversed(works)}.values())


def _better(before: Answer, now: Answer) -> Answer:
    match before, now:
        case Found(), Found() if before.code.is_same(now.code):
            return Found(before.work.filled_from(now.work), before.code)
        case Found(), _:
            return before
        case Unknown(), Unknown():
            return Unknown((*before.other_codes, *now.other_codes))
        case _:
            return now


def _is_enough(work: Work) -> bool:
    return bool(work.title and work.performers)
