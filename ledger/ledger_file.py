"""The ledger's file: how it is opened, what is in it, how a damaged one is put aside.

The path index keeps its own tables in the same file, so the schema's version is in a table, not in `user_version`.
"""

import os
import sqlite3
from collections.abc import Iterable, Mapping
from functools import partial
from typing import get_args

from ledger.records import EntryKind
from ledger.states import HOLDS_ITEM, PictureState, SceneState
from sync_queue.queue_file import create_private, is_damage, is_sound, retry_while_busy

BUSY_SECONDS = 30.0  # the index takes in whole pages at once
SCHEMA_VERSION = 3


def _one_of(names: Iterable[str]) -> str:
    return "(" + ", ".join(f"'{name}'" for name in sorted(names)) + ")"


HOLDING = f"state IN {_one_of(HOLDS_ITEM)}"

_SCENE_BY_ITEM = f"CREATE INDEX scene_by_item ON scene (rating_key, machine) WHERE {HOLDING}"
# By item and not by scene: whoever takes an item over must know what on it is ours.
_ITEM_BASELINE = """CREATE TABLE item_baseline (
        rating_key INTEGER NOT NULL,
        machine TEXT NOT NULL,
        path TEXT NOT NULL,
        data TEXT NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (rating_key, machine))"""
_INTENT = """CREATE TABLE IF NOT EXISTS intent (
        rating_key INTEGER NOT NULL,
        machine TEXT NOT NULL,
        scene_id INTEGER NOT NULL,
        path TEXT NOT NULL,
        baseline TEXT NOT NULL,
        entries TEXT NOT NULL,
        PRIMARY KEY (rating_key, machine)) WITHOUT ROWID"""
_PICTURE_INTENT = """CREATE TABLE picture_intent (
        rating_key INTEGER NOT NULL,
        machine TEXT NOT NULL,
        kind TEXT NOT NULL,
        scene_id INTEGER NOT NULL,
        digest TEXT NOT NULL,
        old TEXT NOT NULL,
        old_locked INTEGER NOT NULL CHECK (old_locked IN (0, 1)),
        was_ours INTEGER NOT NULL CHECK (was_ours IN (0, 1)),
        PRIMARY KEY (rating_key, machine, kind)) WITHOUT ROWID"""
_JOURNAL_BY_ITEM = "CREATE INDEX journal_by_item ON journal (machine, rating_key) WHERE undone_at IS NULL"

SCHEMA = (
    f"""CREATE TABLE scene (
        scene_id INTEGER PRIMARY KEY,
        state TEXT NOT NULL CHECK (state IN {_one_of(SceneState)}),
        sentence TEXT NOT NULL,
        fingerprint TEXT NOT NULL DEFAULT '',
        rating_key INTEGER,
        machine TEXT NOT NULL DEFAULT '',
        path TEXT NOT NULL DEFAULT '',
        recorded_at REAL NOT NULL,
        synced_at REAL)""",
    "CREATE INDEX scene_by_state ON scene (state)",
    _SCENE_BY_ITEM,
    _ITEM_BASELINE,
    _INTENT,
    "CREATE TABLE pin (scene_id INTEGER PRIMARY KEY, rating_key INTEGER NOT NULL, machine TEXT NOT NULL DEFAULT '')",
    """CREATE TABLE run (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, began_at REAL NOT NULL, ended_at REAL)""",
    f"""CREATE TABLE journal (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id INTEGER NOT NULL REFERENCES run (id),
        scene_id INTEGER NOT NULL,
        rating_key INTEGER NOT NULL,
        machine TEXT NOT NULL,
        field TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN {_one_of(get_args(EntryKind))}),
        old TEXT NOT NULL,
        new TEXT NOT NULL,
        old_locked INTEGER NOT NULL CHECK (old_locked IN (0, 1)),
        was_ours INTEGER NOT NULL CHECK (was_ours IN (0, 1)),
        at REAL NOT NULL,
        undone_at REAL)""",
    "CREATE INDEX journal_by_run ON journal (run_id)",
    "CREATE INDEX journal_by_scene ON journal (scene_id)",
    "CREATE INDEX journal_to_undo ON journal (run_id) WHERE undone_at IS NULL",
    _JOURNAL_BY_ITEM,
    f"""CREATE TABLE picture (
        scene_id INTEGER NOT NULL,
        kind TEXT NOT NULL,
        rating_key INTEGER NOT NULL,
        machine TEXT NOT NULL,
        stamp TEXT NOT NULL,
        digest TEXT NOT NULL,
        key TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN {_one_of(PictureState)}),
        sentence TEXT NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (scene_id, kind)) WITHOUT ROWID""",
    _PICTURE_INTENT,
    "CREATE TABLE kept_value (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE ledger_schema (version INTEGER NOT NULL)",
    f"INSERT INTO ledger_schema VALUES ({SCHEMA_VERSION})",
)

STEPS: Mapping[int, tuple[str, ...]] = {
    1: (  # baselines were kept by scene; of two scenes that were on one item, the later knows what is on it
        _ITEM_BASELINE,
        """INSERT OR REPLACE INTO item_baseline
           SELECT rating_key, machine, path, data, recorded_at FROM scene JOIN baseline USING (scene_id)
           WHERE rating_key IS NOT NULL ORDER BY synced_at""",
        "DROP TABLE baseline",
        "DROP INDEX scene_by_item",
        _SCENE_BY_ITEM,
        _JOURNAL_BY_ITEM,
        _INTENT,
        "UPDATE ledger_schema SET version = 2",
    ),
    2: (  # on which server a person meant an item was not kept
        _PICTURE_INTENT,
        "ALTER TABLE pin ADD COLUMN machine TEXT NOT NULL DEFAULT ''",
        "UPDATE pin SET machine = coalesce((SELECT machine FROM scene WHERE scene.scene_id = pin.scene_id), '')",
        "UPDATE ledger_schema SET version = 3",
    ),
}
"""What leads from a version to the next."""


def connect(path: str) -> sqlite3.Connection:
    """Open the ledger for any thread, beginning it if there is none; each statement stands alone until BEGIN."""
    create_private(path)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        retry_while_busy(lambda: _prepare(connection), BUSY_SECONDS)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    # A flipped bit that SQLite cannot see shall spoil one sentence, not every reading of its row.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    connection.execute("PRAGMA synchronous = FULL")  # what is recorded is on disk before its job is completed
    connection.execute("PRAGMA foreign_keys = ON")
    if _version(connection) >= SCHEMA_VERSION:
        return
    connection.execute("PRAGMA journal_mode = WAL")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        while (version := _version(connection)) < SCHEMA_VERSION:
            for statement in STEPS[version] if version else SCHEMA:
                connection.execute(statement)


def _version(connection: sqlite3.Connection) -> int:
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'ledger_schema'").fetchone()
    return connection.execute("SELECT version FROM ledger_schema").fetchone()[0] if known else 0


def is_damaged(path: str) -> bool:
    """Read every page once. A file that cannot be opened for another reason is not damaged, and the error is raised."""
    try:
        connection = connect(path)
        try:
            return not is_sound(connection)
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return True


def put_aside(path: str, stamp: str) -> str:
    """Move a damaged ledger out of the way and return its new name. Only the worker, before anyone has it open."""
    aside = f"{path}.damaged-{stamp}"
    # The log first: left behind, it would be replayed into the new file.
    for suffix in ("-wal", "-shm", ""):
        if os.path.exists(path + suffix):
            os.replace(path + suffix, aside + suffix)
    return aside
