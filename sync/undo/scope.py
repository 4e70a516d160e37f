"""How much an undo takes back: the last run, a given one, one scene, some values, or everything."""

from dataclasses import dataclass

from ledger.records import JournalSlice
from ledger.store import Ledger
from model.user_error import UserError


@dataclass(frozen=True, slots=True)
class UndoScope:
    """At most one of them is given; with none it is the last run. `entry_ids` are numbers of the journal's entries."""

    run_id: int | None = None
    scene_id: int | None = None
    entry_ids: frozenset[int] | None = None
    everything: bool = False

    def slice_of(self, ledger: Ledger) -> JournalSlice | None:
        """Give the part of this journal that is meant; None if there is nothing to undo at all."""
        if self.run_id is not None:
            if not ledger.journal.has_run(self.run_id):
                raise UserError(f"There is no run {self.run_id} in the journal.")
            return JournalSlice(self.run_id, self.run_id)
        if self.scene_id is not None:
            return JournalSlice(scene_id=self.scene_id)
        if self.entry_ids is not None:
            return JournalSlice(entry_ids=self.entry_ids)
        return JournalSlice() if self.everything else ledger.journal.last_slice()
