"""The item writer: what changes on an item is planned, announced, sent and remembered."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from ledger.baseline import Baseline
from ledger.records import Intent, ItemSync, JournalEntry
from ledger.store import Ledger
from plan.decision import Decision
from plan.intent import with_leftover
from plan.planner import Plan, make_plan
from plex.exceptions import PlexError, PlexRejected
from plex.item import ItemDetails
from plex.matcher import Match
from validation.config import Stash2PlexConfig
from worker.circuit_breaker import THRESHOLD
from worker.clock import Clock
from worker.open_run import OpenRun
from worker.plex_line import PlexLine
from worker.rules import rule_for
from worker.scene_finder import SceneFinder
from worker.scene_in_hand import SceneInHand


@dataclass(frozen=True, slots=True)
class Planned:
    """A scene whose item is read and whose plan is made."""

    scene: SceneInHand
    shown: ItemDetails
    before: Baseline
    plan: Plan
    sync: ItemSync


Tried = tuple[Planned, PlexError | None]


class ItemWriter:
    """Writes a batch of items. For the worker's thread."""

    def __init__(self, ledger: Ledger, line: PlexLine, finder: SceneFinder, run: OpenRun, clock: Clock) -> None:
        self._ledger = ledger
        self._line = line
        self._finder = finder
        self._run = run
        self._clock = clock

    def plan(
        self, scene: SceneInHand, shown: ItemDetails, found: Match, machine: str, config: Stash2PlexConfig
    ) -> Planned:
        """Plan with what is ours on the item, also by a write that nobody lived to record."""
        baseline = self._finder.baseline(scene.record, shown, machine)
        leftover = self._ledger.intents([shown.rating_key], machine).get(shown.rating_key)
        if leftover is not None:
            baseline = self._settled(leftover, baseline, shown, machine)
        plan = make_plan(scene.metadata, shown, baseline, config)
        sync = ItemSync(
            scene_id=scene.id,
            rating_key=shown.rating_key,
            machine=machine,
            path=known_path(shown, found.part.path if found.part else ""),
            fingerprint=scene.fingerprint,
            baseline=plan.baseline,
            entries=tuple(map(_entry, plan.changes)),
        )
        return Planned(scene, shown, baseline, plan, sync)

    def _settled(self, leftover: Intent, baseline: Baseline, shown: ItemDetails, machine: str) -> Baseline:
        """Record what of a leftover arrived before anything new is announced: the next death must not hide it."""
        ours, arrived = with_leftover(baseline, leftover, shown)
        sync = ItemSync(
            scene_id=leftover.scene_id,
            rating_key=shown.rating_key,
            machine=machine,
            path=known_path(shown, leftover.path),
            fingerprint="",
            baseline=ours,
            entries=arrived,
        )
        self._ledger.settle(sync, run_id=self._run.id() if arrived else 0, now=self._clock.now())
        return ours

    def write(self, planned: Sequence[Planned], config: Stash2PlexConfig) -> list[Tried]:
        """Write what is planned and remember what was written: one transaction before all of it, and one after.

        Return what went wrong with which, in the order of the work. The rest is not tried where it would fare alike.
        """
        writing = [one.sync for one in planned if one.plan.edit is not None]
        if writing:
            self._ledger.intend(writing)
        tried: list[Tried] = []
        try:
            for one in planned:
                tried.append((one, self._send(one, config)))
                if _is_hopeless([error for _, error in tried]):
                    break
        finally:
            self._remember([one.sync for one, error in tried if error is None])
        return tried

    def _send(self, one: Planned, config: Stash2PlexConfig) -> PlexError | None:
        """Send the change, if there is one; return what went wrong."""
        client = self._line.client(config)
        try:
            if one.plan.edit is not None:
                client.edit(one.plan.edit)
        except PlexRejected as error:
            # Nobody comes back to it, so what arrived beside what was refused is recorded now.
            with suppress(PlexError):
                shown = client.details_of(one.shown.rating_key)
                leftover = self._ledger.intents([shown.rating_key], one.sync.machine)[shown.rating_key]
                self._settled(leftover, one.before, shown, one.sync.machine)
            return error
        except PlexError as error:
            return error
        return None

    def _remember(self, syncs: Sequence[ItemSync]) -> None:
        run_id = self._run.id() if any(sync.entries for sync in syncs) else 0
        self._ledger.record_syncs(syncs, run_id=run_id, now=self._clock.now())


def _is_hopeless(errors: Sequence[PlexError | None]) -> bool:
    """Tell after the last of these requests whether the next would fare alike: then the batch is not gone through."""
    last = errors[-1]
    if last is not None and rule_for(last).stops_all:
        return True
    row = errors[-THRESHOLD:]
    return len(row) == THRESHOLD and all(error is not None and rule_for(error).blames_server for error in row)


def known_path(shown: ItemDetails, meant: str) -> str:
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
