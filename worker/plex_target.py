"""The Plex target: a batch of scenes, matched, read, planned and written, each remembered before its job is done."""

import logging
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ledger.records import ItemSync, JournalEntry, PictureRecord, SceneRecord
from ledger.states import PictureState, SceneState
from ledger.store import Ledger
from plan.decision import Decision
from plan.fields import settings_text
from plan.intent import arrived, resolved
from plan.planner import Plan, make_plan
from plex.exceptions import ItemNotFound, PlexError, PlexRejected
from plex.item import ItemDetails
from plex.matcher import Match, MatchConfidence
from stash.scenes import Scene
from sync_queue.manager import QueueManager
from sync_queue.models import SWEEP, SyncJob
from validation.config import Stash2PlexConfig
from validation.metadata import InvalidMetadata, SyncMetadata, fingerprint_of, is_same_scene
from worker.circuit_breaker import THRESHOLD
from worker.clock import Clock
from worker.covers import screenshot_stamp, wanted_kinds
from worker.folder_scans import FolderScans
from worker.outcome import Dead, Done, Later, Outcome
from worker.plex_line import BadPathMap, PlexLine
from worker.rules import outcome_of, rule_for
from worker.scene_finder import (
    NOT_ORGANIZED,
    SceneFinder,
    ambiguous,
    is_sure,
    not_there,
    shared_with,
)

log = logging.getLogger(__name__)

Settled = tuple[SyncJob, Outcome]


@dataclass(frozen=True, slots=True)
class Item:
    """One scene of a batch on its way."""

    job: SyncJob
    metadata: SyncMetadata
    fingerprint: str
    record: SceneRecord | None
    screenshot: str

    @property
    def has_waited(self) -> bool:
        """Tell whether Plex did not have this very scene when it was looked for the last time."""
        known = self.record
        return known is not None and (known.state, known.fingerprint) == (SceneState.WAITING, self.fingerprint)


@dataclass(frozen=True, slots=True)
class Planned:
    """A scene of a batch whose item is read and whose plan is made."""

    item: Item
    shown: ItemDetails
    plan: Plan
    sync: ItemSync


class PlexTarget:
    """Makes Plex show what Stash says. For the worker's thread."""

    def __init__(self, queue: QueueManager, ledger: Ledger, line: PlexLine, clock: Clock) -> None:
        self._queue = queue
        self._ledger = ledger
        self._line = line
        self._clock = clock
        self._finder = SceneFinder(ledger, line)
        self._scans = FolderScans(clock)
        self._run_id: int | None = None

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
                yield job, self._after(error, job, scene.id, fingerprint_of(scene, settings_text(config)), config)

    def forget(self, scene_id: int) -> Outcome:
        self._ledger.forget(scene_id)
        return Done()

    def rest(self) -> None:
        """Nothing is due: what was written since the last rest is one run, to be undone as one."""
        if self._run_id is not None:
            self._ledger.end_run(self._run_id, self._clock.now())
            self._run_id = None

    def close(self) -> None:
        self.rest()
        self._line.close()

    # --- the batch ----------------------------------------------------------------------------------------------

    def _deliver(self, pairs: Sequence[tuple[SyncJob, Scene]], config: Stash2PlexConfig) -> Iterator[Settled]:
        items: list[Item] = []
        records = self._ledger.scenes(scene.id for _, scene in pairs)
        for scene_id in self._ledger.unsettled() & records.keys():
            records[scene_id] = replace(records[scene_id], fingerprint="")
        machine = self._line.known_machine(config)
        for job, scene in pairs:
            prepared = self._prepare(job, scene, records.get(scene.id), machine, config)
            if isinstance(prepared, Item):
                items.append(prepared)
            else:
                yield job, prepared
        if items:
            yield from self._sync(items, config)

    def _prepare(
        self, job: SyncJob, scene: Scene, record: SceneRecord | None, machine: str | None, config: Stash2PlexConfig
    ) -> "Item | Outcome":
        """Clean the scene; settle at once what needs no Plex."""
        settings = settings_text(config)
        try:
            metadata = SyncMetadata.of(scene)
        except InvalidMetadata as problem:
            self._state(scene.id, SceneState.REFUSED, str(problem), problem.fingerprint(settings))
            return outcome_of(problem, job, config)
        fingerprint = metadata.fingerprint(settings)
        known = None if job.full else record
        if known and known.state is SceneState.UNDONE and is_same_scene(known.fingerprint, fingerprint):
            return Done()  # a person took it back; it stays so until the scene is edited
        if config.only_organized and not metadata.organized:
            self._state(scene.id, SceneState.SKIPPED, NOT_ORGANIZED, fingerprint)
            return Done()
        is_known = known is not None and (known.fingerprint, known.machine) == (fingerprint, machine)
        if known and known.state is SceneState.SYNCED and is_known:  # another server was not told
            self._want_pictures(scene.id, scene.screenshot, (known.rating_key, known.machine), config)
            return Done()
        return Item(job, metadata, fingerprint, record, scene.screenshot)

    def _sync(self, items: Sequence[Item], config: Stash2PlexConfig) -> Iterator[Settled]:
        machine = self._line.machine(config)
        matches: list[tuple[Item, Match]] = []
        for item, found in self._matched(items, config):
            if isinstance(found, Match):
                matches.append((item, found))
            else:
                yield item.job, found
        keys = [found.rating_key for _, found in matches if found.rating_key is not None]
        details = self._line.client(config).details(keys)
        planned: dict[int, Planned] = {}
        for item, found in matches:
            try:
                shown = self._finder.verified(item.metadata, found, details.get(found.rating_key or 0), config)
            except PlexError as error:
                yield item.job, self._after(error, item.job, item.metadata.scene_id, item.fingerprint, config)
                continue
            if refusal := self._taken_by(item, shown, machine, planned):
                self._state(item.metadata.scene_id, SceneState.AMBIGUOUS, refusal, item.fingerprint)
                yield item.job, Done()
            else:
                planned[shown.rating_key] = self._plan(item, shown, machine, config)
        yield from self._apply(list(planned.values()), config)

    # --- which item ---------------------------------------------------------------------------------------------

    def _matched(self, items: Sequence[Item], config: Stash2PlexConfig) -> Iterator[tuple[Item, "Match | Outcome"]]:
        pinned = self._ledger.pinned([item.metadata.scene_id for item in items])
        for item in items:
            try:
                found = self._finder.find(item.metadata, pinned.get(item.metadata.scene_id), config)
                yield item, self._judged(item, found, config)
            except BadPathMap as problem:
                yield item, Later(60.0, str(problem), counts_attempt=False)

    def _judged(self, item: Item, found: Match, config: Stash2PlexConfig) -> "Match | Outcome":
        scene_id = item.metadata.scene_id
        if is_sure(found, config):
            return found
        if found.confidence is MatchConfidence.NONE:
            sentence = not_there(item.metadata, found)
            self._state(scene_id, SceneState.WAITING, sentence, item.fingerprint)
            if config.trigger_plex_scan and item.job.attempts == 0 and not item.has_waited:
                self._ask_for_scan(item, config)
            return self._wait(item.job, sentence, config)
        self._state(scene_id, SceneState.AMBIGUOUS, ambiguous(found), item.fingerprint)
        return Done()

    def _ask_for_scan(self, item: Item, config: Stash2PlexConfig) -> None:
        path_map = self._line.path_map(config)
        libraries = self._line.index(config).libraries()
        for file in item.metadata.files:
            self._scans.ask(self._line.client(config), libraries, path_map.to_plex(file.path))

    def _wait(self, job: SyncJob, sentence: str, config: Stash2PlexConfig) -> Outcome:
        """Try again with growing patience, then leave it to the sweep: waiting is not failing.

        What a sweep brought is left to the next one at once: there may be thousands that Plex will never have.
        """
        if job.reason == SWEEP:
            return Done()
        outcome = outcome_of(ItemNotFound(sentence), job, config)
        return Done() if isinstance(outcome, Dead) else outcome

    # --- writing ------------------------------------------------------------------------------------------------

    def _taken_by(self, item: Item, shown: ItemDetails, machine: str, planned: Mapping[int, Planned]) -> str | None:
        """Say so if the item is another scene's, synced before or in this batch."""
        earlier = planned.get(shown.rating_key)
        holder = earlier.sync.scene_id if earlier else None
        holder = holder or self._finder.other_holder(item.metadata.scene_id, shown, machine)
        return shared_with(holder, shown) if holder is not None else None

    def _plan(self, item: Item, shown: ItemDetails, machine: str, config: Stash2PlexConfig) -> Planned:
        baseline = self._finder.baseline(item.record, shown, machine)
        before: tuple[JournalEntry, ...] = ()
        leftover = self._ledger.intents([shown.rating_key], machine).get(shown.rating_key)
        if leftover is not None and any(part.path == leftover.path for part in shown.parts):
            baseline, before = resolved(baseline, leftover.baseline, shown), arrived(leftover.entries, shown)
        plan = make_plan(item.metadata, shown, baseline, config)
        sync = ItemSync(
            scene_id=item.metadata.scene_id,
            rating_key=shown.rating_key,
            machine=machine,
            path=shown.parts[0].path if shown.parts else "",
            fingerprint=item.fingerprint,
            baseline=plan.baseline,
            entries=(*before, *map(_entry, plan.changes)),
        )
        return Planned(item, shown, plan, sync)

    def _apply(self, planned: Sequence[Planned], config: Stash2PlexConfig) -> Iterator[Settled]:
        """Write what is planned and remember what was written: one transaction before all of it, and one after."""
        writing = [one.sync for one in planned if one.plan.edit is not None]
        if writing:
            self._ledger.intend(writing)
        tried: list[tuple[Planned, PlexError | None]] = []
        try:
            for one in planned:
                tried.append((one, self._edit(one.plan, config)))
                if _is_hopeless([error for _, error in tried]):
                    break
        finally:
            self._remember([one.sync for one, error in tried if error is None])
        for one, error in tried:  # in the order of the work: faults in a row are an outage
            if error is None:
                yield one.item.job, self._written(one, config)
            elif rule_for(error).stops_all:
                raise error
            else:
                yield one.item.job, self._after(error, one.item.job, one.sync.scene_id, one.sync.fingerprint, config)
        if len(tried) < len(planned) and (last := tried[-1][1]):
            raise last

    def _edit(self, plan: Plan, config: Stash2PlexConfig) -> PlexError | None:
        """Send the change, if there is one; return what went wrong."""
        try:
            if plan.edit is not None:
                self._line.client(config).edit(plan.edit)
        except PlexError as error:
            return error
        return None

    def _written(self, one: Planned, config: Stash2PlexConfig) -> Outcome:
        place = (one.sync.rating_key, one.sync.machine)
        shown = one.shown if one.item.job.full else None
        self._want_pictures(one.sync.scene_id, one.item.screenshot, place, config, shown)
        log.info("scene:%d: %s.", one.sync.scene_id, _told(one.plan))
        return Done(asked_plex=True)

    def _remember(self, syncs: Sequence[ItemSync]) -> None:
        if any(sync.entries for sync in syncs) and self._run_id is None:
            self._run_id = self._ledger.begin_run("worker", self._clock.now())
        self._ledger.record_syncs(syncs, run_id=self._run_id or 0, now=self._clock.now())

    def _want_pictures(
        self,
        scene_id: int,
        screenshot: str,
        place: tuple[int | None, str],
        config: Stash2PlexConfig,
        shown: ItemDetails | None = None,
    ) -> None:
        """Queue the scene's pictures, in their own lane, unless this item shows this version of its cover already.

        `shown` is the item as a full comparison found it: what was lost there or refused before is looked at again.
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

    # --- trouble ------------------------------------------------------------------------------------------------

    def _after(
        self, error: PlexError, job: SyncJob, scene_id: int, fingerprint: str, config: Stash2PlexConfig
    ) -> Outcome:
        if isinstance(error, ItemNotFound):
            self._state(scene_id, SceneState.WAITING, str(error), fingerprint)
            return self._wait(job, str(error), config)
        outcome = outcome_of(error, job, config)
        if isinstance(outcome, Dead):
            state = SceneState.REFUSED if isinstance(error, PlexRejected) else SceneState.FAILED
            fields = f" ({', '.join(error.fields)})" if isinstance(error, PlexRejected) and error.fields else ""
            self._state(scene_id, state, f"{error}{fields}", fingerprint)
        return outcome

    def _state(self, scene_id: int, state: SceneState, sentence: str, fingerprint: str) -> None:
        self._ledger.record_state(scene_id, state, sentence, self._clock.now(), fingerprint=fingerprint)


def _is_lost(known: PictureRecord, shown: ItemDetails) -> bool:
    """Tell whether a picture may have to be shown again: who wipes an item takes its locks, and then its pictures."""
    if known.state is PictureState.SHOWN:
        return known.kind not in shown.locked
    return known.state in {PictureState.REFUSED, PictureState.FAILED}


def _is_hopeless(errors: Sequence[PlexError | None]) -> bool:
    """Tell after the last of these requests whether the next would fare alike: then the batch is not gone through."""
    last = errors[-1]
    if last is not None and rule_for(last).stops_all:
        return True
    row = errors[-THRESHOLD:]
    return len(row) == THRESHOLD and all(error is not None and rule_for(error).blames_server for error in row)


def _entry(decision: Decision) -> JournalEntry:
    return JournalEntry(
        field=decision.field,
        kind="scalar" if isinstance(decision.old, str) else "set",
        old=decision.old,
        new=decision.new,
        old_locked=decision.old_locked,
        was_ours=decision.was_ours,
    )


def _told(plan: Plan) -> str:
    changed = ", ".join(decision.field for decision in plan.changes)
    kept = ", ".join(decision.field for decision in plan.conflicts)
    return f"{'wrote ' + changed if changed else 'already right'}{' (in conflict: ' + kept + ')' if kept else ''}"
