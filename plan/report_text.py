"""A plan in words: what a dry run shows of it."""

from plan.decision import Decision
from plan.merge import folded
from plan.planner import Plan

MOST_LETTERS = 60


def diff_line(plan: Plan) -> str:
    """Say on one line what a plan would change and why."""
    return f"scene {plan.scene_id}: {'; '.join(map(_change, plan.changes))}"


def _change(decision: Decision) -> str:
    return f"{decision.field} {_difference(decision)} ({decision.why})"


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
