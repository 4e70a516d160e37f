"""The ledger's connection: one for all threads of a process, and one transaction for what belongs together."""

import sqlite3
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

Row = tuple[Any, ...]


class Database:
    """Statements one at a time, from any thread. Each stands alone, or is part of the `writing()` around it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = RLock()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def writing(self) -> Generator[None]:
        """Make one transaction of all statements inside: all of them or, on an error, none. May be nested."""
        with self._lock:
            if self._connection.in_transaction:
                yield
                return
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                yield

    @contextmanager
    def reading(self) -> Generator[None]:
        """Let no other thread write between the statements inside."""
        with self._lock:
            yield

    def rows(self, query: str, *values: object) -> list[Row]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()

    def row(self, query: str, *values: object) -> Row | None:
        with self._lock:
            return self._connection.execute(query, values).fetchone()

    def write(self, statement: str, *values: object) -> int:
        """Return how many rows it changed."""
        with self.writing():
            return self._connection.execute(statement, values).rowcount

    def write_many(self, statement: str, rows: Iterable[Sequence[object]]) -> int:
        """Run it once for each of the rows, as one; return how many it changed in all."""
        with self.writing():
            return self._connection.executemany(statement, rows).rowcount

    def write_returning(self, statement: str, *values: object) -> list[Row]:
        with self.writing():
            return self._connection.execute(statement, values).fetchall()
