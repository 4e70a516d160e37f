"""A look at a scene, for an answer: which items could be meant, what would be written and why."""

from collections.abc import Iterator

from plan.decision import Decision
from plex.item import Part
from plex.matcher import Match
from tasks.dry_run import Look
from tasks.table import Answer


def shown_plan(look: Look) -> Answer:
    """Show what a sync would write; `kept` is what it would leave although both sides differ."""
    plan = look.plan
    return {
        "verdict": str(look.verdict),
        "sentence": look.sentence or _told(look),
        "rating_key": plan.rating_key if plan else None,
        "changes": [_decision(one) for one in plan.changes] if plan else [],
        "kept": [_decision(one) for one in plan.conflicts if not one.why.writes] if plan else [],
    }


def shown_match(found: Match, *, source: str) -> Answer:
    """Show which item was found, how surely, and who else could have been meant. `source`: asked now, or remembered."""
    return {
        "rating_key": found.rating_key,
        "confidence": found.confidence.name.lower(),
        "score": found.score,
        "rule": str(found.rule),
        "note": found.note,
        "source": source,
        "candidates": list(_candidates(found)),
        "also": list(found.also),
        "other_parts": list(found.other_parts),
    }


def _candidates(found: Match) -> Iterator[Answer]:
    if found.rating_key is not None:
        yield _candidate(found.rating_key, found.part, is_taken=True, why=found.note or "it fits best")
    for refused in found.turned_down:
        yield _candidate(refused.part.rating_key, refused.part, is_taken=False, why=refused.why)


def _candidate(rating_key: int, part: Part | None, *, is_taken: bool, why: str) -> Answer:
    return {
        "rating_key": rating_key,
        "path": part.path if part else None,
        "size": part.size if part else None,
        "is_taken": is_taken,
        "why": why,
    }


def _decision(decision: Decision) -> Answer:
    return {"field": decision.field, "old": decision.old, "new": decision.new, "why": str(decision.why)}


def _told(look: Look) -> str:
    if look.plan is None or not look.plan.changes:
        return "Plex shows what Stash says."
    return f"A sync would change: {', '.join(decision.field for decision in look.plan.changes)}."
