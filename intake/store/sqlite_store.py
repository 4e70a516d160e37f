"""The store in a file: SQLite, nothing to set up. One machine; several processes of it if need be."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from intake.store.errors import PathTaken, StoreAway, StoreError, StoreForeign
from intake.store.row import Status, Step
from intake.store.sql_store import Execute, SqlStore, Values
from intake.store.statements import CREATE_FOLDERS, INDEXES, TABLE, Dialect
from runtime.database import is_damage, is_sound, open_database, put_aside, why

FILE_NAME = "intake.db"
BUSY_SECONDS = 30.0
OLDEST_SQLITE = (3, 35, 0)  # the first that answers with the rows it has changed
LISTEN_SECONDS = 0.5
CLOCK_GRAIN_SECONDS = 1.0

T = TypeVar("T")
DIALECT = Dialect(
    now=":now", later="(:now + {})", seconds="{}", json_in="NULLIF({}, '')", json_out="{}", skip_locked=""
)

CREATE_QUEUE = (
    f"""CREATE TABLE {TABLE} (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        file_path TEXT NOT NULL,
        movie_code TEXT,
        actress TEXT,
        subtitle TEXT,
        status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ({", ".join(f"'{one}'" for one in Status)})),
        error_message TEXT,
        new_path TEXT,
        emby_item_id TEXT,
        metadata_json TEXT,
        retry_count INTEGER NOT NULL DEFAULT 0,
        next_retry_at REAL,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        step TEXT NOT NULL DEFAULT 'new' CHECK (step IN ({", ".join(f"'{one}'" for one in Step)})),
        due_at REAL NOT NULL,
        error_kind TEXT,
        attempts INTEGER NOT NULL DEFAULT 0,
        claimed_by TEXT,
        claim_no INTEGER NOT NULL DEFAULT 0,
        lease_until REAL,
        host TEXT NOT NULL DEFAULT '',
        identity TEXT NOT NULL DEFAULT '',
        is_pinned INTEGER NOT NULL DEFAULT 0,
        plan_json TEXT,
        candidates_json TEXT,
        published_json TEXT,
        archived_at REAL)""",
    *INDEXES,
    "CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), last REAL NOT NULL, ahead REAL NOT NULL)",
    "INSERT INTO clock VALUES (1, 0, 0)",
)
MIGRATIONS = (CREATE_QUEUE, (CREATE_FOLDERS,))
"""What leads from a version to the next; the first is number 1."""
SCHEMA_VERSION = len(MIGRATIONS)


class SqliteStore(SqlStore):
    """A connection to the file in `folder`, which is made if there is none."""

    def __init__(self, folder: str, host: str, worker: str, wall: Callable[[], float] = time.time) -> None:
        super().__init__(DIALECT, host, worker)
        self._path = os.path.join(folder, FILE_NAME)
        self._wall = wall
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._inode = 0
        self._is_durable = True

    def listener(self) -> "FileListener":
        return FileListener(self._path)

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _run(self, act: Callable[[Execute], T], *, durable: bool = True) -> T:
        with self._lock:
            try:
                connection = self._connected()
                if durable is not self._is_durable:
                    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                    self._is_durable = durable
                return self._transaction(connection, act)
            except (sqlite3.Error, OSError) as error:
                self._close()
                raise translated(error, self._path) from error

    def _transaction(self, connection: sqlite3.Connection, act: Callable[[Execute], T]) -> T:
        connection.execute("BEGIN IMMEDIATE")
        try:
            now = self._now(connection)

            def execute(statement: str, values: Values) -> list[tuple[Any, ...]]:
                return connection.execute(statement, {**values, "now": now}).fetchall()

            result = act(execute)
        except BaseException:
            connection.rollback()
            raise
        connection.commit()
        return result

    def _now(self, connection: sqlite3.Connection) -> float:
        """Read the file's clock. It follows the machine's, and goes on from where it was when that one is set back."""
        last, ahead = connection.execute("SELECT last, ahead FROM clock").fetchone()
        now = self._wall() + ahead
        if now < last:
            ahead, now = ahead + last - now, last
        elif now < last + CLOCK_GRAIN_SECONDS:
            return now
        connection.execute("UPDATE clock SET last = ?, ahead = ?", (now, ahead))
        return now

    def _connected(self) -> sqlite3.Connection:
        """Return the connection, made anew if the file was removed or replaced: nobody would find what is written."""
        if self._db is not None and _inode(self._path) != self._inode:
            self._close()
        if self._db is None:
            self._db = connect(self._path)
            self._inode = _inode(self._path)
            self._is_durable = True
        return self._db


class FileListener:
    """Looks now and then whether anybody has written to the file; a look costs microseconds."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None
        self._seen = 0

    def wait(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not self._has_changed():
            if (left := until - time.monotonic()) <= 0:
                return False
            time.sleep(min(left, LISTEN_SECONDS))
        return True

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _has_changed(self) -> bool:
        try:
            if self._db is None:
                self._db = connect(self._path)
            seen = self._db.execute("PRAGMA data_version").fetchone()[0]
        except (sqlite3.Error, OSError):
            return False  # whoever works on the file says so
        changed, self._seen = seen != self._seen, seen
        return changed


def connect(path: str) -> sqlite3.Connection:
    """Open the file for any thread, beginning it if there is none; each statement stands alone until BEGIN."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise StoreForeign(
            f"This Python has SQLite {sqlite3.sqlite_version}, and intake needs 3.35 or newer. Use a newer Python, "
            "or PostgreSQL (DATABASE_URL)."
        )
    return open_database(
        path, lambda connection: _prepare(connection, path), busy_seconds=BUSY_SECONDS, any_thread=True
    )


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    connection.execute("PRAGMA synchronous = FULL")  # a plan is on disk before the first byte moves
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise StoreForeign(f"{path} was made by a newer version of this program; update it.")
    if version == SCHEMA_VERSION:
        return
    connection.execute("PRAGMA journal_mode = WAL")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for statements in MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def put_aside_if_damaged(folder: str, stamp: str) -> str | None:
    """Read every page once; move a damaged file out of the way and return its new name. Only for the one service."""
    path = os.path.join(folder, FILE_NAME)
    try:
        connection = connect(path)
        try:
            if is_sound(connection):
                return None
        finally:
            connection.close()
    except sqlite3.Error as error:
        if not is_damage(error):
            raise translated(error, path) from error
    return put_aside(path, stamp)


def translated(error: Exception, path: str) -> StoreError:
    """Say what keeps us from the file, or a row from its path."""
    if isinstance(error, sqlite3.IntegrityError) and error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_UNIQUE:
        return PathTaken()
    if isinstance(error, sqlite3.Error):
        reason = "it is damaged; restart the service, which puts it aside" if is_damage(error) else why(error)
    else:
        reason = f"{getattr(error, 'strerror', None) or error}"
    return StoreAway(f"The files' rows in {path} cannot be used: {reason}.")


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return 0
