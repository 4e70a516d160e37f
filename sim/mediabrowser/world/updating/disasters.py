"""Disasters: what a client did that nobody asked for and nobody can take back."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from sim.mediabrowser.world.records import Item, Picture

_ALSO_SHOWN_AS = {"Tags": "TagItems", "ForcedSortName": "SortName"}


class DisasterKind(StrEnum):
    WIPED = "wiped"
    """An update left a property out that had a value, which no client had put there."""
    EMPTIED = "emptied"
    """An update sent a property empty that had a value, which no client had put there."""
    NULL_SENT = "null sent"
    """An update named a property as null: a null list fails in the middle."""
    UNLOCKED = "unlocked"
    """An update left LockData out: the item is open to every provider again."""
    PEOPLE_LOST = "people lost"
    """An update dropped people whom the server had not shown."""
    EDIT_TRAMPLED = "edit trampled"
    """A person's edit, made after the client last read the item, was overwritten."""
    STRANGER_WRITTEN = "stranger written"
    """The client wrote on an item that it knows only from an answer to a question the server did not understand."""
    PUSHED_DOWN = "pushed down"
    """A change of a folder went on to everything below it."""
    PICTURE_DELETED = "picture deleted"
    """A picture file went that the client had not put there."""
    PICTURE_LOST = "picture lost"
    """A person's picture was replaced, and the client had not read its bytes before."""
    BACKDROP_DOUBLED = "backdrop doubled"
    UNPROBED = "unprobed"
    """A refresh made items that no provider will ever look at."""
    COLLECTION_EMPTIED = "collection emptied"
    FORCED_REFRESH = "forced refresh"
    SCAN_CANCELLED = "scan cancelled"
    METADATA_RESET = "metadata reset"
    ITEM_DELETED = "item deleted"
    """Item and files are gone."""


@dataclass(frozen=True, slots=True)
class Disaster:
    kind: DisasterKind
    item_id: str
    what: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.item_id} {self.what}".rstrip()


@dataclass(slots=True)
class _Shown:
    """What clients were shown of an item, as it was at `ticks`."""

    ticks: int
    names: frozenset[str]


def _elements(value: Any) -> set[str]:
    """Take a value apart into what can be put there one by one."""
    if isinstance(value, dict):
        return {repr(pair) for pair in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return {repr(one) for one in cast("list[Any]", value)}
    return set() if value in (None, "") else {repr(value)}


class Witness:
    """Knows what clients have been shown, and calls a disaster what they could not have meant."""

    def __init__(self) -> None:
        self.disasters: list[Disaster] = []
        self._shown: dict[str, _Shown] = {}
        self._edits: dict[str, dict[str, tuple[int, Any]]] = {}
        self._strangers: set[str] = set()
        self._name_sets: dict[frozenset[str], frozenset[str]] = {}
        self._downloads: set[tuple[str, int]] = set()
        self._own: dict[tuple[str, str], set[str]] = {}

    def record(self, kind: DisasterKind, item: Item | str, what: str = "") -> None:
        self.disasters.append(Disaster(kind, item if isinstance(item, str) else item.id, what))

    # What happened before.

    def note_shown(self, item: Item, names: frozenset[str]) -> None:
        known = self._shown.get(item.id)
        if known is not None and known.ticks == item.saved_ticks:
            names |= known.names
        names = self._name_sets.setdefault(names, names)
        self._shown[item.id] = _Shown(item.saved_ticks, names)
        self._strangers.discard(item.id)

    def note_stranger(self, item: Item) -> None:
        """An item came as an answer to a question that the server had not understood."""
        if item.id not in self._shown:
            self._strangers.add(item.id)

    def note_edit(self, item: Item, values: dict[str, Any]) -> None:
        edits = self._edits.setdefault(item.id, {})
        edits.update((name, (item.saved_ticks, value)) for name, value in values.items())

    def note_download(self, item: Item, picture: Picture) -> None:
        self._downloads.add((item.id, hash(picture.content)))

    def forget(self, item: Item) -> None:
        for known in (self._shown, self._edits):
            known.pop(item.id, None)

    # What happens now.

    def judge_touch(self, item: Item) -> None:
        """Anything at all is written to an item."""
        if item.id in self._strangers:
            self.record(DisasterKind.STRANGER_WRITTEN, item)

    def judge_update(self, item: Item, before: dict[str, Any], sent: frozenset[str], nulls: frozenset[str]) -> None:
        """Compare an item before and after an update; `sent` are the properties that it named, `nulls` as null."""
        self.judge_touch(item)
        for name in sorted(nulls):
            self.record(DisasterKind.NULL_SENT, item, name)
        for name in dict.fromkeys((*before, *item.values)):
            old = before.get(name)
            if old and not item.values.get(name):
                self._judge_cleared(item, name, old, is_sent=name in sent)
            self._note_own(item, name, old)
        self._judge_people(item, before, sent)
        self._judge_edits(item)

    def _judge_cleared(self, item: Item, name: str, old: Any, *, is_sent: bool) -> None:
        """What clients wrote themselves they may clear, by leaving it out as well."""
        if name == "LockData":
            if not is_sent:
                self.record(DisasterKind.UNLOCKED, item, name)
        elif not _elements(old) <= self._own.get((item.id, name), set()):
            self.record(DisasterKind.EMPTIED if is_sent else DisasterKind.WIPED, item, name)

    def _note_own(self, item: Item, name: str, old: Any) -> None:
        """Remember what of a property a client has put there by this update."""
        came = _elements(item.values.get(name)) - _elements(old)
        own = self._own.setdefault((item.id, name), set())
        own |= came

    def judge_delete(self, item: Item, picture: Picture, *, is_ours: bool) -> None:
        if not is_ours:
            self.record(DisasterKind.PICTURE_DELETED, item, picture.path)

    def judge_replace(self, item: Item, picture: Picture, *, is_ours: bool) -> None:
        if not is_ours and (item.id, hash(picture.content)) not in self._downloads:
            self.record(DisasterKind.PICTURE_LOST, item, picture.path)

    def _judge_people(self, item: Item, before: dict[str, Any], sent: frozenset[str]) -> None:
        left = {credit.name.casefold() for credit in item.people}
        hidden = [credit.name for credit in before.get("People") or () if not credit.has_entity]
        for name in hidden:
            if "People" in sent and name.casefold() not in left:
                self.record(DisasterKind.PEOPLE_LOST, item, name)

    def _judge_edits(self, item: Item) -> None:
        shown = self._shown.get(item.id, _Shown(0, frozenset()))
        for name, (ticks, value) in self._edits.pop(item.id, {}).items():
            is_known = shown.ticks >= ticks and not shown.names.isdisjoint((name, _ALSO_SHOWN_AS.get(name, name)))
            if not is_known and item.values.get(name) != value:
                self.record(DisasterKind.EDIT_TRAMPLED, item, name)
