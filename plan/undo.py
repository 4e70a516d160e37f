"""Undo: the journal of one item, read backwards, into an edit that puts the old values back. Pure.

Only what the server still shows as we left it is put back; what somebody edited since stays. A list is taken apart by
names: ours go, those we took out return, all others stay.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

from ledger.baseline import Baseline
from ledger.records import JournalEntry
from model.change import FieldEdit, ItemChange, LockEdit, TagEdit
from model.item import Item, Tag, TagKind, name_key, same_text
from model.picture import Picture, PictureKind
from plan.decision import Value
from plan.fields import FIELDS, KINDS
from plan.forms import names_as_sent, stands_for, still_held, text_as_sent
from plan.merge import folded

_PICTURES = frozenset(kind.value for kind in PictureKind)


class UndoWhy(StrEnum):
    """What becomes of a field in an undo, and why; `told` says it of a server by its name."""

    PUT_BACK = "put back"
    EDITED = "edited in {server} since, so it is kept"
    NOTHING = "as it was already"
    NO_PICTURE = "the picture before is not there any more, so ours stays"
    NO_WAY = "this {server} cannot show none again, so ours stays"
    REFUSED = "{server} does not take the picture before again, so ours stays"
    UNKNOWN = "this version does not know the field"
    OVERTAKEN = "written again by a later run or another scene, so that has to be undone first"

    def told(self, server: str) -> str:
        """Say it of the server that people call so."""
        return self.value.format(server=server)

    @property
    def is_possible(self) -> bool:
        """Say whether it was dealt with; what could not be is left for a later undo."""
        return self not in {UndoWhy.NO_PICTURE, UndoWhy.NO_WAY, UndoWhy.REFUSED}


@dataclass(frozen=True, slots=True)
class UndoDecision:
    """One field: what the server shows and what it will show."""

    field: str
    shown: Value
    new: Value
    why: UndoWhy


@dataclass(frozen=True, slots=True)
class PictureUndo:
    """A picture of ours and the one it took the place of, empty for none.

    Whether ours is still shown, only what the item has can tell.
    """

    kind: PictureKind
    ours: str
    old: str
    old_locked: bool

    def decide(self, available: Sequence[Picture], *, is_stacked: bool = False) -> UndoWhy:
        """Say what becomes of it. Of a kind that is stacked, ours stands beside others, which say nothing of it."""
        shown = [picture.key for picture in available if picture.selected]
        if self.ours not in shown:
            is_as_before = is_stacked or (self.old in shown if self.old else not shown)
            return UndoWhy.NOTHING if is_as_before else UndoWhy.EDITED
        is_there = not self.old or any(picture.key == self.old for picture in available)
        return UndoWhy.PUT_BACK if is_there else UndoWhy.NO_PICTURE


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """All decisions on one item, the edit that carries them out, pictures to look at, and what is ours afterwards."""

    decisions: tuple[UndoDecision, ...]
    edit: ItemChange | None
    pictures: tuple[PictureUndo, ...]
    baseline: Baseline

    def count(self, why: UndoWhy) -> int:
        return sum(decision.why is why for decision in self.decisions)


def on_top(
    entries: Sequence[JournalEntry], is_meant: Callable[[JournalEntry], bool]
) -> tuple[list[JournalEntry], list[JournalEntry]]:
    """Part what is meant of one item's entries, the newest first, into what can be undone and what cannot yet.

    Of each field that is what is meant down to the first entry that is not: what lies below was written over by it, and
    can be undone after it.
    """
    places = _grouped(entries, _place).values()
    taken = {entry.id for found in places for entry in takewhile(is_meant, found)}
    meant = [entry for entry in entries if is_meant(entry)]
    return [one for one in meant if one.id in taken], [one for one in meant if one.id not in taken]


def plan_undo(entries: Sequence[JournalEntry], item: Item, baseline: Baseline) -> UndoPlan:
    """Plan the way back over these entries of one item, the newest first."""
    by_field = _grouped(entries)
    scalars = [_undo_scalar(name, found, item, baseline) for name, found in by_field.items() if name in FIELDS]
    lists = [_undo_list(kind, found, item, baseline) for kind, found in by_kind(entries).items()]
    strangers = [name for name in by_field if name not in FIELDS and name not in KINDS and name not in _PICTURES]
    fields = tuple(one.edit for one in scalars if one.edit)
    tags = tuple(one.edit for one in lists if isinstance(one.edit, TagEdit))
    locks = tuple(one.edit for one in lists if isinstance(one.edit, LockEdit))
    return UndoPlan(
        decisions=(
            *(one.decision for one in scalars),
            *(decision for one in lists for decision in one.decisions),
            *(UndoDecision(name, "", "", UndoWhy.UNKNOWN) for name in strangers),
        ),
        edit=ItemChange(item, fields, tags, locks) if fields or tags or locks else None,
        pictures=tuple(_undo_picture(found) for name, found in by_field.items() if name in _PICTURES),
        baseline=_baseline_after(scalars, lists, baseline),
    )


def _baseline_after(scalars: "Sequence[_ScalarUndo]", lists: "Sequence[_ListUndo]", baseline: Baseline) -> Baseline:
    ours, sets, found = _scalars_after(scalars, baseline), _sets_after(lists, baseline), _found_after(lists, baseline)
    sent: dict[str, tuple[str, ...]] = {one.decision.field: () for one in scalars if one.edit and one.ours is not None}
    sent |= {one.kind.value: one.back for one in lists if one.back}
    return Baseline(ours, sets, found, still_held(baseline.forms, ours, sets, found), unread=sent)


def _field(entry: JournalEntry) -> str:
    return entry.field


def _place(entry: JournalEntry) -> str:
    """Name where on the item it was written: the sources of a list have one place."""
    return KINDS.get(entry.field, entry.field)


def _grouped(
    entries: Sequence[JournalEntry], key: Callable[[JournalEntry], str] = _field
) -> dict[str, list[JournalEntry]]:
    found: dict[str, list[JournalEntry]] = {}
    for entry in entries:
        found.setdefault(key(entry), []).append(entry)
    return found


def first_of_ours(entries: Sequence[JournalEntry]) -> JournalEntry:
    """Go back as far as each entry replaced what the one before it wrote: beyond that, somebody else had been there."""
    first = entries[0]
    for older in entries[1:]:
        if not same_text(_text(older.new), _text(first.old)):
            break
        first = older
    return first


def _text(value: Value) -> str:
    assert isinstance(value, str)
    return value


# --- scalars ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ScalarUndo:
    decision: UndoDecision
    edit: FieldEdit | None
    ours: str | None


def _undo_scalar(name: str, entries: Sequence[JournalEntry], item: Item, baseline: Baseline) -> _ScalarUndo:
    field, shown, ours_now = FIELDS[name], text_as_sent(baseline, name, item.texts()), baseline.scalars.get(name)
    if ours_now is not None and same_text(shown, ours_now):
        # An undo that did not live to be recorded has put the newest back already: go on from what is shown. Without
        # its word, an older text of ours was put there by a person.
        reached = next((place for place, entry in enumerate(entries) if same_text(shown, _text(entry.new))), 0)
        entries = entries[reached:]
    first = first_of_ours(entries)
    old = _text(first.old)
    why = _why_scalar(shown, _text(entries[0].new), old, same_lock=first.old_locked == (field.value in item.locked))
    is_written = why is UndoWhy.PUT_BACK
    return _ScalarUndo(
        UndoDecision(first.field, shown, old if is_written else shown, why),
        FieldEdit(field, old, locked=first.old_locked) if is_written else None,
        old if first.was_ours else None,
    )


def _why_scalar(shown: str, ours: str, old: str, *, same_lock: bool) -> UndoWhy:
    if same_text(shown, ours):
        return UndoWhy.NOTHING if shown == old and same_lock else UndoWhy.PUT_BACK
    return UndoWhy.NOTHING if same_text(shown, old) else UndoWhy.EDITED


def _scalars_after(undone: Sequence[_ScalarUndo], baseline: Baseline) -> dict[str, str]:
    """What was edited since stays in the baseline: it is how the next merge knows that somebody did."""
    left = dict(baseline.scalars)
    for one in undone:
        if one.decision.why is UndoWhy.EDITED:
            continue
        left.pop(one.decision.field, None)
        if one.ours is not None:
            left[one.decision.field] = one.ours
    return left


# --- lists --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ListUndo:
    kind: TagKind
    decisions: tuple[UndoDecision, ...]
    edit: TagEdit | LockEdit | None
    added: Mapping[str, str]
    back: tuple[str, ...]
    taken_out: AbstractSet[str]
    removed_by: Mapping[str, tuple[str, ...]]


def by_kind(entries: Sequence[JournalEntry]) -> dict[TagKind, list[JournalEntry]]:
    """Bring the sources of one list together."""
    found: dict[TagKind, list[JournalEntry]] = {}
    for entry in entries:
        if entry.field in KINDS:
            found.setdefault(KINDS[entry.field], []).append(entry)
    return found


def _undo_list(kind: TagKind, entries: Sequence[JournalEntry], item: Item, baseline: Baseline) -> _ListUndo:
    came, gone = net_change(entries)
    stays = stands_for(baseline, kind, item)
    shown, before = folded(names_as_sent(baseline, kind, item, stays)), folded(names_in(entries[-1].old))
    added = {key: name for key, name in came.items() if key not in before}  # what a person took out, and we put back
    removed = {key: name for key, name in gone.items() if key in before}  # the others came and went
    is_back = shown.keys() == before.keys() and (kind.value in item.locked) == entries[-1].old_locked
    was_edited = not is_back and shown.keys() != (before.keys() | added.keys()) - removed.keys()
    # Whoever edited the list since has it locked, too.
    unlocks = kind.value in item.locked and not entries[-1].old_locked and not was_edited
    kept = tuple(tag for tag in item.tags.get(kind, ()) if any(name_key(one) not in added for one in stays[tag.name]))
    back = tuple(name for key, name in removed.items() if key not in shown)
    edit: TagEdit | LockEdit | None = None
    if back or len(kept) < len(item.names(kind)):
        edit = TagEdit(kind, (*kept, *map(Tag, back)), locked=kind.value in item.locked and not unlocks)
    elif unlocks:
        edit = LockEdit(kind.value, locked=False)
    why = UndoWhy.PUT_BACK if edit else UndoWhy.EDITED if was_edited else UndoWhy.NOTHING
    new = (*(tag.name for tag in kept), *back)
    fields = dict.fromkeys(entry.field for entry in entries)
    return _ListUndo(
        kind,
        tuple(UndoDecision(name, item.names(kind), new, why) for name in fields),
        edit,
        added,
        back,
        added.keys() - shown.keys() if was_edited and kind.value in item.locked else frozenset(),
        {name: tuple(_removed_by(name, entries, removed)) for name in fields},
    )


def net_change(entries: Sequence[JournalEntry]) -> tuple[dict[str, str], dict[str, str]]:
    """Add up what all entries did to a list: the names that came, and those that went."""
    added: dict[str, str] = {}
    removed: dict[str, str] = {}
    for entry in reversed(entries):
        old, new = folded(names_in(entry.old)), folded(names_in(entry.new))
        came = {key: name for key, name in new.items() if key not in old}
        went = {key: name for key, name in old.items() if key not in new}
        added.update({key: name for key, name in came.items() if removed.pop(key, None) is None})
        removed.update({key: name for key, name in went.items() if added.pop(key, None) is None})
    return added, removed


def _removed_by(name: str, entries: Sequence[JournalEntry], removed: Mapping[str, str]) -> Iterator[str]:
    for entry in entries:
        if entry.field == name:
            new = folded(names_in(entry.new))
            yield from (removed[key] for key in folded(names_in(entry.old)) if key not in new and key in removed)


def _sets_after(undone: Sequence[_ListUndo], baseline: Baseline) -> dict[str, tuple[str, ...]]:
    """Only what was ours is ever taken out of a list, so what returns is ours again."""
    left = dict(baseline.sets)
    for one in undone:
        for name in (name for name, kind in KINDS.items() if kind is one.kind):
            held = [held for held in left.pop(name, ()) if name_key(held) not in one.added]
            names = folded([*held, *one.removed_by.get(name, ())])
            if names:
                left[name] = tuple(names.values())
    return left


def _found_after(undone: Sequence[_ListUndo], baseline: Baseline) -> dict[str, tuple[str, ...]]:
    """What a person took out stays known, so that it stays out when the scene is synced again."""
    found = dict(baseline.found)
    for one in undone:
        for name in (name for name, kind in KINDS.items() if kind is one.kind):
            taken_out = [ours for ours in baseline.sets.get(name, ()) if name_key(ours) in one.taken_out]
            if taken_out:
                found[name] = tuple(folded([*found.get(name, ()), *taken_out]).values())
    return found


def names_in(value: Value) -> tuple[str, ...]:
    assert isinstance(value, tuple)
    return value


# --- pictures -----------------------------------------------------------------------------------------------------


def _undo_picture(entries: Sequence[JournalEntry]) -> PictureUndo:
    first = first_of_ours(entries)
    return PictureUndo(PictureKind(first.field), _text(entries[0].new), _text(first.old), first.old_locked)
