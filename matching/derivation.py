"""Finds the path map by itself: which Stash prefixes stand for which Plex prefixes.

A file that both sides know (same name, same size, neither twice) is evidence. Strip what the two paths share from the
right, and the prefixes that remain are a pair that explains it; so is every pair one folder deeper. The pair that
explains most is a rule, then the one that explains most of what is left, as long as a rule does not take away more than
it adds. Of a big library a sample by names will do: files of one name are all in it or all not, so what is unique in
the sample is unique.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

from matching.path_map import MapRule, PathMap, make_map
from model.paths import common_suffix, fold, is_windows, normalise
from model.sentences import counted, quoted_path

_KEY_DEPTHS = range(1, 9)  # the name alone, then with one folder, then with two …
_FEW = 3
SAMPLE = 5_000
_MOST_RULES = 50
_SAMPLE = 20
_SMALL = 10  # with so few files, one of them may be a rule; with more, one is a file that was moved


class SizedPath(NamedTuple):
    """A file as one side tells it."""

    path: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class MeasuredMap:
    """A path map and how much it explains."""

    path_map: PathMap
    found: int
    total: int
    warning: str = ""
    missing: tuple[str, ...] = ()  # some of the files, where Stash has them, that are not found

    @property
    def coverage(self) -> float:
        return self.found / self.total if self.total else 0.0

    def __str__(self) -> str:
        rules = counted(len(self.path_map.rules), "rule")
        return f"{self.found:,} of {counted(self.total, 'file')} found, {rules}"


class _File(NamedTuple):
    segments: list[str]
    folded: list[str]
    size: int | None


class _Pair(NamedTuple):
    """Folded prefixes; the spelling people see is taken from the first file that had it."""

    stash: str
    target: str


def sample_share(files: int) -> int:
    """Say of so many files one in how many to look at."""
    return max(1, -(-files // SAMPLE))


def sampled(files: Iterable[SizedPath], one_in: int) -> Iterator[SizedPath]:
    """Let the files through whose names are in the sample, the same on both sides."""
    for file in files:
        name = fold(normalise(file.path)).rpartition("/")[2]
        if crc32(name.encode("utf-8", "surrogatepass")) % one_in == 0:
            yield file


class MapOf(NamedTuple):
    """Whose path map it is: what people call the server, and the setting that holds the map."""

    title: str = "the server"
    setting: str = "path_map"


_SOME_SERVER = MapOf()


def derive_path_map(
    stash_files: Iterable[SizedPath], plex_parts: Iterable[SizedPath], of: MapOf = _SOME_SERVER
) -> MeasuredMap:
    """Compare all of Stash's files with all of the server's parts."""
    stash, target = _prepare_all(stash_files), _prepare_all(plex_parts)
    evidence = [(left, right) for left, right in _evidence(stash, target) if _sizes_agree(left.size, right.size)]
    return _measured(make_map(_without_needless(_choose_rules(evidence)), is_derived=True), stash, target, of)


def measure_path_map(
    path_map: PathMap, stash_files: Iterable[SizedPath], plex_parts: Iterable[SizedPath], of: MapOf = _SOME_SERVER
) -> MeasuredMap:
    """Say how much a map that a person gave explains."""
    return _measured(path_map, _prepare_all(stash_files), _prepare_all(plex_parts), of)


def _measured(path_map: PathMap, stash: Sequence["_File"], target: Sequence["_File"], of: MapOf) -> MeasuredMap:
    missing = [file for file, is_found in _look_up(path_map, stash, target) if not is_found]
    found = len(stash) - len(missing)
    sample = tuple("/".join(file.segments) for file in missing[:_SAMPLE])
    return MeasuredMap(path_map, found, len(stash), _warning(stash, target, found, of), sample)


def _prepare_all(files: Iterable[SizedPath]) -> list[_File]:
    """Split the paths, each once: a file that two libraries hold is one file."""
    sizes = {normalise(file.path): file.size or None for file in files}
    return [_File(path.split("/"), fold(path).split("/"), size) for path, size in sizes.items()]


def _sizes_agree(left: int | None, right: int | None) -> bool:
    return left is None or right is None or left == right


# --- evidence -----------------------------------------------------------------------------------------------------


def _evidence(stash: Sequence[_File], target: Sequence[_File]) -> Iterator[tuple[_File, _File]]:
    """Pair files that can only be each other: sizes first, then longer and longer ends of the path."""
    left, right = list(stash), list(target)
    for with_size in (True, False):
        for depth in _KEY_DEPTHS:
            matched_left: set[int] = set()
            matched_right: set[int] = set()
            mine, theirs = _unique(left, depth, with_size=with_size), _unique(right, depth, with_size=with_size)
            for key in mine.keys() & theirs.keys():
                yield left[mine[key]], right[theirs[key]]
                matched_left.add(mine[key])
                matched_right.add(theirs[key])
            left = [file for number, file in enumerate(left) if number not in matched_left]
            right = [file for number, file in enumerate(right) if number not in matched_right]


def _unique(files: Sequence[_File], depth: int, *, with_size: bool) -> dict[tuple[object, ...], int]:
    """Map key to place in the list, for the keys that stand for one file only."""
    places: dict[tuple[object, ...], int] = {}
    twice: set[tuple[object, ...]] = set()
    for number, file in enumerate(files):
        if with_size and file.size is None:
            continue
        key = (*file.folded[-depth:], file.size) if with_size else tuple(file.folded[-depth:])
        if key in places:
            twice.add(key)
        places[key] = number
    return {key: number for key, number in places.items() if key not in twice}


# --- rules --------------------------------------------------------------------------------------------------------


def _choose_rules(evidence: Sequence[tuple[_File, _File]]) -> list[MapRule]:
    """Take, greedily, the pair that explains most of what is not yet explained."""
    least = 1 if len(evidence) < _SMALL else max(2, len(evidence) // 1000)
    supporters, spelling = _votes(evidence)
    explained: set[int] = set()
    explained_below: Counter[str] = Counter()
    taken: set[str] = set()
    chosen: list[MapRule] = []
    heap = [(-len(files), len(pair.stash), pair) for pair, files in supporters.items()]
    heapq.heapify(heap)
    while heap and len(chosen) < _MOST_RULES:
        promised, length, pair = heapq.heappop(heap)
        fresh = [number for number in supporters[pair] if number not in explained]
        if len(fresh) < least or pair.stash in taken:
            continue
        if len(fresh) < -promised:
            heapq.heappush(heap, (-len(fresh), length, pair))
        elif explained_below[pair.stash] < len(fresh):  # or it would take away more than it adds
            taken.add(pair.stash)
            chosen.append(spelling[pair])
            explained.update(fresh)
            for number in fresh:
                explained_below.update(_prefixes(evidence[number][0].folded))
    return chosen


def _votes(
    evidence: Sequence[tuple[_File, _File]],
) -> tuple[dict[_Pair, list[int]], dict[_Pair, MapRule]]:
    """List every pair of prefixes with the evidence it explains."""
    supporters: defaultdict[_Pair, list[int]] = defaultdict(list)
    spelling: dict[_Pair, MapRule] = {}
    for number, (left, right) in enumerate(evidence):
        shared = _shared(left, right)
        for kept in range(1, shared + 1):  # how much of the common end stays outside the prefixes
            pair = _Pair("/".join(left.folded[:-kept]), "/".join(right.folded[:-kept]))
            if pair not in spelling:
                spelling[pair] = MapRule("/".join(left.segments[:-kept]), "/".join(right.segments[:-kept]))
            supporters[pair].append(number)
    return supporters, spelling


def _shared(left: _File, right: _File) -> int:
    """Count the common end in segments; case counts unless one side is Windows; the root itself is never part of it."""
    ignore_case = any(is_windows(file.segments[0]) or file.segments[:2] == ["", ""] for file in (left, right))
    mine, theirs = (left.folded, right.folded) if ignore_case else (left.segments, right.segments)
    return min(common_suffix(mine, theirs), len(mine) - 1, len(theirs) - 1)


def _prefixes(parts: list[str]) -> Iterator[str]:
    for end in range(1, len(parts)):
        yield "/".join(parts[:end])


def _without_needless(rules: list[MapRule]) -> list[MapRule]:
    """Drop `/a=>/a` unless a shorter rule would lead its files astray."""
    moved = [rule for rule in rules if rule.stash != rule.target]
    return [
        rule for rule in rules if rule.stash != rule.target or any(other.covers(fold(rule.stash)) for other in moved)
    ]


# --- what it explains ---------------------------------------------------------------------------------------------


def _look_up(path_map: PathMap, stash: Sequence[_File], target: Sequence[_File]) -> Iterator[tuple[_File, bool]]:
    """Say of every file of Stash's whether Plex has it where the map leads."""
    sizes: defaultdict[str, list[int | None]] = defaultdict(list)
    for part in target:
        sizes["/".join(part.folded)].append(part.size)
    for file in stash:
        there = sizes.get(fold(path_map.to_target("/".join(file.segments))), ())
        yield file, any(_sizes_agree(file.size, size) for size in there)


def _warning(stash: Sequence[_File], target: Sequence[_File], found: int, of: MapOf) -> str:
    """Write the sentence for the person whose files do not meet."""
    if found or not stash:
        return ""
    if not target:
        return f"Stash says {_where(stash)}, {of.title} has no files in the chosen libraries"
    return f"Stash says {_where(stash)}, {of.title} says {_where(target)}; set {of.setting}"


def _where(files: Sequence[_File]) -> str:
    """Name the folder all files lie in, or the most usual ones if there is none in common."""
    first, last = min(file.segments[:-1] for file in files), max(file.segments[:-1] for file in files)
    shared = 0
    while shared < min(len(first), len(last)) and first[shared] == last[shared]:
        shared += 1
    if "".join(first[:shared]):
        return quoted_path("/".join(first[:shared])) + "/…"
    tops = Counter("/".join(file.segments[: 2 if len(file.segments) > 2 else 1]) for file in files)  # noqa: PLR2004
    return ", ".join(f"{quoted_path(top)}/…" for top, _ in tops.most_common(_FEW))
