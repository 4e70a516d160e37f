"""A change in our words, as what has to be sent of it for the document that the server has now."""

from collections.abc import Iterator, Sequence

from mediabrowser.dialect import Dialect, Property
from mediabrowser.port.capabilities import LISTS, TEXTS, WORK, lock_word
from mediabrowser.port.items import STASH
from mediabrowser.reading.document import ItemDocument, Person
from mediabrowser.writing.edit import DocumentEdit
from model.change import ItemChange, TagEdit
from model.item import Field, Item, Tag, TagKind, name_key


def document_edit(change: ItemChange, now: ItemDocument, dialect: Dialect) -> DocumentEdit:
    """Translate a change, without its collections. Made of a document that shows it already, it changes nothing."""
    values = {edit.field: edit.value for edit in change.fields}
    lists = {LISTS[edit.kind]: _names(edit) for edit in change.tags if edit.kind in LISTS}
    if Field.STUDIO in values:
        (first, *_) = (*dialect.stored_names([values[Field.STUDIO]]), "")
        lists[Property.STUDIOS] = with_first(now.studios, first)
    return DocumentEdit(
        texts={TEXTS[field]: value for field, value in values.items() if field in TEXTS},
        lists=lists,
        people=_people(change, now),
        provider_ids={STASH: values[Field.STASH_ID]} if Field.STASH_ID in values else {},
        locks=_locks(change, now, dialect),
    )


def is_of_document(change: ItemChange, dialect: Dialect) -> bool:
    """Tell whether a change has anything to do with the item itself, not only with collections that hold it."""
    of_item = bool(change.fields) or any(edit.kind is not TagKind.COLLECTION for edit in change.tags)
    locks = (*(edit.name for edit in change.locks), *(edit.kind.value for edit in change.tags))
    return of_item or any(lock_word(name, dialect) for name in locks)


def with_first(names: Sequence[str], first: str) -> tuple[str, ...]:
    """Put a name into the first place, and take out the one that was there; one that is in the list changes places.

    So what is put back afterwards makes the list what it was.
    """
    if not first:
        return tuple(names[1:])
    if not names:
        return (first,)
    there = next((place for place, name in enumerate(names) if name_key(name) == name_key(first)), None)
    changed = list(names)
    if there:
        changed[there] = names[0]
    return (first, *changed[1:])


def is_as_read(change: ItemChange, now: Item) -> bool:
    """Tell whether an item is as it was when the change was planned; pictures and collections say nothing of it."""
    before = change.item
    kinds = {*before.tags, *now.tags} - {TagKind.COLLECTION}
    return (
        dict(before.values) == dict(now.values)
        and all(before.tags.get(kind, ()) == now.tags.get(kind, ()) for kind in kinds)
        and before.locked == now.locked
    )


def _names(edit: TagEdit) -> tuple[str, ...]:
    return tuple(tag.name for tag in edit.want)


# --- people -------------------------------------------------------------------------------------------------------


def _people(change: ItemChange, now: ItemDocument) -> tuple[Person, ...] | None:
    """Give everybody who is to be on the item, those who stay in their places; None if nobody changes."""
    edits = {WORK[edit.kind]: edit.want for edit in change.tags if edit.kind in WORK}
    wanted = {work: {name_key(tag.name) for tag in want} for work, want in edits.items()}
    stay = [one for one in now.people if one.type not in wanted or name_key(one.name) in wanted[one.type]]
    people = (*stay, *(person for work, want in edits.items() for person in _newcomers(work, want, stay)))
    return people if people != now.people else None


def _newcomers(work: str, want: Sequence[Tag], stay: Sequence[Person]) -> Iterator[Person]:
    there = {name_key(one.name) for one in stay if one.type == work}
    for tag in want:
        if name_key(tag.name) not in there:
            there.add(name_key(tag.name))
            yield Person(tag.name, tag.role, work)


# --- locks --------------------------------------------------------------------------------------------------------


def _locks(change: ItemChange, now: ItemDocument, dialect: Dialect) -> frozenset[str] | None:
    """Give all locks as they are to be; None if none changes. Of two lists with one lock, whoever opens it has it."""
    named = (
        *((edit.field.value, edit.locked) for edit in change.fields),
        *((edit.kind.value, edit.locked) for edit in change.tags),
        *((edit.name, edit.locked) for edit in change.locks),
    )
    words = [(lock_word(name, dialect), locked) for name, locked in named]
    closed = {word for word, locked in words if word is not None and locked}
    opened = {word for word, locked in words if word is not None and not locked}
    wanted = frozenset((set(now.locks) | closed) - opened)
    return wanted if wanted != frozenset(now.locks) else None
