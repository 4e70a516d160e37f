"""Scenes in the ledger: where each stands, why, which item it was last synced to, and which a person chose for it."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ledger.baseline import Baseline
from ledger.ledger_file import HOLDING
from ledger.records import ItemSync, SceneRecord
from ledger.states import SceneState

_SCENES = """
    SELECT scene_id, state, sentence, fingerprint, rating_key, machine, scene.path, recorded_at, synced_at, data
    FROM scene LEFT JOIN item_baseline USING (rating_key, machine)
"""
_AMONG = "scene_id IN (SELECT value FROM json_each(?))"  # one statement for any number


class Scenes:
    """One row a scene. Writers want a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def of(self, ids: Iterable[int]) -> dict[int, SceneRecord]:
        """Find those of the scenes that are known."""
        rows = self._db.execute(f"{_SCENES} WHERE {_AMONG}", (json.dumps(list(ids)),))
        return {row[0]: _scene(row) for row in rows}

    def by_state(self, state: SceneState | None, limit: int, after_id: int) -> list[SceneRecord]:
        condition, wanted = ("state = ? AND", [state]) if state else ("", [])
        query = f"{_SCENES} WHERE {condition} scene_id > ? ORDER BY scene_id LIMIT ?"
        return [_scene(row) for row in self._db.execute(query, (*wanted, after_id, limit))]

    def judged(self, after_id: int, up_to_id: int, limit: int) -> list[tuple[Any, ...]]:
        """Page by id through state, fingerprint, server and time."""
        return self._db.execute(
            """SELECT scene_id, state, fingerprint, machine, recorded_at FROM scene
               WHERE scene_id > ? AND scene_id <= ? ORDER BY scene_id LIMIT ?""",
            (after_id, up_to_id, limit),
        ).fetchall()

    def holder_of(self, rating_key: int, machine: str) -> int | None:
        query = f"SELECT min(scene_id) FROM scene WHERE rating_key = ? AND machine = ? AND {HOLDING}"
        return self._db.execute(query, (rating_key, machine)).fetchone()[0]

    def counts(self) -> dict[SceneState, int]:
        found: Mapping[str, int] = dict(self._db.execute("SELECT state, count(*) FROM scene GROUP BY state").fetchall())
        return {state: found.get(state, 0) for state in SceneState}

    def write_synced(self, syncs: Sequence[ItemSync], now: float) -> None:
        self._db.executemany(
            """INSERT INTO scene VALUES (?1, 'synced', '', ?2, ?3, ?4, ?5, ?6, ?6)
               ON CONFLICT (scene_id) DO UPDATE SET state = 'synced', sentence = '', fingerprint = ?2,
                   rating_key = ?3, machine = ?4, path = ?5, recorded_at = ?6, synced_at = ?6""",
            [(one.scene_id, one.fingerprint, one.rating_key, one.machine, one.path, now) for one in syncs],
        )

    def write_state(self, scene_id: int, state: SceneState, sentence: str, now: float, fingerprint: str) -> None:
        self._db.execute(
            """INSERT INTO scene (scene_id, state, sentence, recorded_at, fingerprint) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (scene_id) DO UPDATE SET state = ?2, sentence = ?3, recorded_at = ?4, fingerprint = ?5""",
            (scene_id, state, sentence, now, fingerprint),
        )

    def write_undone(self, scene: SceneRecord, sentence: str, now: float) -> bool:
        """Note that it was taken back; False if somebody has recorded something else since it was read."""
        return bool(
            self._db.execute(
                """UPDATE scene SET state = 'undone', sentence = ?, fingerprint = ?, recorded_at = ?
                   WHERE scene_id = ? AND recorded_at = ?""",
                (sentence, scene.fingerprint, now, scene.scene_id, scene.recorded_at),
            ).rowcount
        )

    def look_again(self, scene_id: int) -> None:
        """Let the next sweep look at it, whatever it was judged by."""
        self._db.execute("UPDATE scene SET fingerprint = '' WHERE scene_id = ?", (scene_id,))

    def look_again_where_item_is_gone(self, machine: str) -> None:
        """Let the next sweep look at those synced to an item that the path index, which shares the file, lacks."""
        self._db.execute(
            """UPDATE scene SET fingerprint = '' WHERE state = 'synced' AND machine = ? AND NOT EXISTS (
                   SELECT 1 FROM plex_part WHERE plex_part.rating_key = scene.rating_key)""",
            (machine,),
        )

    def forget(self, scene_id: int) -> None:
        for table in ("scene", "pin", "picture"):
            self._db.execute(f"DELETE FROM {table} WHERE scene_id = ?", (scene_id,))

    # --- pins: what a person settled ----------------------------------------------------------------------------

    def pin(self, scene_id: int, rating_key: int, machine: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO pin VALUES (?, ?, ?)", (scene_id, rating_key, machine))
        self.look_again(scene_id)

    def unpin(self, scene_id: int) -> None:
        self._db.execute("DELETE FROM pin WHERE scene_id = ?", (scene_id,))
        self.look_again(scene_id)

    def pinned(self, ids: Iterable[int], machine: str | None) -> dict[int, int]:
        query = f"SELECT scene_id, rating_key FROM pin WHERE {_AMONG} AND machine = coalesce(?, machine)"
        return dict(self._db.execute(query, (json.dumps(list(ids)), machine)).fetchall())


def _scene(row: tuple[Any, ...]) -> SceneRecord:
    return SceneRecord(row[0], SceneState(row[1]), *row[2:9], baseline=Baseline.from_json(row[9] or ""))
