"""Undo: what was written is put back where the server still shows it; and what that would try, before it is done."""

from functools import partial

from model.sentences import counted
from model.user_error import UserError
from sync.undo.scope import UndoScope
from sync_queue.claim_pause import StillClaimed
from tasks.answers import Undone, UndoPlan, UndoPlanItem
from tasks.arguments import UndoWhat
from tasks.context import TaskContext
from tasks.servers import load_packages, open_targets

MOST_ITEMS = 50
NOTHING = "There is nothing to undo."


def undo(context: TaskContext, asked: UndoWhat) -> Undone:
    """Put back what the last run wrote, or a given run, or all of one scene, or some values, or everything.

    With several targets, a run and values by their numbers are those of one: each journal has numbers of its own.
    """
    scope = _scope(context, asked)
    try:
        with (
            context.queue.claims_paused(context.is_worker_alive),
            open_targets(context, asked.target) as targets,
        ):
            from sync.undo.run import UndoRun  # noqa: PLC0415 - only now are its packages sure to be there

            results = [
                UndoRun(one, partial(context.queue.browser.edited_scenes, target=one.target)).run(scope)
                for one in targets
            ]
    except StillClaimed as problem:
        raise UserError(f"Nothing was undone: {problem}. Try it again in a moment.") from problem
    said = [one.sentence for one in results if one.is_anything]
    return Undone(
        " ".join(said) or NOTHING,
        scenes=sum(one.scenes for one in results),
        put_back=sum(one.put_back for one in results),
        kept=sum(one.kept for one in results),
        overtaken=sum(one.overtaken for one in results),
        impossible=sum(one.impossible for one in results),
        gone=sum(one.gone for one in results),
        failed=sum(one.failed for one in results),
    )


def undo_plan(context: TaskContext, asked: UndoWhat) -> UndoPlan:
    """Say what an undo would try. No server is asked: what a person edited there since is not known, and kept."""
    scope = _scope(context, asked)
    load_packages(context)
    from sync.undo.plan import plan_undo_of  # noqa: PLC0415 - only now are its packages sure to be there

    values = overtaken = 0
    scenes: set[int] = set()
    items: list[UndoPlanItem] = []
    for target in context.targets(asked.target):
        with context.ledger(target) as ledger:
            planned = plan_undo_of(ledger, scope, MOST_ITEMS - len(items))
        values, overtaken, scenes = values + planned.values, overtaken + planned.overtaken, scenes | planned.scenes
        items += [
            UndoPlanItem(target, one.scene_id, one.item_id, one.field, one.new, one.old) for one in planned.sample
        ]
    return UndoPlan(_describe(values, len(scenes), overtaken), values, len(scenes), tuple(items), overtaken)


def _scope(context: TaskContext, asked: UndoWhat) -> UndoScope:
    if asked.run_id is not None or asked.ids is not None:
        context.one_target(asked.target)
    ids = None if asked.ids is None else frozenset(asked.ids)
    return UndoScope(asked.run_id, asked.scene_id, ids, asked.all)


def _describe(values: int, scenes: int, overtaken: int) -> str:
    if not values:
        return "There is nothing to undo." if not overtaken else "All of it was written again since; undo that first."
    later = f" {counted(overtaken, 'value')} stay as a later run wrote them." if overtaken > 1 else ""
    later = " 1 value stays as a later run wrote it." if overtaken == 1 else later
    return (
        f"{counted(values, 'value')} of {counted(scenes, 'scene')} would be put back, but for what was edited on the "
        f"server since.{later}"
    )
