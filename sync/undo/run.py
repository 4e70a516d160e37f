"""Undo: what was written is taken back, item by item, where the server still shows it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ledger.baseline import Baseline
from ledger.records import JournalEntry, JournalSlice, SceneRecord
from model.errors import ItemNotFound, TargetError
from model.item import Item
from model.sentences import counted
from model.user_error import UserError
from plan.fields import settings_text
from plan.undo import UndoPlan, UndoWhy, on_top
from runtime.clock import SystemClock
from sync.batch_time import FRESH_SECONDS
from sync.context import TargetContext
from sync.pictures.covers import screenshot_stamp
from sync.retries.patience import rule_for
from sync.undo.item import ItemHistory, ItemUndo, TriedPicture
from sync.undo.scope import UndoScope
from validation.metadata import fingerprint_of, undone_mark

MOST_LINES = 200
ITEMS_AT_ONCE = 50  # as many as one request for details takes
SENTENCE = "Taken back. It is synced again when it is edited in Stash, or by Sync All."


@dataclass(slots=True)
class UndoResult:
    """Scenes dealt with; values of theirs put back, kept, overtaken and impossible; items gone, and that failed."""

    scenes: int = 0
    put_back: int = 0
    kept: int = 0
    overtaken: int = 0
    impossible: int = 0
    gone: int = 0
    failed: int = 0
    notes: str = ""
    name: str = "Plex"

    @property
    def sentence(self) -> str:
        return f"{self}.{self.notes}" if self.is_anything else "There is nothing to undo."

    @property
    def is_anything(self) -> bool:
        return any((self.scenes, self.put_back, self.kept, self.overtaken, self.impossible, self.gone, self.failed))

    def __str__(self) -> str:
        overtaken = f"{self.overtaken} left as written again since, " if self.overtaken else ""
        impossible = f"{self.impossible} could not be taken back, " if self.impossible else ""
        return (
            f"{counted(self.put_back, 'value')} of {counted(self.scenes, 'scene')} put back, "
            f"{self.kept} kept as edited since, {overtaken}{impossible}"
            f"{counted(self.gone, 'item')} gone from {self.name}, {counted(self.failed, 'item')} failed"
        )


class UndoRun:
    """One undo, from the journal to the last item. A page of items at a time; whatever stops it, it can go on."""

    def __init__(self, context: TargetContext, edited: Callable[[Iterable[int]], set[int]]) -> None:
        """`edited` names those of some scenes for which an edit waits."""
        self._context = context
        self._edited = edited
        self._ledger = context.ledger
        self._client = context.connection.client(context.config)
        self._item_undo = ItemUndo(context.ledger, self._client, SystemClock())
        self._result = UndoResult(name=context.name)
        self._scenes: set[int] = set()
        self._lines = 0

    def run(self, scope: UndoScope) -> UndoResult:
        """Take back what the scope names; nothing, if there is nothing of it. Raises UserError."""
        meant = scope.slice_of(self._ledger)
        counts = self._ledger.journal.items_to_undo(meant) if meant else {}
        if meant is None or not counts:
            return self._result
        name, server_id = self._context.name, self._context.connection.server_id(self._context.config)
        if server_id not in counts:
            raise UserError(f"What is to be undone went to another {name} server than the one that answers now.")
        self._undo_all(meant, server_id, counts[server_id])
        again = " Run it again for those that failed." if self._result.failed else ""
        elsewhere = sum(counts.values()) - counts[server_id]
        others = f" Left alone, as they went to another {name} server: {counted(elsewhere, 'item')}."
        self._result.notes = f"{again}{others if elsewhere else ''}"
        return self._result

    def _undo_all(self, meant: JournalSlice, server_id: str, total: int) -> None:
        after, done = "", 0
        try:
            while keys := self._ledger.journal.keys_to_undo(meant, server_id, after, ITEMS_AT_ONCE):
                self._context.connection.server_id(
                    self._context.config
                )  # asks now and then whether it is still the same
                self._undo_page(list(self._traces(meant, server_id, keys)))
                after, done = keys[-1], done + len(keys)
                self._context.reporter.progress(done / total)
        except TargetError as problem:
            raise UserError(f"{problem}. Until then: {self._result}. Run it again for the rest.") from problem

    def _traces(self, meant: JournalSlice, server_id: str, keys: Sequence[str]) -> Iterator[ItemHistory]:
        written: dict[str, list[JournalEntry]] = {}
        for entry in self._ledger.journal.entries_of_items(keys, server_id):
            written.setdefault(entry.item_id, []).append(entry)
        items = self._ledger.items.of(keys, server_id)
        records = self._records({entry.scene_id for found in written.values() for entry in found})
        for key, found in written.items():
            taken, left = on_top(found, meant.covers)
            self._result.overtaken += len({entry.field for entry in left})
            for field, scene_id in dict.fromkeys((entry.field, entry.scene_id) for entry in left):
                self._log([scene_id], f"{field}: {UndoWhy.OVERTAKEN.told(self._client.name)}")
            if taken:
                yield ItemHistory(key, server_id, tuple(taken), items.get(key), records)

    def _records(self, scene_ids: set[int]) -> dict[int, SceneRecord]:
        """Read the scenes' records, each with what it is compared with from now on: no sweep may undo the undo."""
        records = self._ledger.scenes.of(scene_ids)
        settings = settings_text(self._context.config, self._context.target)
        for scene_id, scene in (self._context.stash.scenes(list(records)) if records else {}).items():
            known = records[scene_id].fingerprint or fingerprint_of(scene, settings)
            mark = undone_mark(known, screenshot_stamp(scene.screenshot))
            records[scene_id] = replace(records[scene_id], fingerprint=mark)
        return records

    # --- one item -------------------------------------------------------------------------------------------------

    def _undo_page(self, traces: Sequence[ItemHistory]) -> None:
        clock = SystemClock()
        read_at, details = clock.monotonic(), self._client.details([history.item_id for history in traces])
        for place, history in enumerate(traces):
            if clock.monotonic() - read_at >= FRESH_SECONDS:  # a person may have edited it since
                read_at, details = clock.monotonic(), self._client.details([one.item_id for one in traces[place:]])
            shown = details.get(history.item_id)
            if shown is not None and not shown.parts and history.item is not None and history.item.path:
                self._result.failed += 1  # a drive that is away: the server keeps the item, and may get its file back
                sentence = f"its file is out of {self._client.name}'s reach, so it was left alone"
                self._log(history.scene_ids, sentence, ok=False)
                continue
            here, gone = history.split(shown)
            if gone.entries:
                self._leave(gone)
            try:
                if shown is not None and here.entries:
                    self._undo(here, shown)
            except ItemNotFound:
                self._leave(here)
            except TargetError as problem:
                if rule_for(problem).stops_all:
                    raise
                self._result.failed += 1
                self._log(here.scene_ids, str(problem), ok=False)

    def _undo(self, history: ItemHistory, shown: Item) -> None:
        records = dict(history.records)
        for scene_id in self._edited(history.scene_ids) & records.keys():  # it waits for us, and then counts
            records[scene_id] = replace(records[scene_id], fingerprint=undone_mark(records[scene_id].fingerprint, None))
        history = replace(history, records=records)
        self._count(history, *self._item_undo.undo(history, shown, SENTENCE, self._context.now()))

    def _leave(self, history: ItemHistory) -> None:
        """There is nothing left that could be put back: the item is gone, and what we wrote with it."""
        self._ledger.record_undo(history.undone(Baseline()), SENTENCE, self._context.now())
        self._result.gone += 1
        self._log(
            history.scene_ids, f"its item is gone from {self._client.name}, there is nothing to put back", ok=False
        )

    # --- reporting --------------------------------------------------------------------------------------------------

    def _count(self, history: ItemHistory, plan: UndoPlan, pictures: Sequence[TriedPicture]) -> None:
        outcomes = [(decision.field, decision.why) for decision in plan.decisions]
        outcomes += [(picture.kind.place, why) for picture, why in pictures]
        self._scenes.update(history.scene_ids)  # one scene may have several items
        self._result.scenes = len(self._scenes)
        self._result.put_back += sum(why is UndoWhy.PUT_BACK for _, why in outcomes)
        self._result.kept += sum(why is UndoWhy.EDITED for _, why in outcomes)
        self._result.impossible += sum(not why.is_possible for _, why in outcomes)
        for field, why in outcomes:
            if why not in {UndoWhy.PUT_BACK, UndoWhy.NOTHING}:
                self._log(history.scene_ids, f"{field}: {why.told(self._client.name)}", ok=why.is_possible)

    def _log(self, scene_ids: Sequence[int], sentence: str, *, ok: bool = True) -> None:
        self._lines += 1
        if self._lines <= MOST_LINES:
            scenes = " and ".join(map(str, scene_ids))
            self._context.reporter.log(f"scene {scenes}: {sentence}.", ok=ok)
