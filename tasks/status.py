"""The status: how many jobs and scenes stand where, who works on them, and what is in the way."""

import os
from dataclasses import asdict, dataclass

from runtime.code_stamp import changed_at
from runtime.folder import DataFolder
from runtime.launch import entry_script
from runtime.lock import is_held
from runtime.state_file import read_state
from runtime.version import VERSION
from sync_queue import operations
from sync_queue.session import read_session
from tasks.desk import Desk
from tasks.ledger_desk import open_ledger
from tasks.moments import iso
from tasks.plex_standing import outage_words, plex_standing
from tasks.queue_tasks import queue_status
from tasks.table import Answer


@dataclass(frozen=True, slots=True)
class WorkerState:
    """The worker as its lock and its last words tell."""

    alive: bool
    version: str | None
    pid: int | None
    started_at: str | None
    obstacle: str | None
    is_outdated: bool


def read_worker(folder: DataFolder) -> WorkerState:
    state, alive = read_state(folder.worker_state), is_held(folder.worker_lock)
    started_at, version = state.get("started_at"), state.get("version")
    began = started_at if isinstance(started_at, int | float) else None
    return WorkerState(
        alive=alive,
        version=version if isinstance(version, str) else None,
        pid=state.get("pid") if alive and isinstance(state.get("pid"), int) else None,
        started_at=iso(began),
        obstacle=str(state["obstacle"]) if state.get("obstacle") else None,
        is_outdated=alive
        and began is not None
        and (version != VERSION or changed_at(os.path.dirname(entry_script())) > began),
    )


def status(desk: Desk) -> Answer:
    """Tell how things stand, and have a worker live: whoever looks at a page wants the work to go on."""
    answer = look_around(desk)
    desk.wake_worker()
    return answer


def look_around(desk: Desk) -> Answer:
    report = queue_status(desk)
    counts = operations.count(desk.connection, desk.now())
    worker, session = read_worker(desk.folder), read_session(desk.connection)
    with open_ledger(desk) as ledger:
        scenes = {str(state): number for state, number in ledger.counts().items()}
        run = ledger.last_run()
    return {
        "sentence": report.sentence,
        "version": VERSION,
        "queue": counts,
        "scenes": scenes,
        "worker": asdict(worker),
        "outage": outage_words(desk.folder, counts, desk.now()),
        "plex": plex_standing(desk.folder, counts, desk.now()),
        "stash": {"url": session.url, "seen_at": iso(session.seen_at)} if session else None,
        "last_run": {"id": run.id, "kind": run.kind, "began_at": iso(run.began_at)} if run else None,
    }
