"""The ledger: what we know of every scene and item of one target, and what we did there."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Self

from ledger.database.connection import Database
from ledger.database.ledger_file import LedgerMoved, connect, inode_at, is_damaged
from ledger.items import Items
from ledger.journal import Journal
from ledger.pictures import Pictures
from ledger.pins import Pins
from ledger.records import (
    ItemSync,
    JournalEntry,
    PictureRecord,
    SceneRecord,
    SweepRecord,
    UndoneItem,
    UnfinishedPicture,
)
from ledger.scenes import Scenes
from ledger.states import PictureState, SceneState
from ledger.unfinished import UnfinishedWrites
from ledger.values import Values
from runtime.database import put_aside


class Ledger:
    """Its parts, and what concerns several of them at once. For any thread; other processes may have it open too."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._db = Database(connect(path))
        self._inode = inode_at(path)
        self.scenes = Scenes(self._db)
        self.pins = Pins(self._db, self.scenes)
        self.items = Items(self._db)
        self.journal = Journal(self._db)
        self.unfinished = UnfinishedWrites(self._db)
        self.pictures = Pictures(self._db)
        self.values = Values(self._db)

    @classmethod
    def open_at(cls, where: Callable[[], str]) -> Self:
        """Open the ledger where it lies, and again where it was moved in the same moment."""
        while True:
            with suppress(LedgerMoved):
                ledger = cls(where())
                if ledger.path == where():
                    return ledger
                ledger.close()

    @classmethod
    def begin(cls, path: str, stamp: str) -> tuple[Self, str | None]:
        """Open the ledger for the worker who holds the lock, and say under which name a damaged one was put aside.

        To be called before the path index opens the same file.
        """
        aside = put_aside(path, stamp) if is_damaged(path) else None
        return cls(path), aside

    def close(self) -> None:
        self._db.close()

    def writing(self) -> AbstractContextManager[None]:
        """Make one transaction of all that is recorded inside."""
        return self._db.writing()

    def is_lost(self) -> bool:
        """True if the file was deleted or replaced: nothing recorded from then on would be found again."""
        return inode_at(self.path) != self._inode or not self._inode

    def is_damaged(self) -> bool:
        """Read the whole file as it lies on the disk: what this process holds in memory may be sound for long."""
        return is_damaged(self.path)

    def sweep_records(self, after_id: int, up_to_id: int, limit: int) -> list[SweepRecord]:
        """Page by id through what a sweep compares the scenes with."""
        with self._db.reading():
            rows = self.scenes.swept(after_id, up_to_id, limit)
            covers = self.pictures.stamps(after_id, rows[-1][0]) if rows else {}
        return [SweepRecord(row[0], SceneState(row[1]), *row[2:], covers=covers.get(row[0], {})) for row in rows]

    # --- words --------------------------------------------------------------------------------------------------

    def record_syncs(
        self, syncs: Sequence[ItemSync], unsent: Sequence[ItemSync] = (), *, run_id: int, now: float
    ) -> None:
        """Record that the server shows these scenes, and what was written for that: all of it or, on an error, nothing.

        `unsent` were announced and then not sent.
        """
        with self._db.writing():
            self.scenes.mark_stale_others(syncs)
            self.scenes.write_synced([one for one in syncs if one.is_main], now)
            self._record_items(syncs, run_id=run_id, now=now)
            self.items.leave_others(syncs, now)
            self.unfinished.drop(unsent)

    def resolve(self, arrived: ItemSync, *, run_id: int, now: float) -> None:
        """Record what arrived of an unfinished write, and drop it; its scene is queued by the next sweep."""
        with self._db.writing():
            self._record_items([arrived], run_id=run_id, now=now)
            self.scenes.mark_stale(arrived.scene_id)

    def _record_items(self, syncs: Sequence[ItemSync], *, run_id: int, now: float) -> None:
        self.items.write(syncs, now)
        for one in syncs:
            self.journal.write(
                one.entries,
                run_id=run_id,
                scene_id=one.scene_id,
                item_id=one.item_id,
                server_id=one.server_id,
                now=now,
            )
        self.unfinished.drop(syncs)

    # --- pictures -----------------------------------------------------------------------------------------------

    def record_pictures(
        self,
        pictures: Sequence[PictureRecord],
        arrived: Iterable[tuple[UnfinishedPicture, str]] = (),
        *,
        run_id: int = 0,
        now: float,
    ) -> None:
        """Record where these pictures stand, and journal those that arrived: all of it or, on an error, nothing.

        Of each that arrived this is what was announced, and its key on the server.
        """
        with self._db.writing():
            for picture in pictures:
                self.pictures.write(picture)
                if picture.state is not PictureState.FAILED:  # what became of it, the next try finds out
                    self.pictures.drop_unfinished(picture.item_id, picture.server_id, picture.kind)
            self._journal_pictures(arrived, run_id=run_id, now=now)

    def resolve_picture(self, unfinished: UnfinishedPicture, arrived: str | None, *, run_id: int, now: float) -> None:
        """Drop an unfinished upload; if `arrived` is a key, journal that upload."""
        with self._db.writing():
            self._journal_pictures([(unfinished, arrived)] if arrived else (), run_id=run_id, now=now)
            self.pictures.drop_unfinished(unfinished.item_id, unfinished.server_id, unfinished.kind)

    def _journal_pictures(self, arrived: Iterable[tuple[UnfinishedPicture, str]], *, run_id: int, now: float) -> None:
        """Write the pictures of an item as one: a row and its places in three indexes cost more than a picture."""
        entries: dict[tuple[int, str, str], list[JournalEntry]] = {}
        for announced, key in arrived:
            place = (announced.scene_id, announced.item_id, announced.server_id)
            entries.setdefault(place, []).append(announced.entry(key))
        for (scene_id, item_id, server_id), found in entries.items():
            self.journal.write(found, run_id=run_id, scene_id=scene_id, item_id=item_id, server_id=server_id, now=now)

    # --- undo ---------------------------------------------------------------------------------------------------

    def record_undo(self, undone: UndoneItem, sentence: str, now: float) -> None:
        """Record what an undo has put back or left alone on one item: all of it or, on an error, nothing.

        The scenes keep the fingerprint they are given: no sweep brings back what a person took away.
        """
        with self._db.writing():
            for scene in undone.scenes:
                self._record_undone_scene(scene, undone, sentence, now)
            self.items.write_undone(undone, now)
            self.journal.mark_undone(undone.entry_ids, now)
            self.unfinished.drop([undone])
            self.pictures.drop_unfinished(undone.item_id, undone.server_id)
            self.pictures.forget_beside(undone.item_id, undone.server_id, undone.pictures)
            self.pictures.mark_stale(undone.item_id, undone.server_id, undone.still_shown)

    def _record_undone_scene(self, scene: SceneRecord, undone: UndoneItem, sentence: str, now: float) -> None:
        if self.scenes.write_undone(scene, sentence, now):
            self.pictures.write_undone(
                scene.scene_id,
                undone.pictures,
                item_id=undone.item_id,
                server_id=undone.server_id,
                sentence=sentence,
                now=now,
            )
