"""Folding: the oldest writes to an item become one, of which an undo makes the same as of all of them. Pure.

Whoever undoes everything gets back what was there before us, however long ago that was; the steps between are lost.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ledger.records import JournalEntry
from plan.merge import folded
from plan.undo import by_kind, first_of_ours, names_in, net_change


def fold(entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    """Fold entries of one item, the newest first, into one for each field, in the same order."""
    lists = by_kind(entries)
    in_lists = {entry.field for found in lists.values() for entry in found}
    singles: dict[str, list[JournalEntry]] = {}
    for entry in entries:
        if entry.field not in in_lists:
            singles.setdefault(entry.field, []).append(entry)
    texts = [_fold_single(found) for found in singles.values()]
    return [*texts, *(entry for found in lists.values() for entry in reversed(list(_fold_list(found))))]


def _fold_single(entries: Sequence[JournalEntry]) -> JournalEntry:
    is_known = all(isinstance(entry.old, str) and isinstance(entry.new, str) for entry in entries)
    return replace(first_of_ours(entries) if is_known else entries[-1], new=entries[0].new)


def _fold_list(entries: Sequence[JournalEntry]) -> Iterator[JournalEntry]:
    """Fold what all sources of a list did to it: one after the other, each what it did on the whole; oldest first.

    Where a person took out what was there before us, and we put it back, the steps between matter: all of them stay.
    """
    oldest = entries[-1]
    shown = names_in(oldest.old)
    if not folded(shown).keys().isdisjoint(net_change(entries)[0]):
        yield from reversed(entries)
        return
    for field in dict.fromkeys(entry.field for entry in reversed(entries)):
        of_field = [entry for entry in entries if entry.field == field]
        added, removed = net_change(of_field)
        there = folded(shown)
        left = (name for key, name in there.items() if key not in removed)
        new = (*left, *(name for key, name in added.items() if key not in there))
        yield replace(of_field[-1], old=shown, new=new, old_locked=oldest.old_locked)
        shown = new
