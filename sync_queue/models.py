"""A job: an intention ("scene 42 may have changed"), never a snapshot."""

import json
from dataclasses import dataclass, replace
from typing import Literal, get_args

from sync_queue.operations import FIRST_TARGET, LANES_OF, job_data, key_of
from validation.events import parse_id
from validation.json_shapes import as_object, as_text

Kind = Literal["scene", "performer", "studio", "tag", "group", "all", "picture"]
SWEEP = "sweep"  # the reason of jobs that a sweep enqueues
CHANGED = "changed in Stash"  # the reason of jobs that make up for a hook, if there was none
KINDS: tuple[Kind, ...] = get_args(Kind)


class UnreadableJob(ValueError):
    """A row of the queue is not a job of ours."""


@dataclass(frozen=True, slots=True)
class SyncJob:
    """One claimed row of the queue.

    `kind` "scene" means that scene; "performer", "studio", "tag", "group" mean all scenes of that object; "all" means
    every scene there is; "picture" means the pictures of a scene. `verify` asks for a comparison with what Plex really
    shows, whatever we remember.
    """

    row_id: int
    kind: Kind
    id: int
    reason: str
    queued_at: float
    due_at: float
    verify: bool = False
    attempts: int = 0
    last_error: str = ""
    target: str = FIRST_TARGET

    @property
    def key(self) -> str:
        return key_of(self.kind, self.id, self.target)

    @classmethod
    def from_row(cls, row_id: int, data: bytes, due_at: float) -> "SyncJob":
        try:
            raw = as_object(json.loads(data)) or {}
        except (ValueError, TypeError, RecursionError) as error:
            raise UnreadableJob("not JSON") from error
        kind: Kind | None = next((one for one in KINDS if one == raw.get("kind")), None)
        object_id = 0 if kind == "all" else parse_id(raw.get("id"))
        target = as_text(raw.get("target")) or FIRST_TARGET
        if kind is None or object_id is None or target not in LANES_OF:
            raise UnreadableJob("neither kind nor id of a job")
        return cls(
            row_id,
            kind,
            object_id,
            reason=as_text(raw.get("reason")),
            queued_at=_number(raw.get("queued_at")),
            due_at=due_at,
            verify=raw.get("full") is True,
            attempts=int(_number(raw.get("attempts"))),
            last_error=as_text(raw.get("last_error")),
            target=target,
        )

    def to_data(self) -> bytes:
        return job_data(
            self.kind,
            self.id,
            self.reason,
            self.queued_at,
            verify=self.verify,
            attempts=self.attempts,
            last_error=self.last_error,
            target=self.target,
        )

    def after_failure(self, sentence: str, *, counts: bool) -> "SyncJob":
        return replace(self, attempts=self.attempts + counts, last_error=sentence)


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0.0
