"""The ledger: for every scene what we know of it and what we did."""

import json
import sqlite3
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any, Self

from ledger.baseline import Baseline
from ledger.intents import Intents
from ledger.items import Items
from ledger.journal import Journal
from ledger.ledger_file import LedgerMoved, connect, inode_at, is_damaged, put_aside
from ledger.pictures import Pictures
from ledger.records import (
    Intent,
    ItemRecord,
    ItemSync,
    ItemTrace,
    JournalEntry,
    JournalSlice,
    JournalWrite,
    Judgement,
    PictureIntent,
    PictureRecord,
    Run,
    RunSummary,
    SceneRecord,
    UndoneItem,
)
from ledger.scenes import Scenes
from ledger.servers import OF_SERVER, server_number
from ledger.states import PictureState, SceneState
from model.scene import SceneFile


class Ledger:
    """One connection and one lock, for any thread of a process; other processes may have the file open too."""

    def __init__(self, path: str) -> None:
        self._lock = Lock()
        self.path = path
        self._db = connect(path)
        self._inode = inode_at(path)
        self._scenes = Scenes(self._db)
        self._journal = Journal(self._db)
        self._items = Items(self._db)
        self._intents = Intents(self._db)
        self._pictures = Pictures(self._db)

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
        with self._lock:
            self._db.close()

    def is_lost(self) -> bool:
        """Say whether the file was removed or replaced: what is recorded from then on, nobody finds again."""
        return inode_at(self.path) != self._inode or not self._inode

    # --- scenes -------------------------------------------------------------------------------------------------

    def scene(self, scene_id: int) -> SceneRecord | None:
        return self.scenes([scene_id]).get(scene_id)

    def scenes(self, ids: Iterable[int]) -> dict[int, SceneRecord]:
        """Find those of the scenes that are known."""
        with self._lock:
            return self._scenes.of(ids)

    def judgements(self, after_id: int, up_to_id: int, limit: int) -> list[Judgement]:
        """Page by id through what was made of the scenes."""
        with self._lock:
            rows = self._scenes.judged(after_id, up_to_id, limit)
            covers = self._pictures.stamps(after_id, rows[-1][0]) if rows else {}
        return [Judgement(row[0], SceneState(row[1]), *row[2:], covers=covers.get(row[0], {})) for row in rows]

    def holders(self, item_ids: Iterable[str], server_id: str) -> dict[str, int]:
        """Find by item the scene it belongs to: the one that was synced to it last; see `HOLDS_ITEM`."""
        with self._lock:
            return self._scenes.holders(item_ids, server_id)

    def counts(self) -> dict[SceneState, int]:
        """Count the scenes in every state there is."""
        with self._lock:
            return self._scenes.counts()

    def has_waiting(self) -> bool:
        """Tell whether any scene waits for its file to be in Plex."""
        return bool(self._rows("SELECT 1 FROM scene WHERE state = 'waiting' LIMIT 1"))

    def by_state(
        self, state: SceneState | None, limit: int, after_id: int = 0, *, with_sentence: bool = False
    ) -> list[SceneRecord]:
        """Page through the scenes in a state, or through all, by id; or through those of which there is more to say."""
        with self._lock:
            return self._scenes.by_state(state, limit, after_id, with_sentence=with_sentence)

    def intend(self, syncs: Sequence[ItemSync]) -> None:
        """Note what is about to be written, before it is. An item has one intent; a leftover must be settled before."""
        with self._writing():
            self._intents.write(syncs)

    def intents(self, item_ids: Sequence[str], server_id: str) -> dict[str, Intent]:
        """Find the items to which something was under way when a process ended or an answer was lost."""
        with self._lock:
            return self._intents.of_items(item_ids, server_id)

    def unsettled(self) -> set[int]:
        """Name the scenes for which something was under way; what was recorded of them may not hold."""
        with self._lock:
            return self._intents.scenes()

    def settle(self, arrived: ItemSync, *, run_id: int, now: float) -> None:
        """Note what of a leftover arrived, and what is ours on its item by that. Its scene is looked at again."""
        with self._writing():
            self._record_items([arrived], run_id=run_id, now=now)
            self._scenes.look_again(arrived.scene_id)

    def record_syncs(
        self, syncs: Sequence[ItemSync], unsent: Sequence[ItemSync] = (), *, run_id: int, now: float
    ) -> None:
        """Note that Plex shows these scenes, and what was written for that; all of it or, on an error, nothing.

        What was announced and then not sent is not under way any more.
        """
        with self._writing():
            self._scenes.look_again_at_others(syncs)
            self._scenes.write_synced([one for one in syncs if one.is_main], now)
            self._record_items(syncs, run_id=run_id, now=now)
            self._items.leave_others(syncs, now)
            self._intents.drop(unsent)

    def record_shown(self, seen: Sequence[tuple[ItemSync, Baseline]]) -> None:
        """Note what Plex made of what was written, unless the item was written again since."""
        if seen:
            with self._writing() as db:
                db.executemany(
                    f"UPDATE item_baseline SET data = ? WHERE item_id = ? AND {OF_SERVER} AND data = ?",
                    [(now.packed(), one.item_id, one.server_id, one.baseline.packed()) for one, now in seen],
                )

    def _record_items(self, syncs: Sequence[ItemSync], *, run_id: int, now: float) -> None:
        """Note what is ours on these items and what was written to them; nothing is under way to them any more."""
        self._db.executemany(
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
        for one in syncs:
            self._journal.write(
                one.entries,
                run_id=run_id,
                scene_id=one.scene_id,
                item_id=one.item_id,
                server_id=one.server_id,
                now=now,
            )
        self._intents.drop(syncs)

    def record_state(
        self, scene_id: int, state: SceneState, sentence: str, now: float, *, fingerprint: str = ""
    ) -> None:
        """Note where the scene stands and by which fingerprint it was judged; without one, it is looked at again."""
        with self._writing():
            self._scenes.write_state(scene_id, state, sentence, now, fingerprint)

    def ignore(self, scene_ids: Iterable[int], sentence: str, now: float) -> int:
        """Leave these scenes out of every sync, and note why; return how many were not left out before."""
        with self._writing():
            return self._scenes.ignore(scene_ids, sentence, now)

    def unignore(self, scene_ids: Iterable[int], now: float) -> int:
        """Leave them out no longer; return how many were left out."""
        with self._writing():
            return self._scenes.unignore(scene_ids, now)

    def look_again_where_item_is_gone(self, server_id: str) -> int:
        """Let the next sweep look at synced scenes whose item the path index, which shares this file, has no longer.

        Return how many there are that it did not know of.
        """
        with self._writing():
            return self._scenes.look_again_where_item_is_gone(server_id)

    def forget(self, scene_id: int) -> None:
        """The scene is gone from Stash; what was written for it stays in the journal, and known by its item."""
        with self._writing():
            self._scenes.forget(scene_id)

    # --- items: what we wrote to them, for whichever scene -------------------------------------------------------

    def item(self, item_id: str, server_id: str) -> ItemRecord | None:
        return self.items([item_id], server_id).get(item_id)

    def items(self, item_ids: Iterable[str], server_id: str) -> dict[str, ItemRecord]:
        """Find those of a server's items that we have written to."""
        rows = self._rows(
            f"""SELECT item_id, path, data, at FROM item_baseline
               WHERE {OF_SERVER} AND item_id IN (SELECT value FROM json_each(?))""",
            server_id,
            json.dumps(list(item_ids)),
        )
        return {key: ItemRecord(key, server_id, path, Baseline.from_json(data), at) for key, path, data, at in rows}

    def items_of(self, scene_id: int, server_id: str) -> list[str]:
        """Name the items that a scene was synced to last."""
        with self._lock:
            return self._items.of_scene(scene_id, server_id)

    def places_of(self, scene_ids: Iterable[int], server_id: str) -> dict[int, list[tuple[str, str]]]:
        """Find by scene the items that it was synced to last, each with the file by which it is known."""
        with self._lock:
            return self._items.of_scenes(scene_ids, server_id)

    def left_of(self, scene_ids: Iterable[int], server_id: str) -> dict[int, list[ItemRecord]]:
        """Find by scene the items that it has left and that still are nobody else's."""
        with self._lock:
            return self._items.left_of(scene_ids, server_id)

    def scenes_that_left(self, server_id: str) -> set[int]:
        """Name the scenes that have left an item which still is nobody else's."""
        with self._lock:
            return self._items.scenes_that_left(server_id)

    def release(self, item_id: str, server_id: str) -> None:
        """Note that an item which was left is nobody's, and nothing there to be taken back."""
        with self._writing():
            self._items.release(item_id, server_id)

    def look_again_at_former(self, item_ids: Iterable[str], server_id: str) -> list[int]:
        """Let scenes be looked at that were on these items once, and now are nowhere; name them."""
        with self._writing():
            return self._scenes.look_again_at_former(item_ids, server_id)

    def traces(self, scene_id: int) -> list[ItemTrace]:
        """Find the items that were ever written for a scene."""
        with self._lock:
            return self._items.traces(scene_id)

    def left_items(self, after_id: int, limit: int) -> list[ItemTrace]:
        """Page by scene through items that still show what was written for a scene that is not theirs any more."""
        with self._lock:
            return self._items.left(after_id, limit)

    def pictures_given(self, item_id: str, server_id: str, kind: str) -> set[str]:
        """Name the pictures that we had this item show, whichever scene they were of, unless that was undone."""
        with self._lock:
            entries = self._journal.entries_of_items([item_id], server_id)
        return {str(entry.new) for entry in entries if entry.field == kind}

    def last_metadata_run(self) -> int:
        """Give the newest run that wrote words, 0 if there is none."""
        with self._lock:
            return self._journal.last_metadata_run() or 0

    # --- pins: what a person settled ----------------------------------------------------------------------------

    def pin(self, scene_id: int, item_id: str, server_id: str) -> int | None:
        """Settle which item of a server a scene is; the next sweep looks at it again.

        An item is pinned for one scene: return the one that it was pinned for before.
        """
        with self._writing():
            return self._scenes.pin(scene_id, item_id, server_id)

    def unpin(self, scene_id: int) -> None:
        with self._writing():
            self._scenes.unpin(scene_id)

    def pinned(self, scene_ids: Iterable[int], server_id: str | None = None) -> dict[int, str]:
        """Find the items that a person chose on this server, or on whichever."""
        with self._lock:
            return self._scenes.pinned(scene_ids, server_id)

    def pinned_for(self, files: Mapping[int, Sequence[SceneFile]], server_id: str) -> dict[int, str]:
        """Find the items that a person chose for these scenes, which have these files.

        A choice holds while the scene has the file it had then, be it moved, renamed or encoded anew: in another
        database the same number is another scene. How the file is called now is noted.
        """
        with self._lock:
            pins = [pin for pin in self._scenes.pins(files, server_id) if pin.is_of(files[pin.scene_id])]
        moved = [new for pin in pins if (new := pin.with_file(files[pin.scene_id])) != pin]
        if moved:
            with self._writing():
                self._scenes.note_pinned_files(moved)
        return {pin.scene_id: pin.item_id for pin in pins}

    # --- runs and the journal -----------------------------------------------------------------------------------

    def begin_run(self, kind: str, now: float) -> int:
        with self._writing():
            return self._journal.begin_run(kind, now)

    def end_run(self, run_id: int, now: float) -> None:
        with self._writing():
            self._journal.end_run(run_id, now)

    def has_run(self, run_id: int) -> bool:
        with self._lock:
            return self._journal.has_run(run_id)

    def last_run(self) -> Run | None:
        """Give the newest run that has an entry not undone."""
        with self._lock:
            return self._journal.last_run()

    def entries(
        self, run_id: int | None = None, scene_id: int | None = None, *, undone: bool = False
    ) -> list[JournalEntry]:
        """List what was written and not undone, or what was undone; the newest first."""
        with self._lock:
            return self._journal.entries(run_id, scene_id, undone=undone)

    def runs(self, limit: int, before: int | None = None) -> list[RunSummary]:
        """Page through the runs that wrote something, the newest first."""
        with self._lock:
            return self._journal.runs(limit, before)

    def history(
        self, limit: int, before: int | None = None, run_id: int | None = None, scene_id: int | None = None
    ) -> list[JournalEntry]:
        """Page through all entries, undone or not, the newest first."""
        with self._lock:
            return self._journal.history(limit, before, run_id, scene_id)

    def long_histories(self, item_ids: Iterable[str], server_id: str, most: int) -> list[str]:
        """Name those of the items that have been written to more often than this, not counting what was undone."""
        with self._lock:
            return self._journal.long_histories(item_ids, server_id, most)

    def writes_of(self, item_id: str, server_id: str) -> list[JournalWrite]:
        """List the writes to an item of which something is not undone, the oldest first, with those entries."""
        with self._lock:
            return self._journal.writes_of(item_id, server_id)

    def fold(self, writes: Sequence[JournalWrite], entries: Sequence[JournalEntry]) -> None:
        """Put these entries in the place of those of all these writes, as the oldest of them."""
        with self._writing():
            self._journal.fold(writes, entries)

    # --- undo ---------------------------------------------------------------------------------------------------

    def last_slice(self) -> JournalSlice | None:
        """Give what a person calls the last run: the newest of metadata and the picture runs that began since.

        Pictures have a lane, and so runs, of their own. Where only pictures are left, it is the last run of those.
        """
        with self._lock:
            metadata, last = self._journal.last_metadata_run(), self._journal.last_run()
        if last is None:
            return None
        return JournalSlice(first_run=metadata or last.id)

    def items_to_undo(self, of: JournalSlice) -> dict[str, int]:
        """Count by server the items with something of this slice not undone."""
        with self._lock:
            return self._journal.items_to_undo(of)

    def keys_to_undo(self, of: JournalSlice, server_id: str, after_key: str, limit: int) -> list[str]:
        """Page through those items of one server, by key."""
        with self._lock:
            return self._journal.keys_to_undo(of, server_id, after_key, limit)

    def entries_of_items(self, item_ids: Iterable[str], server_id: str) -> list[JournalEntry]:
        """List all that was written to these items and not undone, the newest first."""
        with self._lock:
            return self._journal.entries_of_items(item_ids, server_id)

    def record_undo(self, undone: UndoneItem, sentence: str, now: float) -> None:
        """Note what undoing has dealt with, put back or left alone; all of it or, on an error, nothing.

        The scenes keep the fingerprint they are given: no sweep brings back what a person took away.
        """
        with self._writing() as db:
            for scene in undone.scenes:
                self._take_back(scene, undone, sentence, now)
            if undone.item is not None:
                db.execute(
                    f"UPDATE item_baseline SET data = ?, at = ? WHERE item_id = ? AND {OF_SERVER} AND at = ?",
                    (undone.baseline.packed(), now, undone.item_id, undone.server_id, undone.item.at),
                )
            self._journal.mark_undone(undone.entry_ids, now)
            self._intents.drop([undone])
            self._pictures.drop_intents(undone.item_id, undone.server_id)
            self._pictures.forget_beside(undone.item_id, undone.server_id, undone.pictures)
            self._pictures.doubt(undone.item_id, undone.server_id, undone.still_shown)

    def _take_back(self, scene: SceneRecord, undone: UndoneItem, sentence: str, now: float) -> None:
        if self._scenes.write_undone(scene, sentence, now):
            self._pictures.take_back(
                scene.scene_id,
                undone.pictures,
                item_id=undone.item_id,
                server_id=undone.server_id,
                sentence=sentence,
                now=now,
            )

    # --- pictures -----------------------------------------------------------------------------------------------

    def picture(self, scene_id: int, kind: str) -> PictureRecord | None:
        return self.pictures([scene_id]).get((scene_id, kind))

    def pictures(self, scene_ids: Iterable[int]) -> dict[tuple[int, str], PictureRecord]:
        """Find those of the scenes' pictures that are known, by scene and kind."""
        with self._lock:
            return self._pictures.of_scenes(scene_ids)

    def pictures_beside(self, item_ids: Iterable[str], server_id: str) -> dict[tuple[str, str], PictureRecord]:
        """Find by item and kind the pictures on items that a scene has beside its main one."""
        with self._lock:
            return self._pictures.beside(item_ids, server_id)

    def record_pictures(
        self,
        pictures: Sequence[PictureRecord],
        arrived: Iterable[tuple[PictureIntent, str]] = (),
        *,
        run_id: int = 0,
        now: float,
    ) -> None:
        """Note where these pictures stand, and what those that arrived replaced; all of it or, on an error, nothing.

        Of each that arrived this is what was announced, and its key in Plex.
        """
        with self._writing():
            for picture in pictures:
                self._pictures.write(picture)
                if picture.state is not PictureState.FAILED:  # what became of it, the next try finds out
                    self._pictures.drop_intent(picture.item_id, picture.server_id, picture.kind)
            self._note_arrived(arrived, run_id=run_id, now=now)

    def _note_arrived(self, arrived: Iterable[tuple[PictureIntent, str]], *, run_id: int, now: float) -> None:
        """Write the pictures of an item as one: a row and its places in three indexes cost more than a picture."""
        entries: dict[tuple[int, str, str], list[JournalEntry]] = {}
        for intent, key in arrived:
            place = (intent.scene_id, intent.item_id, intent.server_id)
            entries.setdefault(place, []).append(intent.entry(key))
        for (scene_id, item_id, server_id), found in entries.items():
            self._journal.write(found, run_id=run_id, scene_id=scene_id, item_id=item_id, server_id=server_id, now=now)

    def intend_pictures(self, intents: Iterable[PictureIntent]) -> None:
        """Note what an item shows before it is given other pictures; a leftover must be settled before."""
        with self._writing():
            self._pictures.intend(intents)

    def picture_intents(self, item_ids: Iterable[str], server_id: str) -> dict[tuple[str, str], PictureIntent]:
        """Find, by item and kind, what was on its way when a process ended or an answer was lost."""
        with self._lock:
            return self._pictures.intents(item_ids, server_id)

    def settle_picture(self, leftover: PictureIntent, arrived: str | None, *, run_id: int, now: float) -> None:
        """Note that a leftover was looked into, and by its key the picture that came of it and is shown."""
        with self._writing():
            self._note_arrived([(leftover, arrived)] if arrived else (), run_id=run_id, now=now)
            self._pictures.drop_intent(leftover.item_id, leftover.server_id, leftover.kind)

    # --- small values -------------------------------------------------------------------------------------------

    def value(self, name: str) -> str | None:
        rows = self._rows("SELECT text FROM kept_value WHERE name = ?", name)
        return rows[0][0] if rows else None

    def keep_value(self, name: str, text: str) -> None:
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO kept_value VALUES (?, ?)", (name, text))

    def _rows(self, query: str, *values: object) -> list[Any]:
        with self._lock:
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield self._db
