"""The dry run: what Sync All would write, by the same planner, and not a word of it written."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ledger.records import SceneRecord
from plan.planner import Plan, make_plan
from plan.report_text import diff_line
from plex.client import DETAILS_PER_REQUEST
from plex.item import ItemDetails
from plex.matcher import Match, MatchConfidence
from stash.scenes import Scene
from tasks.plex_desk import PlexDesk
from tasks.report import Report
from validation.metadata import InvalidMetadata, SyncMetadata
from worker.scene_finder import SceneFinder, holds, is_sure

MOST_LINES = 200


class Verdict(StrEnum):
    """What Sync All would make of a scene."""

    CHANGES = "would change"
    RIGHT = "right"
    UNMATCHED = "unmatched"
    AMBIGUOUS = "ambiguous"
    REFUSED = "refused"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Matched:
    """A scene whose item is known."""

    metadata: SyncMetadata
    rating_key: int
    found: Match
    record: SceneRecord | None


class PreviewRun:
    """One dry run over all scenes. It writes to the path index, which is a copy of what Plex says, and nowhere else."""

    def __init__(self, desk: PlexDesk) -> None:
        self._desk = desk
        self._config = desk.config
        self._finder = SceneFinder(desk.ledger, desk.line)
        self._machine = desk.line.machine(desk.config)
        self._taken: dict[int, int] = {}
        self._verdicts: Counter[Verdict] = Counter()
        self._fields: Counter[str] = Counter()
        self._lines = 0

    def run(self) -> Report:
        total = sum(len(page) for page in self._desk.stash.scene_ids())
        for page in self._desk.stash.all_scenes():
            for start in range(0, len(page), DETAILS_PER_REQUEST):
                self._look_at(page[start : start + DETAILS_PER_REQUEST])
                self._desk.teller.progress(self._verdicts.total() / max(total, 1))
        return self._report()

    def _look_at(self, scenes: Sequence[Scene]) -> None:
        matched = list(self._match(scenes))
        details = self._desk.line.client(self._config).details([one.rating_key for one in matched])
        for one in matched:
            outcome = self._plan(one, details.get(one.rating_key))
            if isinstance(outcome, Plan):
                self._show(outcome)
            else:
                self._verdicts[outcome] += 1

    # --- which item -----------------------------------------------------------------------------------------------

    def _match(self, scenes: Sequence[Scene]) -> Iterator[Matched]:
        wanted = [metadata for metadata in map(self._prepare, scenes) if metadata is not None]
        ids = [metadata.scene_id for metadata in wanted]
        records, pinned = self._desk.ledger.scenes(ids), self._desk.ledger.pinned(ids)
        for metadata in wanted:
            found = self._finder.find(metadata, pinned.get(metadata.scene_id), self._config)
            verdict = self._judge(found)
            if verdict is None and found.rating_key is not None:
                yield Matched(metadata, found.rating_key, found, records.get(metadata.scene_id))
            else:
                self._verdicts[verdict or Verdict.UNMATCHED] += 1

    def _prepare(self, scene: Scene) -> SyncMetadata | None:
        try:
            metadata = SyncMetadata.of(scene)
        except InvalidMetadata as problem:
            self._verdicts[Verdict.REFUSED] += 1
            self._say(f"scene {scene.id}: {problem}")
            return None
        if self._config.only_organized and not metadata.organized:
            self._verdicts[Verdict.SKIPPED] += 1
            return None
        return metadata

    def _judge(self, found: Match) -> Verdict | None:
        if found.confidence is MatchConfidence.NONE:
            return Verdict.UNMATCHED
        return None if is_sure(found, self._config) else Verdict.AMBIGUOUS

    # --- what would be written ------------------------------------------------------------------------------------

    def _plan(self, matched: Matched, shown: ItemDetails | None) -> Plan | Verdict:
        scene_id = matched.metadata.scene_id
        if shown is None or not holds(shown, matched.found):
            return Verdict.UNMATCHED
        holder = self._finder.other_holder(scene_id, shown, self._machine)
        if holder is not None or self._taken.setdefault(shown.rating_key, scene_id) != scene_id:
            return Verdict.AMBIGUOUS
        baseline = self._finder.baseline(matched.record, shown, self._machine)
        return make_plan(matched.metadata, shown, baseline, self._config)

    # --- telling --------------------------------------------------------------------------------------------------

    def _show(self, plan: Plan) -> None:
        if not plan.changes:
            self._verdicts[Verdict.RIGHT] += 1
            return
        self._verdicts[Verdict.CHANGES] += 1
        self._fields.update(decision.field for decision in plan.changes)
        self._say(f"{diff_line(plan)}.")

    def _say(self, sentence: str) -> None:
        self._lines += 1
        if self._lines <= MOST_LINES:
            self._desk.teller.say(sentence)

    def _report(self) -> Report:
        counts = {verdict.name.lower(): self._verdicts[verdict] for verdict in Verdict}
        told = ", ".join(f"{self._verdicts[verdict]} {verdict}" for verdict in Verdict)
        fields = _listed(self._fields.most_common())
        sentence = (
            f"Of {self._verdicts.total()} scenes: {told}. {f'Fields: {fields}. ' if fields else ''}"
            f"Nothing was written; pictures were not looked at."
        )
        return Report(sentence, {**counts, "fields": dict(self._fields)})


def _listed(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts)
