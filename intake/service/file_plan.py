"""What a file is and where it goes: its codes, the answer of the sources, the plan of its move. Nothing is touched."""

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from intake.moving.beside import Beside
from intake.moving.disk import Verify
from intake.moving.folder_names import FolderNames
from intake.moving.plan import Destination, MoveMode, MovePlan, OnExists, plan_move
from intake.naming.codes import Candidate, find_codes, read_code
from intake.naming.names import NameFields
from intake.naming.noise import VIDEO_EXTENSIONS
from intake.naming.shown import quoted
from intake.patience import NoCode, SeveralWorks, UnknownWork
from intake.sources.port import Answer, Found, Question, Several, Unknown
from intake.store.port import Progress
from intake.store.row import Step
from intake.watching.identity import FileIdentity
from intake.watching.root import Root


@dataclass(frozen=True, slots=True)
class Rules:
    """Where files come from and go to, and how."""

    watched: Root
    destination: Destination
    mode: MoveMode = MoveMode.MOVE
    on_exists: OnExists = OnExists.ASK
    verify: Verify = Verify.SAMPLES
    extensions: frozenset[str] = VIDEO_EXTENSIONS


@dataclass(frozen=True, slots=True)
class Named:
    """A file, what lies beside it, and the codes it may have."""

    path: str
    beside: Beside
    candidates: tuple[Candidate, ...]

    @property
    def question(self) -> Question:
        return Question(self.path, self.candidates)


def name_file(path: str, beside: Beside, rules: Rules, pinned: str = "") -> Named:
    """Read the codes that a file may have: a person's word, its name, or that of a folder that is its own."""
    if pinned:
        return Named(path, beside, (Candidate(read_code(pinned), is_certain=True),))
    folder, name = os.path.split(path)
    has_own_folder = folder != rules.watched.path and set(beside.videos) <= set(beside.parts(name))
    return Named(path, beside, find_codes(name, os.path.basename(folder) if has_own_folder else ""))


def settled(answer: Answer, named: Named) -> Found:
    """Return the work, or raise why it is not settled which it is."""
    code = named.candidates[0].code.text if named.candidates else ""
    match answer:
        case Found():
            return answer
        case Several(works, sentence):
            raise SeveralWorks(sentence, code, json.dumps([json.loads(work.to_json()) for work in works]))
        case Unknown(other_codes):
            if not code:
                shown = quoted(os.path.basename(named.path))
                raise NoCode(f"No movie code found in {shown}; say what it is with set-code.")
            instead = f" What was answered is {', '.join(other_codes[:3])}." if other_codes else ""
            raise UnknownWork(f"No metadata found for {code}; it is asked for again.{instead}", code)


def make_plan(
    videos: Mapping[str, int | None],
    found: Found,
    named: Named,
    rules: Rules,
    seen: Mapping[str, FileIdentity] | None = None,
    promised: Collection[str] = (),
    library: FolderNames | None = None,
) -> MovePlan:
    """Plan a work's move; `seen`, `promised` and `library` as for `plan_move`."""
    name = os.path.basename(named.path)
    work = found.work
    fields = NameFields(
        code=found.code,
        title=work.title or work.original_title,
        performers=work.performers,
        subtitle=named.beside.subtitle(name),
        studio=work.studio,
        date=work.release_date,
    )
    return plan_move(
        dict(videos),
        fields,
        source_root=rules.watched,
        destination=rules.destination,
        mode=rules.mode,
        on_exists=rules.on_exists,
        beside=named.beside,
        seen=seen,
        promised=promised,
        library=library,
    )


def learned_of(found: Found, named: Named) -> Progress:
    return Progress(
        step=Step.FOUND,
        movie_code=found.code.text,
        actress=", ".join(found.work.performers),
        subtitle=named.beside.subtitle(os.path.basename(named.path)),
        metadata_json=replace(found.work, code=found.work.code or found.code.text).to_json(),
    )
