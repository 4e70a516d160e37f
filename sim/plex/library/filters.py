"""The media query: which items were asked for, and in which order. Unknown fields are ignored, in silence."""

import re
from collections.abc import Callable, Iterable, Sequence
from operator import ge, gt, le, lt

from sim.plex.library.library import Library
from sim.plex.library.records import Item
from sim.plex.library.tags import TAG_ELEMENTS
from sim.plex.quirks import Quirks

Test = Callable[[Item], bool]

_TEXTS = frozenset({"title", "titleSort", "studio", "contentRating", "summary", "tagline", "guid", "editionTitle"})
_NUMBERS = frozenset({"year", "userRating", "rating", "audienceRating", "duration", "viewCount", "id", "mediaSize"})
_DATES = frozenset({"addedAt", "updatedAt", "lastRatedAt", "lastViewedAt"})
_SORTS = _TEXTS | _NUMBERS | _DATES | {"originallyAvailableAt"}
_FIELD = re.compile(r"^(?:[a-z]+\.)?(?P<name>\w+?)(?P<operator>>>|<<|!=|!|=|<|>)?$")
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {">>": gt, ">": ge, "<<": lt, "<": le}
_COLUMNS: dict[str, Callable[[Item], str | float]] = {
    "id": lambda item: item.item_id,
    "updatedAt": lambda item: item.updated_at or "",
    "addedAt": lambda item: item.edits.get("addedAt", item.added_at),
    "duration": lambda item: sum(media.duration for media in item.media[:1]),
    "mediaSize": lambda item: sum(part.size for part in item.parts),
}
"""What can be read off an item without asking its agent."""
_SECONDS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800, "mon": 2_592_000, "y": 31_536_000}
_AGO = re.compile(r"^-(\d+)(mon|[mhdwy])$")


class MediaQuery:
    def __init__(self, library: Library, quirks: Quirks) -> None:
        self._library = library
        self._quirks = quirks

    def tests(self, params: Iterable[tuple[str, str]]) -> list[Test]:
        found = (self._test(name, value) for name, value in params)
        return [test for test in found if test is not None]

    def sorted(self, items: Sequence[Item], sort: str) -> list[Item]:
        """By the fields of `sort=`, the last one first. A field nobody knows changes nothing."""
        ordered = list(items)
        for entry in reversed(sort.split(",")):
            field, _, direction = entry.rpartition(".")[2].partition(":")
            if field in _SORTS and (field != "id" or self._quirks.honours_sort_id):
                ordered.sort(key=lambda item, name=field: self._sort_key(item, name), reverse=direction == "desc")
        return ordered

    def _test(self, name: str, value: str) -> Test | None:
        match = _FIELD.match(name)
        if match is None:
            return None
        field, operator = match["name"], match["operator"] or ""
        if field == "file" and self._quirks.knows_file_filter:
            return self._any_of(operator, value, lambda item: [p.file for m in item.media for p in m.parts])
        if field in _TEXTS:
            return self._any_of(operator, value, lambda item: (str(self._value(item, field)),))
        if field in _NUMBERS | _DATES:
            return self._compared(field, operator, value)
        return self._tagged(field, operator, value) if field in TAG_ELEMENTS else None

    @staticmethod
    def _any_of(operator: str, value: str, texts: Callable[[Item], Iterable[str]]) -> Test:
        """Split at commas: one means "or" and cannot be escaped; so a value that ends in one asks for everything."""
        wanted = value.lower().split(",")
        compare: Callable[[str, str], bool] = {
            "=": str.__eq__,
            "!=": str.__eq__,
            "<": str.startswith,
            ">": str.endswith,
        }.get(operator, str.__contains__)
        is_negated = operator.startswith("!")

        def test(item: Item) -> bool:
            for text in texts(item):
                folded = text.lower()
                for one in wanted:
                    if compare(folded, one):
                        return not is_negated
            return is_negated

        return test

    def _compared(self, field: str, operator: str, value: str) -> Test | None:
        numbers = [self._number(one, is_date=field in _DATES) for one in value.split(",")]
        known = [number for number in numbers if number is not None]
        if not known:
            return None
        compare = _COMPARISONS.get(operator)

        def test(item: Item) -> bool:
            actual = self._value(item, field)
            if actual == "":
                return False
            if compare is None:
                return (float(actual) in known) is not operator.startswith("!")
            return compare(float(actual), known[0])

        return test

    def _number(self, text: str, *, is_date: bool) -> float | None:
        if is_date and (ago := _AGO.match(text)):
            return self._library.now() - int(ago[1]) * _SECONDS[ago[2]]
        try:
            return float(text)
        except ValueError:
            return None

    def _tagged(self, kind: str, operator: str, value: str) -> Test:
        registry = self._library.registry
        named = [registry.get(kind, one) for one in value.split(",") if not one.isdigit()]
        wanted = {int(one) for one in value.split(",") if one.isdigit()} | {tag.id for tag in named if tag}

        def test(item: Item) -> bool:
            has = {tagging.tag_id for tagging in self._library.tags(item).get(kind, ())}
            return bool(has & wanted) is not operator.startswith("!")

        return test

    def _value(self, item: Item, field: str) -> str | float:
        """One field of an item; an empty text where it has none."""
        if known := _COLUMNS.get(field):
            return known(item)
        if field == "year":
            return str(self._library.values(item).get("originallyAvailableAt", ""))[:4]
        return self._library.values(item).get(field, "")

    def _sort_key(self, item: Item, field: str) -> tuple[float, str]:
        if field == "titleSort":
            return 0.0, self._library.sort_title(item).casefold()
        value = self._value(item, field)
        return (0.0, value.casefold()) if isinstance(value, str) else (float(value), "")
