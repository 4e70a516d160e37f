"""Wishes for pictures: a scene that is in Plex has its cover queued where need be, in the pictures' own lane."""

from ledger.records import PictureRecord
from ledger.states import PictureState
from ledger.store import Ledger
from plex.item import ItemDetails
from sync_queue.manager import QueueManager
from validation.config import Stash2PlexConfig
from worker.clock import Clock
from worker.covers import screenshot_stamp, wanted_kinds


class PictureWishes:
    """Queues picture jobs. For the worker's thread."""

    def __init__(self, queue: QueueManager, ledger: Ledger, clock: Clock) -> None:
        self._queue = queue
        self._ledger = ledger
        self._clock = clock

    def wish(
        self,
        scene_id: int,
        screenshot: str,
        place: tuple[int | None, str],
        config: Stash2PlexConfig,
        shown: ItemDetails | None = None,
    ) -> None:
        """Queue the scene's pictures unless the item at this place shows this version of its cover already.

        `place` is the item's key and server; `shown` is the item as a full comparison found it: what was lost there or
        refused before is looked at again.
        """
        kinds = wanted_kinds(config)
        if not (screenshot and kinds):
            return
        known = [self._ledger.picture(scene_id, kind.value) for kind in kinds]
        wanted = (screenshot_stamp(screenshot), *place)
        is_new = any(one is None or (one.stamp, one.rating_key, one.machine) != wanted for one in known)
        is_lost = shown is not None and any(one is not None and _is_lost(one, shown) for one in known)
        if is_new or is_lost:
            now = self._clock.now()
            self._queue.enqueue("picture", [scene_id], "cover", now, due_at=now, full=is_lost)


def _is_lost(known: PictureRecord, shown: ItemDetails) -> bool:
    """Tell whether a picture may have to be shown again: who wipes an item takes its locks, and then its pictures."""
    if known.state is PictureState.SHOWN:
        return known.kind not in shown.locked
    return known.state in {PictureState.REFUSED, PictureState.FAILED}
