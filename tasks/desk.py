"""The desk a task works at: the data folder, the queue, the newest session, what it was asked with."""

import contextlib
import sqlite3
import time
from collections.abc import Generator, Mapping
from typing import Protocol

from runtime.folder import DataFolder
from runtime.launch import ensure_worker
from stash.wire import Refusal
from sync_queue.operations import writing
from sync_queue.queue_file import connect, explain, is_damage, report_damage
from sync_queue.session import Session, read_session, remember_session


class Teller(Protocol):
    """Who tells the person how a task goes: Stash's log and progress bar, or a terminal."""

    def say(self, sentence: str, *, ok: bool = True) -> None: ...
    def progress(self, fraction: float) -> None: ...


class Desk:
    """What every task is given; opened once a task."""

    def __init__(
        self, folder: DataFolder, connection: sqlite3.Connection, args: Mapping[str, object], teller: Teller
    ) -> None:
        self.folder = folder
        self.connection = connection
        self.args = args
        self.teller = teller

    def now(self) -> float:
        return time.time()

    def writing(self) -> writing:
        return writing(self.connection)

    def session(self) -> Session:
        session = read_session(self.connection)
        if session is None:
            raise Refusal("Nobody has told us yet where Stash is. Edit any scene in Stash, or run a task there.")
        return session

    def wake_worker(self) -> None:
        ensure_worker(self.folder)


@contextlib.contextmanager
def open_desk(
    folder: DataFolder, session: Session | None, args: Mapping[str, object], teller: Teller
) -> Generator[Desk]:
    """Open the queue, keep the session that came with the task, and turn what SQLite says into a sentence."""
    try:
        folder.make()
        connection = connect(folder.queue_dir)
        try:
            if session is not None:
                with writing(connection):
                    remember_session(connection, session)
            yield Desk(folder, connection, args, teller)
        finally:
            connection.close()
    except sqlite3.Error as error:
        if is_damage(error):
            report_damage(folder.queue_dir)
            ensure_worker(folder)  # it is the worker who puts a damaged queue aside
        raise Refusal(explain(error, folder.queue_dir)) from error
    except OSError as error:
        raise Refusal(f"The data folder {folder.root} cannot be used: {error.strerror}.") from error
