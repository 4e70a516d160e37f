"""How far back the journal goes: of each item the last writes one by one, and all before them as one."""

from collections.abc import Iterable, Sequence
from itertools import takewhile

from ledger.records import JournalWrite
from ledger.store import Ledger
from plan.fold import fold

KEPT_WRITES = 20
FOLD_ABOVE = 30  # so that not every write has to fold


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
