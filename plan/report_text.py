"""A plan in words: what it changes, and what a person's choice keeps out."""

from collections.abc import Iterable

from plan.decision import Decision
from plan.merge import folded
from plan.planner import Plan

MOST_LETTERS = 60


def diff_line(plan: Plan) -> str:
    """Say on one line what a plan would change and why, and what a person keeps; nothing if neither is so."""
    changes = [_change(decision, plan.server) for decision in plan.changes]
    said = [*changes, *([f"kept as a person's: {kept_text([plan])}"] if plan.kept else [])]
    return f"scene {plan.scene_id}: {'; '.join(said)}" if said else ""


def kept_text(plans: Iterable[Plan]) -> str:
    """Say with both values what a person's choice keeps out of a scene's items, nothing if it is nothing."""
    return "; ".join(dict.fromkeys(_kept(decision, plan.server) for plan in plans for decision in plan.kept))


def _kept(decision: Decision, server: str) -> str:
    if isinstance(decision.withheld, str):
        return f"{decision.field} is {_quoted(str(decision.old))} in {server} and {_quoted(decision.withheld)} in Stash"
    return f"{decision.field} without {', '.join(map(_quoted, decision.withheld))}"


def _change(decision: Decision, server: str) -> str:
    return f"{decision.field} {_difference(decision)} ({decision.why.told(server)})"


def _difference(decision: Decision) -> str:
    if isinstance(decision.old, str) or isinstance(decision.new, str):
        return f"{_quoted(str(decision.old))} → {_quoted(str(decision.new))}"
    old, new = folded(decision.old), folded(decision.new)
    added = [f"+{_quoted(name)}" for key, name in new.items() if key not in old]
    removed = [f"-{_quoted(name)}" for key, name in old.items() if key not in new]
    return " ".join(added + removed)


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return f"'{line if len(line) <= MOST_LETTERS else line[: MOST_LETTERS - 1] + '…'}'"
