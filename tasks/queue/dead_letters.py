"""The jobs that were given up: list them, try some again, forget some."""

from model.sentences import counted
from model.user_error import UserError
from tasks.answers import DeadLetters, Discarded, Revived
from tasks.arguments import LetterList, OldLetters, SomeLetters
from tasks.context import TaskContext
from tasks.queue.jobs import letter_answer

SECONDS_A_DAY = 86400.0


def dead_letters(context: TaskContext, asked: LetterList) -> DeadLetters:
    """List them by their numbers, a page at a time."""
    if not (asked.after or "0").isdigit():
        raise UserError(f"after must be `next` of the page before; it is {asked.after!r:.60}.")
    found = context.queue.browser.letters_page(asked.limit, int(asked.after or 0))
    return DeadLetters(tuple(map(letter_answer, found)), str(found[-1].id) if len(found) == asked.limit else None)


def retry(context: TaskContext, asked: SomeLetters) -> Revived:
    """Make waiting jobs of them."""
    letters, now = context.queue.dead_letters, context.now()
    with context.queue.writing():
        ids = _ids(context, asked)
        revived = letters.revive(now) if ids is None else sum(letters.revive(now, one) for one in ids)
    if revived:
        context.wake_worker()
    return Revived(f"{counted(revived, 'given-up job')} to be tried again.{_unknown(asked, revived)}", revived)


def discard(context: TaskContext, asked: SomeLetters) -> Discarded:
    """Forget them."""
    letters = context.queue.dead_letters
    with context.queue.writing():
        ids = _ids(context, asked)
        gone = letters.purge(older_than=float("inf")) if ids is None else sum(map(letters.discard, ids))
    return Discarded(f"{counted(gone, 'given-up job')} forgotten.{_unknown(asked, gone)}", gone)


def purge(context: TaskContext, asked: OldLetters) -> Discarded:
    """Forget those that were given up long ago."""
    with context.queue.writing():
        gone = context.queue.dead_letters.purge(context.now() - asked.days * SECONDS_A_DAY)
    return Discarded(f"{counted(gone, 'job')} forgotten, given up more than {counted(asked.days, 'day')} ago.", gone)


def _ids(context: TaskContext, asked: SomeLetters) -> list[int] | None:
    """Give the numbers that are meant; None means all."""
    if asked.scene_ids is not None:
        targets = context.targets(asked.target)
        keys = [
            context.key(kind, one, target)
            for one in asked.scene_ids
            for kind in ("scene", "picture")
            for target in targets
        ]
        return [letter.id for letter in context.queue.browser.letters_with(keys)]
    return None if asked.ids is None else list(asked.ids)


def _unknown(asked: SomeLetters, done: int) -> str:
    missing = len(asked.ids or ()) - done
    return f" No such job: {counted(missing, 'number')} of those given." if asked.ids and missing else ""
