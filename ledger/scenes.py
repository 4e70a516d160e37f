"""Scenes in the ledger: where each stands, why, which item it was last synced to, and which a person chose for it."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ledger.baseline import Baseline
from ledger.packed import lengthened, shortened
from ledger.records import ItemSync, Pin, SceneRecord
from ledger.schema import HOLDING
from ledger.servers import OF_SERVER, server_number
from ledger.states import SceneState

_SCENES = """
    SELECT scene.scene_id, state, sentence, fingerprint, item_id, server_id, scene.path, recorded_at, synced_at, data
    FROM scene JOIN server ON server.number = server LEFT JOIN item_baseline USING (item_id, server)
"""
_AMONG = "scene_id IN (SELECT value FROM json_each(?))"  # one statement for any number


class Scenes:
    """One row a scene. Writers want a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def of(self, ids: Iterable[int]) -> dict[int, SceneRecord]:
        """Find those of the scenes that are known."""
        rows = self._db.execute(f"{_SCENES} WHERE scene.{_AMONG}", (json.dumps(list(ids)),))
        return {row[0]: _scene(row) for row in rows}

    def by_state(
        self, state: SceneState | None, limit: int, after_id: int, *, with_sentence: bool
    ) -> list[SceneRecord]:
        condition, wanted = ("state = ? AND", [state]) if state else ("", [])
        condition += " sentence <> '' AND" if with_sentence else ""
        query = f"{_SCENES} WHERE {condition} scene.scene_id > ? ORDER BY scene.scene_id LIMIT ?"
        return [_scene(row) for row in self._db.execute(query, (*wanted, after_id, limit))]

    def judged(self, after_id: int, up_to_id: int, limit: int) -> list[tuple[Any, ...]]:
        """Page by id through state, fingerprint, server and time."""
        rows = self._db.execute(
            """SELECT scene_id, state, fingerprint, server_id, recorded_at
               FROM scene JOIN server ON server.number = server
               WHERE scene_id > ? AND scene_id <= ? ORDER BY scene_id LIMIT ?""",
            (after_id, up_to_id, limit),
        )
        return [(*row[:2], lengthened(row[2]), *row[3:]) for row in rows]

    def holders(self, item_ids: Iterable[str], server_id: str) -> dict[str, int]:
        query = f"""SELECT item.item_id, scene_id FROM item_baseline AS item JOIN scene USING (scene_id)
            WHERE item.{OF_SERVER} AND item.item_id IN (SELECT value FROM json_each(?)) AND {HOLDING}"""
        return dict(self._db.execute(query, (server_id, json.dumps(list(item_ids)))).fetchall())

    def counts(self) -> dict[SceneState, int]:
        found: Mapping[str, int] = dict(self._db.execute("SELECT state, count(*) FROM scene GROUP BY state").fetchall())
        return {state: found.get(state, 0) for state in SceneState}

    def write_synced(self, syncs: Sequence[ItemSync], now: float) -> None:
        self._db.executemany(
            """INSERT INTO scene
                   (scene_id, state, sentence, fingerprint, item_id, server, path, recorded_at, synced_at)
               VALUES (?1, 'synced', ?7, ?2, ?3, ?4, ?5, ?6, ?6)
               ON CONFLICT (scene_id) DO UPDATE SET state = 'synced', sentence = ?7, fingerprint = ?2,
                   item_id = ?3, server = ?4, path = ?5, recorded_at = ?6, synced_at = ?6""",
            [
                (
                    one.scene_id,
                    shortened(one.fingerprint),
                    one.item_id,
                    server_number(self._db, one.server_id),
                    one.path,
                    now,
                    one.kept,
                )
                for one in syncs
            ],
        )

    def write_state(self, scene_id: int, state: SceneState, sentence: str, now: float, fingerprint: str) -> None:
        self._db.execute(
            """INSERT INTO scene (scene_id, state, sentence, recorded_at, fingerprint) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (scene_id) DO UPDATE SET state = ?2, sentence = ?3, recorded_at = ?4, fingerprint = ?5""",
            (scene_id, state, sentence, now, shortened(fingerprint)),
        )

    def write_undone(self, scene: SceneRecord, sentence: str, now: float) -> bool:
        """Note that it was taken back; False if somebody has recorded something else since it was read."""
        return bool(
            self._db.execute(
                """UPDATE scene SET state = iif(state = 'ignored', state, 'undone'),
                   sentence = iif(state = 'ignored', sentence, ?), fingerprint = ?, recorded_at = ?
                   WHERE scene_id = ? AND recorded_at = ?""",
                (sentence, shortened(scene.fingerprint), now, scene.scene_id, scene.recorded_at),
            ).rowcount
        )

    def ignore(self, ids: Iterable[int], sentence: str, now: float) -> int:
        """Leave these scenes out; return how many were not left out before."""
        return self._db.executemany(
            """INSERT INTO scene (scene_id, state, sentence, recorded_at) VALUES (?1, 'ignored', ?2, ?3)
               ON CONFLICT (scene_id) DO UPDATE SET state = 'ignored', sentence = ?2, recorded_at = ?3
               WHERE state <> 'ignored'""",
            [(scene_id, sentence, now) for scene_id in ids],
        ).rowcount

    def unignore(self, ids: Iterable[int], now: float) -> int:
        """Leave them out no longer: they stand where a sync has to look at them; return how many were left out."""
        return self._db.executemany(
            """UPDATE scene SET state = iif(synced_at IS NULL, 'waiting', 'synced'), fingerprint = '', recorded_at = ?2,
                   sentence = iif(synced_at IS NULL, 'No longer left out; it has not been looked for yet.', '')
               WHERE scene_id = ?1 AND state = 'ignored'""",
            [(scene_id, now) for scene_id in ids],
        ).rowcount

    def look_again_at_others(self, syncs: Sequence[ItemSync]) -> None:
        """Let the next sweep look at scenes that count as synced to an item which is another's from now on."""
        self._db.executemany(
            """UPDATE scene SET fingerprint = '' WHERE state = 'synced' AND item_id = ?1 AND server = ?2
               AND scene_id = (SELECT scene_id FROM item_baseline WHERE item_id = ?1 AND server = ?2)
               AND scene_id <> ?3""",
            [(one.item_id, server_number(self._db, one.server_id), one.scene_id) for one in syncs],
        )

    def look_again_at_former(self, item_ids: Iterable[str], server_id: str) -> list[int]:
        """Let scenes be looked at that were on these items once, and now are nowhere; name them."""
        rows = self._db.execute(
            f"""UPDATE scene SET fingerprint = '' WHERE state IN ('ambiguous', 'waiting') AND {OF_SERVER}
               AND item_id IN (SELECT value FROM json_each(?)) RETURNING scene_id""",
            (server_id, json.dumps(list(item_ids))),
        )
        return [scene_id for (scene_id,) in rows.fetchall()]

    def look_again(self, scene_id: int) -> None:
        """Let the next sweep look at it, whatever it was judged by."""
        self._db.execute("UPDATE scene SET fingerprint = '' WHERE scene_id = ?", (scene_id,))

    def look_again_where_item_is_gone(self, server_id: str) -> int:
        """Let the next sweep look at those synced to an item that the path index, which shares the file, lacks."""
        return self._db.execute(
            f"""UPDATE scene SET fingerprint = '' WHERE state = 'synced' AND fingerprint <> '' AND {OF_SERVER}
                   AND NOT EXISTS (SELECT 1 FROM item_file WHERE item_file.item_id = scene.item_id)""",
            (server_id,),
        ).rowcount

    def forget(self, scene_id: int) -> None:
        """Forget all but what a person pinned: Stash may only have opened another database."""
        for table in ("scene", "picture", "picture_beside"):
            self._db.execute(f"DELETE FROM {table} WHERE scene_id = ?", (scene_id,))

    # --- pins: what a person settled ----------------------------------------------------------------------------

    def pin(self, scene_id: int, item_id: str, server_id: str) -> int | None:
        """Return the scene that was pinned to this item before, and is no more."""
        other = self._db.execute(
            "DELETE FROM pin WHERE item_id = ? AND server_id = ? AND scene_id <> ? RETURNING scene_id",
            (item_id, server_id, scene_id),
        ).fetchone()
        self._db.execute(
            "INSERT OR REPLACE INTO pin (scene_id, item_id, server_id) VALUES (?, ?, ?)",
            (scene_id, item_id, server_id),
        )
        self.look_again(scene_id)
        return other[0] if other else None

    def unpin(self, scene_id: int) -> None:
        self._db.execute("DELETE FROM pin WHERE scene_id = ?", (scene_id,))
        self.look_again(scene_id)

    def pinned(self, ids: Iterable[int], server_id: str | None) -> dict[int, str]:
        query = f"SELECT scene_id, item_id FROM pin WHERE {_AMONG} AND server_id = coalesce(?, server_id)"
        return dict(self._db.execute(query, (json.dumps(list(ids)), server_id)).fetchall())

    def pins(self, ids: Iterable[int], server_id: str) -> list[Pin]:
        query = f"SELECT scene_id, item_id, path, size FROM pin WHERE {_AMONG} AND server_id = ?"
        return [Pin(*row) for row in self._db.execute(query, (json.dumps(list(ids)), server_id))]

    def note_pinned_files(self, pins: Sequence[Pin]) -> None:
        self._db.executemany(
            "UPDATE pin SET path = ?, size = ? WHERE scene_id = ?", [(one.path, one.size, one.scene_id) for one in pins]
        )


def _scene(row: tuple[Any, ...]) -> SceneRecord:
    baseline = Baseline.from_json(row[9] or "")
    return SceneRecord(row[0], SceneState(row[1]), row[2], lengthened(row[3]), *row[4:9], baseline=baseline)
