"""Verbs that act: run, retry, retry-all, reset, set-code, undo, cleanup."""

from cli.intake.main import IntakeCall
from cli.intake.rows import row_object
from intake.store.row import Row
from intake.wiring import NEEDED_TO_RUN, make_file_owner, make_rules

DAY_SECONDS = 86400.0


def run(call: IntakeCall) -> int:
    from intake.service.process import run_service  # noqa: PLC0415 - the other verbs have no use for it

    return run_service(call.folder, call.config(*NEEDED_TO_RUN))


def retry(call: IntakeCall) -> int:
    with call.store() as store:
        row = store.retry(call.options.id)
    return _said(call, row, f"Row {row.id} is {row.status} and due.")


def retry_all(call: IntakeCall) -> int:
    with call.store() as store:
        number = store.retry_all()
    call.answer({"retried": number}, f"{number} rows go on.")
    return 0


def reset(call: IntakeCall) -> int:
    from intake.actions.reset import reset as begin_anew  # noqa: PLC0415 - the other verbs have no use for it

    with call.store() as store:
        row = begin_anew(store, call.options.id)
    return _said(call, row, f"Row {row.id} begins anew.")


def set_code(call: IntakeCall) -> int:
    from intake.actions.set_code import set_code as pin  # noqa: PLC0415 - the other verbs have no use for it

    with call.store() as store:
        row = pin(store, call.options.id, call.options.code)
    return _said(call, row, f"Row {row.id} is {row.movie_code} and is looked up again.")


def undo_row(call: IntakeCall) -> int:
    from intake.actions.undo import undo  # noqa: PLC0415 - as above

    config = call.config(*NEEDED_TO_RUN)
    with call.store(config) as store:
        undone = undo(store, call.options.id, make_rules(config), make_file_owner(call.folder, config))
        rows = [store.get(row_id) for row_id in undone.rows]
    sentences = [f"{row.file_path} is back." for row in rows]
    answer = {"undone": [row_object(row) for row in rows], "left": list(undone.left)}
    call.answer(answer, *sentences, *undone.left)
    return 0


def cleanup(call: IntakeCall) -> int:
    with call.store() as store:
        number = store.cleanup(call.options.days * DAY_SECONDS)
    call.answer({"cleaned": number}, f"{number} completed rows were taken out of the lists.")
    return 0


def _said(call: IntakeCall, row: Row, sentence: str) -> int:
    call.answer(row_object(row), sentence)
    return 0
