"""Undo: what was written is taken back, item by item, where Plex still shows it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from ledger.baseline import Baseline
from ledger.records import ItemRecord, ItemSync, JournalEntry, JournalSlice, SceneRecord, UndoneItem
from plan.fields import settings_text
from plan.intent import with_leftover
from plan.undo import PictureUndo, UndoPlan, UndoWhy, on_top, plan_undo
from plex.client import DETAILS_PER_REQUEST
from plex.edit import ItemEdit, LockEdit
from plex.exceptions import ItemNotFound, PlexError
from plex.item import ItemDetails
from plex.pictures import Picture, PictureKind
from stash.wire import Refusal
from tasks.plex_desk import PlexDesk
from tasks.report import Report
from tasks.undo_scope import UndoScope
from validation.metadata import InvalidMetadata, SyncMetadata
from worker.item_writer import known_path
from worker.rules import rule_for
from worker.scene_finder import is_same

MOST_LINES = 200
SENTENCE = "Taken back. It is synced again when it is edited in Stash, or by Sync All."


@dataclass(slots=True)
class Tally:
    """Scenes dealt with; values of theirs put back, kept, and overtaken; items that are gone, and that failed."""

    scenes: int = 0
    put_back: int = 0
    kept: int = 0
    overtaken: int = 0
    gone: int = 0
    failed: int = 0

    def numbers(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __str__(self) -> str:
        overtaken = f"{self.overtaken} were left because they were written again since, " if self.overtaken else ""
        return (
            f"{self.put_back} values of {self.scenes} scenes were put back, {self.kept} were kept because they were "
            f"edited since, {overtaken}{self.gone} items are gone from Plex, {self.failed} items failed"
        )


@dataclass(frozen=True, slots=True)
class Trace:
    """What is to be undone on one item, the newest first, and what we know of the item and of those scenes."""

    rating_key: int
    machine: str
    entries: tuple[JournalEntry, ...]
    item: ItemRecord | None
    records: Mapping[int, SceneRecord]

    @property
    def scene_ids(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(entry.scene_id for entry in self.entries))

    @property
    def scenes(self) -> tuple[SceneRecord, ...]:
        """The records of its scenes, without those that have become another item's since."""
        known = (self.records.get(scene_id) for scene_id in self.scene_ids)
        return tuple(one for one in known if one and (one.rating_key, one.machine) == (self.rating_key, self.machine))

    def parted(self, shown: ItemDetails | None) -> tuple["Trace", "Trace"]:
        """Part it into what was written to this very item, and to one that had its key before."""
        paths = {part.path for part in shown.parts} if shown else set[str]()
        known = {record.scene_id: record.path for record in self.scenes}
        otherwise = self.item.path if self.item else ""
        stays = shown is not None and self.item is not None and (not self.item.path or is_same(self.item, shown))
        here = {one for one in self.scene_ids if shown and (stays or known.get(one, otherwise) in {"", *paths})}
        return (
            replace(self, entries=tuple(one for one in self.entries if one.scene_id in here)),
            replace(
                self,
                entries=tuple(one for one in self.entries if one.scene_id not in here),
                item=None if stays else self.item,
            ),
        )

    def undone(self, baseline: Baseline, pictures: Sequence[PictureUndo] = ()) -> UndoneItem:
        return UndoneItem(
            rating_key=self.rating_key,
            machine=self.machine,
            entry_ids=tuple(entry.id for entry in self.entries),
            scenes=self.scenes,
            pictures=tuple(picture.kind.value for picture in pictures),
            item=self.item,
            baseline=baseline,
        )


class UndoRun:
    """One undo, from the journal to the last item. A page of items at a time; whatever stops it, it can go on."""

    def __init__(self, desk: PlexDesk) -> None:
        self._desk = desk
        self._ledger = desk.ledger
        self._client = desk.line.client(desk.config)
        self._tally = Tally()
        self._lines = 0

    def run(self, scope: UndoScope) -> Report:
        meant = self._slice(scope)
        counts = self._ledger.items_to_undo(meant) if meant else {}
        if meant is None or not counts:
            return Report("There is nothing to undo.", self._tally.numbers())
        machine = self._desk.line.machine(self._desk.config)
        if machine not in counts:
            raise Refusal("What is to be undone went to another Plex server than the one that answers now.")
        self._undo_all(meant, machine, counts[machine])
        again = " Run it again for those that failed." if self._tally.failed else ""
        elsewhere = sum(counts.values()) - counts[machine]
        others = f" {elsewhere} items of another Plex server were left alone." if elsewhere else ""
        return Report(f"{self._tally}.{again}{others}", self._tally.numbers())

    def _slice(self, scope: UndoScope) -> JournalSlice | None:
        if scope.run_id is not None:
            if not self._ledger.has_run(scope.run_id):
                raise Refusal(f"There is no run {scope.run_id} in the journal.")
            return JournalSlice(scope.run_id, scope.run_id)
        if scope.scene_id is not None:
            return JournalSlice(scene_id=scope.scene_id)
        return JournalSlice() if scope.everything else self._ledger.last_slice()

    def _undo_all(self, meant: JournalSlice, machine: str, total: int) -> None:
        after, done = 0, 0
        try:
            while keys := self._ledger.keys_to_undo(meant, machine, after, DETAILS_PER_REQUEST):
                self._desk.line.machine(self._desk.config)  # asks now and then whether it is still the same
                self._undo_page(list(self._traces(meant, machine, keys)))
                after, done = keys[-1], done + len(keys)
                self._desk.teller.progress(done / total)
        except PlexError as problem:
            raise Refusal(f"{problem}. Until then: {self._tally}. Run it again for the rest.") from problem

    def _traces(self, meant: JournalSlice, machine: str, keys: Sequence[int]) -> Iterator[Trace]:
        written: dict[int, list[JournalEntry]] = {}
        for entry in self._ledger.entries_of_items(keys, machine):
            written.setdefault(entry.rating_key, []).append(entry)
        items = self._ledger.items(keys, machine)
        records = self._records({entry.scene_id for found in written.values() for entry in found})
        for key, found in written.items():
            taken, left = on_top(found, meant.covers)
            self._tally.overtaken += len({entry.field for entry in left})
            for field, scene_id in dict.fromkeys((entry.field, entry.scene_id) for entry in left):
                self._say([scene_id], f"{field}: {UndoWhy.OVERTAKEN}")
            if taken:
                yield Trace(key, machine, tuple(taken), items.get(key), records)

    def _records(self, scene_ids: set[int]) -> dict[int, SceneRecord]:
        """Read the scenes' records, each with a fingerprint: without one, the next sweep would undo the undo."""
        records = self._ledger.scenes(scene_ids)
        unseen = [scene_id for scene_id, record in records.items() if not record.fingerprint]
        for scene_id, scene in (self._desk.stash.scenes(unseen) if unseen else {}).items():
            try:
                fingerprint = SyncMetadata.of(scene).fingerprint(settings_text(self._desk.config))
            except InvalidMetadata:
                continue
            records[scene_id] = replace(records[scene_id], fingerprint=fingerprint)
        return records

    # --- one item -------------------------------------------------------------------------------------------------

    def _undo_page(self, traces: Sequence[Trace]) -> None:
        details = self._client.details([trace.rating_key for trace in traces])
        for trace in traces:
            shown = details.get(trace.rating_key)
            if shown is not None and not shown.parts and trace.item is not None and trace.item.path:
                self._tally.failed += 1  # a drive that is away: Plex keeps the item, and may get its file back
                self._say(trace.scene_ids, "its file is out of Plex's reach, so it was left alone", ok=False)
                continue
            here, gone = trace.parted(shown)
            if gone.entries:
                self._leave(gone)
            try:
                if shown is not None and here.entries:
                    self._undo(here, shown)
            except ItemNotFound:
                self._leave(here)
            except PlexError as problem:
                if rule_for(problem).stops_all:
                    raise
                self._tally.failed += 1
                self._say(here.scene_ids, str(problem), ok=False)

    def _undo(self, trace: Trace, shown: ItemDetails) -> None:
        plan = self._plan(trace, shown)
        pictures = [(picture, self._put_back(picture, trace.rating_key)) for picture in plan.pictures]
        edit = _with_unlocks(plan, pictures, shown)
        if edit is not None:
            self._announce(trace, plan, shown)
            self._client.edit(edit)
        undone = trace.undone(plan.baseline, [one for one, why in pictures if why is not UndoWhy.EDITED])
        self._ledger.record_undo(undone, SENTENCE, self._desk.now())
        self._count(trace, plan, pictures)

    def _announce(self, trace: Trace, plan: UndoPlan, shown: ItemDetails) -> None:
        """Note what will be ours, as the worker does: were we to die, our own old value would pass for a person's."""
        if not self._ledger.intents([trace.rating_key], trace.machine):  # a leftover knows more; it is settled first
            intent = ItemSync(
                scene_id=trace.scene_ids[0],
                rating_key=trace.rating_key,
                machine=trace.machine,
                path=known_path(shown, trace.item.path if trace.item else ""),
                fingerprint="",
                baseline=plan.baseline,
            )
            self._ledger.intend([intent])

    def _plan(self, trace: Trace, shown: ItemDetails) -> UndoPlan:
        """Plan it, with what a worker wrote last and did not live to put into the journal."""
        baseline = trace.item.baseline if trace.item else Baseline()
        leftover = self._ledger.intents([trace.rating_key], trace.machine).get(trace.rating_key)
        baseline, unrecorded = with_leftover(baseline, leftover, shown)
        return plan_undo([*self._leftover_pictures(trace), *reversed(unrecorded), *trace.entries], shown, baseline)

    def _leftover_pictures(self, trace: Trace) -> Iterator[JournalEntry]:
        for kind in PictureKind:
            leftover = self._ledger.picture_intent(trace.rating_key, trace.machine, kind.value)
            for picture in self._client.pictures(trace.rating_key, kind) if leftover else ():
                if leftover and picture.selected and picture.is_upload_of(leftover.digest):
                    yield leftover.entry(picture.key)

    def _put_back(self, picture: PictureUndo, rating_key: int) -> UndoWhy:
        why = picture.decide(self._client.pictures(rating_key, picture.kind))
        if why is UndoWhy.PUT_BACK:
            self._client.select_picture(rating_key, picture.kind, Picture(picture.old, selected=False))
        return why

    def _leave(self, trace: Trace) -> None:
        """There is nothing left that could be put back: the item is gone, and what we wrote with it."""
        self._ledger.record_undo(trace.undone(Baseline()), SENTENCE, self._desk.now())
        self._tally.gone += 1
        self._say(trace.scene_ids, "its item is gone from Plex, there is nothing to put back", ok=False)

    # --- telling --------------------------------------------------------------------------------------------------

    def _count(self, trace: Trace, plan: UndoPlan, pictures: Sequence[tuple[PictureUndo, UndoWhy]]) -> None:
        outcomes = [(decision.field, decision.why) for decision in plan.decisions]
        outcomes += [(picture.kind.place, why) for picture, why in pictures]
        self._tally.scenes += len(trace.scene_ids)
        self._tally.put_back += sum(why is UndoWhy.PUT_BACK for _, why in outcomes)
        self._tally.kept += sum(why is UndoWhy.EDITED for _, why in outcomes)
        for field, why in outcomes:
            if why not in {UndoWhy.PUT_BACK, UndoWhy.NOTHING}:
                self._say(trace.scene_ids, f"{field}: {why}")

    def _say(self, scene_ids: Sequence[int], sentence: str, *, ok: bool = True) -> None:
        self._lines += 1
        if self._lines <= MOST_LINES:
            scenes = " and ".join(map(str, scene_ids))
            self._desk.teller.say(f"scene {scenes}: {sentence}.", ok=ok)


def _with_unlocks(
    plan: UndoPlan, pictures: Sequence[tuple[PictureUndo, UndoWhy]], shown: ItemDetails
) -> ItemEdit | None:
    """Add the locks of pictures to the edit: selecting a picture may lock it, so they are opened afterwards."""
    unlocks = tuple(
        LockEdit(picture.kind.value, locked=False)
        for picture, why in pictures
        if not picture.old_locked
        and (why is UndoWhy.PUT_BACK or (why is not UndoWhy.EDITED and picture.kind.value in shown.locked))
    )
    if not unlocks:
        return plan.edit
    edit = plan.edit or ItemEdit(shown)
    return ItemEdit(shown, edit.fields, edit.tags, (*edit.locks, *unlocks))
