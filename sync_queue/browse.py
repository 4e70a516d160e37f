"""Jobs looked at without being touched, so that they can be explained to a person."""

import json
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from sync_queue.dlq import LETTER_COLUMNS, DeadLetter
from sync_queue.models import SyncJob, UnreadableJob
from sync_queue.operations import FIRST_TARGET, SOON, key_of
from sync_queue.queue_file import CLAIMED, TABLE

_AMONG = "key IN (SELECT value FROM json_each(?))"


class SeenJob(NamedTuple):
    """A job, and whether a worker has it in hand."""

    job: SyncJob
    is_claimed: bool


class JobBrowser:
    """Jobs and dead letters by key and by page."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def jobs_with(self, keys: Iterable[str]) -> list[SeenJob]:
        """Find the jobs of these keys, those in hand first. A row that is no job is not among them."""
        rows = self._connection.execute(
            f"""SELECT _id, data, due_at, status FROM {TABLE}
                WHERE {_AMONG} AND status <= {CLAIMED} ORDER BY status DESC""",
            (json.dumps(list(keys)),),
        )
        found: list[SeenJob] = []
        for row_id, data, due_at, status in rows:
            try:
                found.append(SeenJob(SyncJob.from_row(row_id, data, due_at), status == CLAIMED))
            except UnreadableJob:
                continue
        return found

    def queued_scenes(self, after: int, limit: int) -> list[int]:
        """Page through the scenes that have a job, by id."""
        rows = self._connection.execute(
            f"""SELECT DISTINCT CAST(substr(key, 7) AS INTEGER) AS scene_id FROM {TABLE}
                WHERE key LIKE 'scene:%' AND status <= {CLAIMED} AND CAST(substr(key, 7) AS INTEGER) > ?
                ORDER BY scene_id LIMIT ?""",
            (after, limit),
        )
        return [row[0] for row in rows]

    def edited_scenes(self, scene_ids: Iterable[int], target: str = FIRST_TARGET) -> set[int]:
        """Name those of the scenes for which a person's edit waits, and nothing has been tried yet."""
        keys = {key_of("scene", scene_id, target): scene_id for scene_id in scene_ids}
        rows = self._connection.execute(
            f"SELECT key FROM {TABLE} WHERE {_AMONG} AND status < {CLAIMED} AND due_at <= {SOON}",
            (json.dumps(list(keys)),),
        )
        return {keys[key] for (key,) in rows}

    def letters_with(self, keys: Iterable[str]) -> list[DeadLetter]:
        """Find the dead letters of these keys."""
        query = f"SELECT {LETTER_COLUMNS} FROM dead_letters WHERE {_AMONG}"
        rows = self._connection.execute(query, (json.dumps(list(keys)),))
        return [DeadLetter(*row) for row in rows]

    def letters_page(self, limit: int, after: int) -> list[DeadLetter]:
        """Page through all dead letters by their number: stable, whatever fails again meanwhile."""
        rows = self._connection.execute(
            f"SELECT {LETTER_COLUMNS} FROM dead_letters WHERE id > ? ORDER BY id LIMIT ?", (after, limit)
        )
        return [DeadLetter(*row) for row in rows]
