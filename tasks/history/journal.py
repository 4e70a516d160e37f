"""The journal: the runs that wrote something, and what was written in a run or for a scene, a page at a time."""

from functools import partial

from ledger.records import JournalEntry, RunSummary
from tasks.answers import Entries, EntryRow, RunRow, Runs
from tasks.arguments import JournalPart
from tasks.context import TaskContext
from tasks.paging import Placed, merged_page
from tasks.wording import iso


def journal(context: TaskContext, asked: JournalPart) -> Runs | Entries:
    """List runs, the newest first; or, of a run or a scene, every value written and the one it replaced."""
    targets = context.targets(asked.target)
    if asked.run_id is None and asked.scene_id is None:
        return Runs(*merged_page(targets, asked.after, asked.limit, partial(_runs, context)))
    return Entries(*merged_page(targets, asked.after, asked.limit, partial(_entries, context, asked)))


def _runs(context: TaskContext, target: str, after: int, limit: int) -> list[Placed[RunRow]]:
    with context.ledger(target) as ledger:
        found = ledger.journal.runs(limit, after or None)
    return [Placed(-one.run.began_at, one.run.id, _run_row(target, one)) for one in found]


def _run_row(target: str, summary: RunSummary) -> RunRow:
    run = summary.run
    return RunRow(
        target=target,
        run_id=run.id,
        kind=run.kind,
        began_at=iso(run.began_at),
        ended_at=iso(run.ended_at),
        written=summary.written,
        undone=summary.undone,
        scenes=summary.scenes,
    )


def _entries(context: TaskContext, asked: JournalPart, target: str, after: int, limit: int) -> list[Placed[EntryRow]]:
    with context.ledger(target) as ledger:
        found = ledger.journal.history(limit, after or None, asked.run_id, asked.scene_id)
    return [Placed(-one.at, one.id, _entry_row(target, one)) for one in found]


def _entry_row(target: str, entry: JournalEntry) -> EntryRow:
    return EntryRow(
        id=entry.id,
        target=target,
        run_id=entry.run_id,
        scene_id=entry.scene_id,
        item_id=entry.item_id,
        field=entry.field,
        old=entry.old,
        new=entry.new,
        at=iso(entry.at),
        undone_at=iso(entry.undone_at),
        old_locked=entry.old_locked,
    )
