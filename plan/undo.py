"""Undo: the journal of one item, read backwards, into an edit that puts the old values back. Pure.

Only what Plex still shows as we left it is put back; what somebody edited since stays. A list is taken apart by names:
ours go, those we took out return, all others stay.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

from ledger.baseline import Baseline
from ledger.records import JournalEntry
from plan.decision import Value
from plan.fields import SCALARS, SETS
from plan.merge import folded
from plex.edit import FieldEdit, ItemEdit, LockEdit, TagEdit
from plex.item import Field, ItemDetails, Tag, TagKind, same_text
from plex.pictures import Picture, PictureKind

_FIELDS: Mapping[str, Field] = {field.name: field.field for field in SCALARS}
_KINDS: Mapping[str, TagKind] = {field.name: field.kind for field in SETS}
_PICTURES = frozenset(kind.value for kind in PictureKind)


class UndoWhy(StrEnum):
    """What becomes of a field in an undo, and why."""

    PUT_BACK = "put back"
    EDITED = "edited in Plex since, so it is kept"
    NOTHING = "as it was already"
    NO_PICTURE = "the picture before is not there any more"
    UNKNOWN = "this version does not know the field"
    OVERTAKEN = "written again by a later run or another scene, so that has to be undone first"


@dataclass(frozen=True, slots=True)
class UndoDecision:
    """One field: what Plex shows and what it will show."""

    field: str
    shown: Value
    new: Value
    why: UndoWhy


@dataclass(frozen=True, slots=True)
class PictureUndo:
    """A picture of ours and the one it took the place of; whether ours is still selected, only its shelf can tell."""

    kind: PictureKind
    ours: str
    old: str
    old_locked: bool

    def decide(self, shelf: Sequence[Picture]) -> UndoWhy:
        selected = next((picture.key for picture in shelf if picture.selected), "")
        if selected != self.ours:
            return UndoWhy.NOTHING if selected == self.old else UndoWhy.EDITED
        is_there = any(picture.key == self.old for picture in shelf)
        return UndoWhy.PUT_BACK if is_there else UndoWhy.NO_PICTURE


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """All decisions on one item, the edit that carries them out, pictures to look at, and what is ours afterwards."""

    decisions: tuple[UndoDecision, ...]
    edit: ItemEdit | None
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


def plan_undo(entries: Sequence[JournalEntry], item: ItemDetails, baseline: Baseline) -> UndoPlan:
    """Plan the way back over these entries of one item, the newest first."""
    by_field = _grouped(entries)
    scalars = [_undo_scalar(_FIELDS[name], found, item) for name, found in by_field.items() if name in _FIELDS]
    lists = [_undo_list(kind, found, item) for kind, found in _by_kind(entries).items()]
    strangers = [name for name in by_field if name not in _FIELDS and name not in _KINDS and name not in _PICTURES]
    fields = tuple(one.edit for one in scalars if one.edit)
    tags = tuple(one.edit for one in lists if isinstance(one.edit, TagEdit))
    locks = tuple(one.edit for one in lists if isinstance(one.edit, LockEdit))
    return UndoPlan(
        decisions=(
            *(one.decision for one in scalars),
            *(decision for one in lists for decision in one.decisions),
            *(UndoDecision(name, "", "", UndoWhy.UNKNOWN) for name in strangers),
        ),
        edit=ItemEdit(item, fields, tags, locks) if fields or tags or locks else None,
        pictures=tuple(_undo_picture(found) for name, found in by_field.items() if name in _PICTURES),
        baseline=Baseline(_scalars_after(scalars, baseline), _sets_after(lists, baseline)),
    )


def _field(entry: JournalEntry) -> str:
    return entry.field


def _place(entry: JournalEntry) -> str:
    """Name where in Plex it was written: the sources of a list have one place."""
    return _KINDS.get(entry.field, entry.field)


def _grouped(
    entries: Sequence[JournalEntry], key: Callable[[JournalEntry], str] = _field
) -> dict[str, list[JournalEntry]]:
    found: dict[str, list[JournalEntry]] = {}
    for entry in entries:
        found.setdefault(key(entry), []).append(entry)
    return found


def _first_of_ours(entries: Sequence[JournalEntry]) -> JournalEntry:
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


def _undo_scalar(field: Field, entries: Sequence[JournalEntry], item: ItemDetails) -> _ScalarUndo:
    shown = item.value(field)
    # An undo that did not live to be recorded has put the newest back already: go on from what is shown.
    reached = next((place for place, entry in enumerate(entries) if same_text(shown, _text(entry.new))), 0)
    entries = entries[reached:]
    first = _first_of_ours(entries)
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
    removed_by: Mapping[str, tuple[str, ...]]


def _by_kind(entries: Sequence[JournalEntry]) -> dict[TagKind, list[JournalEntry]]:
    """Bring the sources of one list together."""
    found: dict[TagKind, list[JournalEntry]] = {}
    for entry in entries:
        if entry.field in _KINDS:
            found.setdefault(_KINDS[entry.field], []).append(entry)
    return found


def _undo_list(kind: TagKind, entries: Sequence[JournalEntry], item: ItemDetails) -> _ListUndo:
    added, removed = _net_change(entries)
    shown, before = folded(item.names(kind)), folded(_names(entries[-1].old))
    is_back = shown.keys() == before.keys() and (kind.value in item.locked) == entries[-1].old_locked
    was_edited = not is_back and shown.keys() != (before.keys() | added.keys()) - removed.keys()
    # Whoever edited the list since has it locked, too.
    unlocks = kind.value in item.locked and not entries[-1].old_locked and not was_edited
    kept = tuple(tag for tag in item.tags.get(kind, ()) if tag.name.casefold() not in added)
    back = tuple(name for key, name in removed.items() if key not in shown and key in before)
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
        {name: tuple(_removed_by(name, entries, removed)) for name in fields},
    )


def _net_change(entries: Sequence[JournalEntry]) -> tuple[dict[str, str], dict[str, str]]:
    """Add up what all entries did to a list: the names that came, and those that went."""
    added: dict[str, str] = {}
    removed: dict[str, str] = {}
    for entry in reversed(entries):
        old, new = folded(_names(entry.old)), folded(_names(entry.new))
        came = {key: name for key, name in new.items() if key not in old}
        went = {key: name for key, name in old.items() if key not in new}
        added.update({key: name for key, name in came.items() if removed.pop(key, None) is None})
        removed.update({key: name for key, name in went.items() if added.pop(key, None) is None})
    return added, removed


def _removed_by(name: str, entries: Sequence[JournalEntry], removed: Mapping[str, str]) -> Iterator[str]:
    for entry in entries:
        if entry.field == name:
            new = folded(_names(entry.new))
            yield from (removed[key] for key in folded(_names(entry.old)) if key not in new and key in removed)


def _sets_after(undone: Sequence[_ListUndo], baseline: Baseline) -> dict[str, tuple[str, ...]]:
    """Only what was ours is ever taken out of a list, so what returns is ours again."""
    left = dict(baseline.sets)
    for one in undone:
        for name in (name for name, kind in _KINDS.items() if kind is one.kind):
            held = [held for held in left.pop(name, ()) if held.casefold() not in one.added]
            names = folded([*held, *one.removed_by.get(name, ())])
            if names:
                left[name] = tuple(names.values())
    return left


def _names(value: Value) -> tuple[str, ...]:
    assert isinstance(value, tuple)
    return value


# --- pictures -----------------------------------------------------------------------------------------------------


def _undo_picture(entries: Sequence[JournalEntry]) -> PictureUndo:
    first = _first_of_ours(entries)
    return PictureUndo(PictureKind(first.field), _text(entries[0].new), _text(first.old), first.old_locked)
