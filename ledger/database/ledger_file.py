"""The ledger's file: how it is opened, what is in it, how a damaged one is put aside.

The path index keeps its own tables in the same file, so the schema's version is in a table, not in `user_version`.
"""

import json
import os
import sqlite3
from functools import partial

from ledger.database.migrations import STEPS
from ledger.database.packed import pack, shortened
from ledger.database.schema import SCHEMA, SCHEMA_VERSION
from runtime.database import create_private, is_damage, is_sound, open_database

BUSY_SECONDS = 30.0  # the index takes in whole pages at once


class LedgerMoved(sqlite3.OperationalError):
    """The file was moved while it was being opened: whoever opens it looks where it is now."""


def connect(path: str) -> sqlite3.Connection:
    """Open the ledger for any thread, beginning it if there is none; each statement stands alone until BEGIN."""
    create_private(path)
    inode = inode_at(path)
    try:
        return open_database(
            path, lambda connection: _prepare(connection, path, inode), busy_seconds=BUSY_SECONDS, any_thread=True
        )
    except sqlite3.Error as error:
        if inode_at(path) != inode:
            raise LedgerMoved("the file was moved while it was being opened") from error
        raise


def inode_at(path: str) -> int:
    """Number the file at a path; 0 if there is none."""
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return 0


def _prepare(connection: sqlite3.Connection, path: str, inode: int) -> None:
    # A flipped bit that SQLite cannot see shall spoil one sentence, not every reading of its row.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    connection.execute("PRAGMA synchronous = FULL")  # what is recorded is on disk before its job is completed
    connection.execute("PRAGMA foreign_keys = ON")
    version = _version(connection)  # whoever has read it keeps others from moving it; before, it may have been moved
    if inode_at(path) != inode or not inode:
        raise LedgerMoved("the file was moved while it was being opened")
    if version >= SCHEMA_VERSION:
        return
    connection.execute("PRAGMA journal_mode = WAL")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.create_function("pack", 1, _pack_json, deterministic=True)
        connection.create_function("shortened", 1, shortened, deterministic=True)
        while (version := _version(connection)) < SCHEMA_VERSION:
            for statement in STEPS[version] if version else SCHEMA:
                connection.execute(statement)


def _pack_json(text: str) -> bytes | str:
    """Pack what was kept as JSON; what is none, a damaged value, stays as it is."""
    try:
        return pack(json.loads(text))
    except ValueError:
        return text


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
