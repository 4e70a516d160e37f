"""Undoing a row: its files back to where they came from, and nothing takes them in again by itself."""

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from intake.moving.errors import MoveError
from intake.moving.execute import Moved, carry_out, resume
from intake.moving.plan import MovePlan
from intake.moving.undo import plan_undo
from intake.service.file_plan import Rules
from intake.service.file_work import OwnerOfFiles
from intake.sources.port import SourceError
from intake.store.errors import StoreError
from intake.store.port import RENEW_SECONDS, IntakeStore, Progress
from intake.store.row import Row
from intake.watching.identity import FileIdentity
from validation.json_shapes import as_object


class CannotUndo(Exception):
    """Nothing was undone; the text says why."""


@dataclass(frozen=True, slots=True)
class Undone:
    """Which rows were undone, and what was left as it is."""

    rows: tuple[int, ...]
    left: tuple[str, ...]


def undo(store: IntakeStore, row_id: int, rules: Rules, owner: OwnerOfFiles | None = None) -> Undone:
    """Bring the files of a row back, with those that were moved with them. One that died in between is finished."""
    first = store.take(row_id)
    taken = [first]
    try:
        journal = _journal(first)
        moved = Moved.from_dict(journal)
        taken += _rows_beside(store, first, moved)
        begun = as_object(journal.get("undo"))
        plan, left = (MovePlan.from_dict(begun), ()) if begun else plan_undo(moved)
        _carry_out(store, taken, plan, journal, rules, owner, is_begun=begun is not None)
    except (MoveError, SourceError) as error:
        _let_go(store, taken)
        raise CannotUndo(str(error)) from error
    except (CannotUndo, StoreError):
        _let_go(store, taken)
        raise
    _remove_empty(store, plan)
    for row in taken:
        store.mark_undone(row, _identity(row.file_path), "It was taken back, and stays until you retry it.")
    return Undone(tuple(row.id for row in taken), left)


def _journal(row: Row) -> dict[str, object]:
    journal = as_object(json.loads(row.plan_json)) if row.plan_json else None
    if journal is None or "plan" not in journal:
        raise CannotUndo(f"Nothing was moved for row {row.id}, so there is nothing to undo.")
    return journal


def _rows_beside(store: IntakeStore, row: Row, moved: Moved) -> list[Row]:
    """Take the rows of the other videos that the same plan has moved."""
    beside: list[Row] = []
    for file in moved.plan.files:
        if file.source != row.file_path:
            same = [one for one in store.rows_of_path(file.source) if one.plan_json == row.plan_json]
            beside += [store.take(one.id) for one in same[:1]]
    return beside


def _carry_out(
    store: IntakeStore,
    rows: list[Row],
    plan: MovePlan,
    journal: dict[str, object],
    rules: Rules,
    owner: OwnerOfFiles | None,
    *,
    is_begun: bool,
) -> None:
    heartbeat = _renewing(store, rows)

    def announce(announced: MovePlan) -> None:
        begun = Progress(plan_json=json.dumps({**journal, "undo": announced.as_dict()}))
        store.save_all([(row, begun) for row in rows])

    if is_begun or owner is not None:
        announce(plan)
        if owner is not None:
            owner.move(plan, rules.extensions)
        resume(plan, heartbeat, verify=rules.verify)
    else:
        carry_out(plan, announce, heartbeat, verify=rules.verify)


def _remove_empty(store: IntakeStore, plan: MovePlan) -> None:
    """Remove the folders that were made for files like these, for whichever of them, and have none any more."""
    root = plan.source_root.path.rstrip(os.sep)
    above = {folder for file in plan.files for folder in _folders_above(file.source, root)}
    removed: list[str] = []
    for folder in sorted(store.made_folders(above), key=len, reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(folder)
        if not os.path.lexists(folder):
            removed.append(folder)
    store.forget_folders(removed)


def _folders_above(path: str, root: str) -> Iterator[str]:
    """List the folders from a file up to a root, which is not among them."""
    folder = os.path.dirname(path)
    while folder.startswith(root + os.sep):
        yield folder
        folder = os.path.dirname(folder)


def _renewing(store: IntakeStore, rows: list[Row]) -> Callable[[], None]:
    renewed_at = time.monotonic()

    def renew() -> None:
        nonlocal renewed_at
        if time.monotonic() - renewed_at > RENEW_SECONDS:
            renewed_at = time.monotonic()
            store.renew(rows)

    return renew


def _let_go(store: IntakeStore, rows: list[Row]) -> None:
    for row in rows:
        store.let_go(row)


def _identity(path: str) -> str:
    try:
        return str(FileIdentity.of(os.lstat(path)))
    except OSError:
        return ""
