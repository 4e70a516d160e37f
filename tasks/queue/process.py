"""The queue as a whole: worked on while a person waits, or cleared."""

import time

from ledger.values import TRY_AT
from model.sentences import counted
from sync_queue.operations import METADATA_LANE
from tasks.answers import Cleared, Processed
from tasks.arguments import Nothing
from tasks.context import TaskContext, read_json

LOOK_SECONDS = 0.5
_LOOKS_TO_INSIST = (1, 10)  # the first may come before the worker has looked
PATIENT_LOOKS = 20  # a worker that was just started needs a moment to ask Stash for the settings


def process_queue(context: TaskContext, _asked: Nothing) -> Processed:
    """Make everything due now, and watch the worker until it is done. Only the worker works on jobs."""
    dead_before = context.counts().dead
    context.queue.make_all_due(context.now())
    most, looks_in_vain = 0, 0
    while left := _unfinished(context):
        most = max(most, left)
        context.reporter.progress(1 - left / most)
        context.wake_worker()
        obstacle = _obstacle(context)
        looks_in_vain = looks_in_vain + 1 if obstacle else 0
        if looks_in_vain in _LOOKS_TO_INSIST:
            _ask_to_try(context)
        if obstacle and looks_in_vain > PATIENT_LOOKS:
            sentence = f"{counted(left, 'job')} left in the queue. {obstacle}"
            return Processed(
                sentence, most - left, left, _given_up(context, dead_before), context.counts().later, obstacle
            )
        time.sleep(LOOK_SECONDS)
    later, given_up = context.counts().later, _given_up(context, dead_before)
    done = (
        f"{counted(most, 'job')} had to be done, and none is left. Given up: {given_up};"
        if most
        else "Nothing was due;"
    )
    return Processed(f"{done} to be tried later: {later}.", most, 0, given_up, later, None)


def clear_queue(context: TaskContext, _asked: Nothing) -> Cleared:
    """Remove all that waits; what the worker has in hand stays."""
    cleared = context.queue.clear_waiting()
    return Cleared(
        f"{counted(cleared, 'waiting job')} removed. The next check of all scenes finds what they stood for; the task "
        "Reconcile makes one now.",
        cleared,
    )


def _given_up(context: TaskContext, before: int) -> int:
    return max(context.counts().dead - before, 0)


def _ask_to_try(context: TaskContext) -> None:
    """Have the worker ask the servers now: a person who runs this task knows that they are back, or wants to know."""
    for target in context.targets():
        with context.ledger(target) as ledger:
            ledger.values.set(TRY_AT, str(context.now()))


def _obstacle(context: TaskContext) -> str | None:
    """Say what keeps the queue from becoming empty: what the worker says, or that none stays."""
    state = read_json(context.folder.worker_state)
    if state.get("obstacle") and not state.get("is_installing"):
        return str(state["obstacle"])
    next_due_at = context.queue.next_due_at(METADATA_LANE)
    if state.get("pictures") and (next_due_at is None or next_due_at > context.now()):
        return str(state["pictures"])
    if not context.is_worker_alive():
        return f"No worker stays alive; look at {context.folder.worker_log}."
    return None


def _unfinished(context: TaskContext) -> int:
    counts = context.counts()
    return counts.due + counts.claimed
