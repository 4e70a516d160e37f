"""Scenes in the ledger: where each stands, why, and which item it was last synced to."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ledger.baseline import Baseline
from ledger.database.connection import Database
from ledger.database.packed import lengthened, shortened
from ledger.database.schema import HOLDING
from ledger.database.servers import OF_SERVER, server_number
from ledger.pictures import CHOSEN
from ledger.records import ItemSync, SceneRecord
from ledger.states import SceneState

_SCENES = """
    SELECT scene.scene_id, state, sentence, fingerprint, item_id, server_id, scene.path, recorded_at, synced_at, data
    FROM scene JOIN server ON server.number = server LEFT JOIN item_baseline USING (item_id, server)
"""
_KEEPS_PICTURE = f"""EXISTS (SELECT 1 FROM picture WHERE picture.scene_id = scene.scene_id
    AND picture.state = 'refused' AND instr(picture.sentence, '{CHOSEN}') = 1)"""
_AMONG = "scene_id IN (SELECT value FROM json_each(?))"  # one statement for any number


class Scenes:
    """One row a scene."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, scene_id: int) -> SceneRecord | None:
        return self.of([scene_id]).get(scene_id)

    def of(self, ids: Iterable[int]) -> dict[int, SceneRecord]:
        """Find those of the scenes that are known."""
        rows = self._db.rows(f"{_SCENES} WHERE scene.{_AMONG}", json.dumps(list(ids)))
        return {row[0]: _scene(row) for row in rows}

    def by_state(
        self, state: SceneState | None, limit: int, after_id: int = 0, *, with_kept: bool = False
    ) -> list[SceneRecord]:
        """Page by id through the scenes in a state, or in any; `with_kept`: of which a person keeps something out."""
        condition, wanted = ("state = ? AND", [state]) if state else ("", [])
        condition += f" (sentence <> '' OR {_KEEPS_PICTURE}) AND" if with_kept else ""
        query = f"{_SCENES} WHERE {condition} scene.scene_id > ? ORDER BY scene.scene_id LIMIT ?"
        return [_scene(row) for row in self._db.rows(query, *wanted, after_id, limit)]

    def swept(self, after_id: int, up_to_id: int, limit: int) -> list[tuple[Any, ...]]:
        """Page by id through what a sweep compares: state, fingerprint, server and time."""
        rows = self._db.rows(
            """SELECT scene_id, state, fingerprint, server_id, recorded_at
               FROM scene JOIN server ON server.number = server
               WHERE scene_id > ? AND scene_id <= ? ORDER BY scene_id LIMIT ?""",
            after_id,
            up_to_id,
            limit,
        )
        return [(*row[:2], lengthened(row[2]), *row[3:]) for row in rows]

    def holders(self, item_ids: Iterable[str], server_id: str) -> dict[str, int]:
        """Find by item the scene it belongs to: the one that was synced to it last; see `HOLDS_ITEM`."""
        query = f"""SELECT item.item_id, scene_id FROM item_baseline AS item JOIN scene USING (scene_id)
            WHERE item.{OF_SERVER} AND item.item_id IN (SELECT value FROM json_each(?)) AND {HOLDING}"""
        return dict(self._db.rows(query, server_id, json.dumps(list(item_ids))))

    def counts(self) -> dict[SceneState, int]:
        """Count the scenes in every state there is."""
        found: Mapping[str, int] = dict(self._db.rows("SELECT state, count(*) FROM scene GROUP BY state"))
        return {state: found.get(state, 0) for state in SceneState}

    def has_waiting(self) -> bool:
        """Tell whether any scene waits until the server has its file."""
        return self._db.row("SELECT 1 FROM scene WHERE state = 'waiting' LIMIT 1") is not None

    def write_synced(self, syncs: Sequence[ItemSync], now: float) -> None:
        self._db.write_many(
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

    def record_state(
        self, scene_id: int, state: SceneState, sentence: str, now: float, *, fingerprint: str = ""
    ) -> None:
        """Record where a scene stands, by which fingerprint that was decided; without one the next sweep queues it."""
        self._db.write(
            """INSERT INTO scene (scene_id, state, sentence, recorded_at, fingerprint) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (scene_id) DO UPDATE SET state = ?2, sentence = ?3, recorded_at = ?4, fingerprint = ?5""",
            scene_id,
            state,
            sentence,
            now,
            shortened(fingerprint),
        )

    def write_undone(self, scene: SceneRecord, sentence: str, now: float) -> bool:
        """Record that it was undone; False if the scene was recorded again since `scene` was read."""
        return bool(
            self._db.write(
                """UPDATE scene SET state = iif(state = 'ignored', state, 'undone'),
                   sentence = iif(state = 'ignored', sentence, ?), fingerprint = ?, recorded_at = ?
                   WHERE scene_id = ? AND recorded_at = ?""",
                sentence,
                shortened(scene.fingerprint),
                now,
                scene.scene_id,
                scene.recorded_at,
            )
        )

    def ignore(self, ids: Iterable[int], sentence: str, now: float) -> int:
        """Leave these scenes out of every sync; return how many were not left out before."""
        return self._db.write_many(
            """INSERT INTO scene (scene_id, state, sentence, recorded_at) VALUES (?1, 'ignored', ?2, ?3)
               ON CONFLICT (scene_id) DO UPDATE SET state = 'ignored', sentence = ?2, recorded_at = ?3
               WHERE state <> 'ignored'""",
            [(scene_id, sentence, now) for scene_id in ids],
        )

    def unignore(self, ids: Iterable[int], now: float) -> int:
        """Leave them out no longer: the next sync handles them again; return how many were left out."""
        return self._db.write_many(
            """UPDATE scene SET state = iif(synced_at IS NULL, 'waiting', 'synced'), fingerprint = '', recorded_at = ?2,
                   sentence = iif(synced_at IS NULL, 'No longer left out; it has not been looked for yet.', '')
               WHERE scene_id = ?1 AND state = 'ignored'""",
            [(scene_id, now) for scene_id in ids],
        )

    def mark_stale_others(self, syncs: Sequence[ItemSync]) -> None:
        """Have the next sweep queue other scenes that are recorded as synced to one of these items."""
        self._db.write_many(
            """UPDATE scene SET fingerprint = '' WHERE state = 'synced' AND item_id = ?1 AND server = ?2
               AND scene_id = (SELECT scene_id FROM item_baseline WHERE item_id = ?1 AND server = ?2)
               AND scene_id <> ?3""",
            [(one.item_id, server_number(self._db, one.server_id), one.scene_id) for one in syncs],
        )

    def mark_stale_former(self, item_ids: Iterable[str], server_id: str) -> list[int]:
        """Have the next sweep queue scenes without an item that were once on one of these; return their ids."""
        rows = self._db.write_returning(
            f"""UPDATE scene SET fingerprint = '' WHERE state IN ('ambiguous', 'waiting') AND {OF_SERVER}
               AND item_id IN (SELECT value FROM json_each(?)) RETURNING scene_id""",
            server_id,
            json.dumps(list(item_ids)),
        )
        return [scene_id for (scene_id,) in rows]

    def mark_stale(self, scene_id: int) -> None:
        """Have the next sweep queue this scene."""
        self._db.write("UPDATE scene SET fingerprint = '' WHERE scene_id = ?", scene_id)

    def mark_stale_where_item_is_gone(self, server_id: str) -> int:
        """Have the next sweep queue scenes whose item the path index, which shares the file, no longer has.

        Return how many were not marked before.
        """
        return self._db.write(
            f"""UPDATE scene SET fingerprint = '' WHERE state = 'synced' AND fingerprint <> '' AND {OF_SERVER}
                   AND NOT EXISTS (SELECT 1 FROM item_file WHERE item_file.item_id = scene.item_id)""",
            server_id,
        )

    def forget(self, scene_id: int) -> None:
        """Forget a scene that is gone from Stash, but not its pin: Stash may only have opened another database.

        What was written for it stays in the journal, and known by its item.
        """
        with self._db.writing():
            for table in ("scene", "picture", "picture_beside"):
                self._db.write(f"DELETE FROM {table} WHERE scene_id = ?", scene_id)


def _scene(row: tuple[Any, ...]) -> SceneRecord:
    baseline = Baseline.from_json(row[9] or "")
    return SceneRecord(row[0], SceneState(row[1]), row[2], lengthened(row[3]), *row[4:9], baseline=baseline)
