"""Forms: what the server makes of a value that it does not store as it was sent. Pure.

The answer to a write is empty. So what was sent is read back a little later, and what the item then shows in its place
is remembered beside it. Whoever merges sees the item in the words in which we sent them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ledger.baseline import Baseline
from ledger.records import JournalEntry
from model.item import Field, Item, TagKind, is_form_of, name_key, same_text
from plan.fields import FIELDS, KINDS
from plan.merge import folded

FORM_SECONDS = 60.0  # what an item shows longer than this after a write may be what a person made of it

Forms = Mapping[str, Mapping[str, str]]
Names = Mapping[str, tuple[str, ...]]


def text_as_sent(baseline: Baseline, name: str, texts: Mapping[Field, str]) -> str:
    """Return what we sent where the item shows the server's form of it, and otherwise what it shows: its `texts`."""
    shown, sent = texts.get(FIELDS[name], ""), baseline.scalars.get(name, "")
    form = baseline.forms.get(name, {}).get(sent)
    return sent if form is not None and same_text(form, shown) else shown


def stands_for(baseline: Baseline, kind: TagKind, item: Item) -> dict[str, tuple[str, ...]]:
    """Give for each name of a list the names that we sent and it stands for: mostly itself."""
    sent = folded([*_names(baseline.sets, kind), *_names(baseline.found, kind)])
    forms = [(name, name_key(form)) for name, form in baseline.forms.get(kind, {}).items()]
    shown: dict[str, tuple[str, ...]] = {}
    for raw in (tag.name for tag in item.tags.get(kind, ())):
        key = name_key(raw)
        ours = [name for name, form in forms if form == key]
        shown[raw] = (*ours, *([raw] if key in sent or not ours else []))
    return shown


def names_as_sent(
    baseline: Baseline, kind: TagKind, item: Item, stands: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """Give a list in the words in which we sent it, with what the server drops: only a locked list is as we left it.

    `stands` is what `stands_for` says of it.
    """
    shown = [name for names in stands.values() for name in names]
    dropped = [name for name, form in baseline.forms.get(kind, {}).items() if not form and kind.value in item.locked]
    return tuple(folded([*shown, *dropped]).values())


def read_back(baseline: Baseline, item: Item, entries: Sequence[JournalEntry]) -> Baseline:
    """Learn what the server made of values that were sent and not read back yet.

    `entries` are what was written to the item, the newest first. What the server cannot have made of the value is a
    person's: they were quick. Nor is a name ours that stood there before.
    """
    forms: dict[str, Mapping[str, str]] = dict(baseline.forms)
    texts = item.texts() if baseline.unread else {}
    for place, names in baseline.unread.items():
        if place in FIELDS:
            sent, text = baseline.scalars.get(place, ""), texts.get(FIELDS[place], "")
            is_as_sent = sent == text or same_text(sent, text)
            forms[place] = {sent: text} if not is_as_sent and is_form_of(text, sent) else {}
        elif place in KINDS.values():
            kind = TagKind(place)
            shown = folded([tag.name for tag in item.tags.get(kind, ())])
            ours = folded(_names(baseline.sets, kind))
            new = shown.keys() - ours.keys() - _others(entries, kind, set(shown))
            candidates = [shown[key] for key in (*sorted(new), *ours) if key in shown]
            missing = [name for name in names if name_key(name) not in shown]
            forms[place] = {**forms.get(place, {}), **{name: _form(name, candidates) for name in missing}}
    return replace(baseline, forms={place: known for place, known in forms.items() if known}, unread={})


def may_be_form(written_at: float, now: float) -> bool:
    """Tell whether what an item shows in the place of what was written then can be the server's doing alone."""
    return 0.0 <= now - written_at <= FORM_SECONDS


def as_sent(baseline: Baseline) -> Baseline:
    """Take it that the server stored all that was not read back as it was sent: what differs is a person's."""
    return replace(baseline, unread={})


def still_held(forms: Forms, scalars: Mapping[str, str], sets: Names, found: Names) -> dict[str, dict[str, str]]:
    """Keep the forms of what is in a baseline."""
    kept: dict[str, dict[str, str]] = {}
    for place, known in forms.items():
        names = folded([*_names(sets, place), *_names(found, place)])
        held = {one: form for one, form in known.items() if scalars.get(place) == one or name_key(one) in names}
        if held:
            kept[place] = held
    return kept


def _form(name: str, candidates: Sequence[str]) -> str:
    """Find what the server shows for a name, empty if it drops it, or somebody took it out."""
    return next((raw for raw in candidates if is_form_of(raw, name)), "")


def _others(entries: Sequence[JournalEntry], kind: TagKind, shown: set[str]) -> set[str]:
    """Give the names that stood in a list before it was last written to, and were to stay; all, if nobody knows."""
    of_kind = [entry for entry in entries if KINDS.get(entry.field) is kind]
    last = [entry for entry in of_kind if entry.at == of_kind[0].at]  # a list may have several sources
    lists = [value for entry in last for value in (entry.old, entry.new) if not isinstance(value, str)]
    return shown.intersection(*map(folded, lists)) if lists else shown


def _names(by_source: Names, kind: str) -> list[str]:
    """Give the names of all sources of a list."""
    return [name for source, names in by_source.items() if KINDS.get(source) == kind for name in names]
