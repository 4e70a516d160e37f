"""A write that nobody lived to record: what of it arrived, as the item shows it now. Pure."""

from collections.abc import Iterable, Mapping

from ledger.baseline import Baseline
from ledger.records import Intent, JournalEntry
from plan.fields import SCALARS, SETS
from plan.merge import folded
from plex.item import Field, ItemDetails, TagKind, shows_new

_FIELDS: Mapping[str, Field] = {field.name: field.field for field in SCALARS}
_KINDS: Mapping[str, TagKind] = {field.name: field.kind for field in SETS}


def with_leftover(
    baseline: Baseline, leftover: Intent | None, item: ItemDetails
) -> tuple[Baseline, tuple[JournalEntry, ...]]:
    """Return what is ours on the item, and what of the leftover is to be recorded; one of another file counts not."""
    if leftover is None or all(part.path != leftover.path for part in item.parts):
        return baseline, ()
    return _resolved(baseline, leftover.baseline, item), _arrived(leftover.entries, item)


def _resolved(baseline: Baseline, intended: Baseline, item: ItemDetails) -> Baseline:
    """Return what is ours on the item: the intended value where it shows that, and all it shows of an intended list."""
    scalars = {
        name: value
        for name, value in intended.scalars.items()
        if name in _FIELDS and shows_new(item.value(_FIELDS[name]), value, baseline.scalars.get(name, ""))
    }
    sets = dict(baseline.sets)
    for name, names in intended.sets.items():
        shown = folded(item.names(_KINDS[name])) if name in _KINDS else {}
        arrived = [one for one in names if one.casefold() in shown]
        sets[name] = tuple(folded([*baseline.sets.get(name, ()), *arrived]).values())
    return Baseline({**baseline.scalars, **scalars}, {name: names for name, names in sets.items() if names})


def _arrived(entries: Iterable[JournalEntry], item: ItemDetails) -> tuple[JournalEntry, ...]:
    """Return those of the writes that the item shows; the others never happened, or somebody has undone them."""
    return tuple(entry for entry in entries if _has_arrived(entry, item))


def _has_arrived(entry: JournalEntry, item: ItemDetails) -> bool:
    if isinstance(entry.old, str) and isinstance(entry.new, str):
        return entry.field in _FIELDS and shows_new(item.value(_FIELDS[entry.field]), entry.new, entry.old)
    if isinstance(entry.old, str) or isinstance(entry.new, str) or entry.field not in _KINDS:
        return False
    old, new, shown = folded(entry.old), folded(entry.new), folded(item.names(_KINDS[entry.field]))
    came, went = new.keys() - old.keys(), old.keys() - new.keys()
    return bool(came & shown.keys() or went - shown.keys())
