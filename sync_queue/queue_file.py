"""The queue's file: what is in it, and how damage of it is told to the worker.

Standard library only: the hook writes to it without persist-queue, whose import alone costs several interpreter
starts. It stays a persist-queue file all the same: `ack_queue_default` is the table of a plain `SQLiteAckQueue`,
with three columns more.
"""

from __future__ import annotations

import os

from runtime.database import BUSY_SECONDS, open_database, sqlite3, why
from runtime.database import put_aside as put_file_aside

FILE_NAME = "data.db"  # persist-queue's default
SUSPECT = "damage-reported"
TABLE = "ack_queue_default"
SCHEMA_VERSION = 1

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
    path = os.path.join(queue_dir, FILE_NAME)
    return open_database(path, _prepare, busy_seconds=busy_seconds, any_thread=any_thread)


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


def explain(error: sqlite3.Error, queue_dir: str) -> str:
    """Say in a sentence why the queue could not be used and what to do."""
    return f"The queue {os.path.join(queue_dir, FILE_NAME)} cannot be written: {why(error)}."


def put_aside(queue_dir: str, stamp: str) -> str:
    """Move a damaged queue out of the way and return its new name. Only the worker, who holds the lock, may do it."""
    return put_file_aside(os.path.join(queue_dir, FILE_NAME), stamp)
