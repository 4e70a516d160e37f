"""Items that a scene has left: what was written there is taken back, unless another scene takes the item before."""

import logging
from collections.abc import Collection, Sequence

from ledger.records import ItemRecord
from ledger.store import Ledger
from model.errors import TargetError
from model.paths import normalise
from model.scene import Scene
from runtime.clock import Clock
from sync.connection import BoundTarget, TargetConnection
from sync.jobs import JobStore
from sync.outcome import Dead, Done, Later, Outcome
from sync.retries.patience import outcome_of
from sync.scenes.finder import is_same
from sync.undo.item import ItemHistory, ItemUndo
from sync_queue.models import SyncJob
from validation.config import Stash2PlexConfig

log = logging.getLogger(__name__)

LEFT_SECONDS = 60.0  # files are swapped and renumbered one by one: whose an item is next may not be known yet


class LeftItems:
    """Asks for it, and does it, by a job of the scene that left. For the worker's thread."""

    def __init__(self, queue: JobStore, ledger: Ledger, connection: TargetConnection, clock: Clock) -> None:
        self._queue = queue
        self._ledger = ledger
        self._connection = connection
        self._clock = clock

    def expect(self, scene_ids: Collection[int], server_id: str) -> None:
        """After these scenes were synced: have what they left be taken back, and whoever wanted it be told."""
        left = self._ledger.items.left_of(scene_ids, server_id)
        if not left:
            return
        now = self._clock.now()
        items = [item.item_id for found in left.values() for item in found]
        if waiting := self._ledger.scenes.mark_stale_former(items, server_id):
            self._queue.enqueue("scene", waiting, "an item became free", now, due_at=now)
        self._queue.enqueue("scene", list(left), "it left an item", now, due_at=now + LEFT_SECONDS, bring_forward=False)

    def take_back(self, job: SyncJob, scene: Scene, items: Sequence[ItemRecord], config: Stash2PlexConfig) -> Outcome:
        """Take back what was written to items that the scene, which is synced elsewhere, has left."""
        if not items:
            return Done()
        young = [age for item in items if (age := self._clock.now() - (item.left_at or 0.0)) < LEFT_SECONDS]
        if young:
            return Later(LEFT_SECONDS - max(min(young), 0.0), "It left an item.", counts_attempt=False)
        try:
            self._take_back(scene, items, config)
        except TargetError as error:
            outcome = outcome_of(error, job, config)
            if not isinstance(outcome, Dead):
                return outcome
            log.warning("%s: what was written to an item that it left cannot be taken back: %s.", job.key, error)
        return Done(asked_plex=True)

    def _take_back(self, scene: Scene, items: Sequence[ItemRecord], config: Stash2PlexConfig) -> None:
        target = self._connection.bind(config)
        server_id, client = target.server_id, target.client
        chosen = {library.key for library in target.index.libraries()}
        own = self._own_paths(scene, target)
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
                ItemUndo(self._ledger, client, self._clock).undo(trace, shown, "", self._clock.now())
                log.info("scene:%d: took back what was written to item %s, which it left.", scene.id, item.item_id)
            self._ledger.items.release(item.item_id, server_id)

    def _own_paths(self, scene: Scene, target: BoundTarget) -> set[str]:
        """Say where the server has the scene's files; of one whose item a person chose, none counts."""
        if self._ledger.pins.of([scene.id], target.server_id):
            return set()
        return {normalise(target.path_map.to_plex(file.path)) for file in scene.files}
