"""Files of the watched folder: listed, tried again, given a code, put back. Intake's own actions do it."""

from intake.actions import page
from tasks.answers import Done, Intake, IntakeRow
from tasks.arguments import IntakeCode, IntakeFile, Nothing
from tasks.context import TaskContext


def intake(context: TaskContext, _asked: Nothing) -> Intake:
    """List the files, those that need a person first. What is in the way (a database that is away) is the sentence."""
    found = page.view(context.folder)
    rows = tuple(
        IntakeRow(row.id, row.name, row.status, row.step, row.code, row.sentence, row.at) for row in found.rows
    )
    return Intake(found.is_on, found.sentence, dict(found.counts), rows)


def intake_retry(context: TaskContext, asked: IntakeFile) -> Done:
    """Let a file go on where it stopped."""
    return _done(page.retry(context.folder, asked.id))


def intake_set_code(context: TaskContext, asked: IntakeCode) -> Done:
    """Take a person's word on what a file is."""
    return _done(page.pin_code(context.folder, asked.id, asked.code))


def intake_undo(context: TaskContext, asked: IntakeFile) -> Done:
    """Bring a file, and what was moved with it, back to where it came from."""
    return _done(page.take_back(context.folder, asked.id))


def _done(done: page.Done) -> Done:
    return Done(done.ok, done.sentence)
