"""Finding scenes: criteria, order and pages, as Stash's SQL does them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from sim.stash.clock import ServerClock
from sim.stash.errors import ResolverError
from sim.stash.library.library import Library, refers_to
from sim.stash.library.records import Scene

R = TypeVar("R")
Predicate = Callable[[Scene], bool]
Criterion = Mapping[str, Any]

TEXTS: dict[str, Callable[[Scene], list[str]]] = {
    "code": lambda scene: [scene.code],
    "oshash": lambda scene: [file.oshash for file in scene.files],
    "path": lambda scene: [file.path for file in scene.files],
}
RELATIONS = {"performers": "performer", "studios": "studio", "tags": "tag", "groups": "group"}
DEFAULT_PER_PAGE = 25


@dataclass(frozen=True)
class Found:
    count: int
    scenes: list[Scene]

    @property
    def duration(self) -> float:
        return sum(file.duration for scene in self.scenes for file in scene.files[:1])

    @property
    def filesize(self) -> float:
        return float(sum(file.size for scene in self.scenes for file in scene.files[:1]))


def find_scenes(library: Library, scene_filter: Criterion, find_filter: Criterion) -> Found:
    with library.lock:
        matching = _matching(library, scene_filter)
    return Found(len(matching), page(ordered(matching, find_filter), find_filter))


def find_by_ids(library: Library, ids: list[int]) -> Found:
    """All or nothing: a missing id fails the query, and so does the second of two equal ones."""
    seen: set[int] = set()
    scenes: list[Scene] = []
    for scene_id in ids:
        if scene_id in seen:
            raise ResolverError(f"scene with id {scene_id} not found")
        seen.add(scene_id)
        scenes.append(library.scenes.need(scene_id))
    return Found(len(scenes), scenes)


def _matching(library: Library, scene_filter: Criterion) -> list[Scene]:
    candidates, rest = _by_id_range(library, scene_filter)
    if not rest:
        return candidates
    wanted = _predicate(library, rest)
    return [scene for scene in candidates if wanted(scene)]


def _by_id_range(library: Library, scene_filter: Criterion) -> tuple[list[Scene], Criterion]:
    """Cut by id first, as an index would, so that a walk by id costs the same on every page."""
    scenes = list(library.scenes.values())
    criterion = scene_filter.get("id")
    if criterion is None or "OR" in scene_filter:
        return scenes, scene_filter
    ids = list(library.scenes)
    low, high = criterion["value"], criterion.get("value2") or 0
    slices = {
        "EQUALS": slice(bisect_left(ids, low), bisect_right(ids, low)),
        "GREATER_THAN": slice(bisect_right(ids, low), None),
        "LESS_THAN": slice(0, bisect_left(ids, low)),
        "BETWEEN": slice(bisect_left(ids, low), bisect_right(ids, high)),
    }
    if criterion["modifier"] not in slices:
        return scenes, scene_filter
    rest = {key: value for key, value in scene_filter.items() if key != "id"}
    return scenes[slices[criterion["modifier"]]], rest


def _predicate(library: Library, scene_filter: Criterion) -> Predicate:
    tests = [_test(library, key, value) for key, value in scene_filter.items() if value is not None]
    base = _all(tests)
    for link, join in (("AND", _both), ("OR", _either), ("NOT", _but_not)):
        if scene_filter.get(link) is not None:
            base = join(base, _predicate(library, scene_filter[link]))
    return base


def _all(tests: list[Predicate]) -> Predicate:
    return lambda scene: all(test(scene) for test in tests)


def _both(one: Predicate, other: Predicate) -> Predicate:
    return lambda scene: one(scene) and other(scene)


def _either(one: Predicate, other: Predicate) -> Predicate:
    return lambda scene: one(scene) or other(scene)


def _but_not(one: Predicate, other: Predicate) -> Predicate:
    return lambda scene: one(scene) and not other(scene)


def _test(library: Library, key: str, value: Any) -> Predicate:
    if key in RELATIONS:
        return _relation(RELATIONS[key], value)
    if key in ("created_at", "updated_at"):
        return _stamp(key, value, library.clock)
    if key == "id":
        return _number(value)
    if key in TEXTS:
        return _text(TEXTS[key], value)
    if key == "organized":
        return lambda scene: scene.organized == value
    return _missing(value) if key == "is_missing" else lambda _: True


def _relation(kind: str, criterion: Criterion) -> Predicate:
    wanted = {int(text) for text in criterion.get("value") or ()}
    modifier = criterion["modifier"]
    if modifier == "INCLUDES":
        return lambda scene: not wanted.isdisjoint(refers_to(scene, kind))
    if modifier == "INCLUDES_ALL":
        return lambda scene: wanted.issubset(refers_to(scene, kind))
    if modifier == "EXCLUDES":
        return lambda scene: wanted.isdisjoint(refers_to(scene, kind))
    if modifier == "IS_NULL":
        return lambda scene: not refers_to(scene, kind)
    if modifier == "NOT_NULL":
        return lambda scene: bool(refers_to(scene, kind))
    raise ResolverError(f"invalid modifier: {modifier}")


def _text(values: Callable[[Scene], list[str]], criterion: Criterion) -> Predicate:
    """Compare as Stash does: EQUALS is SQL's LIKE, for which case means nothing, `_` any letter and `%` any letters."""
    if criterion["modifier"] != "EQUALS":
        raise ResolverError(f"unsupported modifier {criterion['modifier']}")
    wanted = re.escape(criterion["value"]).replace("%", ".*").replace("_", ".")
    like = re.compile(wanted, re.IGNORECASE | re.DOTALL | re.ASCII)
    return lambda scene: any(like.fullmatch(text) for text in values(scene))


def _number(criterion: Criterion) -> Predicate:
    compare = _comparison(criterion["modifier"], criterion["value"], criterion.get("value2") or 0)
    return lambda scene: compare(scene.id)


def _stamp(key: str, criterion: Criterion, clock: ServerClock) -> Predicate:
    """Plain comparison of text, whatever the offsets say: that is what Stash does."""
    yesterday = clock.text(clock.now() - 86_400)
    compare = _comparison(criterion["modifier"], criterion["value"], criterion.get("value2") or yesterday)
    return lambda scene: compare(getattr(scene, key))


def _comparison(modifier: str, low: Any, high: Any) -> Callable[[Any], bool]:
    tests: dict[str, Callable[[Any], bool]] = {
        "EQUALS": lambda value: value == low,
        "NOT_EQUALS": lambda value: value != low,
        "GREATER_THAN": lambda value: value > low,
        "LESS_THAN": lambda value: value < low,
        "BETWEEN": lambda value: low <= value <= high,
        "NOT_BETWEEN": lambda value: not low <= value <= high,
        "IS_NULL": lambda value: value is None,
        "NOT_NULL": lambda value: value is not None,
    }
    if modifier not in tests:
        raise ResolverError(f"unsupported modifier {modifier}")
    return tests[modifier]


def _missing(what: str) -> Predicate:
    tests: dict[str, Predicate] = {
        "cover": lambda scene: scene.cover_version == 0,
        "studio": lambda scene: scene.studio_id is None,
        "performers": lambda scene: not scene.performer_ids,
        "tags": lambda scene: not scene.tag_ids,
        "date": lambda scene: scene.date is None,
        "title": lambda scene: not scene.title,
    }
    if what not in tests:
        raise ResolverError(f"is_missing {what!r} is not simulated")
    return tests[what]


def ordered(records: list[R], find_filter: Criterion) -> list[R]:
    sort = find_filter.get("sort") or ""
    if sort not in ("", "id", "updated_at", "created_at", "path"):
        raise ResolverError(f"invalid sort: {sort}")
    if sort not in ("", "id"):
        records = sorted(records, key=lambda record: getattr(record, sort))
    return records[::-1] if find_filter.get("direction") == "DESC" and sort else records


def page(records: list[R], find_filter: Criterion) -> list[R]:
    per_page = find_filter.get("per_page")
    size = DEFAULT_PER_PAGE if per_page is None else per_page
    if size < 0:
        return records
    start = (max(find_filter.get("page") or 1, 1) - 1) * size
    return records[start : start + size]
