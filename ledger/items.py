"""Items in the ledger: what was written to each, whose it is, and which were left behind."""

import json
import sqlite3
from collections.abc import Iterable, Sequence

from ledger.baseline import Baseline
from ledger.records import ItemRecord, ItemSync, ItemTrace
from ledger.servers import OF_SERVER

# The path index, which shares the file, says which items of the server are there.
_TRACES = """
    SELECT item.item_id, item.path, item.scene_id, item.left_at, item.data, EXISTS (
        SELECT 1 FROM item_file WHERE item_file.item_id = item.item_id
        AND server.server_id IN (SELECT server_id FROM library_walk))
    FROM item_baseline AS item JOIN server ON server.number = item.server
"""
_LEFT = "(left_at IS NOT NULL OR NOT EXISTS (SELECT 1 FROM scene WHERE scene.scene_id = item.scene_id))"


class Items:
    """One row an item. Writers want a transaction; what asks for traces wants the path index to be there."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def of_scene(self, scene_id: int, server_id: str) -> list[str]:
        query = f"""SELECT item_id FROM item_baseline
            WHERE scene_id = ? AND {OF_SERVER} AND left_at IS NULL ORDER BY item_id"""
        return [key for (key,) in self._db.execute(query, (scene_id, server_id))]

    def of_scenes(self, scene_ids: Iterable[int], server_id: str) -> dict[int, list[tuple[str, str]]]:
        """Find by scene its items, each with the file by which it is known."""
        rows = self._db.execute(
            f"""SELECT scene_id, item_id, path FROM item_baseline
               WHERE scene_id IN (SELECT value FROM json_each(?)) AND {OF_SERVER} AND left_at IS NULL
               ORDER BY item_id""",
            (json.dumps(list(scene_ids)), server_id),
        )
        found: dict[int, list[tuple[str, str]]] = {}
        for scene_id, item_id, path in rows:
            found.setdefault(scene_id, []).append((item_id, path))
        return found

    def leave_others(self, syncs: Sequence[ItemSync], now: float) -> None:
        """Note which items are no more those of scenes that are synced now."""
        items: dict[tuple[int, str], list[str]] = {}
        for one in syncs:
            items.setdefault((one.scene_id, one.server_id), []).append(one.item_id)
        self._db.executemany(
            f"""UPDATE item_baseline SET left_at = ? WHERE scene_id = ? AND {OF_SERVER} AND left_at IS NULL
               AND item_id NOT IN (SELECT value FROM json_each(?))""",
            [
                (now, one.scene_id, one.server_id, json.dumps(items[one.scene_id, one.server_id]))
                for one in syncs
                if one.is_main
            ],
        )

    def left_of(self, scene_ids: Iterable[int], server_id: str) -> dict[int, list[ItemRecord]]:
        rows = self._db.execute(
            f"""SELECT scene_id, item_id, path, data, at, left_at FROM item_baseline
               WHERE scene_id IN (SELECT value FROM json_each(?)) AND {OF_SERVER} AND left_at IS NOT NULL""",
            (json.dumps(list(scene_ids)), server_id),
        )
        found: dict[int, list[ItemRecord]] = {}
        for scene_id, key, path, data, at, left_at in rows:
            item = ItemRecord(key, server_id, path, Baseline.from_json(data), at, left_at)
            found.setdefault(scene_id, []).append(item)
        return found

    def scenes_that_left(self, server_id: str) -> set[int]:
        query = f"SELECT scene_id FROM item_baseline WHERE left_at IS NOT NULL AND {OF_SERVER}"
        return {scene_id for (scene_id,) in self._db.execute(query, (server_id,))}

    def release(self, item_id: str, server_id: str) -> None:
        """Note that an item which was left is nobody's."""
        self._db.execute(
            f"""UPDATE item_baseline SET scene_id = 0, left_at = NULL
               WHERE item_id = ? AND {OF_SERVER} AND left_at IS NOT NULL""",
            (item_id, server_id),
        )

    def traces(self, scene_id: int) -> list[ItemTrace]:
        """Find the items that were ever written for a scene."""
        return self._traces(
            """WHERE (item_id, server) IN (
                   SELECT item_id, server FROM item_baseline WHERE scene_id = ?1
                   UNION SELECT item_id, server FROM journal WHERE scene_id = ?1) ORDER BY item_id""",
            scene_id,
        )

    def left(self, after_id: int, limit: int) -> list[ItemTrace]:
        """Page by scene through what is still shown of scenes that are gone, or that have moved to other items."""
        found = self._traces(f"WHERE item.scene_id > ? AND {_LEFT} ORDER BY item.scene_id, item_id", after_id)
        left = [one for one in found if one.shows_ours]
        last = left[limit - 1].scene_id if len(left) > limit else None
        return [one for one in left if last is None or one.scene_id <= last]

    def _traces(self, where: str, *values: object) -> list[ItemTrace]:
        if self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'library_walk'").fetchone() is None:
            return []
        rows = self._db.execute(f"{_TRACES} {where}", values)
        return [
            ItemTrace(*trace, shows_ours=bool(is_there) and Baseline.from_json(data) != Baseline())
            for *trace, data, is_there in rows
        ]
