"""One batch of scenes on one target: prepared, matched, decided, written, recorded. Bound to the target once."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ledger.records import ItemRecord, SceneRecord
from ledger.states import SceneState
from ledger.store import Ledger
from model.errors import TargetError
from model.item import Item
from model.match import Match, Verdict
from model.scene import Scene
from plan.fields import settings_text, unusable_values
from plan.planner import Plan
from runtime.clock import Clock
from sync.batch_time import BatchTime
from sync.connection import BadPathMap, BoundTarget, TargetConnection
from sync.outcome import Done, Later, Outcome, Unbegun
from sync.pictures.covers import screenshot_stamp
from sync.pictures.wanted import PictureRequests
from sync.ports import JobStore
from sync.retries.patience import rule_for
from sync.scenes.claims import Claims, ClaimsByScene, claims_beside
from sync.scenes.decide import (
    Claim,
    Decided,
    PreparedScene,
    decide_claims,
    decide_if_ignored,
    decide_if_organized,
    decide_match,
    decide_plans,
    prepare,
)
from sync.scenes.finder import verify
from sync.scenes.folder_scans import FolderScans
from sync.scenes.left_items import LEFT, LeftItems
from sync.scenes.not_synced import NotSynced
from sync.scenes.read_back import ReadBack
from sync.scenes.writer import ItemWriter, Planned
from sync_queue.models import CHANGED, SWEEP, SyncJob
from validation.config import Stash2PlexConfig
from validation.metadata import InvalidMetadata, fingerprint_of, is_as_undone

log = logging.getLogger(__name__)

Finished = tuple[SyncJob, Outcome]


@dataclass(frozen=True)
class BatchParts:
    """Who works on a batch; they outlive it."""

    queue: JobStore
    ledger: Ledger
    connection: TargetConnection
    clock: Clock
    claims: Claims
    writer: ItemWriter
    read_back: ReadBack
    not_synced: NotSynced
    left: LeftItems
    pictures: PictureRequests
    scans: FolderScans


class SceneBatch:
    """Settles the jobs of one batch, as far as its time allows."""

    def __init__(self, parts: BatchParts, pairs: Sequence[tuple[SyncJob, Scene]], config: Stash2PlexConfig) -> None:
        self._parts = parts
        self._pairs = pairs
        self._jobs = {scene.id: job for job, scene in pairs}
        self._config = config
        self._settings = settings_text(config, parts.connection.name)
        self._client = parts.connection.client(config)  # asks nobody yet
        self._time = BatchTime(parts.clock)
        self._left: Mapping[int, Sequence[ItemRecord]] = {}
        self._has_taken_back = False

    def outcomes(self) -> Iterator[Finished]:
        """Say of each job what became of it. A TargetError that is raised is about the batch as a whole."""
        ledger = self._parts.ledger
        scenes: list[PreparedScene] = []
        records = ledger.scenes.of([scene.id for _, scene in self._pairs])
        for scene_id in ledger.unfinished.scenes() & records.keys():
            records[scene_id] = replace(records[scene_id], fingerprint="")
        server_id = self._parts.connection.known_server(self._config)
        self._left = ledger.items.left_of(records, server_id or "")
        for job, scene in self._pairs:
            record = records.get(scene.id)
            if decide_if_ignored(scene.id, record) is not None:
                yield job, Done()
                continue
            prepared = self._prepare(job, scene, record, server_id)
            if isinstance(prepared, PreparedScene):
                scenes.append(prepared)
            else:
                yield job, prepared
        if scenes:
            yield from self._sync(scenes)

    def fail(self, scene: Scene, error: TargetError) -> Outcome:
        """Say what becomes of a job whose scene alone is what the server cannot answer for."""
        fingerprint = fingerprint_of(scene, self._settings)
        return self._parts.not_synced.failed(self._jobs[scene.id], scene.id, error, fingerprint, self._config)

    # --- prepare --------------------------------------------------------------------------------------------------

    def _prepare(
        self, job: SyncJob, scene: Scene, record: SceneRecord | None, server_id: str | None
    ) -> PreparedScene | Outcome:
        """Clean the scene; finish at once what is not to be synced."""
        try:
            prepared = prepare(scene, record, self._settings)
        except InvalidMetadata as problem:
            return self._parts.not_synced.invalid(job, scene.id, problem, self._settings, self._config)
        known, fingerprint = None if job.verify else record, prepared.fingerprint
        cover = screenshot_stamp(scene.screenshot)
        if known and known.state is SceneState.UNDONE and is_as_undone(known.fingerprint, fingerprint, cover):
            return Done()  # a person took it back; it stays so until the scene is edited
        if (skipped := decide_if_organized(prepared, self._config)) is not None:
            return self._act_on(prepared, skipped)
        is_synced = known is not None and known.state is SceneState.SYNCED
        if job.reason == CHANGED and known and not is_synced and known.fingerprint == fingerprint:
            return Done()  # a hook has told already
        if known and is_synced and (known.fingerprint, known.server_id) == (fingerprint, server_id):
            self._want_pictures(prepared, (known.item_id, known.server_id))
            return self._name_unusable(prepared, self._take_back(prepared, Done()))
        return prepared  # also what another server was told

    # --- match ----------------------------------------------------------------------------------------------------

    def _sync(self, scenes: Sequence[PreparedScene]) -> Iterator[Finished]:
        try:
            target = self._parts.connection.bind(self._config)
        except BadPathMap as problem:
            yield from ((self._jobs[scene.id], Later(60.0, str(problem), counts_attempt=False)) for scene in scenes)
            return
        matches: list[tuple[PreparedScene, Match]] = []
        for scene, found in self._match(scenes, target):
            if isinstance(found, Match):
                matches.append((scene, found))
            else:
                yield self._jobs[scene.id], found
        yield from self._decide(matches, target)

    def _match(
        self, scenes: Sequence[PreparedScene], target: BoundTarget
    ) -> Iterator[tuple[PreparedScene, Match | Outcome]]:
        files = {scene.id: scene.metadata.files for scene in scenes}
        pinned = self._parts.ledger.pins.of_files(files, target.server_id)
        for place, scene in enumerate(scenes):
            if place and self._time.is_up():
                yield scene, Unbegun()
                continue
            job = self._jobs[scene.id]
            # What was missing before, and a sweep brings again, the index would know by now: thousands may be so.
            may_ask = job.reason != SWEEP or job.attempts > 0 or not scene.has_waited
            found = target.find(scene.metadata.files, pinned.get(scene.id), may_ask=may_ask)
            refused = decide_match(scene, found, self._config, target.name)
            if refused is None:
                yield scene, found
                continue
            wants_scan = self._config.trigger_plex_scan and job.attempts == 0 and not scene.has_waited
            is_missing = refused.verdict is Verdict.UNMATCHED
            is_scanned = is_missing and wants_scan and self._ask_for_scan(scene, target)
            yield scene, self._act_on(scene, refused, is_scanned=is_scanned)

    def _ask_for_scan(self, scene: PreparedScene, target: BoundTarget) -> bool:
        libraries, scans = target.index.libraries(), self._parts.scans
        paths = [target.path_map.to_target(file.path) for file in scene.metadata.files]
        asked = [scans.ask(target.client, libraries, path) for path in paths]  # all of them, not only the first
        return any(asked)

    # --- decide ---------------------------------------------------------------------------------------------------

    def _decide(self, matches: Sequence[tuple[PreparedScene, Match]], target: BoundTarget) -> Iterator[Finished]:
        read_back, clock = self._parts.read_back, self._parts.clock
        keys = [one.item_id for _, found in matches for one in found.all if one.item_id is not None]
        read_at = clock.monotonic()  # when it was asked for: what came of it may be as old as that
        unread = read_back.keys(target.server_id)
        details = target.client.details(keys, unread)
        read_back.learn(unread, details, target.server_id)
        claims: list[tuple[PreparedScene, list[Claim]]] = []
        for place, (scene, found) in enumerate(matches):
            if place and self._time.is_up():
                yield self._jobs[scene.id], Unbegun()
                continue
            try:
                shown = details.get(found.item_id or "")
                main = Claim(scene.id, *verify(scene.metadata.files, found, shown, target))
                claims.append((scene, [main, *claims_beside(main, details)]))
            except TargetError as error:
                yield self._jobs[scene.id], self._failed(scene, error)
        winners = self._winners(claims, target)
        planned: list[Planned] = []
        for scene, own in claims:
            won = decide_claims(own, winners, target.name)
            if isinstance(won, Decided):
                yield self._jobs[scene.id], self._act_on(scene, won)
                continue
            baselines = [self._parts.writer.baseline(scene, claim.shown, target) for claim in won]
            decided = decide_plans(scene, won, baselines, self._config, target.client.capabilities)
            planned.append(self._parts.writer.plan(scene, won, baselines, decided.plans, read_at, target))
        if planned:
            yield from self._write(planned, target)

    def _winners(self, claims: ClaimsByScene, target: BoundTarget) -> dict[str, Claim]:
        """Say by item which scene has it, and have whoever loses one be looked at again."""
        winners = self._parts.claims.winners(claims, target)
        losers = self._parts.claims.losers(winners, target.server_id)
        if others := losers.difference(scene.id for scene, _ in claims):
            now = self._parts.clock.now()
            self._parts.queue.enqueue("scene", list(others), "another scene got its item", now, due_at=now)
        return winners

    def _act_on(self, scene: PreparedScene, decided: Decided, *, is_scanned: bool = False) -> Outcome:
        """Note why a scene is not synced, and say what becomes of its job."""
        noted, sentence = self._parts.not_synced, decided.sentence
        match decided.verdict:
            case Verdict.SKIPPED:
                return noted.skipped(scene.id, sentence, scene.fingerprint)
            case Verdict.AMBIGUOUS:
                return noted.ambiguous(scene.id, sentence, scene.fingerprint)
            case _:
                job = self._jobs[scene.id]
                return noted.waiting(job, scene.id, sentence, scene.fingerprint, self._config, is_scanned=is_scanned)

    def _failed(self, scene: PreparedScene, error: TargetError) -> Outcome:
        job = self._jobs[scene.id]
        return self._parts.not_synced.failed(job, scene.id, error, scene.fingerprint, self._config)

    # --- apply and record -----------------------------------------------------------------------------------------

    def _write(self, planned: Sequence[Planned], target: BoundTarget) -> Iterator[Finished]:
        tried = self._parts.writer.write(planned, self._time, target)
        synced = [one.scene.id for one, error in tried if error is None]
        self._parts.left.expect(synced, self._left, target.server_id)
        for one, error in tried:  # in the order of the work: faults in a row are an outage
            if error is None:
                yield self._jobs[one.scene.id], self._written(one)
            elif rule_for(error).stops_all:
                raise error
            else:
                yield self._jobs[one.scene.id], self._failed(one.scene, error)
        if len(tried) < len(planned) and (last := tried[-1][1]):
            raise last
        for one in planned[len(tried) :]:
            yield self._jobs[one.scene.id], Unbegun()

    def _written(self, one: Planned) -> Outcome:
        for item in one.all:
            if item.plan.edit is not None:
                self._parts.read_back.add(item.sync)
        shown = one.shown if self._jobs[one.scene.id].verify else None
        beside = [item.sync.item_id for item in one.beside]
        self._want_pictures(one.scene, (one.sync.item_id, one.sync.server_id), shown, beside)
        for item in one.all:
            log.info("scene:%d: item %s: %s.", one.scene.id, item.shown.item_id, _describe(item.plan))
        return self._name_unusable(one.scene, self._take_back(one.scene, Done(asked_server=True)))

    def _take_back(self, scene: PreparedScene, otherwise: Outcome) -> Outcome:
        """Take back what the scene wrote to items that it left before; the first of a batch always has its turn."""
        items = self._left.get(scene.id, ())
        if not items:
            return otherwise
        if self._has_taken_back and self._time.is_up():
            return Unbegun()
        self._has_taken_back = True
        return self._parts.left.take_back(self._jobs[scene.id], scene.metadata.files, items, self._config)

    def _want_pictures(
        self,
        scene: PreparedScene,
        place: tuple[str | None, str],
        shown: Item | None = None,
        beside: Sequence[str] = (),
    ) -> None:
        job, capabilities = self._jobs[scene.id], self._client.capabilities
        self._parts.pictures.add(job, scene.screenshot, place, self._config, capabilities, shown, beside)

    def _name_unusable(self, scene: PreparedScene, outcome: Outcome) -> Outcome:
        """Name what of a scene was kept back, now that all else is written; of the same values, a person once."""
        problem = unusable_values(scene.metadata, self._config) if isinstance(outcome, Done) else None
        if problem is None:
            return outcome
        job, name, known = self._jobs[scene.id], self._client.name, scene.record
        named = self._parts.not_synced.partly(job, scene.id, problem, scene.fingerprint, name, self._config)
        is_told = known is not None and (known.state, known.fingerprint) == (SceneState.REFUSED, scene.fingerprint)
        return outcome if is_told and job.reason in {SWEEP, LEFT} else named


def _describe(plan: Plan) -> str:
    changed = ", ".join(decision.field for decision in plan.changes)
    kept = ", ".join(decision.field for decision in plan.kept)
    nothing = "nothing to write" if plan.edit is None else "locked what was left open"
    return "; ".join([f"wrote {changed}" if changed else nothing, *([f"kept as a person's: {kept}"] if kept else [])])
