"""The undo of one item: what was written to it is put back, where the server still shows it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ledger.baseline import Baseline
from ledger.records import ItemRecord, ItemSync, JournalEntry, SceneRecord, UndoneItem
from ledger.store import Ledger
from model.capabilities import Capabilities
from model.change import ItemChange, LockEdit
from model.errors import ChangeRejected, ItemChanged
from model.item import Item, TagKind
from model.picture import Picture, PictureKind
from plan.fields import KINDS
from plan.undo import PictureUndo, UndoPlan, UndoWhy, plan_undo
from plan.unfinished import with_unfinished_write
from runtime.clock import Clock
from sync.batch_time import FRESH_SECONDS
from sync.scenes.finder import is_same, seen_again
from sync.scenes.writer import MOST_TRIES, known_path
from sync.target import Target

TriedPicture = tuple[PictureUndo, UndoWhy]


@dataclass(frozen=True, slots=True)
class ItemHistory:
    """What is to be undone on one item, the newest first, and what we know of the item and of those scenes."""

    item_id: str
    server_id: str
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
        return tuple(one for one in known if one and (one.item_id, one.server_id) == (self.item_id, self.server_id))

    def split(self, shown: Item | None) -> tuple["ItemHistory", "ItemHistory"]:
        """Split it into what was written to this very item, and to one that had its key before."""
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

    def undone(self, baseline: Baseline, pictures: Sequence[TriedPicture] = ()) -> UndoneItem:
        """Describe what is left of it. What was not possible stays in the journal, and ours."""
        left = {picture.kind.value for picture, why in pictures if not why.is_possible}
        kept = {picture.kind.value for picture, why in pictures if why is UndoWhy.EDITED}
        return UndoneItem(
            item_id=self.item_id,
            server_id=self.server_id,
            entry_ids=tuple(entry.id for entry in self.entries if entry.field not in left),
            scenes=self.scenes,
            pictures=tuple(one.kind.value for one, _ in pictures if one.kind.value not in left | kept),
            item=self.item,
            baseline=baseline,
            still_shown=tuple(left),
        )


class ItemUndo:
    """Undoes items one by one. An undo and a sync must not run at once; see `sync_queue/claim_pause.py`."""

    def __init__(self, ledger: Ledger, client: Target, clock: Clock) -> None:
        self._ledger = ledger
        self._client = client
        self._clock = clock

    def undo(
        self, history: ItemHistory, shown: Item, sentence: str, now: float
    ) -> tuple[UndoPlan, Sequence[TriedPicture]]:
        """Put back what can be, record it with a sentence for the scenes, and say what became of what."""
        plan, read_at = self._plan(history, shown), self._clock.monotonic()
        pictures = [(picture, self._put_back(picture, history.item_id)) for picture in plan.pictures]
        if self._clock.monotonic() - read_at >= FRESH_SECONDS:  # a person may have edited it meanwhile
            shown = self._client.details_of(history.item_id)
            plan = self._plan(history, shown)
        plan, has_written = self._write(history, shown, plan, pictures)
        undone = history.undone(plan.baseline, pictures)
        if has_written or undone.entry_ids:
            self._ledger.record_undo(undone, sentence, now)
        return plan, pictures

    def _write(
        self, history: ItemHistory, shown: Item, plan: UndoPlan, pictures: Sequence[TriedPicture]
    ) -> tuple[UndoPlan, bool]:
        """Send the edit of a plan, or of a new one if somebody edits the item meanwhile; say which, and whether."""
        for tries_left in reversed(range(MOST_TRIES)):
            edit = _with_unlocks(plan, pictures, shown, self._client.capabilities)
            if edit is None:
                break
            self._announce(history, plan, shown)
            try:
                self._client.edit(edit)
            except ItemChanged:
                if not tries_left:
                    raise
                shown = self._client.details_of(history.item_id)
                plan = self._plan(history, shown)
            else:
                return plan, True
        return plan, False

    def _announce(self, history: ItemHistory, plan: UndoPlan, shown: Item) -> None:
        """Note what will be ours, as the worker does: were we to die, our own old value would pass for a person's."""
        # An unfinished write of the worker knows more: it is resolved first.
        if not self._ledger.unfinished.of_items([history.item_id], history.server_id):
            intent = ItemSync(
                scene_id=history.scene_ids[0],
                item_id=history.item_id,
                server_id=history.server_id,
                path=known_path(shown, history.item.path if history.item else ""),
                fingerprint="",
                baseline=plan.baseline,
            )
            self._ledger.unfinished.announce([intent])

    def _plan(self, history: ItemHistory, shown: Item) -> UndoPlan:
        """Plan it, with what a worker wrote last and did not live to put into the journal."""
        if any(KINDS.get(entry.field) is TagKind.COLLECTION for entry in history.entries):
            shown = self._client.with_collections(shown)
        baseline = history.item.baseline if history.item else Baseline()
        baseline = seen_again(baseline, shown, history.server_id, self._ledger, self._clock.now())
        unfinished = self._ledger.unfinished.of_items([history.item_id], history.server_id).get(history.item_id)
        baseline, unrecorded = with_unfinished_write(baseline, unfinished, shown)
        return plan_undo(
            [*self._unfinished_pictures(history), *reversed(unrecorded), *history.entries], shown, baseline
        )

    def _unfinished_pictures(self, history: ItemHistory) -> Iterator[JournalEntry]:
        announced = self._ledger.pictures.unfinished([history.item_id], history.server_id)
        for (key, kind), unfinished in announced.items():
            for picture in self._client.pictures(key, PictureKind(kind)):
                if picture.selected and self._client.shows_bytes(key, PictureKind(kind), picture, unfinished.digest):
                    yield unfinished.entry(picture.key)

    def _put_back(self, picture: PictureUndo, item_id: str) -> UndoWhy:
        is_stacked = picture.kind in self._client.capabilities.stacked
        why = picture.decide(self._client.pictures(item_id, picture.kind), is_stacked=is_stacked)
        if why is UndoWhy.PUT_BACK and picture.old:
            try:
                self._client.select_picture(item_id, picture.kind, Picture(picture.old, selected=False))
            except ChangeRejected:  # it stops nothing else that is to be put back
                return UndoWhy.REFUSED
        elif why is UndoWhy.PUT_BACK:
            try:
                self._client.unset_picture(item_id, picture.kind, Picture(picture.ours, selected=True))
            except ChangeRejected:
                return UndoWhy.NO_WAY
        return why


def _with_unlocks(
    plan: UndoPlan, pictures: Sequence[TriedPicture], shown: Item, capabilities: Capabilities
) -> ItemChange | None:
    """Add the locks of pictures to the edit: selecting a picture may lock it, so they are opened afterwards."""
    unlocks = tuple(
        LockEdit(picture.kind.value, locked=False)
        for picture, why in pictures
        if not picture.old_locked
        and capabilities.has_lock(picture.kind)
        and (why is UndoWhy.PUT_BACK or (why is not UndoWhy.EDITED and picture.kind.value in shown.locked))
    )
    if not unlocks:
        return plan.edit
    edit = plan.edit or ItemChange(shown)
    return ItemChange(shown, edit.fields, edit.tags, (*edit.locks, *unlocks))
