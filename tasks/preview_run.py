"""The preview: what Sync All would write, scene by scene, by the same planner."""

from collections import Counter
from collections.abc import Iterable

from plan.report_text import diff_line
from plex.client import DETAILS_PER_REQUEST
from tasks.dry_run import DryRun, Look, Verdict
from tasks.plex_desk import PlexDesk
from tasks.report import Report

MOST_LINES = 200


class PreviewRun:
    """One dry run over all scenes, told and counted."""

    def __init__(self, desk: PlexDesk) -> None:
        self._desk = desk
        self._dry_run = DryRun(desk)
        self._verdicts: Counter[Verdict] = Counter()
        self._fields: Counter[str] = Counter()
        self._lines = 0

    def run(self) -> Report:
        total = self._desk.stash.scene_count()
        for page in self._desk.stash.all_scenes():
            for start in range(0, len(page), DETAILS_PER_REQUEST):
                for look in self._dry_run.look_at(page[start : start + DETAILS_PER_REQUEST]):
                    self._take(look)
                self._desk.teller.progress(self._verdicts.total() / max(total, 1))
        return self._report()

    def _take(self, look: Look) -> None:
        self._verdicts[look.verdict] += 1
        if look.plan is not None and look.plan.changes:
            self._fields.update(decision.field for decision in look.plan.changes)
            self._say(f"{diff_line(look.plan)}.")
        elif look.verdict is Verdict.REFUSED:
            self._say(f"scene {look.scene_id}: {look.sentence}")

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
