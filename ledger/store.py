"""The ledger: for every scene what we know of it and what we did."""

import json
import os
import sqlite3
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, Self

from ledger.baseline import Baseline
from ledger.intents import Intents
from ledger.journal import Journal
from ledger.ledger_file import connect, is_damaged, put_aside
from ledger.pictures import Pictures
from ledger.records import (
    Intent,
    ItemRecord,
    ItemSync,
    JournalEntry,
    JournalSlice,
    Judgement,
    PictureIntent,
    PictureRecord,
    Run,
    RunSummary,
    SceneRecord,
    UndoneItem,
)
from ledger.scenes import Scenes
from ledger.states import PictureState, SceneState


class Ledger:
    """One connection and one lock, for any thread of a process; other processes may have the file open too."""

    def __init__(self, path: str) -> None:
        self._lock = Lock()
        self._path = path
        self._db = connect(path)
        self._inode = os.stat(path).st_ino
        self._scenes = Scenes(self._db)
        self._journal = Journal(self._db)
        self._intents = Intents(self._db)
        self._pictures = Pictures(self._db)

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
        try:
            return os.stat(self._path).st_ino != self._inode
        except FileNotFoundError:
            return True

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

    def holder_of(self, rating_key: int, machine: str) -> int | None:
        """Find the scene this item belongs to, the first of several; see `HOLDS_ITEM`."""
        with self._lock:
            return self._scenes.holder_of(rating_key, machine)

    def counts(self) -> dict[SceneState, int]:
        """Count the scenes in every state there is."""
        with self._lock:
            return self._scenes.counts()

    def by_state(self, state: SceneState | None, limit: int, after_id: int = 0) -> list[SceneRecord]:
        """Page through the scenes in a state, or through all, by id."""
        with self._lock:
            return self._scenes.by_state(state, limit, after_id)

    def intend(self, syncs: Sequence[ItemSync]) -> None:
        """Note what is about to be written, before it is. An item has one intent; a leftover must be settled before."""
        with self._writing():
            self._intents.write(syncs)

    def intents(self, rating_keys: Sequence[int], machine: str) -> dict[int, Intent]:
        """Find the items to which something was under way when a process ended or an answer was lost."""
        with self._lock:
            return self._intents.of_items(rating_keys, machine)

    def unsettled(self) -> set[int]:
        """Name the scenes for which something was under way; what was recorded of them may not hold."""
        with self._lock:
            return self._intents.scenes()

    def settle(self, arrived: ItemSync, *, run_id: int, now: float) -> None:
        """Note what of a leftover arrived, and what is ours on its item by that. Its scene is looked at again."""
        with self._writing():
            self._record_items([arrived], run_id=run_id, now=now)
            self._scenes.look_again(arrived.scene_id)

    def record_syncs(self, syncs: Sequence[ItemSync], *, run_id: int, now: float) -> None:
        """Note that Plex shows these scenes, and what was written for that; all of it or, on an error, nothing."""
        with self._writing():
            self._scenes.write_synced(syncs, now)
            self._record_items(syncs, run_id=run_id, now=now)

    def _record_items(self, syncs: Sequence[ItemSync], *, run_id: int, now: float) -> None:
        """Note what is ours on these items and what was written to them; nothing is under way to them any more."""
        self._db.executemany(
            "INSERT OR REPLACE INTO item_baseline VALUES (?, ?, ?, ?, ?)",
            [(one.rating_key, one.machine, one.path, one.baseline.to_json(), now) for one in syncs],
        )
        for one in syncs:
            self._journal.write(
                one.entries,
                run_id=run_id,
                scene_id=one.scene_id,
                rating_key=one.rating_key,
                machine=one.machine,
                now=now,
            )
        self._intents.drop(syncs)

    def record_state(
        self, scene_id: int, state: SceneState, sentence: str, now: float, *, fingerprint: str = ""
    ) -> None:
        """Note where the scene stands and by which fingerprint it was judged; without one, it is looked at again."""
        with self._writing():
            self._scenes.write_state(scene_id, state, sentence, now, fingerprint)

    def look_again_where_item_is_gone(self, machine: str) -> None:
        """Let the next sweep look at synced scenes whose item the path index, which shares this file, has no longer."""
        with self._writing():
            self._scenes.look_again_where_item_is_gone(machine)

    def forget(self, scene_id: int) -> None:
        """The scene is gone from Stash; what was written for it stays in the journal, and known by its item."""
        with self._writing():
            self._scenes.forget(scene_id)

    # --- items: what we wrote to them, for whichever scene -------------------------------------------------------

    def item(self, rating_key: int, machine: str) -> ItemRecord | None:
        return self.items([rating_key], machine).get(rating_key)

    def items(self, rating_keys: Iterable[int], machine: str) -> dict[int, ItemRecord]:
        """Find those of a server's items that we have written to."""
        rows = self._rows(
            """SELECT rating_key, machine, path, data, at FROM item_baseline
               WHERE machine = ? AND rating_key IN (SELECT value FROM json_each(?))""",
            machine,
            json.dumps(list(rating_keys)),
        )
        return {row[0]: ItemRecord(row[0], row[1], row[2], Baseline.from_json(row[3]), row[4]) for row in rows}

    def pictures_given(self, rating_key: int, machine: str, kind: str) -> set[str]:
        """Name the pictures that we had this item show, whichever scene they were of, unless that was undone."""
        with self._lock:
            entries = self._journal.entries_of_items([rating_key], machine)
        return {str(entry.new) for entry in entries if entry.field == kind}

    def last_metadata_run(self) -> int:
        """Give the newest run that wrote words, 0 if there is none."""
        with self._lock:
            return self._journal.last_metadata_run() or 0

    # --- pins: what a person settled ----------------------------------------------------------------------------

    def pin(self, scene_id: int, rating_key: int, machine: str) -> None:
        """Settle which item of a server a scene is; the next sweep looks at it again."""
        with self._writing():
            self._scenes.pin(scene_id, rating_key, machine)

    def unpin(self, scene_id: int) -> None:
        with self._writing():
            self._scenes.unpin(scene_id)

    def pinned(self, scene_ids: Iterable[int], machine: str | None = None) -> dict[int, int]:
        """Find the items that a person chose on this server, or on whichever."""
        with self._lock:
            return self._scenes.pinned(scene_ids, machine)

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

    def keys_to_undo(self, of: JournalSlice, machine: str, after_key: int, limit: int) -> list[int]:
        """Page through those items of one server, by key."""
        with self._lock:
            return self._journal.keys_to_undo(of, machine, after_key, limit)

    def entries_of_items(self, rating_keys: Iterable[int], machine: str) -> list[JournalEntry]:
        """List all that was written to these items and not undone, the newest first."""
        with self._lock:
            return self._journal.entries_of_items(rating_keys, machine)

    def record_undo(self, undone: UndoneItem, sentence: str, now: float) -> None:
        """Note what undoing has dealt with, put back or left alone; all of it or, on an error, nothing.

        The scenes keep the fingerprint they are given: no sweep brings back what a person took away.
        """
        with self._writing() as db:
            for scene in undone.scenes:
                self._take_back(scene, undone, sentence, now)
            if undone.item is not None:
                db.execute(
                    "UPDATE item_baseline SET data = ?, at = ? WHERE rating_key = ? AND machine = ? AND at = ?",
                    (undone.baseline.to_json(), now, undone.rating_key, undone.machine, undone.item.at),
                )
            self._journal.mark_undone(undone.entry_ids, now)
            self._intents.drop([undone])
            self._pictures.drop_intents(undone.rating_key, undone.machine)

    def _take_back(self, scene: SceneRecord, undone: UndoneItem, sentence: str, now: float) -> None:
        if self._scenes.write_undone(scene, sentence, now):
            self._pictures.take_back(
                scene.scene_id,
                undone.pictures,
                rating_key=undone.rating_key,
                machine=undone.machine,
                sentence=sentence,
                now=now,
            )

    # --- pictures -----------------------------------------------------------------------------------------------

    def picture(self, scene_id: int, kind: str) -> PictureRecord | None:
        with self._lock:
            return self._pictures.of(scene_id, kind)

    def record_picture(
        self,
        scene_id: int,
        kind: str,
        *,
        rating_key: int,
        machine: str,
        stamp: str,
        digest: str,
        key: str,
        state: PictureState,
        sentence: str,
        now: float,
        entries: Sequence[JournalEntry] = (),
        run_id: int = 0,
    ) -> None:
        """Note where a picture stands, and what it replaced; all of it or, on an error, nothing."""
        with self._writing():
            self._pictures.write(
                PictureRecord(scene_id, kind, rating_key, machine, stamp, digest, key, state, sentence, now)
            )
            self._pictures.drop_intent(rating_key, machine, kind)
            self._journal.write(
                entries, run_id=run_id, scene_id=scene_id, rating_key=rating_key, machine=machine, now=now
            )

    def intend_picture(self, intent: PictureIntent) -> None:
        """Note what an item shows before it is given another picture; a leftover must be settled before."""
        with self._writing():
            self._pictures.intend(intent)

    def picture_intent(self, rating_key: int, machine: str, kind: str) -> PictureIntent | None:
        """Find the picture that was on its way when a process ended or an answer was lost."""
        with self._lock:
            return self._pictures.intent(rating_key, machine, kind)

    def settle_picture(self, leftover: PictureIntent, arrived: str | None, *, run_id: int, now: float) -> None:
        """Note that a leftover was looked into, and by its key the picture that came of it and is shown."""
        with self._writing():
            if arrived is not None:
                self._journal.write(
                    [leftover.entry(arrived)],
                    run_id=run_id,
                    scene_id=leftover.scene_id,
                    rating_key=leftover.rating_key,
                    machine=leftover.machine,
                    now=now,
                )
            self._pictures.drop_intent(leftover.rating_key, leftover.machine, leftover.kind)

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
