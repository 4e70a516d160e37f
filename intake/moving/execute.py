"""Carrying out a plan: announced first, then done file by file. After a death the disk says how far it came.

A file that cannot be placed has those before it taken back, so that a work is never torn apart.
"""

import contextlib
import json
import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from intake.moving import disk
from intake.moving.disk import Verify
from intake.moving.errors import LeadsOut, MoveError, translate
from intake.moving.place import (
    MADE,
    Placed,
    Placer,
    forget_mark,
    is_at_target,
    partial_prefix,
    remove_copy,
    remove_source,
)
from intake.moving.plan import MoveMode, MovePlan, PlannedFile, require
from intake.naming.shown import quoted
from intake.watching.identity import FileIdentity
from intake.watching.root import Root

Announce = Callable[[MovePlan], None]
Heartbeat = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Moved:
    """What was done: the plan, and which files are at its targets now. Enough to undo it."""

    plan: MovePlan
    placed: tuple[FileIdentity, ...]

    def to_json(self) -> str:
        return json.dumps(self.as_dict())

    def as_dict(self) -> dict[str, Any]:
        return {"plan": self.plan.as_dict(), "placed": [str(identity) for identity in self.placed]}

    @classmethod
    def from_json(cls, text: str) -> "Moved":
        return cls.from_dict(json.loads(text))

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> "Moved":
        return cls(MovePlan.from_dict(raw["plan"]), tuple(map(FileIdentity.parse, raw["placed"])))


def _no_heartbeat() -> None:
    pass


def carry_out(
    plan: MovePlan,
    announce: Announce,
    heartbeat: Heartbeat = _no_heartbeat,
    *,
    verify: Verify = Verify.SAMPLES,
    unsynced: set[str] | None = None,
) -> Moved:
    """Announce a plan, then carry it out: all of it, or, with a `MoveError`, nothing.

    `announce` must have kept the plan when it returns; if it raises, nothing is touched. `heartbeat` is called at least
    once per 4 MB; what it raises stops the work where it is, and `resume` takes it up. One who moves many files gives
    `unsynced`, and has the folders that are in it afterwards on the disk (`sync_folders`) before telling anybody.
    """
    announce(plan)
    return _carry_out(plan, heartbeat, verify, unsynced)


def resume(plan: MovePlan, heartbeat: Heartbeat = _no_heartbeat, *, verify: Verify = Verify.SAMPLES) -> Moved:
    """Finish a plan that was announced, by looking at the disk: done, half done, or not begun; `MoveError` as there."""
    _clear_remains(plan, ".partial")
    try:
        return _carry_out(plan, heartbeat, verify, None, is_resuming=True)
    except MoveError:
        if not any(is_at_target(file, plan.id) for file in plan.files):
            _clear_remains(plan, MADE)
        raise


def is_already_there(source: str, target: str, heartbeat: Heartbeat = _no_heartbeat) -> bool:
    """Tell whether two paths are one file, or two files of the same bytes: then there is nothing to move."""
    one, other = disk.status(source), disk.status(target)
    if one is None or other is None or not stat.S_ISREG(other.st_mode) or one.st_size != other.st_size:
        return False
    return os.path.samestat(one, other) or disk.is_same_content(source, target, heartbeat)


def _carry_out(
    plan: MovePlan, heartbeat: Heartbeat, verify: Verify, unsynced: set[str] | None, *, is_resuming: bool = False
) -> Moved:
    require(plan.source_root)
    require(plan.target_root)
    how = {"is_resuming": is_resuming, "joins_equal": plan.joins_equal}
    placer = Placer(plan.id, plan.mode, verify, heartbeat, **how)
    placed: list[Placed] = []
    try:
        for file in plan.files:
            _require_below(os.path.dirname(file.source), plan.source_root, file)
            _make_folder(os.path.dirname(file.target), plan.target_root, file)
            placed.append(placer.place(file))
        if unsynced is not None and not any(one.has_source for one in placed):
            unsynced |= _target_folders(plan)
        else:
            sync_folders(_target_folders(plan), plan.source_root.path)
        if plan.mode is MoveMode.MOVE:
            _remove_sources(plan, placed)
    except MoveError as error:
        raise _taken_back(plan, placed, error, heartbeat, verify) from error
    placer.forget_marks()
    if is_resuming:
        _clear_remains(plan, MADE)
    _remove_empty(plan.emptied)
    return Moved(plan, tuple(one.identity for one in placed))


def _remove_sources(plan: MovePlan, placed: Sequence[Placed]) -> None:
    for file, one in zip(plan.files, placed, strict=True):
        if one.has_source:
            remove_source(file)


def _taken_back(
    plan: MovePlan, placed: Sequence[Placed], error: MoveError, heartbeat: Heartbeat, verify: Verify
) -> MoveError:
    """Take back what was placed before something failed; return the error, with what could not be taken back."""
    back = Placer(plan.id, MoveMode.MOVE, verify, heartbeat)
    for file, one in reversed(list(zip(plan.files, placed, strict=False))):
        if not one.is_ours:
            continue
        way_back = PlannedFile(file.target, file.source, one.identity)
        try:
            if one.has_source and disk.status(file.source) is not None:
                remove_copy(file, one)
            elif back.place(way_back).has_source:
                remove_source(way_back)
            forget_mark(plan.id, file.target, one.identity.inode)
        except (MoveError, OSError) as another:
            error.args = (f"{error} And {quoted(file.target)} could not be taken back: {another}",)
    back.forget_marks()
    _remove_empty(plan.new_folders)
    return error


def sync_folders(folders: Iterable[str], source: str) -> None:
    """Have all new names on the disk before anybody is told that the files are there."""
    for folder in folders:
        try:
            disk.sync_folder(folder)
        except OSError as error:
            raise translate(error, source, folder) from error


def _target_folders(plan: MovePlan) -> set[str]:
    return {os.path.dirname(file.target) for file in plan.files}


def _clear_remains(plan: MovePlan, ending: str) -> None:
    """Remove what a dead process has left of this plan: unfinished copies or marks, and names that it had reserved."""
    for folder in {os.path.dirname(path) for file in plan.files for path in (file.source, file.target)}:
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(partial_prefix(plan.id)) and entry.name.endswith(ending):
                    os.unlink(entry.path)
    for file in plan.files:
        with contextlib.suppress(OSError):
            if disk.is_reserved(file.target, plan.id) and file.identity.size:
                os.unlink(file.target)


def _make_folder(folder: str, root: Root, file: PlannedFile) -> None:
    """Make a folder below the root, each with the rights of the one around it."""
    if os.path.isdir(folder):
        _require_below(folder, root, file)
        return
    parent = os.path.dirname(folder)
    _make_folder(parent, root, file)
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder)
        with contextlib.suppress(OSError):  # a share may know no rights
            os.chmod(folder, stat.S_IMODE(os.stat(parent).st_mode))
        disk.sync_folder(parent)
    except OSError as error:
        raise translate(error, file.source, file.target) from error
    _require_below(folder, root, file)


def _require_below(folder: str, root: Root, file: PlannedFile) -> None:
    if not root.contains(folder):
        raise LeadsOut(
            f"{quoted(file.source)} was not moved: {quoted(folder)} leads out of {quoted(root.path)}. "
            "Replace the link there by a folder, or give the folder behind it as the destination."
        )


def _remove_empty(folders: Sequence[str]) -> None:
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            os.rmdir(folder)
