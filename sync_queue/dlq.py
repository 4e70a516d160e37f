"""The dead letters: jobs that were given up, with the reason, until a person retries or purges them."""

import sqlite3
from typing import NamedTuple

from sync_queue.operations import AT_ONCE, FIRST_TARGET, LANES_OF, METADATA_LANE, PICTURE_LANE, is_of_target
from sync_queue.queue_file import CLAIMED, TABLE, WAITING

_FIRST_LANE = " ".join(
    f"WHEN {is_of_target(name)} THEN {lane}" for name, lane in LANES_OF.items() if name != FIRST_TARGET
)
_LANE = f"iif(key LIKE 'picture:%', {PICTURE_LANE}, {METADATA_LANE}) + CASE {_FIRST_LANE} ELSE 0 END"
LETTER_COLUMNS = "id, key, kind, sentence, detail, attempts, first_at, last_at"


class DeadLetter(NamedTuple):
    """A job that was given up, once per key however often it failed."""

    id: int
    key: str
    kind: str
    sentence: str
    detail: str
    attempts: int
    first_at: float
    last_at: float


class DeadLetterQueue:
    """List, revive and forget dead letters. Writers want a transaction, as in `operations`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def bury(
        self,
        row_id: int,
        key: str,
        data: bytes,
        *,
        kind: str,
        sentence: str,
        now: float,
        detail: str = "",
        attempts: int = 0,
    ) -> None:
        """Move a claimed job here; in the caller's transaction, so that it is never in both places nor in none."""
        self._connection.execute(
            """INSERT INTO dead_letters (key, data, kind, sentence, detail, attempts, first_at, last_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
               ON CONFLICT (key) DO UPDATE SET data = ?2, kind = ?3, sentence = ?4, detail = ?5,
                   attempts = attempts + ?6, last_at = ?7""",
            (key, data, kind, sentence, detail, attempts, now),
        )
        self._connection.execute(f"DELETE FROM {TABLE} WHERE _id = ? AND status = {CLAIMED}", (row_id,))

    def list(self, limit: int = 100) -> list[DeadLetter]:
        """Return the newest first."""
        rows = self._connection.execute(
            f"SELECT {LETTER_COLUMNS} FROM dead_letters ORDER BY last_at DESC, id DESC LIMIT ?", (limit,)
        )
        return [DeadLetter(*row) for row in rows]

    def discard(self, letter_id: int) -> int:
        """Forget one dead letter; 0 if there is none of that number."""
        return self._connection.execute("DELETE FROM dead_letters WHERE id = ?", (letter_id,)).rowcount

    def revive(self, now: float, letter_id: int | None = None) -> int:
        """Make waiting jobs, with all their attempts before them, of one dead letter or of all."""
        chosen = "(?1 IS NULL OR id = ?1)"
        self._connection.execute(
            f"""INSERT INTO {TABLE} (lane, data, timestamp, status, key, due_at)
                SELECT {_LANE},
                    CAST(json_remove(CAST(data AS TEXT), '$.attempts', '$.last_error') AS BLOB),
                    ?2, {WAITING}, key, {AT_ONCE}
                FROM dead_letters WHERE {chosen}
                ON CONFLICT (key) WHERE status < {CLAIMED} DO UPDATE SET due_at = {AT_ONCE}""",
            (letter_id, now),
        )
        return self._connection.execute(f"DELETE FROM dead_letters WHERE {chosen}", (letter_id,)).rowcount

    def purge(self, older_than: float) -> int:
        """Forget dead letters whose last failure is older than that moment."""
        return self._connection.execute("DELETE FROM dead_letters WHERE last_at < ?", (older_than,)).rowcount
