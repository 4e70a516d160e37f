"""Items that a scene has left: what was written there is taken back, unless another scene takes the item before."""

import logging
from collections.abc import Collection, Mapping, Sequence

from ledger.records import ItemRecord
from ledger.store import Ledger
from model.errors import TargetError
from model.paths import normalise
from model.scene import SceneFile
from runtime.clock import Clock
from sync.connection import BoundTarget, TargetConnection
from sync.outcome import Dead, Done, Later, Outcome
from sync.ports import JobStore
from sync.retries.patience import outcome_of
from sync.scenes.finder import is_same
from sync.undo.item import ItemHistory, ItemUndo
from sync_queue.models import SyncJob
from validation.config import Stash2PlexConfig

log = logging.getLogger(__name__)

LEFT = "it left an item"  # the reason of the jobs that take it back
LEFT_SECONDS = 60.0  # files are swapped and renumbered one by one: whose an item is next may not be known yet

LeftByScene = Mapping[int, Sequence[ItemRecord]]


class LeftItems:
    """Asks for it, and does it, by a job of the scene that left. For the worker's thread."""

    def __init__(self, queue: JobStore, ledger: Ledger, connection: TargetConnection, clock: Clock) -> None:
        self._queue = queue
        self._ledger = ledger
        self._connection = connection
        self._clock = clock

    def expect(self, scene_ids: Collection[int], before: LeftByScene, server_id: str) -> None:
        """After these scenes were synced: have what they left be taken back, and whoever wanted it be told.

        What they had left `before` is expected already.
        """
        known = {item.item_id for found in before.values() for item in found}
        left = self._ledger.items.left_of(scene_ids, server_id)
        new = {scene_id: [one.item_id for one in found if one.item_id not in known] for scene_id, found in left.items()}
        items = [item_id for found in new.values() for item_id in found]
        if not items:
            return
        now = self._clock.now()
        if waiting := self._ledger.scenes.mark_stale_former(items, server_id):
            self._queue.enqueue("scene", waiting, "an item became free", now, due_at=now)
        leavers = [scene_id for scene_id, found in new.items() if found]
        self._queue.enqueue("scene", leavers, LEFT, now, due_at=now + LEFT_SECONDS, bring_forward=False)

    def take_back(
        self, job: SyncJob, files: Sequence[SceneFile], items: Sequence[ItemRecord], config: Stash2PlexConfig
    ) -> Outcome:
        """Take back what was written to items that the job's scene, which has these files, has left for others."""
        young = [age for item in items if (age := self._clock.now() - (item.left_at or 0.0)) < LEFT_SECONDS]
        if young:
            return Later(LEFT_SECONDS - max(min(young), 0.0), "It left an item.", counts_attempt=False)
        try:
            self._take_back(job.id, files, items, config)
        except TargetError as error:
            outcome = outcome_of(error, job, config)
            if not isinstance(outcome, Dead):
                return outcome
            log.warning("%s: what was written to an item that it left cannot be taken back: %s.", job.key, error)
        return Done(asked_server=True)

    def _take_back(
        self, scene_id: int, files: Sequence[SceneFile], items: Sequence[ItemRecord], config: Stash2PlexConfig
    ) -> None:
        target = self._connection.bind(config)
        server_id, client = target.server_id, target.client
        chosen = {library.key for library in target.index.libraries()}
        own = self._own_paths(scene_id, files, target)
        details = client.details([item.item_id for item in items])
        for item in items:
            shown = details.get(item.item_id)
            if shown is not None and (shown.library_key not in chosen or not shown.parts):
                continue  # not ours to touch, or its drive is away; it stays named
            if shown is not None and any(normalise(part.path) in own for part in shown.parts):
                continue  # it is the scene's, whatever became of it in our index
            entries = self._ledger.journal.entries_of_items([item.item_id], server_id)
            if shown is not None and is_same(item, shown) and entries:
                trace = ItemHistory(item.item_id, server_id, tuple(entries), item, {})
                _, pictures = ItemUndo(self._ledger, client, self._clock).undo(trace, shown, "", self._clock.now())
                stays = [f"{one.kind.place}: {why.told(client.name)}" for one, why in pictures if not why.is_possible]
                if stays:
                    log.warning("scene:%d: item %s, which it left: %s.", scene_id, item.item_id, "; ".join(stays))
                    self._ledger.items.give_up_left(item.item_id, server_id)
                    continue
                log.info("scene:%d: took back what was written to item %s, which it left.", scene_id, item.item_id)
            self._ledger.items.release(item.item_id, server_id)

    def _own_paths(self, scene_id: int, files: Sequence[SceneFile], target: BoundTarget) -> set[str]:
        """Say where the server has the scene's files; of one whose item a person chose, none counts."""
        if self._ledger.pins.of([scene_id], target.server_id):
            return set()
        return {normalise(target.path_map.to_target(file.path)) for file in files}
