"""The dry run of some scenes: matched, read and planned as the worker would, and not a word of it written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ledger.records import SceneRecord
from plan.intent import with_leftover
from plan.planner import Plan, make_plan
from plex.item import ItemDetails
from plex.matcher import Match, MatchConfidence
from stash.scenes import Scene
from tasks.plex_desk import PlexDesk
from validation.metadata import InvalidMetadata, SyncMetadata
from worker.scene_finder import (
    NOT_ORGANIZED,
    SceneFinder,
    ambiguous,
    holds,
    is_sure,
    not_there,
    shared_with,
)


class Verdict(StrEnum):
    """What a sync would make of a scene."""

    CHANGES = "would change"
    RIGHT = "right"
    UNMATCHED = "unmatched"
    AMBIGUOUS = "ambiguous"
    REFUSED = "refused"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Look:
    """One scene, looked at: the verdict with a sentence unless there is a plan, and how far it came."""

    scene_id: int
    verdict: Verdict
    sentence: str = ""
    found: Match | None = None
    plan: Plan | None = None


@dataclass(frozen=True, slots=True)
class _Matched:
    """A scene whose item is known."""

    metadata: SyncMetadata
    rating_key: int
    found: Match
    record: SceneRecord | None


class DryRun:
    """Looks at scenes. It writes to the path index, which is a copy of what Plex says, and nowhere else."""

    def __init__(self, desk: PlexDesk) -> None:
        self._desk = desk
        self._config = desk.config
        self._finder = SceneFinder(desk.ledger, desk.line)
        self._machine = desk.line.machine(desk.config)
        self._taken: dict[int, int] = {}

    def look_at(self, scenes: Sequence[Scene]) -> Iterator[Look]:
        """Look at each, reading the details of all their items at once."""
        matched: list[_Matched] = []
        for one in self._match(scenes):
            if isinstance(one, Look):
                yield one
            else:
                matched.append(one)
        details = self._desk.line.client(self._config).details([one.rating_key for one in matched])
        for one in matched:
            yield self._plan(one, details.get(one.rating_key))

    # --- which item -----------------------------------------------------------------------------------------------

    def _match(self, scenes: Sequence[Scene]) -> Iterator["_Matched | Look"]:
        ids = [scene.id for scene in scenes]
        records, pinned = self._desk.ledger.scenes(ids), self._desk.ledger.pinned(ids, self._machine)
        for scene in scenes:
            metadata = self._prepare(scene)
            if isinstance(metadata, Look):
                yield metadata
                continue
            found = self._finder.find(metadata, pinned.get(scene.id), self._config)
            if found.rating_key is not None and is_sure(found, self._config):
                yield _Matched(metadata, found.rating_key, found, records.get(scene.id))
            elif found.confidence is MatchConfidence.NONE:
                yield Look(scene.id, Verdict.UNMATCHED, not_there(metadata, found), found)
            else:
                yield Look(scene.id, Verdict.AMBIGUOUS, ambiguous(found), found)

    def _prepare(self, scene: Scene) -> "SyncMetadata | Look":
        try:
            metadata = SyncMetadata.of(scene)
        except InvalidMetadata as problem:
            return Look(scene.id, Verdict.REFUSED, str(problem))
        if self._config.only_organized and not metadata.organized:
            return Look(scene.id, Verdict.SKIPPED, NOT_ORGANIZED)
        return metadata

    # --- what would be written ------------------------------------------------------------------------------------

    def _plan(self, matched: _Matched, shown: ItemDetails | None) -> Look:
        scene_id, found = matched.metadata.scene_id, matched.found
        if shown is None or not holds(shown, found):
            gone = f"Plex's item {matched.rating_key} is gone or has become another file's; a sync looks for it anew."
            return Look(scene_id, Verdict.UNMATCHED, gone, found)
        holder = self._finder.other_holder(scene_id, shown, self._machine)
        holder = self._taken.setdefault(shown.rating_key, scene_id) if holder is None else holder
        if holder != scene_id:
            return Look(scene_id, Verdict.AMBIGUOUS, shared_with(holder, shown), found)
        leftover = self._desk.ledger.intents([shown.rating_key], self._machine).get(shown.rating_key)
        baseline, _ = with_leftover(self._finder.baseline(matched.record, shown, self._machine), leftover, shown)
        plan = make_plan(matched.metadata, shown, baseline, self._config)
        return Look(scene_id, Verdict.CHANGES if plan.changes else Verdict.RIGHT, found=found, plan=plan)
