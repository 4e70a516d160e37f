"""A write that nobody lived to record: what of it arrived, as the item shows it now. Pure."""

from collections.abc import Iterable
from dataclasses import replace

from ledger.baseline import Baseline
from ledger.records import JournalEntry, UnfinishedWrite
from model.item import Item, name_key, same_text, shows_new
from plan.fields import FIELDS, KINDS
from plan.forms import read_back, stands_for, still_held, text_as_sent
from plan.merge import folded


def with_unfinished_write(
    baseline: Baseline, unfinished: UnfinishedWrite | None, item: Item
) -> tuple[Baseline, tuple[JournalEntry, ...]]:
    """Return what is ours on the item, and which entries of the unfinished write arrived.

    A write that was meant for another file than the item has now is left out.
    """
    if unfinished is None or all(part.path != unfinished.path for part in item.parts):
        return baseline, ()
    sight = _Sight(baseline, read_back(unfinished.baseline, item, unfinished.entries), item)
    arrived = tuple(entry for entry in unfinished.entries if sight.has_arrived(entry))
    locks = tuple(replace(entry, new=entry.old) for entry in unfinished.entries if sight.shows_lock_alone(entry))
    unlocked = dict.fromkeys((*baseline.unlocked, *map(_place, arrived)))
    ours = replace(
        sight.resolved(unfinished.entries), unlocked=tuple(one for one in unlocked if one not in item.locked)
    )
    return ours, (*arrived, *locks)


def _place(entry: JournalEntry) -> str:
    """Give what the server calls the field or list, which is what its lock is called; empty if it has none."""
    place = FIELDS.get(entry.field) or KINDS.get(entry.field)
    return place.value if place else ""


class _Sight:
    """The item, seen by what was ours before the write and by what is ours if it arrived."""

    def __init__(self, before: Baseline, intended: Baseline, item: Item) -> None:
        self._before = before
        self._intended = intended
        self._item = item
        self._texts = item.texts()

    def resolved(self, entries: Iterable[JournalEntry]) -> Baseline:
        """Return what is ours: the intended value where it is shown, and all that is shown of an intended list.

        What was to go and is gone, we took out.
        """
        before, intended = self._before, self._intended
        old = {**before.scalars, **{entry.field: entry.old for entry in entries if isinstance(entry.old, str)}}
        arrived = {
            name: value
            for name, value in intended.scalars.items()
            if name in FIELDS and self._shows(name, value, old.get(name, ""))
        }
        scalars = {**before.scalars, **arrived}
        sets = {name: names for name in {**before.sets, **intended.sets} if (names := self._ours_of(name))}
        forms = still_held(self._forms(), scalars, sets, before.found)
        return replace(before, scalars=scalars, sets=sets, forms=forms)

    def _ours_of(self, name: str) -> tuple[str, ...]:
        if name not in KINDS:
            return self._before.sets.get(name, ())
        intended, shown = self._intended.sets.get(name, ()), self._names(name, self._before, self._intended)
        left = [one for one in self._before.sets.get(name, ()) if name_key(one) in {*shown, *folded(intended)}]
        return tuple(folded([*left, *(one for one in intended if name_key(one) in shown)]).values())

    def _forms(self) -> dict[str, dict[str, str]]:
        """Join what the server made of ours before and now; a name that is not shown may not have been sent at all."""
        forms = {field: dict(known) for field, known in self._before.forms.items()}
        for field, known in self._intended.forms.items():
            forms.setdefault(field, {}).update({sent: form for sent, form in known.items() if form})
        return forms

    def has_arrived(self, entry: JournalEntry) -> bool:
        """Tell whether the item shows what was written; otherwise it never happened, or somebody has undone it."""
        if isinstance(entry.old, str) and isinstance(entry.new, str):
            return entry.field in FIELDS and self._shows(entry.field, entry.new, entry.old)
        if isinstance(entry.old, str) or isinstance(entry.new, str) or entry.field not in KINDS:
            return False
        old, new = folded(entry.old), folded(entry.new)
        shown = self._names(entry.field, self._before, self._intended)
        came, went = new.keys() - old.keys(), old.keys() - new.keys()
        return bool(came & shown or went - shown)

    def shows_lock_alone(self, entry: JournalEntry) -> bool:
        """Tell whether of a list only the lock arrived: some servers fill a collection apart from the item's locks."""
        if entry.field not in KINDS or entry.old_locked or _place(entry) not in self._item.locked:
            return False
        return {name_key(name) for name in entry.old} == self._names(entry.field, self._before)

    def _shows(self, name: str, new: str, old: str) -> bool:
        """Tell whether a text is shown, as sent or in the server's form, which must differ from what was there."""
        told = text_as_sent(self._intended, name, self._texts)
        is_form = told != self._texts.get(FIELDS[name], "")
        is_as_before = is_form and same_text(text_as_sent(self._before, name, self._texts), old)
        return shows_new(told, new, old) and not is_as_before

    def _names(self, field: str, *baselines: Baseline) -> set[str]:
        """Give what a list shows, in the words of either."""
        shown = (stands_for(one, KINDS[field], self._item).values() for one in baselines)
        return {name_key(name) for lists in shown for names in lists for name in names}
