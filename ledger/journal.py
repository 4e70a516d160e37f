"""The journal: every value written with the one it replaced, by run, and when it was undone.

A row is a write: all values that were written to one item at once. Room matters here, for nothing else of ours grows
with every edit; so its values are packed, and an item's older writes are folded into one (`fold`).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ledger.database.connection import Database
from ledger.database.packed import pack, unpack
from ledger.database.servers import OF_SERVER, server_number
from ledger.records import JournalEntry, JournalSlice, JournalWrite, Run, RunSummary, Value

UNDONE_KEPT_SECONDS = 90 * 86400.0
_MOST_ENTRIES = 1024  # of a write: an entry's number is made of the write's and its place there
_WRITES = """SELECT journal.id, run_id, scene_id, item_id, server_id, at, entries
             FROM journal JOIN server ON server.number = journal.server"""


class Journal:
    """Runs and their entries."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def begin_run(self, kind: str, now: float) -> int:
        query = "INSERT INTO run (kind, began_at) VALUES (?, ?) RETURNING id"
        return int(self._db.write_returning(query, kind, now)[0][0])

    def end_run(self, run_id: int, now: float) -> None:
        """End a run; what was undone long ago is forgotten."""
        with self._db.writing():
            self._db.write("UPDATE run SET ended_at = ? WHERE id = ? AND ended_at IS NULL", now, run_id)
            self._db.write("DELETE FROM journal WHERE undone_at < ?", now - UNDONE_KEPT_SECONDS)

    def has_run(self, run_id: int) -> bool:
        return self._db.row("SELECT 1 FROM run WHERE id = ?", run_id) is not None

    def last_run(self) -> Run | None:
        """Give the newest run that has an entry not undone."""
        row = self._last_run("TRUE")
        return Run(*row) if row else None

    def _last_run(self, condition: str) -> Sequence[Any] | None:
        return self._db.row(
            f"""SELECT id, kind, began_at, ended_at FROM run WHERE {condition} AND EXISTS (
                    SELECT 1 FROM journal WHERE journal.run_id = run.id AND undone_at IS NULL)
                ORDER BY id DESC LIMIT 1"""
        )

    def write(
        self,
        entries: Sequence[JournalEntry],
        *,
        run_id: int,
        scene_id: int,
        item_id: str,
        server_id: str,
        now: float,
    ) -> None:
        if entries:
            self._db.write(
                """INSERT INTO journal (run_id, scene_id, item_id, server, at, entries, written)
                   VALUES (?, ?, ?, ?, ?, ?, ?)""",
                run_id,
                scene_id,
                item_id,
                server_number(self._db, server_id),
                now,
                _packed(entries),
                len(entries),
            )

    def entries(
        self, run_id: int | None = None, scene_id: int | None = None, *, undone: bool = False
    ) -> list[JournalEntry]:
        """List what was written and not undone, or what was undone; the newest first."""
        state = "undone > 0" if undone else "undone_at IS NULL"
        found = self._entries({"run_id =": run_id, "scene_id =": scene_id}, also=state)
        return [entry for entry in found if (entry.undone_at is not None) == undone]

    def history(
        self, limit: int, before: int | None = None, run_id: int | None = None, scene_id: int | None = None
    ) -> list[JournalEntry]:
        """Page through all, undone or not, the newest first."""
        last = before // _MOST_ENTRIES if before is not None else None
        wanted = {"run_id =": run_id, "scene_id =": scene_id, "journal.id <=": last}
        found = self._entries(wanted, limit=limit + 1)  # the first of them may be on the page before
        return [entry for entry in found if before is None or entry.id < before][:limit]

    def _entries(
        self, conditions: Mapping[str, int | None], *, also: str = "TRUE", limit: int = -1
    ) -> Iterator[JournalEntry]:
        given = {condition: value for condition, value in conditions.items() if value is not None}
        where = " AND ".join([also, *(f"{condition} ?" for condition in given)])
        query = f"{_WRITES} WHERE {where} ORDER BY journal.id DESC LIMIT ?"
        for row in self._db.rows(query, *given.values(), limit):
            yield from reversed(_unpacked(row))

    def runs(self, limit: int, before: int | None = None) -> list[RunSummary]:
        """Page through the runs that wrote something, the newest first."""
        rows = self._db.rows(
            """SELECT run.id, run.kind, run.began_at, run.ended_at,
                      sum(journal.written), sum(journal.undone), count(DISTINCT journal.scene_id)
               FROM run JOIN journal ON journal.run_id = run.id
               WHERE run.id IN (SELECT id FROM run AS older WHERE (?1 IS NULL OR older.id < ?1) AND EXISTS (
                         SELECT 1 FROM journal AS own WHERE own.run_id = older.id) ORDER BY older.id DESC LIMIT ?2)
               GROUP BY run.id ORDER BY run.id DESC""",
            before,
            limit,
        )
        return [RunSummary(Run(*row[:4]), *row[4:]) for row in rows]

    def last_metadata_run(self) -> int:
        """Return the newest run that wrote more than pictures and has an entry not undone; 0 if there is none."""
        row = self._last_run("kind <> 'pictures'")
        return row[0] if row else 0

    def last_slice(self) -> JournalSlice | None:
        """Return what a person calls the last run: the newest of metadata and the picture runs that began since.

        Pictures have a lane, and so runs, of their own. Where only pictures are left, it is the last run of those.
        """
        with self._db.reading():
            last = self.last_run()
            return JournalSlice(first_run=self.last_metadata_run() or last.id) if last else None

    def pictures_given(self, item_id: str, server_id: str, kind: str) -> set[str]:
        """Return the keys of our pictures on this item, whichever scene they were of, that were not undone."""
        return {str(one.new) for one in self.entries_of_items([item_id], server_id) if one.field == kind}

    def items_to_undo(self, of: JournalSlice) -> dict[str, int]:
        """Count by server the items with something of this slice not undone."""
        where, values = _condition(of)
        rows = self._db.rows(
            f"""SELECT server_id, count(DISTINCT item_id) FROM journal JOIN server ON server.number = server
                WHERE {where} GROUP BY server""",
            *values,
        )
        return dict(rows)

    def keys_to_undo(self, of: JournalSlice, server_id: str, after_key: str, limit: int) -> list[str]:
        """Page through those items of one server, by key."""
        where, values = _condition(of)
        rows = self._db.rows(
            f"""SELECT DISTINCT item_id FROM journal
                WHERE {where} AND {OF_SERVER} AND item_id > ?
                ORDER BY item_id LIMIT ?""",
            *values,
            server_id,
            after_key,
            limit,
        )
        return [key for (key,) in rows]

    def entries_of_items(self, item_ids: Iterable[str], server_id: str) -> list[JournalEntry]:
        """List all that was written to these items and not undone, the newest first."""
        rows = self._db.rows(
            f"""{_WRITES} WHERE undone_at IS NULL AND {OF_SERVER}
                AND item_id IN (SELECT value FROM json_each(?)) ORDER BY journal.id DESC""",
            server_id,
            json.dumps(list(item_ids)),
        )
        return [entry for row in rows for entry in reversed(_unpacked(row)) if entry.undone_at is None]

    def mark_undone(self, entry_ids: Iterable[int], now: float) -> None:
        places: dict[int, set[int]] = {}
        for entry_id in entry_ids:
            places.setdefault(entry_id // _MOST_ENTRIES, set()).add(entry_id)
        with self._db.writing():
            for write_id, ids in places.items():
                self._mark_undone(write_id, ids, now)

    def _mark_undone(self, write_id: int, entry_ids: set[int], now: float) -> None:
        entries = [
            replace(one, undone_at=now) if one.id in entry_ids and one.undone_at is None else one
            for row in self._db.rows(f"{_WRITES} WHERE journal.id = ?", write_id)
            for one in _unpacked(row)
        ]
        undone = sum(one.undone_at is not None for one in entries)
        self._db.write(
            "UPDATE journal SET entries = ?, undone = ?, undone_at = ? WHERE id = ?",
            _packed(entries),
            undone,
            now if undone == len(entries) else None,
            write_id,
        )

    # --- folding ------------------------------------------------------------------------------------------------

    def long_histories(self, item_ids: Iterable[str], server_id: str, most: int) -> list[str]:
        """Name those of the items that have been written to more often than this, not counting what was undone."""
        rows = self._db.rows(
            f"""SELECT item_id FROM journal
               WHERE undone_at IS NULL AND {OF_SERVER}
               AND item_id IN (SELECT value FROM json_each(?)) GROUP BY item_id HAVING count(*) > ?""",
            server_id,
            json.dumps(list(item_ids)),
            most,
        )
        return [key for (key,) in rows]

    def writes_of(self, item_id: str, server_id: str) -> list[JournalWrite]:
        """List the writes to an item of which something is not undone, the oldest first, with those entries."""
        writes: dict[int, list[JournalEntry]] = {}
        for entry in reversed(self.entries_of_items([item_id], server_id)):
            writes.setdefault(entry.id // _MOST_ENTRIES, []).append(entry)
        return [JournalWrite(write_id, tuple(entries)) for write_id, entries in writes.items()]

    def fold(self, writes: Sequence[JournalWrite], entries: Sequence[JournalEntry]) -> None:
        """Replace all these writes of one item by one, in the place of the oldest, that holds these entries."""
        first, *others = [one.id for one in writes]
        with self._db.writing():
            self._db.write(
                "UPDATE journal SET entries = ?, written = ?, undone = 0 WHERE id = ?",
                _packed(entries),
                len(entries),
                first,
            )
            self._db.write_many("DELETE FROM journal WHERE id = ?", [(one,) for one in others])


def _condition(of: JournalSlice) -> tuple[str, list[int | str]]:
    """Spell out a slice of what is not undone, and only what it asks for, so that an index can serve it."""
    writes = None if of.entry_ids is None else json.dumps(sorted({one // _MOST_ENTRIES for one in of.entry_ids}))
    wanted = (
        ("run_id >= ?", of.first_run),
        ("run_id <= ?", of.last_run),
        ("scene_id = ?", of.scene_id),
        ("journal.id IN (SELECT value FROM json_each(?))", writes),
    )
    given = {condition: value for condition, value in wanted if value is not None}
    return " AND ".join(["undone_at IS NULL", *given]), list(given.values())


def _packed(entries: Iterable[JournalEntry]) -> bytes:
    return pack(
        [
            [entry.field, entry.kind, entry.old, entry.new, entry.old_locked, entry.was_ours, entry.undone_at]
            for entry in entries
        ]
    )


def _unpacked(row: Sequence[Any]) -> list[JournalEntry]:
    """Read a write; of one that is damaged nothing is known any more."""
    write_id, run_id, scene_id, item_id, server_id, at, entries = row
    try:
        return [
            JournalEntry(
                field=field,
                kind=kind,
                old=_value(old),
                new=_value(new),
                old_locked=bool(old_locked),
                was_ours=bool(was_ours),
                id=write_id * _MOST_ENTRIES + place,
                run_id=run_id,
                scene_id=scene_id,
                item_id=item_id,
                server_id=server_id,
                at=at,
                undone_at=undone_at,
            )
            for place, (field, kind, old, new, old_locked, was_ours, undone_at) in enumerate(unpack(entries))
        ]
    except (ValueError, TypeError):
        return []


def _value(raw: str | list[str]) -> Value:
    return raw if isinstance(raw, str) else tuple(raw)


def entry_to_json(entry: JournalEntry) -> list[object]:
    """Give what its writer said of an entry, for the time before it is in the journal."""
    return [entry.field, entry.kind, json.dumps(entry.old), json.dumps(entry.new), entry.old_locked, entry.was_ours]


def entry_from_json(raw: Sequence[Any]) -> JournalEntry:
    field, kind, old, new, old_locked, was_ours = raw
    return JournalEntry(
        field=field,
        kind=kind,
        old=_value(json.loads(old)),
        new=_value(json.loads(new)),
        old_locked=bool(old_locked),
        was_ours=bool(was_ours),
    )
