"""Undoing a row: its files back to where they came from, and nothing takes them in again by itself."""

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from intake.moving.errors import MoveError, TargetExists
from intake.moving.execute import Moved, carry_out, resume
from intake.moving.plan import MovePlan
from intake.moving.undo import plan_undo
from intake.naming.shown import quoted
from intake.service.file_plan import Rules
from intake.service.file_work import OwnerOfFiles
from intake.service.row_journal import is_untouched
from intake.sources.port import SourceError
from intake.store.errors import LeaseLost, StoreError
from intake.store.port import RENEW_SECONDS, BeforeUndo, IntakeStore
from intake.store.row import Row, Status
from intake.watching.identity import FileIdentity
from validation.json_shapes import as_object, as_text


class CannotUndo(Exception):
    """Nothing was undone; the text says why."""


@dataclass(frozen=True, slots=True)
class Undone:
    """Which rows were undone, and what was left as it is."""

    rows: tuple[int, ...]
    left: tuple[str, ...]


def undo(store: IntakeStore, row_id: int, rules: Rules, owner: OwnerOfFiles | None = None) -> Undone:
    """Bring the files of a row back, with those that were moved with them. One that died in between is finished.

    That it has begun is in the store before the first file moves, so that no scan takes in what comes back.
    """
    rows = [store.take(row_id)]
    try:
        journal = _journal(rows[0])
        moved = Moved.from_dict(journal)
        rows += _rows_beside(store, rows[0], moved)
        begun = as_object(journal.get("undo"))
        plan, left = (MovePlan.from_dict(begun), ()) if begun else plan_undo(moved)
        if not begun:
            _require_free(plan)
            journal = {**journal, "undo": plan.as_dict(), "before": {str(row.id): _as_it_is(row) for row in rows}}
        rows = store.announce_undo(rows, json.dumps(journal))
    except MoveError as error:
        _let_go(store, rows)
        raise CannotUndo(str(error)) from error
    except (CannotUndo, StoreError):
        _let_go(store, rows)
        raise
    try:
        _carry_out(plan, _renewing(store, rows), rules, owner, is_begun=begun is not None)
    except (MoveError, SourceError) as error:
        _call_off(store, rows, plan, journal)
        raise CannotUndo(str(error)) from error
    _remove_empty(store, plan)
    sentence = "It was taken back, and stays until you retry it."
    store.mark_undone([(row, _identity(row.file_path)) for row in rows], sentence)
    return Undone(tuple(row.id for row in rows), left)


def _require_free(plan: MovePlan) -> None:
    """See that no other file lies where one is to be brought back, before anything is announced."""
    for file in plan.files:
        if os.path.lexists(file.target) and not plan.joins_equal:
            raise TargetExists(
                f"Nothing was undone: another file lies at {quoted(file.target)} by now. Move that one away first.",
                file.source,
                file.target,
            )


def _as_it_is(row: Row) -> dict[str, object]:
    """Write down how a row is, for an undo that is called off, perhaps by another process."""
    return {
        "status": row.status.value,
        "error_kind": row.error_kind,
        "error_message": row.error_message,
        "is_retried": row.next_retry_at is not None,
    }


def _call_off(store: IntakeStore, rows: list[Row], plan: MovePlan, journal: dict[str, object]) -> None:
    """Hand the rows back as they were, if all their files are where they were; else the undo is to be finished."""
    if not is_untouched(plan):
        _let_go(store, rows)
        return
    before = as_object(journal.get("before")) or {}
    kept = {name: value for name, value in journal.items() if name not in ("undo", "before")}
    store.call_off_undo([(row, _before(as_object(before.get(str(row.id))) or {})) for row in rows], json.dumps(kept))


def _before(raw: Mapping[str, object]) -> BeforeUndo:
    return BeforeUndo(
        Status(as_text(raw.get("status")) or Status.COMPLETED),
        as_text(raw.get("error_kind")) or "",
        as_text(raw.get("error_message")) or "",
        raw.get("is_retried") is True,
    )


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
    plan: MovePlan, heartbeat: Callable[[], None], rules: Rules, owner: OwnerOfFiles | None, *, is_begun: bool
) -> None:
    if owner is not None:
        owner.move(plan, rules.extensions)
    if is_begun or owner is not None:
        resume(plan, heartbeat, verify=rules.verify)
    else:
        carry_out(plan, lambda _: None, heartbeat, verify=rules.verify)


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
            if store.renew(rows):
                raise LeaseLost("Another has taken these rows over; nothing more is done here.")

    return renew


def _let_go(store: IntakeStore, rows: list[Row]) -> None:
    for row in rows:
        with contextlib.suppress(LeaseLost):
            store.let_go(row)


def _identity(path: str) -> str:
    try:
        return str(FileIdentity.of(os.lstat(path)))
    except OSError:
        return ""
