"""Pictures in the ledger: which version of a scene's cover an item shows, or why it does not."""

import sqlite3
from collections.abc import Iterable
from typing import Any

from ledger.records import PictureIntent, PictureRecord
from ledger.states import PictureState

_COVERS = """
    SELECT scene_id, kind, stamp FROM picture JOIN scene USING (scene_id, rating_key, machine)
    WHERE scene_id > ? AND scene_id <= ?
"""


class Pictures:
    """One for a scene and a kind. Writers want a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def of(self, scene_id: int, kind: str) -> PictureRecord | None:
        row = self._db.execute(
            """SELECT scene_id, kind, rating_key, machine, stamp, digest, key, state, sentence, at FROM picture
               WHERE scene_id = ? AND kind = ?""",
            (scene_id, kind),
        ).fetchone()
        return _picture(row) if row else None

    def stamps(self, after_id: int, up_to_id: int) -> dict[int, dict[str, str]]:
        """Give by scene and kind the stamps of what is on the item that the scene was last synced to."""
        found: dict[int, dict[str, str]] = {}
        for scene_id, kind, stamp in self._db.execute(_COVERS, (after_id, up_to_id)):
            found.setdefault(scene_id, {})[kind] = stamp
        return found

    def write(self, picture: PictureRecord) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO picture VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                picture.scene_id,
                picture.kind,
                picture.rating_key,
                picture.machine,
                picture.stamp,
                picture.digest,
                picture.key,
                picture.state,
                picture.sentence,
                picture.at,
            ),
        )

    def intend(self, intent: PictureIntent) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO picture_intent VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                intent.rating_key,
                intent.machine,
                intent.kind,
                intent.scene_id,
                intent.digest,
                intent.old,
                intent.old_locked,
                intent.was_ours,
            ),
        )

    def intent(self, rating_key: int, machine: str, kind: str) -> PictureIntent | None:
        row = self._db.execute(
            """SELECT scene_id, digest, old, old_locked, was_ours FROM picture_intent
               WHERE rating_key = ? AND machine = ? AND kind = ?""",
            (rating_key, machine, kind),
        ).fetchone()
        if row is None:
            return None
        scene_id, digest, old, old_locked, was_ours = row
        return PictureIntent(
            scene_id=scene_id,
            rating_key=rating_key,
            machine=machine,
            kind=kind,
            digest=digest,
            old=old,
            old_locked=bool(old_locked),
            was_ours=bool(was_ours),
        )

    def drop_intent(self, rating_key: int, machine: str, kind: str) -> None:
        self._db.execute(
            "DELETE FROM picture_intent WHERE rating_key = ? AND machine = ? AND kind = ?", (rating_key, machine, kind)
        )

    def drop_intents(self, rating_key: int, machine: str) -> None:
        self._db.execute("DELETE FROM picture_intent WHERE rating_key = ? AND machine = ?", (rating_key, machine))

    def take_back(
        self, scene_id: int, kinds: Iterable[str], *, rating_key: int, machine: str, sentence: str, now: float
    ) -> None:
        """Note that they were undone; without a stamp, so that they are shown when their scene is synced again."""
        self._db.executemany(
            """UPDATE picture SET state = 'undone', sentence = ?, at = ?, stamp = '', digest = '', key = ''
               WHERE scene_id = ? AND kind = ? AND rating_key = ? AND machine = ?""",
            [(sentence, now, scene_id, kind, rating_key, machine) for kind in kinds],
        )


def _picture(row: tuple[Any, ...]) -> PictureRecord:
    return PictureRecord(*row[:7], state=PictureState(row[7]), sentence=row[8], at=row[9])
