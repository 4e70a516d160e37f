"""A scene in hand: one of a batch, cleaned, on its way to Plex."""

from dataclasses import dataclass

from ledger.records import SceneRecord
from ledger.states import SceneState
from sync_queue.models import SyncJob
from validation.metadata import SyncMetadata


@dataclass(frozen=True, slots=True)
class SceneInHand:
    """What Stash says of it, what we know of it, and the job that asks for it."""

    job: SyncJob
    metadata: SyncMetadata
    fingerprint: str
    record: SceneRecord | None
    screenshot: str

    @property
    def id(self) -> int:
        return self.metadata.scene_id

    @property
    def has_waited(self) -> bool:
        """Tell whether Plex did not have this very scene when it was looked for the last time."""
        known = self.record
        return known is not None and (known.state, known.fingerprint) == (SceneState.WAITING, self.fingerprint)
