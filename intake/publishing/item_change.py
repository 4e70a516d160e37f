"""What of a work goes onto an item, beside what a person wrote there. Pure.

A value is a person's if it differs from ours and from the one that we wrote last, or, where we have written none, if
the field or the whole item is locked. What we write is locked, field by field.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from intake.publishing.port import Marks
from intake.sources.work import Work
from model.capabilities import Capabilities
from model.change import FieldEdit, ItemChange, TagEdit
from model.item import Field, Item, Tag, TagKind, name_key


@dataclass(frozen=True, slots=True)
class WorkChange:
    """The change, None if there is none; the marks of what the item will show of ours; what stays a person's."""

    change: ItemChange | None
    wrote: Marks
    kept: tuple[str, ...]


def plan_change(now: Item, work: Work, title: str, wrote: Marks, can: Capabilities) -> WorkChange:
    """Plan to show a work on an item as it is now. What is not known of the work is left as it is."""
    texts = {field: text for field, text in _texts(work, title).items() if can.has(field, now.type)}
    lists = {kind: _more(now, kind, names) for kind, names in _lists(work).items() if can.has(kind, now.type)}
    wanted = {
        **{field: (text,) for field, text in texts.items()},
        **{kind: tuple(tag.name for tag in tags) for kind, tags in lists.items()},
    }
    theirs = {name for name, values in wanted.items() if _is_theirs(name, values, now, wrote)}
    to_write = {
        name
        for name, values in wanted.items()
        if name not in theirs and (_shown(name, now) != values or (can.has_lock(name) and not _is_locked(name, now)))
    }
    fields = tuple(FieldEdit(field, text) for field, text in texts.items() if field in to_write)
    tags = tuple(TagEdit(kind, want) for kind, want in lists.items() if kind in to_write)
    marks = {name.value: _mark(values) for name, values in wanted.items() if name not in theirs}
    change = ItemChange(now, fields, tags) if to_write else None
    return WorkChange(change, {**wrote, **marks}, tuple(sorted(name.value for name in theirs)))


def _texts(work: Work, title: str) -> dict[Field, str]:
    known = {
        Field.TITLE: title,
        Field.TITLE_SORT: title,
        Field.ORIGINAL_TITLE: work.original_title,
        Field.SUMMARY: work.overview,
        Field.STUDIO: work.studio,
        Field.DATE: work.release_date,
    }
    return {field: text for field, text in known.items() if text}


def _lists(work: Work) -> dict[TagKind, tuple[str, ...]]:
    known = {TagKind.GENRE: work.genres, TagKind.ACTOR: work.performers}
    return {kind: names for kind, names in known.items() if names}


def _more(now: Item, kind: TagKind, names: Sequence[str]) -> tuple[Tag, ...]:
    """Add names to a list; what others have put there stays."""
    there = now.tags.get(kind, ())
    known = {name_key(" ".join(tag.name.split())) for tag in there}
    return (*there, *(Tag(name) for name in names if name_key(" ".join(name.split())) not in known))


def _is_theirs(name: Field | TagKind, ours: tuple[str, ...], now: Item, wrote: Marks) -> bool:
    shown = _shown(name, now)
    if not shown or _mark(shown) == _mark(ours):
        return False
    if name.value in wrote:
        return wrote[name.value] != _mark(shown)
    return now.is_locked_whole or _is_locked(name, now)


def _is_locked(name: Field | TagKind, now: Item) -> bool:
    return now.is_locked(name) if isinstance(name, Field) else name.value in now.locked


def _shown(name: Field | TagKind, now: Item) -> tuple[str, ...]:
    if isinstance(name, TagKind):
        return now.names(name)
    return tuple(filter(None, [now.value(name).strip()]))


def _mark(values: Sequence[str]) -> str:
    """Stand for a value as servers keep it: they trim, and fold the case of names."""
    plain = "\n".join(sorted(name_key(" ".join(value.split())) for value in values))
    return hashlib.sha256(plain.encode()).hexdigest()[:12]
