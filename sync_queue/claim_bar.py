"""The bar before the queue: while somebody holds it no job is claimed, so that undo and worker never write at once.

Whoever claims looks at the bar inside the transaction of the claim; whoever has lowered it counts the claims inside
one of its own. So either the claim is seen, or the bar.
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
    """Somebody else holds the bar, or the jobs in hand did not come to an end; the text says which."""


def is_down(queue_dir: str) -> bool:
    return is_held(os.path.join(queue_dir, NAME))


@contextmanager
def lowered(queue_dir: str, connection: sqlite3.Connection, is_worked_on: Callable[[], bool]) -> Generator[None]:
    """Have no job claimed, beginning when those in hand are done. What a dead worker had claimed is not waited for."""
    bar = FileLock(os.path.join(queue_dir, NAME))
    if not bar.acquire():
        raise StillClaimed("another undo is running")
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while _has_claims(connection) and is_worked_on():
            if time.monotonic() > deadline:
                raise StillClaimed("the worker is busy with a long job")
            time.sleep(LOOK_EVERY_SECONDS)
        yield
    finally:
        bar.release()


def _has_claims(connection: sqlite3.Connection) -> bool:
    with writing(connection):
        return count_claimed(connection) > 0
