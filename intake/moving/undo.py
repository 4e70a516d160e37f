"""Undoing a move: the same files back to where they came from, by a plan like any other."""

import os
import secrets

from intake.moving import disk
from intake.moving.beside import extension
from intake.moving.errors import SourceChanged
from intake.moving.execute import Moved
from intake.moving.plan import MoveMode, MovePlan, PlannedFile, missing_folders
from intake.naming.noise import SIDECAR_EXTENSIONS
from intake.naming.shown import quoted
from intake.watching.identity import FileIdentity


def plan_undo(moved: Moved) -> tuple[MovePlan, tuple[str, ...]]:
    """Plan to bring back what was moved; links and copies go, if the original is still there.

    A sidecar that is gone or was changed since is left as it is, with a sentence; a video is not: `SourceChanged`.
    """
    files: list[PlannedFile] = []
    left: list[str] = []
    for file, placed in zip(moved.plan.files, moved.placed, strict=True):
        found = disk.status(file.target)
        if found is not None and FileIdentity.of(found) == placed:
            files.append(PlannedFile(file.target, file.source, placed))
            continue
        sentence = f"{quoted(file.target)} is {'gone' if found is None else 'not the file that was moved there'}."
        if extension(file.target) not in SIDECAR_EXTENSIONS:
            raise SourceChanged(f"Nothing was undone: {sentence}")
        left.append(sentence)
    plan = moved.plan
    folders = {folder for file in files for folder in missing_folders(os.path.dirname(file.target))}
    undo = MovePlan(
        secrets.token_hex(4),
        MoveMode.MOVE,
        plan.target_root,
        plan.source_root,
        tuple(files),
        new_folders=tuple(sorted(folders)),
        emptied=plan.new_folders,
        joins_equal=plan.mode is not MoveMode.MOVE,
    )
    return undo, tuple(left)
