"""Undo of the last run: what it wrote is taken back, item by item, where Plex still shows it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from ledger.baseline import Baseline
from ledger.records import ItemSync, JournalEntry, SceneRecord
from ledger.states import PictureState, SceneState
from ledger.store import Ledger
from plan.undo import PictureUndo, UndoPlan, UndoWhy, plan_undo
from plex.client import DETAILS_PER_REQUEST
from plex.edit import ItemEdit, LockEdit
from plex.exceptions import ItemNotFound, PlexError
from plex.item import ItemDetails
from plex.pictures import Picture
from stash.wire import Refusal
from tasks.plex_desk import PlexDesk
from tasks.report import Report
from worker.rules import rule_for

MOST_LINES = 200
SENTENCE = "Taken back. It is synced again when it is edited in Stash, or by Sync All."


@dataclass(slots=True)
class Tally:
    """Scenes dealt with, values of theirs put back and kept, items that are gone, scenes that failed."""

    scenes: int = 0
    put_back: int = 0
    kept: int = 0
    gone: int = 0
    failed: int = 0

    def numbers(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __str__(self) -> str:
        return (
            f"{self.put_back} values of {self.scenes} scenes were put back, {self.kept} were kept because they were "
            f"edited since, {self.gone} items are gone from Plex, {self.failed} scenes failed"
        )


@dataclass(frozen=True, slots=True)
class Trace:
    """What was written for one scene to one item, the newest first."""

    entries: tuple[JournalEntry, ...]
    record: SceneRecord | None

    @property
    def scene_id(self) -> int:
        return self.entries[0].scene_id

    @property
    def rating_key(self) -> int:
        return self.entries[0].rating_key

    @property
    def own_record(self) -> SceneRecord | None:
        """The scene's record, unless it has become another item's since."""
        entry, record = self.entries[0], self.record
        is_its = record is not None and (record.rating_key, record.machine) == (entry.rating_key, entry.machine)
        return record if is_its else None

    def is_of(self, shown: ItemDetails) -> bool:
        """Tell whether the item still holds the file: a key may have become another's since."""
        path = self.own_record.path if self.own_record else ""
        return not path or any(part.path == path for part in shown.parts)


class UndoRun:
    """One undo, from the journal to the last item."""

    def __init__(self, desk: PlexDesk) -> None:
        self._desk = desk
        self._ledger = desk.ledger
        self._client = desk.line.client(desk.config)
        self._tally = Tally()
        self._lines = 0

    def run(self) -> Report:
        entries = entries_to_undo(self._ledger)
        if not entries:
            return Report("There is nothing to undo.", self._tally.numbers())
        machine = self._desk.line.machine(self._desk.config)
        groups = _by_item(entry for entry in entries if entry.machine == machine)
        if not groups:
            raise Refusal("What was written last went to another Plex server than the one that answers now.")
        self._undo_all(groups)
        again = " Run it again for those that failed." if self._tally.failed else ""
        return Report(f"{self._tally}.{again}", self._tally.numbers())

    def _undo_all(self, groups: Sequence[tuple[JournalEntry, ...]]) -> None:
        try:
            for start in range(0, len(groups), DETAILS_PER_REQUEST):
                self._undo_batch(groups[start : start + DETAILS_PER_REQUEST])
                self._desk.teller.progress((start + DETAILS_PER_REQUEST) / len(groups))
        except PlexError as problem:
            raise Refusal(f"{problem}. Until then: {self._tally}. Run it again for the rest.") from problem

    def _undo_batch(self, groups: Sequence[tuple[JournalEntry, ...]]) -> None:
        self._desk.line.machine(self._desk.config)  # asks now and then whether it is still the same
        records = self._ledger.scenes(entries[0].scene_id for entries in groups)
        details = self._client.details([entries[0].rating_key for entries in groups])
        for entries in groups:
            trace = Trace(entries, records.get(entries[0].scene_id))
            try:
                self._undo(trace, details.get(trace.rating_key))
            except ItemNotFound:
                self._leave(trace)
            except PlexError as problem:
                if rule_for(problem).stops_all:
                    raise
                self._tally.failed += 1
                self._say(trace, str(problem), ok=False)

    def _undo(self, trace: Trace, shown: ItemDetails | None) -> None:
        if shown is None or not trace.is_of(shown):
            self._leave(trace)
            return
        plan = plan_undo(trace.entries, shown, trace.own_record.baseline if trace.own_record else Baseline())
        pictures = [(picture, self._put_back(picture, trace.rating_key)) for picture in plan.pictures]
        edit = _with_unlocks(plan, pictures, shown)
        if edit is not None:
            self._client.edit(edit)
        self._remember(trace, plan.baseline, [one for one, why in pictures if why is not UndoWhy.EDITED])
        self._count(trace, plan, pictures)

    def _put_back(self, picture: PictureUndo, rating_key: int) -> UndoWhy:
        why = picture.decide(self._client.pictures(rating_key, picture.kind))
        if why is UndoWhy.PUT_BACK:
            self._client.select_picture(rating_key, picture.kind, Picture(picture.old, selected=False))
        return why

    def _leave(self, trace: Trace) -> None:
        """There is nothing left that could be put back: the item is gone, and what we wrote with it."""
        self._remember(trace, Baseline(), ())
        self._tally.gone += 1
        self._say(trace, "its item is gone from Plex, there is nothing to put back", ok=False)

    # --- remembering ----------------------------------------------------------------------------------------------

    def _remember(self, trace: Trace, baseline: Baseline, pictures: Sequence[PictureUndo]) -> None:
        """Note it all; the journal last, so that an undo that dies in between is done again, and finds all put back."""
        now, record = self._desk.now(), trace.own_record
        if record is not None:
            sync = ItemSync(
                scene_id=record.scene_id,
                rating_key=trace.rating_key,
                machine=record.machine,
                path=record.path,
                fingerprint=record.fingerprint,
                baseline=baseline,
            )
            self._ledger.record_syncs([sync], run_id=0, now=now)
            self._ledger.record_state(record.scene_id, SceneState.UNDONE, SENTENCE, now, keep_fingerprint=True)
            for picture in pictures:
                self._forget_picture(record, picture, now)
        self._ledger.mark_undone((entry.id for entry in trace.entries), now)

    def _forget_picture(self, record: SceneRecord, picture: PictureUndo, now: float) -> None:
        self._ledger.record_picture(
            record.scene_id,
            picture.kind.value,
            rating_key=record.rating_key or 0,
            machine=record.machine,
            stamp="",  # so that it is shown again when its scene is synced again
            digest="",
            key="",
            state=PictureState.UNDONE,
            sentence=SENTENCE,
            now=now,
        )

    # --- telling --------------------------------------------------------------------------------------------------

    def _count(self, trace: Trace, plan: UndoPlan, pictures: Sequence[tuple[PictureUndo, UndoWhy]]) -> None:
        outcomes = [(decision.field, decision.why) for decision in plan.decisions]
        outcomes += [(picture.kind.place, why) for picture, why in pictures]
        self._tally.scenes += 1
        self._tally.put_back += sum(why is UndoWhy.PUT_BACK for _, why in outcomes)
        self._tally.kept += sum(why is UndoWhy.EDITED for _, why in outcomes)
        for field, why in outcomes:
            if why not in {UndoWhy.PUT_BACK, UndoWhy.NOTHING}:
                self._say(trace, f"{field}: {why}")

    def _say(self, trace: Trace, sentence: str, *, ok: bool = True) -> None:
        self._lines += 1
        if self._lines <= MOST_LINES:
            self._desk.teller.say(f"scene {trace.scene_id}: {sentence}.", ok=ok)


def entries_to_undo(ledger: Ledger) -> list[JournalEntry]:
    """List what the newest metadata run wrote and the picture runs that began since; if there is none, the last run's.

    Pictures have a lane, and so runs, of their own; to a person they belong to the scenes they were written for.
    """
    last = ledger.last_run()
    if last is None:
        return []
    newest = ledger.entries(run_id=last.id)
    found, run, run_id = list(newest), newest, last.id
    while all(entry.kind == "picture" for entry in run):
        run_id -= 1
        if run_id == 0:
            return newest
        run = ledger.entries(run_id=run_id)
        found += run
    return found


def _by_item(entries: Iterator[JournalEntry]) -> list[tuple[JournalEntry, ...]]:
    groups: dict[tuple[int, int], list[JournalEntry]] = {}
    for entry in entries:
        groups.setdefault((entry.scene_id, entry.rating_key), []).append(entry)
    return [tuple(group) for group in groups.values()]


def _with_unlocks(
    plan: UndoPlan, pictures: Sequence[tuple[PictureUndo, UndoWhy]], shown: ItemDetails
) -> ItemEdit | None:
    """Add the locks of pictures to the edit: selecting a picture may lock it, so they are opened afterwards."""
    unlocks = tuple(
        LockEdit(picture.kind.value, locked=False)
        for picture, why in pictures
        if why is not UndoWhy.EDITED and not picture.old_locked and picture.kind.value in shown.locked
    )
    if not unlocks:
        return plan.edit
    edit = plan.edit or ItemEdit(shown)
    return ItemEdit(shown, edit.fields, edit.tags, (*edit.locks, *unlocks))
