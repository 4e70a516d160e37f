"""A change of an item: what is to be sent, whole, and whether the item shows it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mediabrowser.dialect import Dialect, Property
from mediabrowser.reading.dates import date_properties, utc_text
from mediabrowser.reading.document import ItemDocument, Person
from model.errors import AnswerGarbled, Kind
from validation.json_shapes import as_object

_NEVER_SENT_BACK = frozenset({"People", "MediaSources", "MediaStreams", "Chapters"})
"""People are seen to by `_people`; what the server knows of the file is not ours to send."""
_MOMENTS = ("PremiereDate", "EndDate", "DateCreated")
_PAIRS = {Property.GENRES: "GenreItems", Property.TAGS: "TagItems"}
_NO_TEXT: Mapping[Property, str] = {}
_NO_LISTS: Mapping[Property, tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """What is to change; what is not named stays as it is. An empty text or list clears."""

    texts: Mapping[Property, str] = field(default_factory=lambda: _NO_TEXT)
    """NAME, SORT_NAME, ORIGINAL_TITLE, OVERVIEW, TAGLINE, OFFICIAL_RATING; DATE as `date_text`; RATING as 0 to 10."""
    lists: Mapping[Property, tuple[str, ...]] = field(default_factory=lambda: _NO_LISTS)
    """GENRES, TAGS, STUDIOS: the whole new list."""
    people: tuple[Person, ...] | None = None
    """Everybody who is to be on the item."""
    provider_ids: Mapping[str, str] = field(default_factory=dict[str, str])
    """Ids to set, by provider; an empty one is taken away, the others stay."""
    locks: frozenset[str] | None = None
    """All locked fields, in the server's words."""
    is_locked: bool | None = None


def body_of(document: ItemDocument, edit: DocumentEdit, dialect: Dialect) -> bytes:
    """Write the whole item with its changes.

    Everything that came goes back, also what we do not know. Nulls never do, because a null list fails half way: what
    is to be cleared is left out, which clears it as well.
    """
    if not document.is_whole:
        raise AnswerGarbled("the item came without its settings, so it cannot be sent back", kind=Kind.OTHER_SHAPE)
    body = {name: value for name, value in document.raw.items() if name not in _NEVER_SENT_BACK}
    for name, text in edit.texts.items():
        body.update(_scalar(name, text, dialect))
    if dialect.is_emby:
        forced = edit.texts.get(Property.SORT_NAME, document.forced_sort_name)
        body.update({"SortName": forced, "ForcedSortName": forced})
    body.update(_lists(document, edit, dialect))
    if edit.people is not None or (dialect.is_emby and document.raw.get("People") is not None):
        body["People"] = _people(document, edit, dialect)
    body.update((name, utc_text(body[name])) for name in _MOMENTS if isinstance(body.get(name), str))
    body["ProviderIds"] = _provider_ids(document, edit)
    body["LockedFields"] = _locks(document, edit)
    body["LockData"] = document.is_locked if edit.is_locked is None else edit.is_locked
    sent = {name: value for name, value in body.items() if value is not None}
    return json.dumps(sent, ensure_ascii=False).encode()


def _scalar(name: Property, text: str, dialect: Dialect) -> dict[str, Any]:
    if name is Property.TAGLINE:
        return {name: [text] if text else []}
    if name is Property.DATE:
        return date_properties(text)
    if name is Property.RATING:
        return {name: float(text) if text else None}
    if name is Property.NAME or dialect.is_emby:  # Emby's own editor sends an empty text for none
        return {name: text}
    return {name: text or None}


def _people(document: ItemDocument, edit: DocumentEdit, dialect: Dialect) -> list[Mapping[str, object]]:
    """Write who is on the item.

    Jellyfin does not show everybody, and keeps those it is not sent: they are left out unless they change. Emby's own
    editor always sends them, and nobody knows what becomes of those it is not sent: who stays goes back as he came.
    """
    people = document.people if edit.people is None else edit.people
    shown = dict(zip(document.people, document.raw_people, strict=True)) if dialect.is_emby else {}
    return [shown.get(one) or {"Name": one.name, "Role": one.role, "Type": one.type} for one in people]


def _lists(document: ItemDocument, edit: DocumentEdit, dialect: Dialect) -> dict[str, Any]:
    """Write genres and tags, on Emby in both of their forms and alike, since nobody knows which of them wins."""
    body: dict[str, Any] = {}
    for name, now in ((Property.GENRES, document.genres), (Property.TAGS, document.tags)):
        names = _wanted(edit.lists[name], now, dialect) if name in edit.lists else now
        body[name] = list(names)
        if dialect.is_emby:
            body[_PAIRS[name]] = [{"Name": one} for one in names]
    if Property.STUDIOS in edit.lists:
        studios = _wanted(edit.lists[Property.STUDIOS], document.studios, dialect)
        body[Property.STUDIOS] = [{"Name": one} for one in studios]
    return body


def _wanted(names: tuple[str, ...], now: tuple[str, ...], dialect: Dialect) -> tuple[str, ...]:
    """Write a list so that it comes back as it is; what is there already is not ours to write otherwise.

    Of names that differ in their case alone, the one that is there counts; two that are there stay two.
    """
    there = {name.strip().casefold(): name for name in reversed(now)}
    chosen: dict[str, None] = {}
    taken: set[str] = set()
    for name in names:
        for stored in dialect.stored_names([name]):
            key = stored.casefold()
            if name in now:
                chosen[name] = None
            elif key not in taken:
                chosen[there.get(key, stored)] = None
            taken.add(key)
    return tuple(chosen)


def _locks(document: ItemDocument, edit: DocumentEdit) -> list[str]:
    """Name the locks, those that are there first and in their order: what does not change goes back as it came."""
    wanted = frozenset(document.locks) if edit.locks is None else edit.locks
    return [*(one for one in document.locks if one in wanted), *sorted(wanted.difference(document.locks))]


def _provider_ids(document: ItemDocument, edit: DocumentEdit) -> dict[str, object]:
    """Set our ids, spelled as the item does; what others put there goes back as it came."""
    came = as_object(document.raw.get("ProviderIds")) or {}
    ids = {name: value for name, value in came.items() if value is not None}
    for provider, value in edit.provider_ids.items():
        ids[document.provider_name(provider)] = value
        if not value:
            del ids[document.provider_name(provider)]
    return ids


# --- is it there? ---------------------------------------------------------------------------------------------------


def is_applied(edit: DocumentEdit, now: ItemDocument, dialect: Dialect) -> bool:
    """Tell whether the item shows a change, as the server shows it."""
    return (
        all(_shows(now, name, text) for name, text in edit.texts.items())
        and all(_same_names(_list_of(now, name), names, dialect) for name, names in edit.lists.items())
        and (edit.people is None or _same_people(now.people, edit.people))
        and all(now.provider_id(name) == value for name, value in edit.provider_ids.items())
        and (edit.locks is None or frozenset(now.locks) == edit.locks)
        and (edit.is_locked is None or now.is_locked is edit.is_locked)
    )


def _shows(now: ItemDocument, name: Property, text: str) -> bool:
    if name is Property.RATING:
        return (now.rating or 0.0) == (float(text) if text else 0.0)
    shown = {
        Property.NAME: now.name,
        Property.SORT_NAME: now.forced_sort_name,
        Property.ORIGINAL_TITLE: now.original_title,
        Property.OVERVIEW: now.overview,
        Property.TAGLINE: now.tagline,
        Property.DATE: now.date,
        Property.OFFICIAL_RATING: now.official_rating,
    }
    return shown[name].strip() == text.strip()


def _list_of(now: ItemDocument, name: Property) -> tuple[str, ...]:
    return {Property.GENRES: now.genres, Property.TAGS: now.tags, Property.STUDIOS: now.studios}[name]


def _same_names(shown: tuple[str, ...], wanted: tuple[str, ...], dialect: Dialect) -> bool:
    return [one.casefold() for one in dialect.stored_names(shown)] == [
        one.casefold() for one in dialect.stored_names(wanted)
    ]


def _same_people(shown: tuple[Person, ...], wanted: tuple[Person, ...]) -> bool:
    """Compare names and kinds of work: of two roles of one person some versions keep only the first."""
    return _cast(shown) == _cast(wanted)


def _cast(people: tuple[Person, ...]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((one.name.strip().casefold(), one.type) for one in people))
