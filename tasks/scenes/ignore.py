"""A scene that a person leaves out: no sync and no check of all scenes touches it until they take that back."""

from model.sentences import counted
from tasks.answers import Said
from tasks.arguments import IgnoreScenes
from tasks.context import TaskContext

SENTENCE = "Left out by hand. What is there stays as it is."


def ignore_scene(context: TaskContext, asked: IgnoreScenes) -> Said:
    """Leave scenes out, or sync them again."""
    changed = 0
    for target in context.targets(asked.target):
        with context.ledger(target) as ledger:
            if asked.ignore:
                changed += ledger.scenes.ignore(asked.ids, SENTENCE, context.now())
            else:
                changed += ledger.scenes.unignore(asked.ids, context.now())
    if asked.ignore:
        return Said(f"{counted(len(asked.ids), 'scene')} left out from now on.{_already(asked, changed)}")
    if changed:
        context.enqueue("scene", asked.ids, "no longer left out", context.targets(asked.target), verify=True)
        context.wake_worker()
        return Said(f"{counted(len(asked.ids), 'scene')} no longer left out, and queued.")
    return Said("None of them was left out.")


def _already(asked: IgnoreScenes, changed: int) -> str:
    return "" if changed else f" {'It was' if len(asked.ids) == 1 else 'They were'} left out already."
