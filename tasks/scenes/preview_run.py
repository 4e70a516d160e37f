"""The preview of all scenes: each is previewed on each target, reported, written into files, and counted."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import IO

from model.match import Verdict
from model.scene import Scene
from model.sentences import counted
from plan.report_text import diff_line
from stash.wire import NEUTRAL
from sync.context import TargetContext
from sync.preview import SCENES_AT_ONCE, Preview
from sync.scenes.decide import Decided
from tasks.answers import PreviewCounts, PreviewRow
from tasks.scenes.preview_file import write_row, write_summary
from tasks.scenes.shown import plan_answer
from tasks.wording import describe_kept

MOST_LINES = 200


@dataclass(frozen=True, slots=True)
class PreviewedAll:
    """What came of it, in a sentence and in numbers."""

    sentence: str
    counts: PreviewCounts
    fields: dict[str, int]
    kept: int
    kept_fields: dict[str, int]


class PreviewRun:
    """One preview of all scenes on some targets."""

    def __init__(self, targets: Sequence[TargetContext], text: IO[str], rows: IO[str], now: float) -> None:
        self._targets = targets
        self._reporter = targets[0].reporter
        self._text = text
        self._rows = rows
        self._now = now
        self._previews = [Preview(target) for target in targets]
        self._verdicts: Counter[Verdict] = Counter()
        self._fields: Counter[str] = Counter()
        self._kept_fields: Counter[str] = Counter()
        self._keeping = 0  # scenes
        self._lines = 0

    def run(self, limit: int | None = None) -> PreviewedAll:
        """Preview all scenes, or only the first of them."""
        stash, seen = self._targets[0].stash, 0
        total = min(stash.scene_count(), limit or stash.scene_count())
        scenes = islice((scene for page in stash.all_scenes() for scene in page), limit)
        while page := list(islice(scenes, SCENES_AT_ONCE)):
            for target, preview in zip(self._targets, self._previews, strict=True):
                titles = {scene.id: scene for scene in page}
                for result in preview.results(page):
                    self._take(target, titles[result.scene_id], result)
            seen += len(page)
            self._reporter.progress(seen / max(total, 1))
        return self._finished()

    def _take(self, target: TargetContext, scene: Scene, result: Decided) -> None:
        self._verdicts[result.verdict] += 1
        self._fields.update(result.changed_fields)
        for plan in result.plans:
            which = f" (item {plan.item_id})" if result.plans[1:] else ""
            if line := diff_line(plan):
                self._log(f"{self._place(target)}{line}{which}.")
        self._keeping += bool(result.kept_fields)
        self._kept_fields.update(result.kept_fields)
        if result.verdict is Verdict.REFUSED:
            self._log(f"{self._place(target)}scene {result.scene_id}: {result.sentence}")
        if result.verdict is not Verdict.RIGHT or result.kept_fields:
            plan = plan_answer(result, target.name)
            write_row(
                self._rows,
                PreviewRow(scene.id, scene.title, target.target, plan.verdict, plan.sentence, plan.changes, plan.kept),
            )

    def _place(self, target: TargetContext) -> str:
        return f"{target.name}: " if len(self._targets) > 1 else ""

    def _log(self, sentence: str) -> None:
        self._text.write(f"{sentence.translate(NEUTRAL)}\n")
        self._lines += 1
        if self._lines <= MOST_LINES:
            self._reporter.log(sentence)

    def _finished(self) -> PreviewedAll:
        counts = PreviewCounts(**{_count_name(one): self._verdicts[one] for one in Verdict})
        said = ", ".join(f"{self._verdicts[verdict]} {verdict}" for verdict in Verdict)
        fields = _listed(self._fields.most_common())
        sentence = (
            f"Of {counted(self._verdicts.total(), 'scene')}: {said}. {f'Fields: {fields}. ' if fields else ''}"
            f"{self._describe_kept()}Nothing was written; pictures were not looked at."
        )
        self._text.write(f"{sentence}\n")
        write_summary(self._rows, self._now, counts)
        return PreviewedAll(sentence, counts, dict(self._fields), self._keeping, dict(self._kept_fields))

    def _describe_kept(self) -> str:
        if not self._keeping:
            return ""
        values, scenes = counted(self._kept_fields.total(), "value"), counted(self._keeping, "scene")
        fields, names = _listed(self._kept_fields.most_common()), " and ".join(one.name for one in self._targets)
        return f"{describe_kept(f'{values} of {scenes} ({fields})', names)} "


def _count_name(verdict: Verdict) -> str:
    return verdict.value.replace(" ", "_")


def _listed(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts)
