"""What a preview or a match found, as an answer: which items could be meant, what would be written and why."""

from collections.abc import Iterator, Mapping

from model.item import Part
from model.match import Match
from plan.planner import Plan as ItemPlan
from plan.report_text import kept_text
from sync.scenes.decide import Decided
from tasks.answers import Candidate, Change, MatchFound, Plan, PlanOfItem, TargetPreview
from tasks.wording import describe_kept, named_fields


def plan_answer(result: Decided, name: str, pictures: str = "") -> Plan:
    """Give what a sync would write, and what it would leave because a person chose it on the server.

    `pictures` says which of them are not as Stash has them; no server is asked for that.
    """
    plan = result.plans[0] if result.plans else None
    return Plan(
        str(result.verdict),
        result.sentence or _describe(result, name, pictures),
        plan.item_id if plan else None,
        changes_of(plan, name),
        kept_of(plan, name),
        tuple(PlanOfItem(one.item_id, changes_of(one, name), kept_of(one, name)) for one in result.plans[1:]),
    )


def preview_answer(result: Decided, target: str, name: str, pictures: str) -> TargetPreview:
    plan = plan_answer(result, name, pictures)
    return TargetPreview(target, plan.verdict, plan.sentence, plan.item_id, plan.changes, plan.kept, plan.also)


def changes_of(plan: ItemPlan | None, name: str) -> tuple[Change, ...]:
    return tuple(Change(one.field, one.old, one.new, one.why.told(name)) for one in plan.changes) if plan else ()


def kept_of(plan: ItemPlan | None, name: str) -> tuple[Change, ...]:
    kept = plan.kept if plan else ()
    return tuple(Change(one.field, one.old, one.new, one.why.told(name), one.withheld) for one in kept)


def match_answer(found: Match, titles: Mapping[str, str], *, source: str) -> MatchFound:
    """Give which item was found, how surely, and which others could have been meant."""
    return MatchFound(
        item_id=found.item_id,
        confidence=found.confidence.name.lower(),
        score=found.score,
        rule=str(found.rule),
        note=found.note,
        source=source,
        candidates=tuple(_candidates(found, titles)),
        also=tuple(one.item_id for one in found.also if one.item_id is not None),
        other_parts=found.other_parts,
    )


def _candidates(found: Match, titles: Mapping[str, str]) -> Iterator[Candidate]:
    if found.item_id is not None:
        yield _candidate(found.item_id, found.part, titles, is_taken=True, why=found.note or "it fits best")
    for refused in found.turned_down:
        yield _candidate(refused.part.item_id, refused.part, titles, is_taken=False, why=refused.why)


def _candidate(item_id: str, part: Part | None, titles: Mapping[str, str], *, is_taken: bool, why: str) -> Candidate:
    path, size = (part.path, part.size) if part else (None, None)
    return Candidate(item_id, path, size, titles.get(item_id), is_taken, why)


def _describe(result: Decided, name: str, pictures: str) -> str:
    changed, kept = named_fields(result.changed_fields), kept_text(result.plans)
    if not (changed or kept or pictures):
        return f"{name} shows what Stash says."
    said = [f"A sync would change: {changed}."] if changed else []
    return " ".join(filter(None, [*said, describe_kept(kept, name) if kept else "", pictures]))
