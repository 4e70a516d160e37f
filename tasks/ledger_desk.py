"""The ledger as a task opens it: what SQLite complains of becomes a sentence."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from ledger.store import Ledger
from stash.wire import Refusal
from tasks.desk import Desk


@contextmanager
def open_ledger(desk: Desk) -> Generator[Ledger]:
    """Open it for one task. A worker may be at work on the same file meanwhile."""
    with ledger_errors(desk):
        ledger = Ledger(desk.folder.ledger)
        try:
            yield ledger
        finally:
            ledger.close()


@contextmanager
def ledger_errors(desk: Desk) -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise Refusal(f"The ledger {desk.folder.ledger} cannot be used: {error}.") from error
