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

from plex.item import ListedItem, Part
from plex.library import Library
from plex.paths import lookup_key
from sync_queue.queue_file import create_private

_BUSY_SECONDS = 30.0
_CACHE_KILOBYTES = 16_000

_SCHEMA = """
CREATE TABLE IF NOT EXISTS plex_part (
    rating_key INTEGER NOT NULL,
    path TEXT NOT NULL,
    library_key INTEGER NOT NULL,
    path_key INTEGER NOT NULL,
    name_key INTEGER NOT NULL,
    size INTEGER,
    duration_seconds REAL,
    walk INTEGER NOT NULL,
    PRIMARY KEY (rating_key, path)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS plex_part_by_path ON plex_part (path_key);
CREATE INDEX IF NOT EXISTS plex_part_by_name ON plex_part (name_key);
CREATE TABLE IF NOT EXISTS plex_library (
    library_key INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    machine TEXT NOT NULL,
    walk INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'shifted', 'complete')),
    started_at REAL NOT NULL,
    completed_at REAL,
    changes_read_at REAL
);
"""
_COLUMNS = "rating_key, library_key, path, size, duration_seconds"


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


class IndexStore:
    """One connection, for one thread. Creates its own tables and touches no other."""

    def __init__(self, database: str) -> None:
        create_private(database)
        self._db = sqlite3.connect(database, check_same_thread=False, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")  # all of it can be read from Plex again
            self._db.execute(f"PRAGMA cache_size = -{_CACHE_KILOBYTES}")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error:
            self._db.close()
            raise

    def close(self) -> None:
        self._db.close()

    def keep_only(self, libraries: Sequence[Library], machine: str) -> None:
        """Forget other servers and libraries that are no longer chosen: rating keys mean nothing elsewhere."""
        marks = ",".join("?" * len(libraries))
        chosen = (*(library.key for library in libraries), machine)
        with self._transaction():
            self._db.execute(
                f"DELETE FROM plex_library WHERE library_key NOT IN ({marks}) OR machine <> ?",  # noqa: S608 - only marks
                chosen,
            )
            self._db.execute("DELETE FROM plex_part WHERE library_key NOT IN (SELECT library_key FROM plex_library)")

    # --- walks --------------------------------------------------------------------------------------------------

    def freshness(self, library_key: int) -> Freshness | None:
        """Say what is known of a library's last walk, nothing if there was none."""
        row = self._db.execute(
            "SELECT state, started_at, completed_at, changes_read_at FROM plex_library WHERE library_key = ?",
            (library_key,),
        ).fetchone()
        return Freshness(WalkState(row[0]), *row[1:]) if row else None

    def begin_walk(self, library: Library, machine: str, now: float) -> int:
        """Note that a walk runs, and give its number."""
        row = self._db.execute(
            """
            INSERT INTO plex_library (library_key, title, machine, walk, state, started_at)
            VALUES (?, ?, ?, 1, 'running', ?)
            ON CONFLICT (library_key) DO UPDATE SET
                title = excluded.title, machine = excluded.machine, walk = walk + 1, state = 'running',
                started_at = excluded.started_at
            RETURNING walk
            """,
            (library.key, library.title, machine, now),
        ).fetchone()
        return int(row[0])

    def add(self, items: Iterable[ListedItem], walk: int) -> None:
        """Take in some pages of a walk."""
        with self._transaction():
            self._insert(items, walk)

    def shift_walk(self, library_key: int, walk: int) -> None:
        """Note that the list moved while it was read: what came is true, what did not come is not gone."""
        self._db.execute(
            "UPDATE plex_library SET state = 'shifted' WHERE library_key = ? AND walk = ? AND state = 'running'",
            (library_key, walk),
        )

    def complete_walk(self, library_key: int, walk: int, now: float, server_time: float) -> int:
        """Forget what the walk did not see, unless another has begun meanwhile; give how many files that were."""
        with self._transaction():
            done = self._db.execute(
                """
                UPDATE plex_library SET state = 'complete', completed_at = ?, changes_read_at = ?
                WHERE library_key = ? AND walk = ? AND state = 'running'
                """,
                (now, server_time, library_key, walk),
            )
            if not done.rowcount:
                return 0
            gone = self._db.execute("DELETE FROM plex_part WHERE library_key = ? AND walk <> ?", (library_key, walk))
        return gone.rowcount

    # --- changes ------------------------------------------------------------------------------------------------

    def replace(self, library_key: int, items: Sequence[ListedItem], server_time: float | None = None) -> None:
        """Take in items as they are now, with all their files; note the moment if these are all changes up to it."""
        with self._transaction():
            row = self._db.execute("SELECT walk FROM plex_library WHERE library_key = ?", (library_key,)).fetchone()
            self._db.executemany("DELETE FROM plex_part WHERE rating_key = ?", [(item.rating_key,) for item in items])
            self._insert(items, row[0] if row else 0)
            if server_time is not None:
                self._db.execute(
                    "UPDATE plex_library SET changes_read_at = ? WHERE library_key = ?", (server_time, library_key)
                )

    def forget(self, rating_key: int) -> None:
        """Forget an item that is gone."""
        self._db.execute("DELETE FROM plex_part WHERE rating_key = ?", (rating_key,))

    def _insert(self, items: Iterable[ListedItem], walk: int) -> None:
        self._db.executemany(
            # The higher number stays: of two walks at once the later one decides what is gone.
            """
            INSERT INTO plex_part VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (rating_key, path) DO UPDATE SET
                library_key = excluded.library_key, size = excluded.size,
                duration_seconds = excluded.duration_seconds, walk = max(walk, excluded.walk)
            """,
            (_row(part, walk) for item in items for part in item.parts),
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

    def of_item(self, rating_key: int) -> list[Part]:
        return self._select("rating_key = ?", rating_key)

    def all_parts(self) -> Iterator[tuple[str, int | None]]:
        """Give path and size of every file."""
        yield from self._db.execute("SELECT path, size FROM plex_part")

    def count_parts(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM plex_part").fetchone()[0])

    def _select(self, condition: str, value: int) -> list[Part]:
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM plex_part WHERE {condition}", (value,))  # noqa: S608 - our own words
        return [Part(*row) for row in rows]

    @contextmanager
    def _transaction(self) -> Generator[None, None, None]:
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield


def _row(part: Part, walk: int) -> tuple[object, ...]:
    rating_key, library_key, path, size, duration = part
    key = lookup_key(path)
    return (rating_key, path, library_key, _short(key), _short(_name(key)), size, duration, walk)


def _name(key: str) -> str:
    return key.rpartition("/")[2]


def _short(key: str) -> int:
    """Shorten a key for the database: a third of the space and half the time; who collides is told apart on reading."""
    return crc32(key.encode("utf-8", "surrogatepass"))
