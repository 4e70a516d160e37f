"""The journal for a person: the runs, and what was written in a run or for a scene, a page at a time."""

from ledger.records import JournalEntry, RunSummary
from tasks.arguments import Arguments
from tasks.desk import Desk
from tasks.ledger_desk import open_ledger
from tasks.moments import iso
from tasks.table import Answer


def journal(desk: Desk) -> Answer:
    """List runs, the newest first; or, of a run or a scene, every value written and the one it replaced."""
    arguments = Arguments(desk.args)
    run, scene_id = arguments.id("run_id"), arguments.id("scene_id")
    limit = arguments.page_size()
    after = arguments.after() or None
    with open_ledger(desk) as ledger:
        if run is None and scene_id is None:
            runs = ledger.runs(limit, after)
            return {"runs": [_shown_run(one) for one in runs], "next": runs[-1].run.id if len(runs) == limit else None}
        entries = ledger.history(limit, after, run, scene_id)
    return {
        "entries": [_shown_entry(one) for one in entries],
        "next": entries[-1].id if len(entries) == limit else None,
    }


def _shown_run(summary: RunSummary) -> Answer:
    run = summary.run
    return {
        "run_id": run.id,
        "kind": run.kind,
        "began_at": iso(run.began_at),
        "ended_at": iso(run.ended_at),
        "written": summary.written,
        "undone": summary.undone,
        "scenes": summary.scenes,
    }


def _shown_entry(entry: JournalEntry) -> Answer:
    return {
        "id": entry.id,
        "run_id": entry.run_id,
        "scene_id": entry.scene_id,
        "rating_key": entry.rating_key,
        "field": entry.field,
        "old": entry.old,
        "new": entry.new,
        "at": iso(entry.at),
        "undone_at": iso(entry.undone_at),
    }
