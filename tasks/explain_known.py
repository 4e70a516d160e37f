"""What we know of a scene by ourselves: the ledger's record, its jobs, its dead letters, its pictures."""

from dataclasses import dataclass

from ledger.records import PictureRecord, SceneRecord
from sync_queue.browse import SeenJob, jobs_with, letters_with
from sync_queue.dlq import DeadLetter
from sync_queue.operations import key_of
from tasks.dead_letters import shown_letter
from tasks.desk import Desk
from tasks.job_words import shown_job
from tasks.ledger_desk import open_ledger
from tasks.moments import iso
from tasks.status import WorkerState, read_worker
from tasks.table import Answer
from worker.circuit_breaker import read_circuit
from worker.outage_text import outage_sentence

PLACES = {"thumb": "poster", "art": "background"}


@dataclass(frozen=True, slots=True)
class Known:
    """All of it, read at one moment."""

    scene_id: int
    record: SceneRecord | None
    pinned_to: int | None
    pictures: tuple[PictureRecord, ...]
    jobs: tuple[SeenJob, ...]
    letters: tuple[DeadLetter, ...]
    worker: WorkerState
    outage: str | None
    now: float

    @property
    def is_anything(self) -> bool:
        return bool(self.record or self.jobs or self.letters)

    @property
    def obstacle(self) -> str | None:
        """What keeps all jobs waiting: Plex is down, or what the living worker says."""
        return self.outage or (self.worker.obstacle if self.worker.alive else None)

    def job(self, kind: str) -> SeenJob | None:
        return next((seen for seen in self.jobs if seen.job.kind == kind), None)

    def letter(self, kind: str) -> DeadLetter | None:
        return next((one for one in self.letters if one.key == key_of(kind, self.scene_id)), None)

    def shown(self) -> Answer:
        record = self.record
        synced = record is not None and record.synced_at is not None
        return {
            "pinned_to": self.pinned_to,
            "last_sync": {
                "at": iso(record.synced_at),
                "rating_key": record.rating_key,
                "plex_path": record.path or None,
            }
            if record and synced
            else None,
            "recorded": {"state": str(record.state), "sentence": record.sentence, "at": iso(record.recorded_at)}
            if record
            else None,
            "pictures": [_shown_picture(picture) for picture in self.pictures],
            "queue": [shown_job(seen, self.now) for seen in self.jobs],
            "dead_letters": [shown_letter(letter) for letter in self.letters],
        }


def read_known(desk: Desk, scene_id: int) -> Known:
    keys = [key_of("scene", scene_id), key_of("picture", scene_id)]
    with open_ledger(desk) as ledger:
        pictures = [ledger.picture(scene_id, kind) for kind in PLACES]
        return Known(
            scene_id=scene_id,
            record=ledger.scene(scene_id),
            pinned_to=ledger.pinned([scene_id]).get(scene_id),
            pictures=tuple(one for one in pictures if one),
            jobs=tuple(jobs_with(desk.connection, [*keys, key_of("all", 0)])),
            letters=tuple(letters_with(desk.connection, keys)),
            worker=read_worker(desk.folder),
            outage=outage_sentence(read_circuit(desk.folder.circuit), desk.now()),
            now=desk.now(),
        )


def _shown_picture(picture: PictureRecord) -> Answer:
    return {
        "place": PLACES[picture.kind],
        "state": str(picture.state),
        "sentence": picture.sentence or "Plex shows Stash's cover.",
        "at": iso(picture.at),
    }
