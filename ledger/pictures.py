"""Pictures in the ledger: which version of a scene's cover an item shows, or why it does not."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ledger.database.connection import Database
from ledger.database.packed import lengthened, shortened
from ledger.database.servers import OF_SERVER, server_number
from ledger.records import PictureRecord, UnfinishedPicture
from ledger.states import PictureState

CHOSEN = "Somebody chose "
"""How the sentence of a picture begins that is kept out by a person's choice; that of others says what is wrong."""

_COVERS = """
    SELECT scene_id, kind, stamp FROM picture JOIN scene USING (scene_id, item_id, server)
    WHERE scene_id > ? AND scene_id <= ?
"""


class Pictures:
    """One for a scene and a kind, and for an item that a scene has beside."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, scene_id: int, kind: str) -> PictureRecord | None:
        return self.of_scenes([scene_id]).get((scene_id, kind))

    def of_scenes(self, scene_ids: Iterable[int]) -> dict[tuple[int, str], PictureRecord]:
        """Find by scene and kind those of the scenes' pictures that are known."""
        rows = self._db.rows(
            """SELECT scene_id, kind, item_id, server_id, stamp, digest, key, state, sentence, at
               FROM picture JOIN server ON server.number = server WHERE scene_id IN (SELECT value FROM json_each(?))""",
            json.dumps(list(scene_ids)),
        )
        return {(row[0], row[1]): _picture(row) for row in rows}

    def stamps(self, after_id: int, up_to_id: int) -> dict[int, dict[str, str]]:
        """Give by scene and kind the stamps of what is on the item that the scene was last synced to."""
        found: dict[int, dict[str, str]] = {}
        for scene_id, kind, stamp in self._db.rows(_COVERS, after_id, up_to_id):
            found.setdefault(scene_id, {})[kind] = stamp
        return found

    def beside(self, item_ids: Iterable[str], server_id: str) -> dict[tuple[str, str], PictureRecord]:
        """Find by item and kind those on items that a scene has beside its main one."""
        rows = self._db.rows(
            f"""SELECT scene_id, kind, item_id, ?, stamp, digest, key, state, sentence, at FROM picture_beside
               WHERE {OF_SERVER} AND item_id IN (SELECT value FROM json_each(?))""",
            server_id,
            server_id,
            json.dumps(list(item_ids)),
        )
        return {(row[2], row[1]): replace(_picture(row), is_main=False) for row in rows}

    def forget_beside(self, item_id: str, server_id: str, kinds: Iterable[str]) -> None:
        """Delete the records of pictures on a secondary item."""
        self._db.write_many(
            f"DELETE FROM picture_beside WHERE {OF_SERVER} AND item_id = ? AND kind = ?",
            [(server_id, item_id, kind) for kind in kinds],
        )

    def write(self, picture: PictureRecord) -> None:
        with self._db.writing():
            self._write(picture)

    def _write(self, picture: PictureRecord) -> None:
        if picture.is_main:
            self.forget_beside(picture.item_id, picture.server_id, [picture.kind])
        place = (picture.item_id, server_number(self._db, picture.server_id))
        scene_first, item_first = (picture.scene_id, picture.kind, *place), (*place, picture.kind, picture.scene_id)
        self._db.write(
            f"INSERT OR REPLACE INTO {'picture' if picture.is_main else 'picture_beside'}"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(scene_first if picture.is_main else item_first),
            picture.stamp,
            shortened(picture.digest),
            shortened(picture.key),
            picture.state,
            picture.sentence,
            picture.at,
        )

    def announce(self, pictures: Iterable[UnfinishedPicture]) -> None:
        """Store what each item shows before it is given another picture; an older one must be resolved before."""
        self._db.write_many(
            "INSERT OR REPLACE INTO picture_intent VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    one.item_id,
                    one.server_id,
                    one.kind,
                    one.scene_id,
                    one.digest,
                    one.old,
                    one.old_locked,
                    one.was_ours,
                )
                for one in pictures
            ],
        )

    def unfinished(self, item_ids: Iterable[str], server_id: str) -> dict[tuple[str, str], UnfinishedPicture]:
        """Find by item and kind what was on its way when a process ended or an answer was lost."""
        rows = self._db.rows(
            """SELECT item_id, kind, scene_id, digest, old, old_locked, was_ours FROM picture_intent
               WHERE server_id = ? AND item_id IN (SELECT value FROM json_each(?))""",
            server_id,
            json.dumps(list(item_ids)),
        )
        return {
            (item_id, kind): UnfinishedPicture(
                scene_id=scene_id,
                item_id=item_id,
                server_id=server_id,
                kind=kind,
                digest=digest,
                old=old,
                old_locked=bool(old_locked),
                was_ours=bool(was_ours),
            )
            for item_id, kind, scene_id, digest, old, old_locked, was_ours in rows
        }

    def drop_unfinished(self, item_id: str, server_id: str, kind: str | None = None) -> None:
        """Drop what was announced for an item: one picture, or all of them."""
        self._db.write(
            "DELETE FROM picture_intent WHERE item_id = ? AND server_id = ? AND kind = coalesce(?, kind)",
            item_id,
            server_id,
            kind,
        )

    def mark_stale(self, item_id: str, server_id: str, kinds: Iterable[str]) -> None:
        """Have our pictures on this item compared and locked again when their scene is synced next."""
        for table in ("picture", "picture_beside"):
            self._db.write_many(
                f"UPDATE {table} SET state = 'undone', stamp = '' WHERE item_id = ? AND kind = ? AND {OF_SERVER}",
                [(item_id, kind, server_id) for kind in kinds],
            )

    def write_undone(
        self, scene_id: int, kinds: Iterable[str], *, item_id: str, server_id: str, sentence: str, now: float
    ) -> None:
        """Record that they were undone; without a stamp, so that they are shown when their scene is synced again.

        What was uploaded lies on the server for ever: its key and digest stay known, so that it is not sent again.
        """
        self._db.write_many(
            f"""UPDATE picture SET state = 'undone', sentence = ?, at = ?, stamp = ''
               WHERE scene_id = ? AND kind = ? AND item_id = ? AND {OF_SERVER}""",
            [(sentence, now, scene_id, kind, item_id, server_id) for kind in kinds],
        )


def _picture(row: tuple[Any, ...]) -> PictureRecord:
    scene_id, kind, item_id, server_id, stamp, digest, key, state, sentence, at = row
    return PictureRecord(
        scene_id,
        kind,
        item_id,
        server_id,
        stamp,
        lengthened(digest),
        lengthened(key),
        PictureState(state),
        sentence,
        at,
    )
