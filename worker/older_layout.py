"""Taking over the data folder of an older version, which knew only Plex and kept its files in the folder itself."""

import logging
import os
import sqlite3

from model.targets import PLEX
from runtime.database import open_as_it_is
from runtime.folder import DataFolder, TargetFolder

log = logging.getLogger(__name__)

STATE_FILES = ("circuit_breaker.json", "recovery_state.json", "stats.json")
BUSY_SECONDS = 2.0  # so long an action that has the ledger open is waited for


def take_over_older_layout(folder: DataFolder) -> None:
    """Move what an older version kept of Plex to Plex's own folder. The caller holds the worker's lock.

    The ledger moves last and at once: where it lies is where everybody looks for it (`DataFolder.target`), so whoever
    dies on the way leaves a folder that the next worker takes over. It moves only while nobody else has it open, and
    with its log written into it; otherwise it stays where it is, is used there, and the next worker tries again.
    """
    old, new = TargetFolder(folder.root), TargetFolder(os.path.join(folder.root, "targets", PLEX))
    if not os.path.exists(old.ledger) or os.path.exists(new.ledger):
        _remove_empty_log(old)
        return
    new.make()
    try:
        is_moved = _move_ledger(old, new)
    except sqlite3.DatabaseError as error:  # a damaged one is put aside by the name that it has
        log.warning("The record of what was synced with Plex stays in %s for now: %s.", old.root, error)
        return
    if is_moved:
        log.info("What was kept of Plex is in its own folder now: %s.", new.root)


def _move_ledger(old: TargetFolder, new: TargetFolder) -> bool:
    connection = open_as_it_is(old.ledger, BUSY_SECONDS)
    try:
        # In this mode the lock is kept until the connection is closed, and none is given while others have it open.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _move_states(old, new)
        try:
            os.replace(old.ledger, new.ledger)
        except PermissionError:  # Windows moves nothing that is open, and nothing that others have open
            connection.close()
            os.replace(old.ledger, new.ledger)
    finally:
        connection.close()
    _remove_empty_log(old)
    return True


def _move_states(old: TargetFolder, new: TargetFolder) -> None:
    for name in STATE_FILES:
        source = os.path.join(old.root, name)
        if os.path.exists(source):
            os.replace(source, os.path.join(new.root, name))


def _remove_empty_log(old: TargetFolder) -> None:
    """Remove what is left of a log that was written into the ledger before that was moved."""
    log_file, index = f"{old.ledger}-wal", f"{old.ledger}-shm"
    if os.path.exists(old.ledger) or (os.path.exists(log_file) and os.path.getsize(log_file)):
        return
    for path in (log_file, index):
        if os.path.exists(path):
            os.remove(path)
