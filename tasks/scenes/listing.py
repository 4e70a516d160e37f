"""The list of scenes by state, each with its sentence, a page at a time."""

from ledger.items import GIVEN_UP
from ledger.records import PictureRecord, SceneRecord, WrittenItem
from ledger.states import SceneState
from ledger.store import Ledger
from model.targets import TITLES
from sync.outage.circuit import read_circuit
from sync.outage.text import outage_sentence
from sync_queue.browse import SeenJob
from tasks.answers import SceneRow, Scenes
from tasks.arguments import SceneList
from tasks.context import TaskContext
from tasks.paging import Placed, merged_page
from tasks.queue.jobs import describe_job
from tasks.scenes.headline import next_step
from tasks.scenes.known import describe_pictures
from tasks.wording import ago, describe_kept, ended, iso

QUEUED = "queued"
LEFT = "left"
KEPT = "kept"


def scenes(context: TaskContext, asked: SceneList) -> Scenes:
    """List scenes in the order of their ids: in a state, with a job, with an item left behind, or all that are known.

    KEPT are the synced ones of which a person's choice keeps something out of the server. No server is asked: the
    sentence says what was so at the last sync.
    """
    read = {QUEUED: _queued, LEFT: _left}.get(asked.state or "", _recorded)
    targets = context.targets(asked.target)

    def read_target(target: str, after: int, limit: int) -> list[Placed[SceneRow]]:
        return [Placed(row.scene_id, row.scene_id, row) for row in read(context, target, asked.state, after, limit)]

    rows, following = merged_page(targets, asked.after, asked.limit, read_target)
    return Scenes(rows, following, _total(context, targets, asked.state))


def _total(context: TaskContext, targets: tuple[str, ...], state: str | None) -> int | None:
    if state in {QUEUED, LEFT, KEPT}:
        return None
    total = 0
    for target in targets:
        with context.ledger(target) as ledger:
            counts = ledger.scenes.counts()
        total += counts[SceneState(state)] if state else sum(counts.values())
    return total


def _recorded(context: TaskContext, target: str, state: str | None, after: int, limit: int) -> list[SceneRow]:
    wanted = SceneState.SYNCED if state == KEPT else SceneState(state) if state else None
    with context.ledger(target) as ledger:
        records = ledger.scenes.by_state(wanted, limit, after, with_kept=state == KEPT)
        pins = ledger.pins.of(record.scene_id for record in records)
        pictures = _describe_pictures(context, target, ledger, [record.scene_id for record in records])
    jobs = {
        seen.job.id: seen
        for seen in context.jobs([context.key("scene", record.scene_id, target) for record in records])
    }
    now = context.now()
    outage = outage_sentence(read_circuit(context.folder.target(target).circuit), now)
    return [
        _row(
            target,
            one,
            _describe(target, one, pictures[one.scene_id], now) + _describe_wait(jobs.get(one.scene_id), outage, now),
            pins,
            jobs,
        )
        for one in records
    ]


def _describe_wait(seen: SeenJob | None, outage: str | None, now: float) -> str:
    """Say that a scene's job waits, and whether it is for the server."""
    return f" {describe_job(seen, now)}{f' {ended(outage)}' if outage else ''}" if seen else ""


def _row(
    target: str, record: SceneRecord, sentence: str, pins: dict[int, str], jobs: dict[int, SeenJob], state: str = ""
) -> SceneRow:
    return SceneRow(
        scene_id=record.scene_id,
        target=target,
        title=record.baseline.scalars.get("title"),
        state=state or str(record.state),
        sentence=sentence,
        next_step=next_step(record.state, target).words if not state else None,
        item_id=record.item_id,
        item_path=record.path or None,
        recorded_at=iso(record.recorded_at),
        synced_at=iso(record.synced_at),
        is_queued=record.scene_id in jobs,
        pinned_to=pins.get(record.scene_id),
    )


def _describe_pictures(context: TaskContext, target: str, ledger: Ledger, ids: list[int]) -> dict[int, str]:
    """Say by scene which of its pictures are not as Stash has them; of most, nothing."""
    waiting = {seen.job.id for seen in context.jobs([context.key("picture", one, target) for one in ids])}
    records: dict[int, list[PictureRecord]] = {}
    for (scene_id, _), record in ledger.pictures.of_scenes(ids).items():
        records.setdefault(scene_id, []).append(record)
    return {one: describe_pictures(records.get(one, ()), is_waiting=one in waiting) for one in ids}


def _describe(target: str, record: SceneRecord, pictures: str, now: float) -> str:
    """Say what is recorded; the server was not asked since."""
    if record.state is not SceneState.SYNCED:
        return record.sentence
    when = f"Synced {ago(record.synced_at or record.recorded_at, now)}"
    kept = f" {describe_kept(record.sentence, TITLES[target])}" if record.sentence else ""
    kept += f" {pictures}" if pictures else ""
    return f"{when}{'' if record.fingerprint else ', and to be looked at again'}.{kept}"


def _left(context: TaskContext, target: str, _state: str | None, after: int, limit: int) -> list[SceneRow]:
    with context.ledger(target) as ledger:
        found = ledger.items.left(after, limit)
    return [
        SceneRow(
            scene_id=item.scene_id,
            target=target,
            title=None,
            state=LEFT,
            sentence=_describe_left(TITLES[target], item),
            next_step=None,
            item_id=item.item_id,
            item_path=item.path or None,
            recorded_at=None,
            synced_at=None,
            is_queued=False,
            pinned_to=None,
        )
        for item in found
    ]


def _describe_left(name: str, item: WrittenItem) -> str:
    shows = f"{name}'s item {item.item_id} still shows what was written for scene {item.scene_id}"
    if item.scene_state is None:
        return f"{shows}, which Stash has no more. An undo of that scene takes it back."
    if item.left_at is None:
        return f"{shows}, which is none of {name}'s items now. An undo of that scene takes it back."
    if item.left_at == GIVEN_UP:
        return f"{shows} and cannot be taken back: a picture. The scene is another item now."
    return f"{shows}, which is another item now."


def _queued(context: TaskContext, target: str, _state: str | None, after: int, limit: int) -> list[SceneRow]:
    ids = context.queue.browser.queued_scenes(after, limit)
    jobs: dict[int, SeenJob] = {}
    for seen in context.jobs([context.key("scene", scene_id, target) for scene_id in ids]):
        jobs.setdefault(seen.job.id, seen)
    with context.ledger(target) as ledger:
        return [_queued_row(context, target, ledger, seen) for _, seen in sorted(jobs.items())]


def _queued_row(context: TaskContext, target: str, ledger: Ledger, seen: SeenJob) -> SceneRow:
    scene_id, record = seen.job.id, ledger.scenes.get(seen.job.id)
    if record is not None:
        pins = ledger.pins.of([scene_id])
        return _row(target, record, describe_job(seen, context.now()), pins, {scene_id: seen}, QUEUED)
    return SceneRow(
        scene_id=scene_id,
        target=target,
        title=None,
        state=QUEUED,
        sentence=describe_job(seen, context.now()),
        next_step=None,
        item_id=None,
        item_path=None,
        recorded_at=None,
        synced_at=None,
        is_queued=True,
        pinned_to=None,
    )
