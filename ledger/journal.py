"""The journal: every value written with the one it replaced, by run, and when it was undone."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ledger.records import JournalEntry, JournalSlice, Run, RunSummary, Value

_COLUMNS = "field, kind, old, new, old_locked, was_ours, id, run_id, scene_id, rating_key, machine, at, undone_at"


class Journal:
    """Runs and their entries. Writers want a transaction: an entry goes with the record it explains."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def begin_run(self, kind: str, now: float) -> int:
        row = self._db.execute("INSERT INTO run (kind, began_at) VALUES (?, ?) RETURNING id", (kind, now)).fetchone()
        return int(row[0])

    def end_run(self, run_id: int, now: float) -> None:
        self._db.execute("UPDATE run SET ended_at = ? WHERE id = ? AND ended_at IS NULL", (now, run_id))

    def has_run(self, run_id: int) -> bool:
        return self._db.execute("SELECT 1 FROM run WHERE id = ?", (run_id,)).fetchone() is not None

    def last_run(self) -> Run | None:
        """Give the newest run that has an entry not undone."""
        row = self._db.execute(
            """SELECT id, kind, began_at, ended_at FROM run
               WHERE id = (SELECT max(run_id) FROM journal WHERE undone_at IS NULL)"""
        ).fetchone()
        return Run(*row) if row else None

    def write(
        self,
        entries: Iterable[JournalEntry],
        *,
        run_id: int,
        scene_id: int,
        rating_key: int,
        machine: str,
        now: float,
    ) -> None:
        self._db.executemany(
            """INSERT INTO journal (field, kind, old, new, old_locked, was_ours,
                   run_id, scene_id, rating_key, machine, at)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            [(*_written(entry), run_id, scene_id, rating_key, machine, now) for entry in entries],
        )

    def entries(self, run_id: int | None, scene_id: int | None, *, undone: bool) -> list[JournalEntry]:
        """List the newest first."""
        state = "undone_at IS NOT NULL" if undone else "undone_at IS NULL"
        return self._select({"run_id =": run_id, "scene_id =": scene_id}, also=state)

    def history(self, limit: int, before: int | None, run_id: int | None, scene_id: int | None) -> list[JournalEntry]:
        """Page through all, undone or not, the newest first."""
        return self._select({"run_id =": run_id, "scene_id =": scene_id, "id <": before}, limit=limit)

    def _select(
        self, conditions: Mapping[str, int | None], *, also: str = "TRUE", limit: int = -1
    ) -> list[JournalEntry]:
        given = {condition: value for condition, value in conditions.items() if value is not None}
        where = " AND ".join([also, *(f"{condition} ?" for condition in given)])
        rows = self._db.execute(
            f"SELECT {_COLUMNS} FROM journal WHERE {where} ORDER BY id DESC LIMIT ?", (*given.values(), limit)
        )
        return [_entry(row) for row in rows]

    def runs(self, limit: int, before: int | None) -> list[RunSummary]:
        """Page through the runs that wrote something, the newest first."""
        rows = self._db.execute(
            """SELECT run.id, run.kind, run.began_at, run.ended_at,
                      count(*), count(journal.undone_at), count(DISTINCT journal.scene_id)
               FROM run JOIN journal ON journal.run_id = run.id
               WHERE run.id IN (SELECT id FROM run AS older WHERE (?1 IS NULL OR older.id < ?1) AND EXISTS (
                         SELECT 1 FROM journal AS own WHERE own.run_id = older.id) ORDER BY older.id DESC LIMIT ?2)
               GROUP BY run.id ORDER BY run.id DESC""",
            (before, limit),
        )
        return [RunSummary(Run(*row[:4]), *row[4:]) for row in rows]

    def last_metadata_run(self) -> int | None:
        """Give the newest run that wrote more than pictures, and has an entry of that not undone."""
        row = self._db.execute(
            "SELECT run_id FROM journal WHERE undone_at IS NULL AND kind <> 'picture' ORDER BY run_id DESC LIMIT 1"
        ).fetchone()
        return row[0] if row else None

    def items_to_undo(self, of: JournalSlice) -> dict[str, int]:
        """Count by server the items with something of this slice not undone."""
        where, values = _condition(of)
        rows = self._db.execute(
            f"SELECT machine, count(DISTINCT rating_key) FROM journal WHERE {where} GROUP BY machine", values
        )
        return dict(rows)

    def keys_to_undo(self, of: JournalSlice, machine: str, after_key: int, limit: int) -> list[int]:
        """Page through those items of one server, by key."""
        where, values = _condition(of)
        rows = self._db.execute(
            f"""SELECT DISTINCT rating_key FROM journal
                WHERE {where} AND machine = ? AND rating_key > ? ORDER BY rating_key LIMIT ?""",
            (*values, machine, after_key, limit),
        )
        return [key for (key,) in rows]

    def entries_of_items(self, rating_keys: Iterable[int], machine: str) -> list[JournalEntry]:
        """List all that was written to these items and not undone, the newest first."""
        rows = self._db.execute(
            f"""SELECT {_COLUMNS} FROM journal WHERE undone_at IS NULL AND machine = ?
                AND rating_key IN (SELECT value FROM json_each(?)) ORDER BY id DESC""",
            (machine, json.dumps(list(rating_keys))),
        )
        return [_entry(row) for row in rows]

    def mark_undone(self, entry_ids: Iterable[int], now: float) -> None:
        self._db.executemany(
            "UPDATE journal SET undone_at = ? WHERE id = ? AND undone_at IS NULL",
            [(now, entry_id) for entry_id in entry_ids],
        )


def _condition(of: JournalSlice) -> tuple[str, list[int]]:
    """Spell out a slice of what is not undone, and only what it asks for, so that an index can serve it."""
    wanted = (("run_id >= ?", of.first_run), ("run_id <= ?", of.last_run), ("scene_id = ?", of.scene_id))
    given = {condition: value for condition, value in wanted if value is not None}
    return " AND ".join(["undone_at IS NULL", *given]), list(given.values())


def _written(entry: JournalEntry) -> tuple[object, ...]:
    return (
        entry.field,
        entry.kind,
        json.dumps(entry.old),
        json.dumps(entry.new),
        entry.old_locked,
        entry.was_ours,
    )


def _entry(row: tuple[Any, ...]) -> JournalEntry:
    entry_id, run_id, scene_id, rating_key, machine, at, undone_at = row[6:]
    return replace(
        entry_from_json(row[:6]),
        id=entry_id,
        run_id=run_id,
        scene_id=scene_id,
        rating_key=rating_key,
        machine=machine,
        at=at,
        undone_at=undone_at,
    )


def _value(text: str) -> Value:
    value: str | list[str] = json.loads(text)
    return value if isinstance(value, str) else tuple(value)


def entry_to_json(entry: JournalEntry) -> list[object]:
    """Give what its writer said of an entry, for the time before it is in the journal."""
    return list(_written(entry))


def entry_from_json(raw: Sequence[Any]) -> JournalEntry:
    field, kind, old, new, old_locked, was_ours = raw
    return JournalEntry(
        field=field,
        kind=kind,
        old=_value(old),
        new=_value(new),
        old_locked=bool(old_locked),
        was_ours=bool(was_ours),
    )
