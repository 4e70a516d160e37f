"""A pause of claims: while an undo holds it the worker claims no job, so that the two never write at once.

The worker asks for the pause inside the transaction of its claim, and the undo counts the claims inside one of its own.
So either the undo sees the claim, or the worker sees the pause.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from runtime.lock import FileLock, is_held
from sync_queue.operations import count_claimed, writing

NAME = "undo.lock"
PATIENCE_SECONDS = 120.0
LOOK_EVERY_SECONDS = 0.1


class StillClaimed(Exception):
    """Another undo holds the pause, or the jobs in hand did not come to an end; the text says which."""


def is_paused(queue_dir: str) -> bool:
    return is_held(os.path.join(queue_dir, NAME))


@contextmanager
def claims_paused(queue_dir: str, connection: sqlite3.Connection, is_worked_on: Callable[[], bool]) -> Generator[None]:
    """Have no job claimed, beginning when those in hand are done. What a dead worker had claimed is not waited for."""
    pause = FileLock(os.path.join(queue_dir, NAME))
    if not pause.acquire():
        raise StillClaimed("another undo is running")
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while _has_claims(connection) and is_worked_on():
            if time.monotonic() > deadline:
                raise StillClaimed("the worker is busy with a long job")
            time.sleep(LOOK_EVERY_SECONDS)
        yield
    finally:
        pause.release()


def _has_claims(connection: sqlite3.Connection) -> bool:
    with writing(connection):
        return count_claimed(connection) > 0
