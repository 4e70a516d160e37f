"""SQLite: how a file of ours is opened, what its errors mean, how a damaged one is put aside. Nobody else opens one.

`sqlite3` is the C module alone, which is what a hook can afford.

The package of that name brings datetime. The C module itself brings functools, for nothing but `lru_cache`, and so
collections, operator, keyword, reprlib and types: together a third of an interpreter's start. While it is imported, the
C half of `lru_cache` stands in for functools; where that is there already, or Python has no such half, nothing does.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # typing and collections.abc cost the hook time that only a type checker has
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
else:
    import _functools

    class _Functools:
        """As much of functools as `_sqlite3` asks for; what it gives is the very type that functools gives."""

        @staticmethod
        def lru_cache(maxsize: int) -> object:
            return lambda function: _functools._lru_cache_wrapper(function, maxsize, False, tuple)  # noqa: FBT003, SLF001 - as functools calls it

    stands_in = "functools" not in sys.modules and hasattr(_functools, "_lru_cache_wrapper")
    if stands_in:
        sys.modules["functools"] = _Functools
    try:
        import _sqlite3 as sqlite3
    finally:
        if stands_in:
            del sys.modules["functools"]

BUSY_SECONDS = 5.0


def open_database(
    path: str,
    prepare: Callable[[sqlite3.Connection], None],
    *,
    busy_seconds: float = BUSY_SECONDS,
    any_thread: bool = False,
) -> sqlite3.Connection:
    """Open a file that is ours alone, beginning it if there is none; each statement stands alone until BEGIN.

    `prepare` brings it to its schema, and is repeated while others have it locked.
    """
    create_private(path)
    connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=not any_thread, cached_statements=32
    )
    try:
        retry_while_busy(lambda: prepare(connection), busy_seconds)
    except BaseException:
        connection.close()
        raise
    return connection


def open_as_it_is(path: str, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """Open a file without bringing it to any schema."""
    return sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)


def open_to_read(path: str, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """Open a file as it is; whoever tries to write to it gets an error."""
    connection = open_as_it_is(path, busy_seconds)
    connection.execute("PRAGMA query_only = ON")
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


def is_sound(connection: sqlite3.Connection) -> bool:
    """Read every page once; False if any of them makes no sense."""
    try:
        return connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok"
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return False


def put_aside(path: str, stamp: str) -> str:
    """Move a damaged file out of the way and return its new name. Only for its owner, while no other has it open."""
    aside = f"{path}.damaged-{stamp}"
    # The log first: left behind, it would be replayed into the new file.
    for suffix in ("-wal", "-shm", ""):
        if os.path.exists(path + suffix):
            os.replace(path + suffix, aside + suffix)
    return aside
