"""The queue's file: how it is opened, what is in it, what its errors mean, how a damaged one is put aside.

Standard library only: the hook writes to it without persist-queue, whose import alone costs several interpreter
starts. It stays a persist-queue file all the same: `ack_queue_default` is the table of a plain `SQLiteAckQueue`,
with three columns more.
"""

from __future__ import annotations

import os
import time

from runtime.sqlite_core import sqlite3

TYPE_CHECKING = False  # typing and collections.abc cost the hook time that only a type checker has
if TYPE_CHECKING:
    from collections.abc import Callable


FILE_NAME = "data.db"  # persist-queue's default
SUSPECT = "damage-reported"
TABLE = "ack_queue_default"
SCHEMA_VERSION = 1
BUSY_SECONDS = 5.0

# persist-queue's states. Finished rows are deleted, so that neither the file nor the cost of a claim grows.
WAITING = 0
WAITING_AGAIN = 1
CLAIMED = 2

SCHEMA = (
    f"""CREATE TABLE IF NOT EXISTS {TABLE} (
        _id INTEGER PRIMARY KEY AUTOINCREMENT, data BLOB, timestamp FLOAT, status INTEGER)""",
    f"ALTER TABLE {TABLE} ADD COLUMN key TEXT",
    f"ALTER TABLE {TABLE} ADD COLUMN due_at REAL NOT NULL DEFAULT 0",
    f"ALTER TABLE {TABLE} ADD COLUMN lane INTEGER NOT NULL DEFAULT 0",
    f"CREATE UNIQUE INDEX one_waiting_per_key ON {TABLE} (key) WHERE status < {CLAIMED}",
    f"CREATE UNIQUE INDEX one_claimed_per_key ON {TABLE} (key) WHERE status = {CLAIMED}",
    f"CREATE INDEX next_due ON {TABLE} (lane, due_at, _id) WHERE status < {CLAIMED}",
    # A plain SQLiteAckQueue takes claims back without knowing of keys: the returning job replaces the one that waits.
    f"""CREATE TRIGGER claim_comes_back BEFORE UPDATE OF status ON {TABLE}
        WHEN OLD.status >= {CLAIMED} AND NEW.status < {CLAIMED}
        BEGIN DELETE FROM {TABLE} WHERE key = NEW.key AND status < {CLAIMED} AND _id <> NEW._id; END""",
    """CREATE TABLE dead_letters (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, data BLOB NOT NULL, kind TEXT NOT NULL,
        sentence TEXT NOT NULL, detail TEXT NOT NULL, attempts INTEGER NOT NULL, first_at REAL NOT NULL,
        last_at REAL NOT NULL)""",
    """CREATE TABLE session (
        id INTEGER PRIMARY KEY CHECK (id = 1), scheme TEXT NOT NULL, host TEXT NOT NULL, port INTEGER NOT NULL,
        cookie TEXT NOT NULL, api_key TEXT NOT NULL DEFAULT '', seen_at REAL NOT NULL)""",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)


def connect(queue_dir: str, busy_seconds: float = BUSY_SECONDS, *, any_thread: bool = False) -> sqlite3.Connection:
    """Open the queue, beginning it if there is none; each statement stands alone until BEGIN."""
    os.makedirs(queue_dir, mode=0o700, exist_ok=True)
    path = os.path.join(queue_dir, FILE_NAME)
    create_private(path)
    connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=not any_thread, cached_statements=32
    )
    try:
        retry_while_busy(lambda: _prepare(connection), busy_seconds)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def create_private(path: str) -> None:
    """Begin a database that is ours alone; SQLite would make it everyone's. One that is there is not even opened.

    Closing a file drops every POSIX lock that the process has on it, also those of its other connections. Whoever
    closes the database next in another process then takes itself for the last, and deletes the log that is written.
    """
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA synchronous = FULL")  # some builds fall back to NORMAL in WAL mode
    if connection.execute("PRAGMA user_version").fetchone()[0] >= SCHEMA_VERSION:
        return
    connection.execute("PRAGMA journal_mode = WAL")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("PRAGMA user_version").fetchone()[0] < SCHEMA_VERSION:
            for statement in SCHEMA:
                connection.execute(statement)


def retry_while_busy(act: Callable[[], None], patience_seconds: float = BUSY_SECONDS) -> None:
    """Repeat a whole transaction that met a lock.

    SQLite's own busy timeout does not cover every lock: not the switch to WAL, not a recovery that others run.
    """
    deadline = time.monotonic() + patience_seconds
    while True:
        try:
            return act()
        except sqlite3.OperationalError as error:
            if primary_code(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def primary_code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code, 0 if the error came from elsewhere."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def is_damage(error: sqlite3.Error) -> bool:
    return primary_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def report_damage(queue_dir: str) -> None:
    """Leave word for the worker, whose own pages may be sound: it works from memory for as long as it can."""
    try:
        os.close(os.open(os.path.join(queue_dir, SUSPECT), os.O_RDWR | os.O_CREAT, 0o600))
    except OSError:
        return  # then the worker finds out when its memory ends


def is_reported(queue_dir: str) -> bool:
    return os.path.exists(os.path.join(queue_dir, SUSPECT))


def withdraw_report(queue_dir: str) -> None:
    if is_reported(queue_dir):
        os.unlink(os.path.join(queue_dir, SUSPECT))


_SENTENCES = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space",
    sqlite3.SQLITE_READONLY: "it is read-only; make it writable for the user Stash runs as",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; make the folder writable for the user Stash runs as",
    sqlite3.SQLITE_PERM: "it may not be opened; make it writable for the user Stash runs as",
    sqlite3.SQLITE_IOERR: "the disk reports an error; look at its space and health",
    sqlite3.SQLITE_BUSY: "another program has kept it locked",
    sqlite3.SQLITE_CORRUPT: "it is damaged; the worker is putting it aside and beginning a new one",
    sqlite3.SQLITE_NOTADB: "it is damaged; the worker is putting it aside and beginning a new one",
}


def why(error: sqlite3.Error) -> str:
    """Say why a file of ours could not be used and what to do; the file is "it"."""
    return _SENTENCES.get(primary_code(error), f"SQLite says: {error}")


def explain(error: sqlite3.Error, queue_dir: str) -> str:
    """Say in a sentence why the queue could not be used and what to do."""
    return f"The queue {os.path.join(queue_dir, FILE_NAME)} cannot be written: {why(error)}."


def is_sound(connection: sqlite3.Connection) -> bool:
    """Read every page once; False if any of them makes no sense."""
    try:
        return connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok"
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return False


def put_aside(queue_dir: str, stamp: str) -> str:
    """Move a damaged queue out of the way and return its new name. Only the worker, who holds the lock, may do it."""
    path = os.path.join(queue_dir, FILE_NAME)
    aside = f"{path}.damaged-{stamp}"
    # The log first: left behind, it would be replayed into the new file.
    for suffix in ("-wal", "-shm", ""):
        if os.path.exists(path + suffix):
            os.replace(path + suffix, aside + suffix)
    return aside
