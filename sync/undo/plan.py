"""What an undo would try, from the journal alone: no server is asked, so what was edited since is not known."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ledger.records import JournalEntry, JournalSlice
from ledger.store import Ledger
from plan.undo import on_top
from sync.undo.scope import UndoScope

ITEMS_AT_ONCE = 500


@dataclass(slots=True)
class PlannedUndo:
    """Values that would be put back, and some of them; values that a later run wrote over, which stay."""

    values: int = 0
    overtaken: int = 0
    scenes: set[int] = field(default_factory=set[int])
    sample: list[JournalEntry] = field(default_factory=list[JournalEntry])

    def add(self, taken: list[JournalEntry], overtaken: list[JournalEntry], most: int) -> None:
        """Count what of one item would be tried. Of several writes to a field, the oldest has what is put back."""
        of_field = {(one.scene_id, one.item_id, one.field): one for one in taken}  # the last is the oldest
        self.values += len(of_field)
        self.overtaken += len({one.field for one in overtaken})
        self.scenes.update(one.scene_id for one in taken)
        newest = {(one.scene_id, one.item_id, one.field): one for one in reversed(taken)}
        for key, oldest in list(of_field.items())[: max(most - len(self.sample), 0)]:
            self.sample.append(_from_to(newest[key], oldest))


def plan_undo_of(ledger: Ledger, scope: UndoScope, most: int) -> PlannedUndo:
    """Read the journal of what is meant; `most` is how many values are listed beside the numbers."""
    planned = PlannedUndo()
    meant = scope.slice_of(ledger)
    if meant is None:
        return planned
    for found in _by_item(ledger, meant):
        taken, overtaken = on_top(found, meant.covers)
        planned.add(taken, overtaken, most)
    return planned


def _by_item(ledger: Ledger, meant: JournalSlice) -> Iterator[list[JournalEntry]]:
    """Give the entries of each item concerned, the newest first, on whichever server it is."""
    for server_id in ledger.journal.items_to_undo(meant):
        after = ""
        while keys := ledger.journal.keys_to_undo(meant, server_id, after, ITEMS_AT_ONCE):
            written: dict[str, list[JournalEntry]] = {}
            for entry in ledger.journal.entries_of_items(keys, server_id):
                written.setdefault(entry.item_id, []).append(entry)
            yield from written.values()
            after = keys[-1]


def _from_to(newest: JournalEntry, oldest: JournalEntry) -> JournalEntry:
    """Join several writes to one field: what the newest left, and what was there before the oldest."""
    return JournalEntry(
        field=oldest.field,
        kind=oldest.kind,
        old=oldest.old,
        new=newest.new,
        scene_id=oldest.scene_id,
        item_id=oldest.item_id,
    )
