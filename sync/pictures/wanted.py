"""Picture jobs: a scene that is on a server has its cover queued where need be, in the pictures' own lane."""

from collections.abc import Collection

from ledger.records import PictureRecord
from ledger.states import PictureState
from ledger.store import Ledger
from model.capabilities import Capabilities
from model.item import Item
from model.picture import PictureKind
from runtime.clock import Clock
from sync.pictures.covers import screenshot_stamp, wanted_kinds
from sync.ports import JobStore
from sync_queue.models import SyncJob
from sync_queue.operations import SOON
from validation.config import Stash2PlexConfig

_BY_TIME = SOON + 1.0  # stands for all that carries a time


class PictureRequests:
    """Queues picture jobs, those of a batch at once: `add` each scene, then `enqueue_pictures`. For one thread."""

    def __init__(self, queue: JobStore, ledger: Ledger, clock: Clock) -> None:
        self._queue = queue
        self._ledger = ledger
        self._clock = clock
        self._requested: dict[tuple[float, bool], list[int]] = {}

    def add(
        self,
        job: SyncJob,
        screenshot: str,
        place: tuple[str | None, str],
        config: Stash2PlexConfig,
        capabilities: Capabilities,
        shown: Item | None = None,
        beside: Collection[str] = (),
    ) -> None:
        """Request the scene's pictures unless the item at this place shows this version of its cover already.

        `place` is the item's key and server; `shown` is the item as a full comparison found it: the cover's bytes are
        compared then, and what was lost there or refused before is looked at again. `beside` are the scene's other
        items. As soon as `job` was due.
        """
        kinds = wanted_kinds(config, capabilities.pictures)
        if not (screenshot and kinds):
            return
        records = self._ledger.pictures.of_scenes([job.id])
        known = [records.get((job.id, kind.value)) for kind in kinds]
        wanted = (screenshot_stamp(screenshot), *place)
        is_new = any(one is None or (one.stamp, one.item_id, one.server_id) != wanted for one in known)
        if beside and not is_new:
            on_others = self._ledger.pictures.beside(beside, place[1])
            stamps = {key: one.stamp for key, one in on_others.items()}
            is_new = any(stamps.get((one, kind.value)) != wanted[0] for one in beside for kind in kinds)
        is_lost = shown is not None and any(one is not None and _is_lost(one, shown, capabilities) for one in known)
        if is_new or shown is not None:
            self._requested.setdefault((min(job.due_at, _BY_TIME), is_lost), []).append(job.id)

    def enqueue_pictures(self) -> None:
        """Queue them. To be called before the jobs of the scenes are done."""
        requested, self._requested = self._requested, {}
        now = self._clock.now()
        for (due_at, verify), ids in requested.items():
            self._queue.enqueue(
                "picture", ids, "cover", now, due_at=now if due_at == _BY_TIME else due_at, verify=verify
            )


def _is_lost(known: PictureRecord, shown: Item, capabilities: Capabilities) -> bool:
    """Tell whether a picture may have to be shown again: who wipes an item takes its locks, and then its pictures.

    A server that has no such lock names what the item shows.
    """
    if known.state is PictureState.SHOWN:
        if capabilities.has_lock(PictureKind(known.kind)):
            return known.kind not in shown.locked
        now = shown.pictures.get(known.kind, ())
        return known.key not in now if known.key else not now  # without a key it is somebody else's, and the same
    return known.state in {PictureState.REFUSED, PictureState.FAILED}
