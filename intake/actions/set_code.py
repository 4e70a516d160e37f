"""A person's word on what a file is."""

from intake.actions.reset import drop_untouched_plan
from intake.naming.codes import read_code
from intake.store.port import IntakeStore
from intake.store.row import BEFORE_PLACED, Row, Status


class CannotSetCode(Exception):
    """Nothing was changed; the text says why."""


def set_code(store: IntakeStore, row_id: int, text: str) -> Row:
    """Pin a code on a row whose file has not been brought to its place yet, and let it begin anew."""
    code = read_code(text)
    if not code.key:
        raise CannotSetCode(f"{text!r} is no code; one looks like SONE-760.")
    row = store.get(row_id)
    if row.step not in BEFORE_PLACED or row.status is Status.COMPLETED:
        raise CannotSetCode(f"The file of row {row.id} has its place already. Undo it first: intake undo {row.id}")
    drop_untouched_plan(store, row.id)
    return store.set_code(row.id, code.text)
