"""What we know of a scene by ourselves: the ledger's record, its jobs, its dead letters, its pictures."""

from collections.abc import Iterable
from dataclasses import dataclass

from ledger.pictures import CHOSEN
from ledger.records import PictureRecord, SceneRecord, WrittenItem
from ledger.states import PictureState, SceneState
from ledger.store import Ledger
from model.targets import TITLES
from sync.outage.circuit import read_circuit
from sync.outage.text import outage_sentence
from sync_queue.browse import SeenJob
from sync_queue.dlq import DeadLetter
from tasks.answers import LastSync, Picture
from tasks.context import TaskContext
from tasks.status.worker_state import WorkerState, read_worker
from tasks.wording import iso

PLACES = {"thumb": "poster", "art": "background"}


@dataclass(frozen=True, slots=True)
class Known:
    """All of it on one target, read at one moment."""

    scene_id: int
    target: str
    record: SceneRecord | None
    items: tuple[str, ...]
    traces: tuple[WrittenItem, ...]
    pinned_to: str | None
    picture_records: tuple[PictureRecord, ...]
    jobs: tuple[SeenJob, ...]
    letters: tuple[DeadLetter, ...]
    worker: WorkerState
    outage: str | None
    now: float

    @property
    def name(self) -> str:
        return TITLES[self.target]

    @property
    def is_anything(self) -> bool:
        return bool(self.record or self.traces or self.jobs or self.letters)

    @property
    def is_ignored(self) -> bool:
        return self.record is not None and self.record.state is SceneState.IGNORED

    @property
    def obstacle(self) -> str | None:
        """What keeps all jobs waiting: the server is down, or what the living worker says."""
        return self.outage or self.worker.obstacle

    def job(self, kind: str) -> SeenJob | None:
        return next((seen for seen in self.jobs if seen.job.kind == kind), None)

    def letter(self, kind: str) -> DeadLetter | None:
        return next((one for one in self.letters if one.key.startswith(f"{kind}:")), None)

    @property
    def last_sync(self) -> LastSync | None:
        record = self.record
        if record is None or record.synced_at is None:
            return None
        return LastSync(iso(record.synced_at), record.item_id, self.items, record.path or None)

    @property
    def picture_text(self) -> str:
        """Say which pictures are not as Stash has them, and why; empty if all are."""
        return describe_pictures(self.picture_records, is_waiting=self.job("picture") is not None)

    @property
    def keeps_picture(self) -> bool:
        return any(one.sentence.startswith(CHOSEN) for one in self.picture_records)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(
            Picture(
                PLACES.get(one.kind, one.kind),
                str(one.state),
                one.sentence or f"{self.name} was given Stash's cover.",
                iso(one.at),
            )
            for one in self.picture_records
        )


def describe_pictures(records: Iterable[PictureRecord], *, is_waiting: bool) -> str:
    """Say what keeps a scene's pictures from being shown, and whether one is still to come."""
    said = [one.sentence for one in records if one.state in {PictureState.REFUSED, PictureState.FAILED}]
    return " ".join([*dict.fromkeys(said), *(["Its cover is still to be looked at."] if is_waiting else [])])


def read_known(context: TaskContext, scene_id: int, target: str) -> Known:
    keys = [context.key(kind, scene_id, target) for kind in ("scene", "picture")]
    now, folder = context.now(), context.folder
    with context.ledger(target) as ledger:
        record, pictures = ledger.scenes.get(scene_id), ledger.pictures.of_scenes([scene_id])
        return Known(
            scene_id=scene_id,
            target=target,
            record=record,
            items=_items(ledger, record),
            traces=tuple(ledger.items.written_for(scene_id)),
            pinned_to=ledger.pins.of([scene_id]).get(scene_id),
            picture_records=tuple(pictures[scene_id, kind] for kind in PLACES if (scene_id, kind) in pictures),
            jobs=tuple(context.jobs([*keys, context.key("all", 0, target)])),
            letters=tuple(context.queue.browser.letters_with(keys)),
            worker=read_worker(folder),
            outage=outage_sentence(read_circuit(folder.target(target).circuit), now),
            now=now,
        )


def _items(ledger: Ledger, record: SceneRecord | None) -> tuple[str, ...]:
    """Name the items of a scene, the main one first."""
    if record is None or record.item_id is None:
        return ()
    others = (key for key in ledger.items.of_scene(record.scene_id, record.server_id) if key != record.item_id)
    return (record.item_id, *others)
