"""What can be done to jobs, in SQL: each function is one step of a job's life and names the state it starts from.

Standard library only; hook, task, operation and worker all come through here. A function that writes wants to be
called inside a transaction; `writing()` begins one.
"""

from runtime.database import sqlite3
from sync_queue.queue_file import CLAIMED, TABLE, WAITING, WAITING_AGAIN
from validation.fast_json import dump_flat

LONGEST_WAIT_SECONDS = 900.0  # no delay is longer than ten minutes
METADATA_LANE, PICTURE_LANE = 0, 1  # a slow upload must not hold up a title
LANES_OF = {"plex": 0, "emby": 2, "jellyfin": 4}  # a pair for each target: one that is away holds up no other
FIRST_TARGET = "plex"
AT_ONCE = 0.0  # due before everything that carries a time: a person's edit overtakes a sweep's hundred thousand
SOON = 1.0  # after what a person saved, and before what carries a time: edits that no hook told of


def key_of(kind: str, object_id: int, target: str = FIRST_TARGET) -> str:
    return f"{kind}:{object_id}" if target == FIRST_TARGET else f"{kind}:{object_id}@{target}"


def lane_of(target: str, kind: str = "scene") -> int:
    """Number the lane in which jobs of this kind wait for this target."""
    return LANES_OF[target] + (PICTURE_LANE if kind == "picture" else METADATA_LANE)


def job_data(  # one definition of a job's JSON for the hook, which has no time to import SyncJob, and for SyncJob
    kind: str,
    object_id: int,
    reason: str,
    queued_at: float,
    *,
    verify: bool,
    attempts: int = 0,
    last_error: str = "",
    target: str = FIRST_TARGET,
) -> bytes:
    return dump_flat(
        {
            **({} if target == FIRST_TARGET else {"target": target}),
            "kind": kind,
            "id": object_id,
            "reason": reason,
            "queued_at": queued_at,
            "full": verify,
            "attempts": attempts,
            "last_error": last_error,
        }
    ).encode()


class writing:  # noqa: N801 - reads as a word: `with writing(connection):`
    """A write transaction, all or nothing."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, error: object, *_: object) -> None:
        if error is None:
            self._connection.commit()
        else:
            self._connection.rollback()


def enqueue(
    connection: sqlite3.Connection,
    kind: str,
    ids: list[int],
    reason: str,
    now: float,
    *,
    due_at: float = AT_ONCE,
    verify: bool = False,
    bring_forward: bool = True,
    target: str = FIRST_TARGET,
) -> int:
    """Have one waiting job per id: add it, or bring the one that waits forward. Return how many were added.

    Without `bring_forward` a job that waits for a later time keeps that, and its reason. `verify` asks for a
    comparison with what the server really shows; a waiting job that does not ask for it is made to.
    """
    keys = [key_of(kind, one, target) for one in ids]
    data = [job_data(kind, one, reason, now, verify=verify, target=target) for one in ids]
    added = connection.executemany(
        f"""INSERT INTO {TABLE} (data, timestamp, status, key, due_at, lane)
            VALUES (?, {now!r}, {WAITING}, ?, {due_at!r}, {lane_of(target, kind)})
            ON CONFLICT (key) WHERE status < {CLAIMED} DO NOTHING""",
        zip(data, keys, strict=True),
    ).rowcount
    if added < len(ids):
        if bring_forward:
            # With its reason: what a person edited is waited for with more patience than what a sweep came upon.
            connection.executemany(
                f"""UPDATE {TABLE} SET due_at = {due_at!r}, data = iif(json_valid(CAST(data AS TEXT)),
                        CAST(json_set(CAST(data AS TEXT), '$.reason', ?) AS BLOB), data)
                    WHERE key = ? AND status < {CLAIMED} AND due_at > {due_at!r}""",
                [(reason, key) for key in keys],
            )
        else:
            connection.executemany(
                f"""UPDATE {TABLE} SET due_at = {due_at!r}
                    WHERE key = ? AND status < {CLAIMED} AND due_at > {due_at!r} AND due_at <= {now!r}""",
                [(key,) for key in keys],
            )
        if verify:
            _rewrite_waiting(connection, list(zip(data, keys, strict=True)))
    return added


def targets_on(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Name the targets that the worker found switched on; before it has ever looked, the first one."""
    try:
        found = connection.execute("SELECT name FROM target ORDER BY rowid").fetchall()
    except sqlite3.OperationalError:  # no worker has written it yet
        return (FIRST_TARGET,)
    return tuple(row[0] for row in found if row[0] in LANES_OF) or (FIRST_TARGET,)


def keep_targets(connection: sqlite3.Connection, names: tuple[str, ...]) -> None:
    """Let hooks know for which targets an edit is queued, and forget what waits for others. Wants a transaction."""
    connection.execute("CREATE TABLE IF NOT EXISTS target (name TEXT NOT NULL UNIQUE)")
    connection.execute("DELETE FROM target")
    connection.executemany("INSERT INTO target VALUES (?)", [(name,) for name in names])
    off = [lane for name, lane in LANES_OF.items() if name not in names]
    connection.executemany(
        f"DELETE FROM {TABLE} WHERE status < {CLAIMED} AND lane BETWEEN ? AND ?",
        [(lane, lane + PICTURE_LANE) for lane in off],
    )


def claim(connection: sqlite3.Connection, now: float, limit: int, lane: int) -> list[tuple[int, bytes, float]]:
    """Claim the jobs of a lane that are due, the earliest first, passing over keys that are being worked on."""
    rows = connection.execute(
        f"""SELECT _id, data, due_at FROM {TABLE} AS waiting
            WHERE status < {CLAIMED} AND lane = ? AND due_at <= ? AND NOT EXISTS (
                SELECT 1 FROM {TABLE} AS claimed WHERE claimed.status = {CLAIMED} AND claimed.key = waiting.key)
            ORDER BY due_at, _id LIMIT ?""",
        (lane, now, limit),
    ).fetchall()
    connection.executemany(
        f"UPDATE {TABLE} SET status = {CLAIMED} WHERE _id = ? AND status < {CLAIMED}", [(row[0],) for row in rows]
    )
    return rows


def complete(connection: sqlite3.Connection, row_id: int, key: str) -> None:
    """A claimed job is done: it goes, and with it an older failure of the same key."""
    connection.execute(f"DELETE FROM {TABLE} WHERE _id = ? AND status = {CLAIMED}", (row_id,))
    connection.execute("DELETE FROM dead_letters WHERE key = ?", (key,))


def retry(connection: sqlite3.Connection, row_id: int, key: str, data: bytes, due_at: float, *, verify: bool) -> bool:
    """A claimed job goes back to wait until `due_at`; False if it was superseded by one that waits already."""
    superseded = connection.execute(
        f"""DELETE FROM {TABLE} WHERE _id = ? AND status = {CLAIMED}
            AND EXISTS (SELECT 1 FROM {TABLE} WHERE key = ? AND status < {CLAIMED})""",
        (row_id, key),
    ).rowcount
    if superseded:
        if verify:
            _rewrite_waiting(connection, [(data, key)])
        return False
    connection.execute(
        f"UPDATE {TABLE} SET status = {WAITING_AGAIN}, data = ?, due_at = ? WHERE _id = ? AND status = {CLAIMED}",
        (data, due_at, row_id),
    )
    return True


def count_claimed(connection: sqlite3.Connection) -> int:
    return connection.execute(f"SELECT count(*) FROM {TABLE} WHERE status = {CLAIMED}").fetchone()[0]


def take_back(connection: sqlite3.Connection, lane: int | None = None) -> int:
    """Claims of a dead worker wait again, or are superseded. Only the holder of the worker's lock may call it."""
    claimed = f"status = {CLAIMED} AND (?1 IS NULL OR lane = ?1)"
    connection.execute(  # a claim that asked for a full comparison passes that on to the job that supersedes it
        f"""UPDATE {TABLE} SET data = CAST(json_set(CAST(data AS TEXT), '$.full', json('true')) AS BLOB)
            WHERE status < {CLAIMED} AND key IN (
                SELECT key FROM {TABLE} WHERE {claimed} AND json_valid(CAST(data AS TEXT))
                AND json_extract(CAST(data AS TEXT), '$.full')) AND json_valid(CAST(data AS TEXT))""",
        (lane,),
    )
    connection.execute(
        f"DELETE FROM {TABLE} WHERE {claimed} AND key IN (SELECT key FROM {TABLE} WHERE status < {CLAIMED})", (lane,)
    )
    connection.execute(f"DELETE FROM {TABLE} WHERE status > {CLAIMED}")  # finished by a plain SQLiteAckQueue
    return connection.execute(f"UPDATE {TABLE} SET status = {WAITING_AGAIN} WHERE {claimed}", (lane,)).rowcount


def heal_due_times(connection: sqlite3.Connection, now: float) -> int:
    """Make due what was put off for longer than anything is: a clock was wrong then, or was set back since."""
    return connection.execute(
        f"UPDATE {TABLE} SET due_at = ?1 WHERE status < {CLAIMED} AND due_at > ?1 + {LONGEST_WAIT_SECONDS}",
        (now,),
    ).rowcount


def make_all_due(connection: sqlite3.Connection, now: float) -> int:
    """Make every waiting job due now. Not at once: what a person saves after this comes first."""
    return connection.execute(
        f"UPDATE {TABLE} SET due_at = ?1 WHERE status < {CLAIMED} AND due_at > ?1", (now,)
    ).rowcount


def clear_waiting(connection: sqlite3.Connection) -> int:
    """Forget the waiting jobs; what is being worked on stays."""
    return connection.execute(f"DELETE FROM {TABLE} WHERE status < {CLAIMED}").rowcount


def next_due_at(connection: sqlite3.Connection, lane: int) -> float | None:
    return _due_at(connection, lane, "min")


def last_due_at(connection: sqlite3.Connection, lane: int) -> float | None:
    return _due_at(connection, lane, "max")


def _due_at(connection: sqlite3.Connection, lane: int, which: str) -> float | None:
    """Either end of the index; asked for both at once, SQLite would walk all of it."""
    return connection.execute(
        f"SELECT {which}(due_at) FROM {TABLE} WHERE status < {CLAIMED} AND lane = ?", (lane,)
    ).fetchone()[0]


def count(connection: sqlite3.Connection, now: float, target: str | None = None) -> dict[str, int]:
    """Count the jobs by where they stand: due, later, claimed, dead; of one target, or of all."""
    first = -1 if target is None else LANES_OF[target]
    lanes = f"(?2 < 0 OR lane BETWEEN ?2 AND ?2 + {PICTURE_LANE})"
    due, later, claimed = connection.execute(
        f"""SELECT coalesce(sum(status < {CLAIMED} AND due_at <= ?1), 0),
                   coalesce(sum(status < {CLAIMED} AND due_at > ?1), 0),
                   coalesce(sum(status = {CLAIMED}), 0) FROM {TABLE} WHERE {lanes}""",
        (now, first),
    ).fetchone()
    of_target = "TRUE" if target is None else is_of_target(target)
    dead = connection.execute(f"SELECT count(*) FROM dead_letters WHERE {of_target}").fetchone()[0]
    return {"due": due, "later": later, "claimed": claimed, "dead": dead}


def is_of_target(target: str) -> str:
    """Spell out, for a statement, that a key is of this target."""
    return "instr(key, '@') = 0" if target == FIRST_TARGET else f"key LIKE '%@{target}'"


def _rewrite_waiting(connection: sqlite3.Connection, data_and_keys: list[tuple[bytes, str]]) -> None:
    connection.executemany(f"UPDATE {TABLE} SET data = ? WHERE key = ? AND status < {CLAIMED}", data_and_keys)
