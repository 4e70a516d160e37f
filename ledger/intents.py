"""Intents: what is about to be written, kept until it is recorded, so that a death in between is not forgetfulness.

A leftover says that a write was under way. Whether it arrived, only the item can tell.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence

from ledger.baseline import Baseline
from ledger.journal import entry_from_json, entry_to_json
from ledger.records import Intent, ItemSync, UndoneItem


class Intents:
    """At most one for an item. Writers want a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def write(self, syncs: Iterable[ItemSync]) -> None:
        self._db.executemany(
            "INSERT OR REPLACE INTO intent VALUES (?, ?, ?, ?, ?, ?)",
            [
                (
                    sync.item_id,
                    sync.server_id,
                    sync.scene_id,
                    sync.path,
                    sync.baseline.to_json(),
                    json.dumps([entry_to_json(entry) for entry in sync.entries]),
                )
                for sync in syncs
            ],
        )

    def drop(self, settled: Iterable[ItemSync | UndoneItem]) -> None:
        self._db.executemany(
            "DELETE FROM intent WHERE item_id = ? AND server_id = ?",
            [(one.item_id, one.server_id) for one in settled],
        )

    def of_items(self, item_ids: Sequence[str], server_id: str) -> dict[str, Intent]:
        rows = self._db.execute(
            """SELECT item_id, scene_id, path, baseline, entries FROM intent
               WHERE server_id = ? AND item_id IN (SELECT value FROM json_each(?))""",
            (server_id, json.dumps(item_ids)),
        ).fetchall()
        return {
            key: Intent(scene_id, path, Baseline.from_json(baseline), tuple(map(entry_from_json, json.loads(entries))))
            for key, scene_id, path, baseline, entries in rows
        }

    def scenes(self) -> set[int]:
        """Name the scenes that something was under way for: a batch at most, and what Plex refused since."""
        return {scene_id for (scene_id,) in self._db.execute("SELECT scene_id FROM intent")}
