"""Runs of the journal: what a lane writes until it rests is undone as one; how far back an item's writes are kept."""

from collections.abc import Iterable, Sequence
from itertools import takewhile

from ledger.records import JournalWrite
from ledger.store import Ledger
from plan.fold import fold
from runtime.clock import Clock

KEPT_WRITES = 20
FOLD_ABOVE = 30  # so that not every write has to fold


class OpenRun:
    """Begins with the first write and ends when the lane rests. For the lane's thread."""

    def __init__(self, ledger: Ledger, kind: str, clock: Clock) -> None:
        self._ledger = ledger
        self._kind = kind
        self._clock = clock
        self._id: int | None = None

    def id(self) -> int:
        """Return the run that is open; where there is none, begin one."""
        if self._id is None:
            self._id = self._ledger.journal.begin_run(self._kind, self._clock.now())
        return self._id

    def end_if_before(self, run_id: int) -> None:
        if self._id is not None and self._id < run_id:
            self.end()

    def end(self) -> None:
        if self._id is not None:
            self._ledger.journal.end_run(self._id, self._clock.now())
            self._id = None


def fold_long_histories(ledger: Ledger, item_ids: Iterable[str], server_id: str) -> None:
    """Fold the oldest writes to those of the items that were written to often. Doing it later, or not, does no harm."""
    for key in ledger.journal.long_histories(item_ids, server_id, FOLD_ABOVE):
        old = ledger.journal.writes_of(key, server_id)[: -KEPT_WRITES + 1]
        for of_pictures in (True, False):  # they have runs of their own
            _fold_oldest(ledger, [one for one in old if _is_of_pictures(one) is of_pictures])


def _fold_oldest(ledger: Ledger, writes: Sequence[JournalWrite]) -> None:
    """Fold as many as belong to one scene: what another wrote in between is undone in its turn."""
    scenes = [one.entries[0].scene_id for one in writes]
    same = [one for one, _ in takewhile(lambda pair: pair[1] == scenes[0], zip(writes, scenes, strict=True))]
    if len(same) > 1:
        newest_first = [entry for one in reversed(same) for entry in reversed(one.entries)]
        ledger.journal.fold(same, fold(newest_first)[::-1])


def _is_of_pictures(write: JournalWrite) -> bool:
    return write.entries[0].kind == "picture"
