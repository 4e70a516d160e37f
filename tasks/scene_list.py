"""The list of scenes by state, each with its sentence, a page at a time."""

from ledger.records import SceneRecord
from ledger.states import SceneState
from sync_queue.browse import SeenJob, jobs_with, queued_scenes
from sync_queue.operations import key_of
from tasks.arguments import Arguments
from tasks.desk import Desk
from tasks.job_words import told_job
from tasks.ledger_desk import open_ledger
from tasks.moments import iso
from tasks.table import Answer

QUEUED = "queued"
STATES = (*map(str, SceneState), QUEUED)


def scenes(desk: Desk) -> Answer:
    """List scenes in the order of their ids: those in a state, those that have a job, or all we know of."""
    arguments = Arguments(desk.args)
    state = arguments.choice("state", STATES)
    limit = arguments.page_size()
    after = arguments.after()
    found = _queued(desk, after, limit) if state == QUEUED else _recorded(desk, state, after, limit)
    return {"scenes": found, "next": found[-1]["scene_id"] if len(found) == limit else None}


def _recorded(desk: Desk, state: str | None, after: int, limit: int) -> list[Answer]:
    with open_ledger(desk) as ledger:
        records = ledger.by_state(SceneState(state) if state else None, limit, after)
        pins = ledger.pinned(record.scene_id for record in records)
    keys = [key_of("scene", record.scene_id) for record in records]
    with_job = {seen.job.id for seen in jobs_with(desk.connection, keys)}
    return [
        _shown(record) | {"is_queued": record.scene_id in with_job, "pinned_to": pins.get(record.scene_id)}
        for record in records
    ]


def _shown(record: SceneRecord) -> Answer:
    return {
        "scene_id": record.scene_id,
        "state": str(record.state),
        "sentence": record.sentence or "Plex shows what Stash says.",
        "rating_key": record.rating_key,
        "plex_path": record.path or None,
        "recorded_at": iso(record.recorded_at),
        "synced_at": iso(record.synced_at),
    }


def _queued(desk: Desk, after: int, limit: int) -> list[Answer]:
    ids = queued_scenes(desk.connection, after, limit)
    jobs: dict[int, SeenJob] = {}
    for seen in jobs_with(desk.connection, [key_of("scene", scene_id) for scene_id in ids]):
        jobs.setdefault(seen.job.id, seen)
    with open_ledger(desk) as ledger:
        records = ledger.scenes(jobs)
    return [_shown_job(seen, records.get(scene_id), desk.now()) for scene_id, seen in sorted(jobs.items())]


def _shown_job(seen: SeenJob, record: SceneRecord | None, now: float) -> Answer:
    known: Answer = _shown(record) if record else {"scene_id": seen.job.id}
    return known | {"state": QUEUED, "is_queued": True, "sentence": told_job(seen, now)}
