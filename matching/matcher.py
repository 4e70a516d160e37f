"""Which Plex item is this scene? Pure: files and candidates in, a `Match` out.

The first rule that has an answer decides:

| rule          | holds when                                                     | confidence |
|---------------|----------------------------------------------------------------|------------|
| PINNED        | a person said so                                               | HIGH       |
| EXACT_PATH    | one item has the mapped path; of another size only where no derived rule led to it | HIGH |
| SUFFIX_SIZE   | one item shares name, folder and size, and no other has more   | HIGH       |
| NAME_SIZE     | the only item with this name has the same size                 | HIGH       |
| NAME_DURATION | the only item with this name has the same duration, and its size is not known to differ | HIGH |
| NAME_ONLY     | the only item with this name; nothing else speaks for it       | LOW        |
| AMBIGUOUS     | several items could be it                                      | LOW        |
| NOTHING       | no item has this name                                          | NONE       |

Each of a scene's files is asked by itself, the primary one first; the first HIGH answer is the scene's main item, and
the other items that its files surely are stand in `also`. A person's choice is the only one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from matching.path_map import PathMap
from model.item import Part
from model.match import Match, MatchConfidence, MatchRule, TurnedDown
from model.paths import common_suffix, fold, raw_segments, spelled
from model.scene import SceneFile
from model.sentences import quoted_path

SAME_DURATION_SECONDS = 1.0  # Stash and Plex read it with different tools
_NAME_AND_FOLDER = 2


@dataclass(frozen=True, slots=True)
class _Seen:
    """A part beside one scene file: what they have in common."""

    part: Part
    identity: str  # the file as Plex's file system knows it
    same_path: bool
    is_guess: bool  # the path is that of a derived rule
    shared: int  # segments from the right, the file's name being the first
    shared_raw: int  # the same, letter for letter
    same_size: bool | None
    same_duration: bool | None

    @property
    def item(self) -> str:
        return self.part.item_id


@dataclass(frozen=True, slots=True)
class _Eye:
    """How paths are compared in this match."""

    path_map: PathMap
    ignore_case: bool
    server: str

    def see(self, file: SceneFile, part: Part) -> _Seen:
        own, theirs = spelled(file.path), spelled(part.path)
        mapped, is_guess = self.path_map.lead(own)
        ignore_case = self.ignore_case or own.is_windows or theirs.is_windows
        left, right = (own.folded, theirs.folded) if ignore_case else (own.normal, theirs.normal)
        return _Seen(
            part=part,
            identity=theirs.folded if self.ignore_case else theirs.identity,
            same_path=(fold(mapped) if ignore_case else mapped) == right,
            is_guess=is_guess,
            shared=common_suffix(left.split("/"), right.split("/")),
            shared_raw=common_suffix(own.segments, theirs.segments),
            same_size=file.size == part.size if file.size and part.size else None,
            same_duration=_close(file.duration, part.duration_seconds),
        )

    def related(self, file: SceneFile, parts: Sequence[Part]) -> list[_Seen]:
        """Keep the parts that have the file's name or its place."""
        seen = (self.see(file, part) for part in parts)
        return [one for one in seen if one.same_path or one.shared]


def match(
    files: Sequence[SceneFile],
    candidates: Sequence[Part],
    path_map: PathMap,
    *,
    pinned: str | None = None,
    ignore_case: bool = False,
    server: str = "the server",
) -> Match:
    """Find the item of a scene. `ignore_case` is for servers whose POSIX paths ignore it (macOS)."""
    eye = _Eye(path_map, ignore_case, server)
    parts = sorted(set(candidates), key=_order)
    if pinned is not None:
        best, also = _pinned(pinned, parts), ()
    else:
        best, also = _best(files, parts, eye)
    if best.confidence is not MatchConfidence.HIGH:
        return best
    return replace(best, also=also, other_parts=_other_parts(best, files, parts, eye))


def _order(part: Part) -> tuple[object, ...]:
    size = -1 if part.size is None else part.size
    duration = -1.0 if part.duration_seconds is None else part.duration_seconds
    return (part.item_id, part.library_key, part.path, size, duration)


def _close(left: float | None, right: float | None) -> bool | None:
    return abs(left - right) <= SAME_DURATION_SECONDS if left and right else None


def _pinned(item_id: str, parts: Sequence[Part]) -> Match:
    own = next((part for part in parts if part.item_id == item_id), None)
    refused = tuple(TurnedDown(part, "a person chose another item") for part in parts if part.item_id != item_id)
    return Match(MatchRule.PINNED, item_id, own, refused)


def _best(files: Sequence[SceneFile], parts: Sequence[Part], eye: _Eye) -> tuple[Match, tuple[Match, ...]]:
    """Give the first of the surest answers, and those for the other items that the scene's files surely are."""
    answers = [_match_file(file, parts, eye) for file in files]
    if not answers:
        return Match(MatchRule.NOTHING, note="the scene has no file"), ()
    best = max(answers, key=lambda answer: answer.confidence)
    sure = [one for one in answers if one.confidence is MatchConfidence.HIGH and one.item_id != best.item_id]
    surest = {one.item_id: one for one in sorted(sure, key=lambda answer: answer.score)}
    return best, tuple(surest.values())


def _other_parts(best: Match, files: Sequence[SceneFile], parts: Sequence[Part], eye: _Eye) -> tuple[str, ...]:
    """List the files of the matched item that are none of the scene's."""
    own = [part for part in parts if part.item_id == best.item_id and part != best.part]
    return tuple(part.path for part in own if not any(eye.related(file, [part]) for file in files))


# --- one file -----------------------------------------------------------------------------------------------------


def _match_file(file: SceneFile, parts: Sequence[Part], eye: _Eye) -> Match:
    seen = eye.related(file, parts)
    if not seen:
        name = quoted_path(raw_segments(file.path)[-1])
        return Match(MatchRule.NOTHING, note=f"nothing in {eye.server} is called {name}")
    return _by_path(seen) or _by_suffix(seen) or _by_name(seen)


def _by_path(seen: Sequence[_Seen]) -> Match | None:
    """Hold when the mapped path names one item and nothing of equal size speaks for another."""
    exact = _spelled_alike([one for one in seen if one.same_path])
    if not exact:
        return None
    if len({one.item for one in exact}) > 1:
        return _ambiguous(seen, "several items hold this very file")
    taken = max(exact, key=lambda one: one.shared_raw)
    if taken.same_size is False and taken.is_guess:
        return None
    rivals = [one for one in seen if one.item != taken.item and one.same_size]
    if taken.same_size is False and rivals:
        return _ambiguous(seen, "the path says one item, the size another")
    note = "the sizes differ: replaced, or not read again yet" if taken.same_size is False else ""
    return _take(MatchRule.EXACT_PATH, taken, seen, note)


def _spelled_alike(exact: Sequence[_Seen]) -> list[_Seen]:
    """Choose the file whose letters are ours, among files that differ only in case or in Unicode form.

    All items that hold it are kept, however they spell it: on Windows `A` and `a` are one file.
    """
    most = max((one.shared_raw for one in exact), default=0)
    chosen = {one.identity for one in exact if one.shared_raw == most}
    return [one for one in exact if one.identity in chosen]


def _by_suffix(seen: Sequence[_Seen]) -> Match | None:
    """Hold when name, folder and size agree and no other item shares as much of the path."""
    sized = [one for one in seen if one.same_size and one.shared >= _NAME_AND_FOLDER]
    if not sized:
        return None
    taken = max(sized, key=lambda one: one.shared)
    rivals = [one for one in seen if one.item != taken.item and one.shared >= taken.shared]
    if any(one.shared > taken.shared or one.same_size is not False for one in rivals):
        return None
    return _take(MatchRule.SUFFIX_SIZE, taken, seen)


def _by_name(seen: Sequence[_Seen]) -> Match:
    if len({one.item for one in seen}) > 1:
        return _ambiguous(seen, "several items have this name")
    for one in seen:
        if one.same_size:
            return _take(MatchRule.NAME_SIZE, one, seen)
    for one in seen:
        if one.same_duration and one.same_size is None:
            return _take(MatchRule.NAME_DURATION, one, seen)
    return _take(MatchRule.NAME_ONLY, seen[0], seen, "only the name agrees")


def _take(rule: MatchRule, taken: _Seen, seen: Sequence[_Seen], note: str = "") -> Match:
    refused = tuple(TurnedDown(one.part, _why(one, taken)) for one in seen if one.item != taken.item)
    return Match(rule, taken.item, taken.part, refused, note=note)


def _ambiguous(seen: Sequence[_Seen], note: str) -> Match:
    refused = tuple(TurnedDown(one.part, note) for one in seen)
    return Match(MatchRule.AMBIGUOUS, turned_down=refused, note=note)


def _why(one: _Seen, taken: _Seen) -> str:
    if one.same_path:
        return "its name is spelled differently"
    if one.same_size is False:
        return "another folder and another size"
    return "another folder" if one.shared <= taken.shared else "the mapped path names another item"
