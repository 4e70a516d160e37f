"""Unfinished writes: each is announced before it is sent, and dropped when it is recorded.

One that is found later was under way when a process died or an answer was lost: only the item tells if it arrived.
"""

import json
from collections.abc import Iterable, Sequence

from ledger.baseline import Baseline
from ledger.database.connection import Database
from ledger.journal import entry_from_json, entry_to_json
from ledger.records import ItemSync, UndoneItem, UnfinishedWrite


class UnfinishedWrites:
    """At most one for an item."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def announce(self, syncs: Iterable[ItemSync]) -> None:
        """Store what is about to be sent. An older one of the same item must have been resolved before."""
        self._db.write_many(
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

    def drop(self, finished: Iterable[ItemSync | UndoneItem]) -> None:
        self._db.write_many(
            "DELETE FROM intent WHERE item_id = ? AND server_id = ?",
            [(one.item_id, one.server_id) for one in finished],
        )

    def of_items(self, item_ids: Sequence[str], server_id: str) -> dict[str, UnfinishedWrite]:
        """Find by item what was under way when a process ended or an answer was lost."""
        rows = self._db.rows(
            """SELECT item_id, scene_id, path, baseline, entries FROM intent
               WHERE server_id = ? AND item_id IN (SELECT value FROM json_each(?))""",
            server_id,
            json.dumps(item_ids),
        )
        return {
            key: UnfinishedWrite(
                scene_id, path, Baseline.from_json(baseline), tuple(map(entry_from_json, json.loads(entries)))
            )
            for key, scene_id, path, baseline, entries in rows
        }

    def scenes(self) -> set[int]:
        """Return the scenes for which a write was under way, so that their record may not hold."""
        return {scene_id for (scene_id,) in self._db.rows("SELECT scene_id FROM intent")}
