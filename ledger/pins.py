"""Pins: which item a person chose for a scene."""

import json
from collections.abc import Iterable, Mapping, Sequence

from ledger.database.connection import Database
from ledger.records import Pin
from ledger.scenes import Scenes
from model.scene import SceneFile

_AMONG = "scene_id IN (SELECT value FROM json_each(?))"  # one statement for any number


class Pins:
    """At most one for a scene, and one for an item."""

    def __init__(self, db: Database, scenes: Scenes) -> None:
        self._db = db
        self._scenes = scenes

    def set(self, scene_id: int, item_id: str, server_id: str) -> int | None:
        """Pin a scene to an item; the next sweep queues it. Return the scene that was pinned to that item before."""
        with self._db.writing():
            others = self._db.write_returning(
                "DELETE FROM pin WHERE item_id = ? AND server_id = ? AND scene_id <> ? RETURNING scene_id",
                item_id,
                server_id,
                scene_id,
            )
            self._db.write(
                "INSERT OR REPLACE INTO pin (scene_id, item_id, server_id) VALUES (?, ?, ?)",
                scene_id,
                item_id,
                server_id,
            )
            self._scenes.mark_stale(scene_id)
        return others[0][0] if others else None

    def remove(self, scene_id: int) -> None:
        with self._db.writing():
            self._db.write("DELETE FROM pin WHERE scene_id = ?", scene_id)
            self._scenes.mark_stale(scene_id)

    def of(self, scene_ids: Iterable[int], server_id: str | None = None) -> dict[int, str]:
        """Find by scene the item that a person chose on this server, or on any."""
        query = f"SELECT scene_id, item_id FROM pin WHERE {_AMONG} AND server_id = coalesce(?, server_id)"
        return dict(self._db.rows(query, json.dumps(list(scene_ids)), server_id))

    def of_files(self, files: Mapping[int, Sequence[SceneFile]], server_id: str) -> dict[int, str]:
        """Find by scene the item that a person chose, where the scene still has the file it had then.

        That file may have been moved, renamed or encoded anew; in another database the same number is another scene.
        How the file is called now is noted.
        """
        query = f"SELECT scene_id, item_id, path, size FROM pin WHERE {_AMONG} AND server_id = ?"
        found = [Pin(*row) for row in self._db.rows(query, json.dumps(list(files)), server_id)]
        pins = [pin for pin in found if pin.is_of(files[pin.scene_id])]
        if moved := [new for pin in pins if (new := pin.with_file(files[pin.scene_id])) != pin]:
            self._db.write_many(
                "UPDATE pin SET path = ?, size = ? WHERE scene_id = ?",
                [(one.path, one.size, one.scene_id) for one in moved],
            )
        return {pin.scene_id: pin.item_id for pin in pins}
