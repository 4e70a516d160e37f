"""The Plex target: a batch of scenes, matched, read, planned and written, each remembered before its job is done."""

import logging
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace

from ledger.records import SceneRecord
from ledger.states import SceneState
from ledger.store import Ledger
from plan.fields import settings_text
from plan.planner import Plan
from plex.exceptions import PlexError
from plex.item import ItemDetails
from plex.matcher import Match, MatchConfidence
from stash.scenes import Scene
from sync_queue.manager import QueueManager
from sync_queue.models import SWEEP, SyncJob
from validation.config import Stash2PlexConfig
from validation.metadata import InvalidMetadata, SyncMetadata, fingerprint_of, is_same_scene
from worker.clock import Clock
from worker.folder_scans import FolderScans
from worker.item_writer import ItemWriter, Planned
from worker.open_run import OpenRun
from worker.outcome import Done, Later, Outcome
from worker.picture_wishes import PictureWishes
from worker.plex_line import BadPathMap, PlexLine
from worker.rules import rule_for
from worker.scene_finder import (
    NOT_ORGANIZED,
    SceneFinder,
    ambiguous,
    is_sure,
    not_there,
    shared_with,
)
from worker.scene_in_hand import SceneInHand
from worker.unwritten import Unwritten

log = logging.getLogger(__name__)

Settled = tuple[SyncJob, Outcome]


class PlexTarget:
    """Makes Plex show what Stash says. For the worker's thread."""

    def __init__(self, queue: QueueManager, ledger: Ledger, line: PlexLine, clock: Clock) -> None:
        self._ledger = ledger
        self._line = line
        self._finder = SceneFinder(ledger, line)
        self._scans = FolderScans(clock)
        self._run = OpenRun(ledger, "worker", clock)
        self._writer = ItemWriter(ledger, line, self._finder, self._run, clock)
        self._unwritten = Unwritten(ledger, clock)
        self._pictures = PictureWishes(queue, ledger, clock)

    def deliver(
        self, pairs: Sequence[tuple[SyncJob, Scene]], config: Stash2PlexConfig
    ) -> Generator[Settled, None, None]:
        """Settle every job of the batch. Whoever is settled is in the ledger already.

        A PlexError that is raised is about the batch as a whole; of a single job it is its own.
        """
        settled: set[int] = set()
        try:
            for job, outcome in self._deliver(pairs, config):
                settled.add(job.row_id)
                yield job, outcome
        except PlexError as error:
            left = [(job, scene) for job, scene in pairs if job.row_id not in settled]
            if len(left) > 1:
                raise
            for job, scene in left:
                fingerprint = fingerprint_of(scene, settings_text(config))
                yield job, self._unwritten.failed(job, scene.id, error, fingerprint, config)

    def forget(self, scene_id: int) -> Outcome:
        self._ledger.forget(scene_id)
        return Done()

    def rest(self) -> None:
        """Nothing is due: what was written since the last rest is one run, to be undone as one."""
        self._run.end()

    def close(self) -> None:
        self.rest()
        self._line.close()

    # --- the batch ----------------------------------------------------------------------------------------------

    def _deliver(self, pairs: Sequence[tuple[SyncJob, Scene]], config: Stash2PlexConfig) -> Iterator[Settled]:
        in_hand: list[SceneInHand] = []
        records = self._ledger.scenes(scene.id for _, scene in pairs)
        for scene_id in self._ledger.unsettled() & records.keys():
            records[scene_id] = replace(records[scene_id], fingerprint="")
        machine = self._line.known_machine(config)
        for job, scene in pairs:
            prepared = self._prepare(job, scene, records.get(scene.id), machine, config)
            if isinstance(prepared, SceneInHand):
                in_hand.append(prepared)
            else:
                yield job, prepared
        if in_hand:
            yield from self._sync(in_hand, config)

    def _prepare(
        self, job: SyncJob, scene: Scene, record: SceneRecord | None, machine: str | None, config: Stash2PlexConfig
    ) -> SceneInHand | Outcome:
        """Clean the scene; settle at once what needs no Plex."""
        settings = settings_text(config)
        try:
            metadata = SyncMetadata.of(scene)
        except InvalidMetadata as problem:
            return self._unwritten.invalid(job, scene.id, problem, settings, config)
        fingerprint = metadata.fingerprint(settings)
        known = None if job.full else record
        if known and known.state is SceneState.UNDONE and is_same_scene(known.fingerprint, fingerprint):
            return Done()  # a person took it back; it stays so until the scene is edited
        if config.only_organized and not metadata.organized:
            return self._unwritten.skipped(scene.id, NOT_ORGANIZED, fingerprint)
        is_known = known is not None and (known.fingerprint, known.machine) == (fingerprint, machine)
        if known and known.state is SceneState.SYNCED and is_known:  # another server was not told
            self._pictures.wish(scene.id, scene.screenshot, (known.rating_key, known.machine), config)
            return Done()
        return SceneInHand(job, metadata, fingerprint, record, scene.screenshot)

    def _sync(self, in_hand: Sequence[SceneInHand], config: Stash2PlexConfig) -> Iterator[Settled]:
        machine = self._line.machine(config)
        matches: list[tuple[SceneInHand, Match]] = []
        for scene, found in self._matched(in_hand, machine, config):
            if isinstance(found, Match):
                matches.append((scene, found))
            else:
                yield scene.job, found
        keys = [found.rating_key for _, found in matches if found.rating_key is not None]
        details = self._line.client(config).details(keys)
        planned: dict[int, Planned] = {}
        for scene, found in matches:
            try:
                shown = self._finder.verified(scene.metadata, found, details.get(found.rating_key or 0), config)
            except PlexError as error:
                yield scene.job, self._failed(scene, error, config)
                continue
            if refusal := self._taken_by(scene, shown, machine, planned):
                yield scene.job, self._unwritten.ambiguous(scene.id, refusal, scene.fingerprint)
            else:
                planned[shown.rating_key] = self._writer.plan(scene, shown, found, machine, config)
        if planned:
            yield from self._write(list(planned.values()), config)

    def _failed(self, scene: SceneInHand, error: PlexError, config: Stash2PlexConfig) -> Outcome:
        return self._unwritten.failed(scene.job, scene.id, error, scene.fingerprint, config)

    # --- which item ---------------------------------------------------------------------------------------------

    def _matched(
        self, in_hand: Sequence[SceneInHand], machine: str, config: Stash2PlexConfig
    ) -> Iterator[tuple[SceneInHand, Match | Outcome]]:
        pinned = self._ledger.pinned([scene.id for scene in in_hand], machine)
        for scene in in_hand:
            try:
                # What was missing before, and a sweep brings again, the index would know by now: thousands may be so.
                may_ask = scene.job.reason != SWEEP or scene.job.attempts > 0 or not scene.has_waited
                found = self._finder.find(scene.metadata, pinned.get(scene.id), config, may_ask=may_ask)
                yield scene, self._judged(scene, found, config)
            except BadPathMap as problem:
                yield scene, Later(60.0, str(problem), counts_attempt=False)

    def _judged(self, scene: SceneInHand, found: Match, config: Stash2PlexConfig) -> Match | Outcome:
        if is_sure(found, config):
            return found
        if found.confidence is not MatchConfidence.NONE:
            return self._unwritten.ambiguous(scene.id, ambiguous(found), scene.fingerprint)
        wants_scan = config.trigger_plex_scan and scene.job.attempts == 0 and not scene.has_waited
        is_scanned = wants_scan and self._ask_for_scan(scene, config)
        sentence = not_there(scene.metadata, found)
        return self._unwritten.waiting(scene.job, scene.id, sentence, scene.fingerprint, config, is_scanned=is_scanned)

    def _ask_for_scan(self, scene: SceneInHand, config: Stash2PlexConfig) -> bool:
        path_map = self._line.path_map(config)
        libraries = self._line.index(config).libraries()
        client, files = self._line.client(config), scene.metadata.files
        asked = [self._scans.ask(client, libraries, path_map.to_plex(file.path)) for file in files]
        return any(asked)

    def _taken_by(
        self, scene: SceneInHand, shown: ItemDetails, machine: str, planned: Mapping[int, Planned]
    ) -> str | None:
        """Say so if the item is another scene's, synced before or in this batch."""
        earlier = planned.get(shown.rating_key)
        holder = earlier.scene.id if earlier else self._finder.other_holder(scene.id, shown, machine)
        return shared_with(holder, shown) if holder is not None else None

    # --- writing ------------------------------------------------------------------------------------------------

    def _write(self, planned: Sequence[Planned], config: Stash2PlexConfig) -> Iterator[Settled]:
        tried = self._writer.write(planned, config)
        for one, error in tried:  # in the order of the work: faults in a row are an outage
            if error is None:
                yield one.scene.job, self._written(one, config)
            elif rule_for(error).stops_all:
                raise error
            else:
                yield one.scene.job, self._failed(one.scene, error, config)
        if len(tried) < len(planned) and (last := tried[-1][1]):
            raise last

    def _written(self, one: Planned, config: Stash2PlexConfig) -> Outcome:
        place = (one.sync.rating_key, one.sync.machine)
        shown = one.shown if one.scene.job.full else None
        self._pictures.wish(one.scene.id, one.scene.screenshot, place, config, shown)
        log.info("scene:%d: %s.", one.scene.id, _told(one.plan))
        return Done(asked_plex=True)


def _told(plan: Plan) -> str:
    changed = ", ".join(decision.field for decision in plan.changes)
    kept = ", ".join(decision.field for decision in plan.conflicts)
    return f"{'wrote ' + changed if changed else 'already right'}{' (in conflict: ' + kept + ')' if kept else ''}"
