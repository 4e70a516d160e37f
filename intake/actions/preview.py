"""What would be done with a file: its code, what a source says, its new name. Nothing is touched."""

import os
from dataclasses import dataclass

from intake.moving.beside import Beside
from intake.moving.errors import MoveError
from intake.moving.plan import MovePlan
from intake.naming.codes import Candidate
from intake.naming.shown import quoted
from intake.patience import NoCode, SeveralWorks, UnknownWork
from intake.service.file_plan import Rules, make_plan, name_file, settled
from intake.sources.port import MetadataSource, SourceError, ask_all
from intake.sources.work import Work


@dataclass(frozen=True, slots=True)
class Preview:
    """`sentence` says what would be done, or why nothing."""

    path: str
    candidates: tuple[Candidate, ...]
    work: Work | None
    plan: MovePlan | None
    sentence: str


def preview(path: str, rules: Rules, sources: list[MetadataSource]) -> Preview:
    """Look at a file as the service would, and ask the sources."""
    path = os.path.abspath(path)
    folder, name = os.path.split(path)
    if not os.path.isfile(path):
        return Preview(path, (), None, None, f"{quoted(path)} is not there, or no file.")
    beside = Beside.of_folder(folder, rules.extensions)
    named = name_file(path, beside, rules)
    candidates = named.candidates
    try:
        found = settled(ask_all(sources, named.question), named)
    except (NoCode, UnknownWork, SeveralWorks, SourceError) as error:
        return Preview(path, candidates, None, None, str(error))
    videos = {os.path.join(folder, part): beside.marks(part).part for part in beside.parts(name)}
    try:
        plan = make_plan(videos, found, named, rules)
    except MoveError as error:
        return Preview(path, candidates, found.work, None, str(error))
    target = next(file.target for file in plan.files if file.source == path)
    return Preview(path, candidates, found.work, plan, f"It would become {quoted(target)} ({plan.mode}).")
