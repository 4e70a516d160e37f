"""The path index on disk: which file belongs to which Plex item, and how fresh that knowledge is.

Two tables in the ledger's database. A library's walk is `running` from its first page to its last; one that is found so
by the next process was interrupted. `shifted` means that the list moved while it was read; only `complete` forgets.
"""

import sqlite3
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from zlib import crc32

from model.item import ListedItem, Part
from model.paths import lookup_key
from model.server import Library
from runtime.database import open_database

_BUSY_SECONDS = 30.0
_CACHE_KILOBYTES = 16_000

_SCHEMA = """
CREATE TABLE IF NOT EXISTS item_file (
    item_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    path TEXT NOT NULL,
    library_key TEXT NOT NULL,
    path_key INTEGER NOT NULL,
    name_key INTEGER NOT NULL,
    size INTEGER,
    duration_seconds REAL,
    walk INTEGER NOT NULL,
    PRIMARY KEY (item_id, number)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS item_file_by_path ON item_file (path_key);
CREATE INDEX IF NOT EXISTS item_file_by_name ON item_file (name_key);
CREATE TABLE IF NOT EXISTS library_walk (
    library_key TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    server_id TEXT NOT NULL,
    walk INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'shifted', 'complete')),
    started_at REAL NOT NULL,
    completed_at REAL,
    changes_read_at REAL
);
"""
_COLUMNS = "item_id, library_key, path, size, duration_seconds"


class WalkState(StrEnum):
    RUNNING = "running"
    SHIFTED = "shifted"
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class Freshness:
    """What is known of a library's last walk. `changes_read_at` is a moment of the server's clock."""

    state: WalkState
    started_at: float
    completed_at: float | None
    changes_read_at: float | None


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # all of it can be read from the server again
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KILOBYTES}")
    connection.executescript(_SCHEMA)


class IndexStore:
    """One connection, for one thread. Creates its own tables and touches no other."""

    def __init__(self, database: str) -> None:
        self._db = open_database(database, _prepare, busy_seconds=_BUSY_SECONDS, any_thread=True)

    def close(self) -> None:
        self._db.close()

    def keep_only(self, libraries: Sequence[Library], server_id: str) -> None:
        """Forget other servers and libraries that are no longer chosen: rating keys mean nothing elsewhere."""
        marks = ",".join("?" * len(libraries))
        chosen = (*(library.key for library in libraries), server_id)
        with self._transaction():
            self._db.execute(
                f"DELETE FROM library_walk WHERE library_key NOT IN ({marks}) OR server_id <> ?",
                chosen,
            )
            self._db.execute("DELETE FROM item_file WHERE library_key NOT IN (SELECT library_key FROM library_walk)")

    # --- walks --------------------------------------------------------------------------------------------------

    def freshness(self, library_key: str) -> Freshness | None:
        """Say what is known of a library's last walk, nothing if there was none."""
        return next(iter(self.walks(library_key)), None)

    def walks(self, library_key: str | None = None) -> list[Freshness]:
        """Say what is known of the last walk of each library, or of one."""
        rows = self._db.execute(
            """SELECT state, started_at, completed_at, changes_read_at FROM library_walk
               WHERE library_key = coalesce(?, library_key)""",
            (library_key,),
        )
        return [Freshness(WalkState(row[0]), *row[1:]) for row in rows]

    def begin_walk(self, library: Library, server_id: str, now: float) -> int:
        """Note that a walk runs, and give its number."""
        row = self._db.execute(
            """
            INSERT INTO library_walk (library_key, title, server_id, walk, state, started_at)
            VALUES (?, ?, ?, 1, 'running', ?)
            ON CONFLICT (library_key) DO UPDATE SET
                title = excluded.title, server_id = excluded.server_id, walk = walk + 1, state = 'running',
                started_at = excluded.started_at
            RETURNING walk
            """,
            (library.key, library.title, server_id, now),
        ).fetchone()
        return int(row[0])

    def add(self, items: Iterable[ListedItem], walk: int) -> None:
        """Take in some pages of a walk."""
        with self._transaction():
            self._insert(items, walk)

    def shift_walk(self, library_key: str, walk: int) -> None:
        """Note that the list moved while it was read: what came is true, what did not come is not gone."""
        self._db.execute(
            "UPDATE library_walk SET state = 'shifted' WHERE library_key = ? AND walk = ? AND state = 'running'",
            (library_key, walk),
        )

    def complete_walk(self, library_key: str, walk: int, now: float, server_time: float) -> int:
        """Forget what the walk did not see, unless another has begun meanwhile; give how many files that were."""
        with self._transaction():
            done = self._db.execute(
                """
                UPDATE library_walk SET state = 'complete', completed_at = ?, changes_read_at = ?
                WHERE library_key = ? AND walk = ? AND state = 'running'
                """,
                (now, server_time, library_key, walk),
            )
            if not done.rowcount:
                return 0
            gone = self._db.execute("DELETE FROM item_file WHERE library_key = ? AND walk <> ?", (library_key, walk))
        return gone.rowcount

    # --- changes ------------------------------------------------------------------------------------------------

    def replace(self, library_key: str, items: Sequence[ListedItem], server_time: float | None = None) -> None:
        """Take in items as they are now, with all their files; note the moment if these are all changes up to it."""
        with self._transaction():
            row = self._db.execute("SELECT walk FROM library_walk WHERE library_key = ?", (library_key,)).fetchone()
            self._db.executemany("DELETE FROM item_file WHERE item_id = ?", [(item.item_id,) for item in items])
            self._insert(items, row[0] if row else 0)
            if server_time is not None:
                self._db.execute(
                    "UPDATE library_walk SET changes_read_at = ? WHERE library_key = ?", (server_time, library_key)
                )

    def forget(self, item_id: str) -> None:
        """Forget an item that is gone."""
        self._db.execute("DELETE FROM item_file WHERE item_id = ?", (item_id,))

    def _insert(self, items: Iterable[ListedItem], walk: int) -> None:
        self._db.executemany(
            # The higher number stays: of two walks at once the later one decides what is gone.
            """
            INSERT INTO item_file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (item_id, number) DO UPDATE SET
                path = excluded.path, path_key = excluded.path_key, name_key = excluded.name_key,
                library_key = excluded.library_key, size = excluded.size,
                duration_seconds = excluded.duration_seconds, walk = max(walk, excluded.walk)
            """,
            (_row(part, number, walk) for item in items for number, part in enumerate(item.parts)),
        )

    # --- looking up ---------------------------------------------------------------------------------------------

    def at_path(self, path: str) -> list[Part]:
        """Find the files at this path, whatever its case and Unicode form."""
        wanted = lookup_key(path)
        return [part for part in self._select("path_key = ?", _short(wanted)) if lookup_key(part.path) == wanted]

    def with_name(self, path: str) -> list[Part]:
        """Find the files that have this path's base name, whatever their folder."""
        wanted = _name(lookup_key(path))
        return [part for part in self._select("name_key = ?", _short(wanted)) if _name(lookup_key(part.path)) == wanted]

    def has_name(self, path: str) -> bool:
        """Tell whether there may be a file of this base name; seldom there is none all the same."""
        return bool(
            self._db.execute(
                "SELECT 1 FROM item_file WHERE name_key = ?", (_short(_name(lookup_key(path))),)
            ).fetchone()
        )

    def search(self, words: Sequence[str], limit: int) -> list[Part]:
        """Find files whose paths have all of these words, without regard to case; the shortest paths first."""
        marks = " AND ".join("path LIKE ? ESCAPE '!'" for _ in words)
        wanted = [f"%{word.replace('!', '!!').replace('%', '!%').replace('_', '!_')}%" for word in words]
        rows = self._db.execute(
            f"SELECT {_COLUMNS} FROM item_file WHERE {marks} ORDER BY length(path), path LIMIT ?", (*wanted, limit)
        )
        return [Part(*row) for row in rows]

    def library_titles(self) -> dict[str, str]:
        """Give the titles of the libraries by their keys."""
        return dict(self._db.execute("SELECT library_key, title FROM library_walk").fetchall())

    def of_item(self, item_id: str) -> list[Part]:
        return self._select("item_id = ?", item_id)

    def all_parts(self) -> Iterator[tuple[str, int | None]]:
        """Give path and size of every file."""
        yield from self._db.execute("SELECT path, size FROM item_file")

    def count_parts(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM item_file").fetchone()[0])

    def _select(self, condition: str, value: int | str) -> list[Part]:
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM item_file WHERE {condition}", (value,))
        return [Part(*row) for row in rows]

    @contextmanager
    def _transaction(self) -> Generator[None, None, None]:
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield


def _row(part: Part, number: int, walk: int) -> tuple[object, ...]:
    item_id, library_key, path, size, duration = part
    key = lookup_key(path)
    return (item_id, number, path, library_key, _short(key), _short(_name(key)), size, duration, walk)


def _name(key: str) -> str:
    return key.rpartition("/")[2]


def _short(key: str) -> int:
    """Shorten a key for the database: a third of the space and half the time; who collides is told apart on reading."""
    return crc32(key.encode("utf-8", "surrogatepass"))
