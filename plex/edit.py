"""Edits of one item, and the requests they become.

An edit starts from the item as a full read showed it. Some servers add the tags they are sent, others take them for the
whole list, and one request comes out right on both if it carries every wanted name and removes every other by name. All
of it rides in the request line, which proxies cut at 8 kB: a request stays under 4 kB where it can.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from plex.exceptions import RequestTooLong
from plex.item import TYPE_NUMBER, Field, ItemDetails, Tag, TagKind, shows_new
from plex.transport import Parameter, encoded

TARGET_BYTES = 4096
HARD_BYTES = 8192
_LINE_ALLOWANCE = 192  # the method, the protocol, a proxy's path before ours


@dataclass(frozen=True, slots=True)
class FieldEdit:
    """A field gets this value, empty for none, and is locked against Plex's own agents (or, in an undo, unlocked)."""

    field: Field
    value: str
    locked: bool = True


@dataclass(frozen=True, slots=True)
class TagEdit:
    """A list becomes this one: what is not in it goes."""

    kind: TagKind
    want: tuple[Tag, ...]
    locked: bool = True


@dataclass(frozen=True, slots=True)
class LockEdit:
    """A lock alone, the value left as it is: `thumb` and `art` after an upload."""

    name: str
    locked: bool = True


@dataclass(frozen=True, slots=True)
class ItemEdit:
    """All that changes on one item."""

    item: ItemDetails
    fields: tuple[FieldEdit, ...] = ()
    tags: tuple[TagEdit, ...] = ()
    locks: tuple[LockEdit, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What it touches, by Plex's names."""
        return (
            *(edit.field.value for edit in self.fields),
            *(edit.kind.value for edit in self.tags),
            *(edit.name for edit in self.locks),
        )

    def only(self, names: Sequence[str]) -> "ItemEdit":
        """Keep what touches these names."""
        return ItemEdit(
            self.item,
            tuple(edit for edit in self.fields if edit.field.value in names),
            tuple(edit for edit in self.tags if edit.kind.value in names),
            tuple(edit for edit in self.locks if edit.name in names),
        )


@dataclass(frozen=True, slots=True)
class ListChange:
    """What one request does to one list: names it adds, be they there already or not, and names it removes."""

    kind: TagKind
    add: tuple[Tag, ...]
    remove: tuple[str, ...]
    locked: bool

    def is_applied(self, now: ItemDetails) -> bool:
        shown = {name.casefold() for name in now.names(self.kind)}
        return {tag.name.casefold() for tag in self.add} <= shown and shown.isdisjoint(map(str.casefold, self.remove))


@dataclass(frozen=True, slots=True)
class _Piece:
    """What must stay together in one request, encoded once."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class EditRequest:
    """One PUT. Without the `id` that opens its query it would edit the whole library."""

    item: ItemDetails
    pieces: tuple[_Piece, ...]

    @property
    def target(self) -> str:
        """Path and query."""
        opening = f"type={TYPE_NUMBER[self.item.type]}&id={self.item.rating_key}"
        query = "&".join((opening, *(piece.text for piece in self.pieces)))
        return f"/library/sections/{self.item.library_key}/all?{query}"

    @property
    def names(self) -> tuple[str, ...]:
        """What it writes, by Plex's names."""
        return tuple(piece.name for piece in self.pieces)

    @property
    def line_bytes(self) -> int:
        return len(self.target) + _LINE_ALLOWANCE

    def split(self) -> list["EditRequest"]:
        return [EditRequest(self.item, (piece,)) for piece in self.pieces]


def requests_for(edit: ItemEdit) -> list[EditRequest]:
    """Build the requests of an edit: one, unless it is too long; then as few as fit, no list torn apart."""
    groups: list[list[_Piece]] = []
    room = 0
    for piece in _pieces(edit):
        size = len(piece.text) + 1
        if not groups or size > room:
            groups.append([])
            room = TARGET_BYTES - EditRequest(edit.item, ()).line_bytes
        groups[-1].append(piece)
        room -= size
    return [EditRequest(edit.item, tuple(group)) for group in groups]


def list_in_parts(item: ItemDetails, edit: TagEdit) -> tuple[list[ListChange], list[ListChange]]:
    """Tear a list that is too long for one request apart: what removes names, and what adds them.

    A server that replaces lists keeps only the last part, so whoever sends these must look. What is there already comes
    in the first part; if even that is too long, nothing can be sent without risking it.
    """
    whole = change_of(item, edit)
    there = set(item.names(edit.kind))
    wanted = sorted(whole.add, key=lambda tag: tag.name not in there)
    gone = [Tag(name) for name in whole.remove]
    removing = [replace(whole, add=(), remove=tuple(tag.name for tag in part)) for part in _parts(item, whole, gone)]
    adding = [replace(whole, add=tuple(part), remove=()) for part in _parts(item, whole, wanted)]
    if adding and len(there) > len(gone) + len(adding[0].add):
        raise RequestTooLong("too long to be sent to Plex", fields=(edit.kind.value,))
    return removing, adding


def list_request(item: ItemDetails, change: ListChange) -> EditRequest:
    return EditRequest(item, (_list_piece(change),))


def _parts(item: ItemDetails, whole: ListChange, tags: Sequence[Tag]) -> Iterator[list[Tag]]:
    """Group tags so that each group, added or removed, fits in one request."""
    group: list[Tag] = []
    for tag in tags:
        longer = [*group, tag]
        added = list_request(item, replace(whole, add=tuple(longer), remove=()))
        removed = list_request(item, replace(whole, add=(), remove=tuple(one.name for one in longer)))
        if group and max(added.line_bytes, removed.line_bytes) > TARGET_BYTES:
            yield group
            group = [tag]
        else:
            group = longer
    if group:
        yield group


def _pieces(edit: ItemEdit) -> Iterator[_Piece]:
    for field in edit.fields:
        name = field.field.value
        yield _Piece(name, encoded([(f"{name}.value", field.value), (f"{name}.locked", int(field.locked))]))
    for tags in edit.tags:
        yield _list_piece(change_of(edit.item, tags))
    for lock in edit.locks:
        yield _Piece(lock.name, encoded([(f"{lock.name}.locked", int(lock.locked))]))


# --- tags ---------------------------------------------------------------------------------------------------------


def change_of(item: ItemDetails, edit: TagEdit) -> ListChange:
    """Work out what a list needs to become what is wanted."""
    have = item.tags.get(edit.kind, ())
    wanted = spelled_as_there(edit.want, have)
    return ListChange(edit.kind, tuple(wanted), tuple(names_to_remove(wanted, have)), edit.locked)


def _list_piece(change: ListChange) -> _Piece:
    return _Piece(change.kind.value, encoded(_list_query(change)))


def _list_query(change: ListChange) -> Iterator[Parameter]:
    kind = change.kind.value
    if change.remove:
        # A comma separates names here, so each is encoded once more than usual.
        yield f"{kind}[].tag.tag-", ",".join(quote(name, safe="") for name in change.remove)
    for number, tag in enumerate(change.add):
        yield f"{kind}[{number}].tag.tag", tag.name
        if change.kind is TagKind.ACTOR and tag.role:
            yield f"{kind}[{number}].tagging.text", tag.role
    yield f"{kind}.locked", int(change.locked)


def spelled_as_there(want: Sequence[Tag], have: Sequence[Tag]) -> list[Tag]:
    """Drop repeats and take over Plex's spelling where only case differs.

    Some servers hold `Solo` and `solo` for one tag, others for two; removing one and adding the other in one request
    would leave neither on the first kind.
    """
    spelling = {tag.name.casefold(): tag.name for tag in have} | {tag.name: tag.name for tag in have}
    chosen: dict[str, Tag] = {}
    for tag in want:
        name = spelling.get(tag.name) or spelling.get(tag.name.casefold(), tag.name)
        chosen.setdefault(name.casefold(), Tag(name, tag.role))
    return list(chosen.values())


def names_to_remove(want: Sequence[Tag], have: Sequence[Tag]) -> list[str]:
    """List what is there and not wanted, in Plex's spelling."""
    kept = {tag.name.casefold() for tag in want}
    return [tag.name for tag in have if tag.name.casefold() not in kept]


# --- reading back -------------------------------------------------------------------------------------------------


def is_applied(edit: ItemEdit, now: ItemDetails) -> bool:
    """Tell whether the item shows what the edit wanted."""
    return (
        all(_field_is_applied(field, edit.item, now) for field in edit.fields)
        and all(_tags_are_applied(tags, now) for tags in edit.tags)
        and all((lock.name in now.locked) == lock.locked for lock in edit.locks)
    )


def _field_is_applied(edit: FieldEdit, before: ItemDetails, now: ItemDetails) -> bool:
    is_there = shows_new(now.value(edit.field), edit.value, before.value(edit.field))
    return is_there and (edit.field.value in now.locked) == edit.locked


def _tags_are_applied(edit: TagEdit, now: ItemDetails) -> bool:
    wanted = {tag.name.casefold() for tag in edit.want}
    return {name.casefold() for name in now.names(edit.kind)} == wanted and (
        edit.kind.value in now.locked
    ) == edit.locked
