"""The item writer: what changes on an item is planned, announced, sent and remembered."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from ledger.baseline import Baseline
from ledger.records import ItemSync, JournalEntry, UnfinishedWrite
from ledger.store import Ledger
from model.errors import ChangeRejected, ItemChanged, ItemGone, TargetError
from model.item import Item
from model.match import Match
from plan.decision import Decision
from plan.planner import Plan, make_plan
from plan.report_text import kept_text
from plan.unfinished import with_unfinished_write
from runtime.clock import Clock
from sync.batch_time import FRESH_SECONDS, BatchTime
from sync.connection import BoundTarget
from sync.outage.circuit import THRESHOLD
from sync.retries.patience import rule_for
from sync.runs import OpenRun, fold_long_histories
from sync.scenes.decide import Claim, PreparedScene, holds
from sync.scenes.finder import known_baseline


@dataclass(frozen=True, slots=True)
class Planned:
    """A scene whose item is read, at a moment of the clock that nobody sets, and whose plan is made."""

    scene: PreparedScene
    found: Match
    shown: Item
    read_at: float
    before: Baseline
    plan: Plan
    sync: ItemSync
    beside: tuple["Planned", ...] = ()  # the scene's other items

    @property
    def all(self) -> "tuple[Planned, ...]":
        """All items of the scene, the main one first."""
        return (self, *self.beside)


Tried = tuple[Planned, TargetError | None]
MOST_TRIES = 3  # with an item that somebody edits between our read and our write


class ItemWriter:
    """Writes a batch of items. For the worker's thread."""

    def __init__(self, ledger: Ledger, run: OpenRun, clock: Clock) -> None:
        self._ledger = ledger
        self._run = run
        self._clock = clock
        self._begun: frozenset[str] = frozenset()

    def baseline(self, scene: PreparedScene, shown: Item, target: BoundTarget) -> Baseline:
        """Return what is ours on an item, also by a write that no worker lived to record: that is recorded now."""
        baseline = known_baseline(scene.record, shown, target.server_id, self._ledger, self._clock.now())
        unfinished = self._ledger.unfinished.of_items([shown.item_id], target.server_id).get(shown.item_id)
        return baseline if unfinished is None else self._resolved(unfinished, baseline, shown, target.server_id)

    def plan(
        self,
        scene: PreparedScene,
        claims: Sequence[Claim],
        baselines: Sequence[Baseline],
        plans: Sequence[Plan],
        read_at: float,
        target: BoundTarget,
    ) -> Planned:
        """Join what was decided for all items of a scene, the main one first."""
        main, *beside = (
            _planned(scene, claim.found, claim.shown, read_at, before, plan, target.server_id)
            for claim, before, plan in zip(claims, baselines, plans, strict=True)
        )
        return replace(main, beside=tuple(replace(one, sync=replace(one.sync, is_main=False)) for one in beside))

    def _resolved(self, unfinished: UnfinishedWrite, baseline: Baseline, shown: Item, server_id: str) -> Baseline:
        """Record what arrived of an unfinished write, before a new one is announced in its place."""
        ours, arrived = with_unfinished_write(baseline, unfinished, shown)
        sync = ItemSync(
            scene_id=unfinished.scene_id,
            item_id=shown.item_id,
            server_id=server_id,
            path=known_path(shown, unfinished.path),
            fingerprint="",
            baseline=ours,
            entries=arrived,
        )
        self._ledger.resolve(sync, run_id=self._run.id() if arrived else 0, now=self._clock.now())
        return ours

    def write(self, planned: Sequence[Planned], time: BatchTime, target: BoundTarget) -> list[Tried]:
        """Write what is planned and remember what was written: one transaction before all of it, and one after.

        Return what went wrong with which, in the order of the work. The rest is not tried where it would fare alike, or
        when the time is up.
        """
        writing = [item.sync for one in planned for item in one.all if item.plan.edit is not None]
        if writing:
            self._ledger.unfinished.announce(writing)
            self._begun = self._prepare([item for one in planned for item in one.all], target)
        tried: list[Tried] = []
        written: list[ItemSync] = []
        unsent: Sequence[Planned] = ()  # known only if nothing unforeseen happens: then an intent is all there is
        try:
            for one in planned:
                tried.append(self._write_scene(one, written, target))
                if time.is_up() or _is_hopeless([error for _, error in tried]):
                    break
            unsent = planned[len(tried) :]
        finally:
            # Of what was begun and not sent the intent stays: it is how the next look knows that this part is ours.
            left = [item.sync for one in unsent for item in one.all if item.shown.item_id not in self._begun]
            self._remember(written, left)
            self._begun = frozenset()
        return tried

    def _prepare(self, items: Sequence[Planned], target: BoundTarget) -> frozenset[str]:
        """Let the server do at once what the changes have in common; what fails of it is seen one by one.

        Give the items on which something of it may be there now.
        """
        edits = [item.plan.edit for item in items if item.plan.edit is not None]
        try:
            return frozenset(target.client.prepare(edits))
        except TargetError:
            return frozenset(edit.item.item_id for edit in edits)

    def _write_scene(self, one: Planned, written: list[ItemSync], target: BoundTarget) -> Tried:
        """Write all items of a scene, and add what arrived; what is refused of one keeps the others from nothing.

        The scene counts as synced if nothing went wrong with any of them.
        """
        done: list[Planned] = []
        first_error: TargetError | None = None
        for item in one.all:
            sent, error = self._try(item, target)
            first_error = first_error or error
            if error is None:
                done.append(sent)
            elif not isinstance(error, ChangeRejected):
                break
        if first_error is None:
            main, *beside = done
            main = replace(main, sync=replace(main.sync, kept=kept_text([item.plan for item in done])))
            written += (item.sync for item in (main, *beside))
            return replace(main, beside=tuple(beside)), None
        written += (replace(item.sync, is_main=False) for item in done)
        return one, first_error

    def _try(self, one: Planned, target: BoundTarget) -> Tried:
        """Send what the item needs as it is now; it is read again if that was long ago."""
        try:
            if one.plan.edit is not None and self._clock.monotonic() - one.read_at >= FRESH_SECONDS:
                one = self._planned_anew(one, target)
        except TargetError as error:
            return one, error
        for _ in range(MOST_TRIES - 1):
            error = self._send(one, target)
            if not isinstance(error, ItemChanged):
                return one, error
            try:
                one = self._planned_anew(one, target)
            except TargetError as trouble:
                return one, trouble
        return one, self._send(one, target)

    def _planned_anew(self, one: Planned, target: BoundTarget) -> Planned:
        read_at = self._clock.monotonic()
        shown = target.client.details_of(one.shown.item_id)
        if not holds(shown, one.found):
            raise ItemGone("the item has become another file's just now")
        before = one.before
        unfinished = self._ledger.unfinished.of_items([shown.item_id], one.sync.server_id).get(shown.item_id)
        if unfinished is not None and shown.item_id in self._begun:
            before = self._resolved(unfinished, before, shown, one.sync.server_id)
        plan = make_plan(one.scene.metadata, shown, before, target.config, target.client.capabilities)
        anew = _planned(one.scene, one.found, shown, read_at, before, plan, one.sync.server_id)
        anew = replace(anew, sync=replace(anew.sync, is_main=one.sync.is_main))
        self._ledger.unfinished.announce([anew.sync])
        return anew

    def _send(self, one: Planned, target: BoundTarget) -> TargetError | None:
        """Send the change, if there is one; return what went wrong."""
        client = target.client
        try:
            if one.plan.edit is not None:
                client.edit(one.plan.edit)
        except ChangeRejected as error:
            # Nobody comes back to it, so what arrived beside what was refused is recorded now.
            with suppress(TargetError):
                shown = client.details_of(one.shown.item_id)
                unfinished = self._ledger.unfinished.of_items([shown.item_id], one.sync.server_id)[shown.item_id]
                self._resolved(unfinished, one.before, shown, one.sync.server_id)
            return error
        except TargetError as error:
            return error
        return None

    def _remember(self, written: Sequence[ItemSync], unsent: Sequence[ItemSync]) -> None:
        run_id = self._run.id() if any(sync.entries for sync in written) else 0
        self._ledger.record_syncs(written, unsent, run_id=run_id, now=self._clock.now())
        changed = [sync for sync in written if sync.entries]
        for server_id in {sync.server_id for sync in changed}:
            fold_long_histories(self._ledger, [sync.item_id for sync in changed], server_id)


def _planned(
    scene: PreparedScene, found: Match, shown: Item, read_at: float, before: Baseline, plan: Plan, server_id: str
) -> Planned:
    sync = ItemSync(
        scene_id=scene.id,
        item_id=shown.item_id,
        server_id=server_id,
        path=known_path(shown, found.part.path if found.part else ""),
        fingerprint=scene.fingerprint,
        baseline=plan.baseline,
        entries=tuple(map(_entry, plan.changes)),
    )
    return Planned(scene, found, shown, read_at, before, plan, sync)


def _is_hopeless(errors: Sequence[TargetError | None]) -> bool:
    """Tell after the last of these requests whether the next would fare alike: then the batch is not gone through."""
    last = errors[-1]
    if last is not None and rule_for(last).stops_all:
        return True
    row = errors[-THRESHOLD:]
    return len(row) == THRESHOLD and all(error is not None and rule_for(error).blames_server for error in row)


def known_path(shown: Item, meant: str) -> str:
    """Return the file by which the item is known again: the one that is meant, of an item that may have several."""
    paths = [part.path for part in shown.parts]
    return meant if meant in paths else next(iter(paths), "")


def _entry(decision: Decision) -> JournalEntry:
    return JournalEntry(
        field=decision.field,
        kind="scalar" if isinstance(decision.old, str) else "set",
        old=decision.old,
        new=decision.new,
        old_locked=decision.old_locked,
        was_ours=decision.was_ours,
    )
