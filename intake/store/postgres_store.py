"""The store in PostgreSQL: several machines share the work. The only module that imports psycopg."""

import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from intake.store.errors import PathTaken, StoreAway, StoreError, StoreForeign
from intake.store.migrations import CHANNEL, LOCK_KEY, MIGRATIONS, OF_THE_ORIGINAL, VERSION_TABLE
from intake.store.sql_store import Execute, SqlStore, Values
from intake.store.statements import TABLE, Dialect

Connection = psycopg.Connection[tuple[Any, ...]]
T = TypeVar("T")

CONNECT_SECONDS = 5
# A server that is cut off without a word is given up after ten seconds, one that keeps us waiting after thirty.
PATIENCE: Mapping[str, Any] = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "application_name": "stash2plex-intake",
}
OPTIONS = "-c statement_timeout=30s -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s"
EXAMPLE = "postgresql://user:password@host:5432/database"
DIALECT = Dialect(
    now="statement_timestamp()",  # not clock_timestamp(): that one keeps the planner from its indexes
    later="(statement_timestamp() + {} * interval '1 second')",
    seconds="CAST(extract(epoch FROM {}) AS float8)",
    json_in="CAST(NULLIF({}, '') AS jsonb)",
    json_out="CAST({} AS text)",
    skip_locked="FOR UPDATE SKIP LOCKED",
)


class PostgresStore(SqlStore):
    """A connection, made when it is needed and anew when it has broken. The first brings the table up to date."""

    def __init__(self, conninfo: str, host: str, worker: str) -> None:
        super().__init__(DIALECT, host, worker)
        self._conninfo = conninfo
        self._lock = threading.Lock()
        self._db: Connection | None = None
        self._is_migrated = False

    def listener(self) -> "PostgresListener":
        return PostgresListener(self._conninfo)

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _run(self, act: Callable[[Execute], T], *, durable: bool = True) -> T:  # noqa: ARG002 - it always is
        """Repeat once on a new connection: a server that was restarted is noticed only when it is spoken to."""
        with self._lock:
            had_one = self._db is not None
            try:
                return self._attempt(act)
            except StoreForeign:
                raise
            except StoreAway:
                if not had_one:
                    raise
                return self._attempt(act)

    def _attempt(self, act: Callable[[Execute], T]) -> T:
        try:
            connection = self._connected()
            with connection.transaction():
                return act(_execute_on(connection))
        except psycopg.Error as error:
            self._close()
            raise translated(error) from error

    def _connected(self) -> Connection:
        if self._db is None or self._db.closed:
            self._db = connect(self._conninfo)
        if not self._is_migrated:
            migrate(self._db)
            self._is_migrated = True
        return self._db


class PostgresListener:
    """Hears of rows that others have made claimable. While the server is away it hears nothing, and tries again."""

    def __init__(self, conninfo: str) -> None:
        self._conninfo = conninfo
        self._db: Connection | None = None

    def wait(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        try:
            if self._db is None:
                self._db = connect(self._conninfo)
                self._db.execute(f"LISTEN {CHANNEL}".encode())
                return True  # what was said before is not known
            return any(True for _ in self._db.notifies(timeout=seconds, stop_after=1))
        except (psycopg.Error, StoreAway):
            self.close()
            time.sleep(max(0.0, until - time.monotonic()))
            return False

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None


def connect(conninfo: str) -> Connection:
    """Connect with our patience, where the address does not say otherwise."""
    try:
        given = conninfo_to_dict(conninfo)
        ours = {name: value for name, value in PATIENCE.items() if name not in given}
        theirs = given.get("options") or os.environ.get("PGOPTIONS", "")  # the server takes the last word of each
        return psycopg.connect(conninfo, autocommit=True, options=f"{OPTIONS} {theirs}".strip(), **ours)
    except psycopg.OperationalError as error:
        raise _no_connection(error) from error
    except psycopg.ProgrammingError as error:
        raise StoreAway(f"DATABASE_URL cannot be understood; it looks like {EXAMPLE}.") from error


def migrate(connection: Connection) -> None:
    """Bring the table up to date, in one transaction; of several programs that come at once, one does it."""
    with connection.transaction():
        execute = _execute_on(connection)
        execute("SET LOCAL statement_timeout = 0", {})  # a table of a million rows takes longer than a claim
        execute("SELECT pg_advisory_xact_lock(:key)", {"key": LOCK_KEY})
        execute(f"CREATE TABLE IF NOT EXISTS {VERSION_TABLE} (version INTEGER PRIMARY KEY, applied_at TIMESTAMPTZ)", {})
        version = execute(f"SELECT coalesce(max(version), 0) FROM {VERSION_TABLE}", {})[0][0]
        if version > len(MIGRATIONS):
            raise StoreForeign(f"The table {TABLE} was made by a newer version of this program; update it.")
        if version == 0 and _columns(execute):
            _check_columns(execute)
            version = _note(execute, 1)
        for number, statements in enumerate(MIGRATIONS[version:], start=version + 1):
            for statement in statements:
                execute(statement, {})
            _note(execute, number)
        _check_columns(execute)


def _note(execute: Execute, version: int) -> int:
    execute(f"INSERT INTO {VERSION_TABLE} VALUES (:version, now())", {"version": version})
    return version


def _columns(execute: Execute) -> frozenset[str]:
    found = execute(
        """SELECT attname FROM pg_attribute
           WHERE attrelid = to_regclass(:table) AND attnum > 0 AND NOT attisdropped""",
        {"table": TABLE},
    )
    return frozenset(str(row[0]) for row in found)


def _check_columns(execute: Execute) -> None:
    if missing := sorted(OF_THE_ORIGINAL - _columns(execute)):
        raise StoreForeign(
            f"The database has a table {TABLE} that is not this program's: it lacks {', '.join(missing)}. "
            "Name another database in DATABASE_URL or DB_NAME."
        )


def _execute_on(connection: Connection) -> Execute:
    def execute(statement: str, values: Values) -> list[tuple[Any, ...]]:
        cursor = connection.execute(_in_psycopgs_way(statement), values)
        return cursor.fetchall() if cursor.description else []

    return execute


@lru_cache(maxsize=256)
def _in_psycopgs_way(statement: str) -> bytes:
    """Write `:name` as `%(name)s`, and leave `::` alone."""
    return re.sub(r"(?<!:):([a-z]\w*)", r"%(\1)s", statement.replace("%", "%%")).encode()


def _no_connection(error: psycopg.OperationalError) -> StoreAway:
    """Say why no connection came about. The server's own words name host and user, never the password."""
    said = " ".join(str(error).split()).rstrip(".?")
    hint = ""
    if error.pgconn is not None and error.pgconn.needs_password:
        hint = " Set DB_PASSWORD, or the password in DATABASE_URL."
    elif error.pgconn is not None and error.pgconn.used_password:
        hint = " If it is the password: correct DB_PASSWORD, or the one in DATABASE_URL."
    return StoreAway(f"PostgreSQL cannot be reached: {said}.{hint} Files stay where they are; it is tried again.")


def translated(error: psycopg.Error) -> StoreError:
    """Say what keeps us from the table, or a row from its path, told by the error's type."""
    if isinstance(error, errors.UniqueViolation):
        return PathTaken()
    for family, sentence in _SENTENCES:
        if isinstance(error, family):
            return StoreAway(f"{sentence} Files stay where they are; it is tried again.")
    if isinstance(error, _ANOTHER_SCHEMA):
        return StoreForeign(f"The table {TABLE} is not as this program left it ({_said(error)}).")
    return StoreAway(f"PostgreSQL cannot be used ({_said(error)}). Files stay where they are; it is tried again.")


def _said(error: psycopg.Error) -> str:
    return error.diag.message_primary or type(error).__name__


_SENTENCES: tuple[tuple[tuple[type[psycopg.Error], ...], str], ...] = (
    ((errors.DiskFull,), "PostgreSQL's disk is full; free some space there."),
    ((errors.InsufficientPrivilege,), f"The database's user may not do this; let it own the table {TABLE}."),
    ((errors.ReadOnlySqlTransaction,), "This PostgreSQL is read-only, perhaps a copy of the one that is meant."),
    ((errors.LockNotAvailable,), f"Another program keeps the table {TABLE} locked."),
    ((errors.QueryCanceled,), "PostgreSQL took longer than anyone waits."),
)
_ANOTHER_SCHEMA = (
    errors.UndefinedTable,
    errors.UndefinedColumn,
    errors.DatatypeMismatch,
    errors.DuplicateColumn,
    errors.CannotCoerce,
    errors.CheckViolation,
)
