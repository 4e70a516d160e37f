"""Edits of one item, and the requests they become.

An edit starts from the item as a full read showed it. Some servers add the tags they are sent, others take them for the
whole list, and one request comes out right on both if it carries every wanted name and removes every other by name. All
of it rides in the request line, which proxies cut at 8 kB: a request stays under 4 kB where it can.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from model.change import FieldEdit, ItemChange, TagEdit
from model.errors import RequestTooLong
from model.item import Item, ItemType, Tag, TagKind, is_form_of, name_key, shows_new
from plex.capabilities import TYPE_NUMBER
from plex.http.transport import Parameter, encoded

TARGET_BYTES = 4096
HARD_BYTES = 8192
_LINE_ALLOWANCE = 192  # the method, the protocol, a proxy's path before ours


@dataclass(frozen=True, slots=True)
class ListChange:
    """What one request does to one list: names it adds, be they there already or not, and names it removes."""

    kind: TagKind
    add: tuple[Tag, ...]
    remove: tuple[str, ...]
    locked: bool

    def is_applied(self, now: Item) -> bool:
        """Tell whether the item shows it, be it in a form of Plex's own."""
        names = now.names(self.kind)
        shown = set(map(name_key, names))
        missing = [tag.name for tag in self.add if name_key(tag.name) not in shown]
        is_added = all(any(is_form_of(name, one) for name in names) for one in missing)
        return is_added and shown.isdisjoint(map(name_key, self.remove))


@dataclass(frozen=True, slots=True)
class _Piece:
    """What must stay together in one request, encoded once."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class EditRequest:
    """One PUT. Without the `id` that opens its query it would edit the whole library."""

    item: Item
    pieces: tuple[_Piece, ...]

    @property
    def target(self) -> str:
        """Path and query."""
        opening = f"type={TYPE_NUMBER[self.item.type]}&id={self.item.item_id}"
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


def requests_for(edit: ItemChange) -> list[EditRequest]:
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


def lock_targets(items: Sequence[Item], names: Sequence[str]) -> list[str]:
    """Build the requests that lock these fields of several items at once: one for each library and type."""
    groups: dict[tuple[str, ItemType], list[str]] = {}
    for item in items:
        groups.setdefault((item.library_key, item.type), []).append(item.item_id)
    locks = "&".join(encoded([(f"{name}.locked", 1)]) for name in names)
    return [
        f"/library/sections/{library_key}/all?type={TYPE_NUMBER[of_type]}&id={','.join(keys)}&{locks}"
        for (library_key, of_type), keys in groups.items()
    ]


def list_in_parts(item: Item, edit: TagEdit) -> tuple[list[ListChange], list[ListChange]]:
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


def list_request(item: Item, change: ListChange) -> EditRequest:
    return EditRequest(item, (_list_piece(change),))


def _parts(item: Item, whole: ListChange, tags: Sequence[Tag]) -> Iterator[list[Tag]]:
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


def _pieces(edit: ItemChange) -> Iterator[_Piece]:
    for field in edit.fields:
        name = field.field.value
        yield _Piece(name, encoded([(f"{name}.value", field.value), (f"{name}.locked", int(field.locked))]))
    for tags in edit.tags:
        yield _list_piece(change_of(edit.item, tags))
    for lock in edit.locks:
        yield _Piece(lock.name, encoded([(f"{lock.name}.locked", int(lock.locked))]))


# --- tags ---------------------------------------------------------------------------------------------------------


def change_of(item: Item, edit: TagEdit) -> ListChange:
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
    spelling = {name_key(tag.name): tag.name for tag in have} | {tag.name: tag.name for tag in have}
    chosen: dict[str, Tag] = {}
    for tag in want:
        name = spelling.get(tag.name) or spelling.get(name_key(tag.name), tag.name)
        chosen.setdefault(name_key(name), Tag(name, tag.role))
    return list(chosen.values())


def names_to_remove(want: Sequence[Tag], have: Sequence[Tag]) -> list[str]:
    """List what is there and not wanted, in Plex's spelling."""
    kept = {name_key(tag.name) for tag in want}
    return [tag.name for tag in have if name_key(tag.name) not in kept]


# --- reading back -------------------------------------------------------------------------------------------------


def is_applied(edit: ItemChange, now: Item) -> bool:
    """Tell whether the item shows what the edit wanted."""
    return (
        all(_field_is_applied(field, edit.item, now) for field in edit.fields)
        and all(_tags_are_applied(tags, now) for tags in edit.tags)
        and all((lock.name in now.locked) == lock.locked for lock in edit.locks)
    )


def _field_is_applied(edit: FieldEdit, before: Item, now: Item) -> bool:
    is_there = shows_new(now.value(edit.field), edit.value, before.value(edit.field))
    return is_there and (edit.field.value in now.locked) == edit.locked


def _tags_are_applied(edit: TagEdit, now: Item) -> bool:
    wanted = {name_key(tag.name) for tag in edit.want}
    return {name_key(name) for name in now.names(edit.kind)} == wanted and (
        edit.kind.value in now.locked
    ) == edit.locked
