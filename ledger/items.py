"""Items in the ledger: what was written to each, whose it is, and which were left behind."""

import json
from collections.abc import Iterable, Sequence

from ledger.baseline import Baseline
from ledger.database.connection import Database
from ledger.database.servers import OF_SERVER, server_number
from ledger.records import ItemRecord, ItemSync, UndoneItem, WrittenItem
from ledger.states import SceneState

GIVEN_UP = 0.0  # when an item was left of which a picture, which the server cannot unset, is all that still shows

# The path index, which shares the file, says which items of the server are there.
_WRITTEN = """
    SELECT item.item_id, item.path, item.scene_id, item.left_at, scene.state, item.data, EXISTS (
        SELECT 1 FROM item_file WHERE item_file.item_id = item.item_id
        AND server.server_id IN (SELECT server_id FROM library_walk))
    FROM item_baseline AS item JOIN server ON server.number = item.server
    LEFT JOIN scene ON scene.scene_id = item.scene_id
"""
# Of a scene without an item, the one it had may be its own again: a file is renamed, and not read yet.
_LEFT = """(left_at IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM scene WHERE scene.scene_id = item.scene_id AND state NOT IN ('waiting', 'ambiguous')))"""


class Items:
    """One row an item, whichever scene it was written for."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, item_id: str, server_id: str) -> ItemRecord | None:
        return self.of([item_id], server_id).get(item_id)

    def of(self, item_ids: Iterable[str], server_id: str) -> dict[str, ItemRecord]:
        """Find those of a server's items that we have written to."""
        rows = self._db.rows(
            f"""SELECT item_id, path, data, at FROM item_baseline
               WHERE {OF_SERVER} AND item_id IN (SELECT value FROM json_each(?))""",
            server_id,
            json.dumps(list(item_ids)),
        )
        return {key: ItemRecord(key, server_id, path, Baseline.from_json(data), at) for key, path, data, at in rows}

    def write(self, syncs: Sequence[ItemSync], now: float) -> None:
        """Record whose these items are now, and what on them is ours."""
        self._db.write_many(
            "INSERT OR REPLACE INTO item_baseline VALUES (?, ?, ?, ?, ?, ?, NULL)",
            [
                (
                    one.item_id,
                    server_number(self._db, one.server_id),
                    one.path,
                    one.baseline.packed(),
                    now,
                    one.scene_id,
                )
                for one in syncs
            ],
        )

    def write_shown(self, seen: Sequence[tuple[ItemSync, Baseline]]) -> None:
        """Record what the server made of what was written, unless the item was written again since."""
        if seen:
            self._db.write_many(
                f"UPDATE item_baseline SET data = ? WHERE item_id = ? AND {OF_SERVER} AND data = ?",
                [(now.packed(), one.item_id, one.server_id, one.baseline.packed()) for one, now in seen],
            )

    def unread(self, since: float) -> list[ItemRecord]:
        """Find the items that were written since then and not read back."""
        rows = self._db.rows(
            """SELECT item_id, server_id, path, data, at FROM item_baseline JOIN server ON server.number = server
               WHERE at >= ? ORDER BY at""",
            since,
        )
        items = [
            ItemRecord(key, server_id, path, Baseline.from_json(data), at) for key, server_id, path, data, at in rows
        ]
        return [item for item in items if item.baseline.unread]

    def write_undone(self, undone: UndoneItem, now: float) -> None:
        """Record what is ours after an undo, unless the item was written again since it was read."""
        if undone.item is not None:
            self._db.write(
                f"UPDATE item_baseline SET data = ?, at = ? WHERE item_id = ? AND {OF_SERVER} AND at = ?",
                undone.baseline.packed(),
                now,
                undone.item_id,
                undone.server_id,
                undone.item.at,
            )

    def of_scene(self, scene_id: int, server_id: str) -> list[str]:
        """Return the items that a scene was synced to last."""
        query = f"""SELECT item_id FROM item_baseline
            WHERE scene_id = ? AND {OF_SERVER} AND left_at IS NULL ORDER BY item_id"""
        return [key for (key,) in self._db.rows(query, scene_id, server_id)]

    def of_scenes(self, scene_ids: Iterable[int], server_id: str) -> dict[int, list[tuple[str, str]]]:
        """Find by scene the items that it was synced to last, each with the file by which it is known."""
        rows = self._db.rows(
            f"""SELECT scene_id, item_id, path FROM item_baseline
               WHERE scene_id IN (SELECT value FROM json_each(?)) AND {OF_SERVER} AND left_at IS NULL
               ORDER BY item_id""",
            json.dumps(list(scene_ids)),
            server_id,
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
        self._db.write_many(
            f"""UPDATE item_baseline SET left_at = ? WHERE scene_id = ? AND {OF_SERVER} AND left_at IS NULL
               AND item_id NOT IN (SELECT value FROM json_each(?))""",
            [
                (now, one.scene_id, one.server_id, json.dumps(items[one.scene_id, one.server_id]))
                for one in syncs
                if one.is_main
            ],
        )

    def left_of(self, scene_ids: Iterable[int], server_id: str) -> dict[int, list[ItemRecord]]:
        """Find by scene the items that it has left, that no other scene has taken, and that were not given up."""
        rows = self._db.rows(
            f"""SELECT scene_id, item_id, path, data, at, left_at FROM item_baseline
               WHERE scene_id IN (SELECT value FROM json_each(?)) AND {OF_SERVER} AND left_at > {GIVEN_UP}""",
            json.dumps(list(scene_ids)),
            server_id,
        )
        found: dict[int, list[ItemRecord]] = {}
        for scene_id, key, path, data, at, left_at in rows:
            item = ItemRecord(key, server_id, path, Baseline.from_json(data), at, left_at)
            found.setdefault(scene_id, []).append(item)
        return found

    def scenes_that_left(self, server_id: str) -> set[int]:
        """Return the scenes that have left an item from which something may be taken back."""
        query = f"SELECT scene_id FROM item_baseline WHERE left_at > {GIVEN_UP} AND {OF_SERVER}"
        return {scene_id for (scene_id,) in self._db.rows(query, server_id)}

    def give_up_left(self, item_id: str, server_id: str) -> None:
        """Record that what still shows on an item which was left cannot be taken back; it stays named."""
        self._db.write(
            f"UPDATE item_baseline SET left_at = {GIVEN_UP} WHERE item_id = ? AND {OF_SERVER} AND left_at IS NOT NULL",
            item_id,
            server_id,
        )

    def release(self, item_id: str, server_id: str) -> None:
        """Record that an item which was left belongs to no scene, and has nothing to take back."""
        self._db.write(
            f"""UPDATE item_baseline SET scene_id = 0, left_at = NULL
               WHERE item_id = ? AND {OF_SERVER} AND left_at IS NOT NULL""",
            item_id,
            server_id,
        )

    def written_for(self, scene_id: int) -> list[WrittenItem]:
        """Find the items that were ever written for a scene."""
        return self._written(
            """WHERE (item.item_id, item.server) IN (
                   SELECT item_id, server FROM item_baseline WHERE scene_id = ?1
                   UNION SELECT item_id, server FROM journal WHERE scene_id = ?1) ORDER BY item.item_id""",
            scene_id,
        )

    def left(self, after_id: int, limit: int) -> list[WrittenItem]:
        """Page by scene through what is still shown of scenes that are gone, or that have moved to other items."""
        found = self._written(f"WHERE item.scene_id > ? AND {_LEFT} ORDER BY item.scene_id, item.item_id", after_id)
        left = [one for one in found if one.shows_ours]
        last = left[limit - 1].scene_id if len(left) > limit else None
        return [one for one in left if last is None or one.scene_id <= last]

    def _written(self, where: str, *values: object) -> list[WrittenItem]:
        if self._db.row("SELECT 1 FROM sqlite_master WHERE name = 'library_walk'") is None:
            return []
        rows = self._db.rows(f"{_WRITTEN} {where}", *values)
        return [
            WrittenItem(
                *item,
                scene_state=SceneState(state) if state else None,
                shows_ours=bool(is_there) and (item[-1] == GIVEN_UP or Baseline.from_json(data) != Baseline()),
            )
            for *item, state, data, is_there in rows
        ]
