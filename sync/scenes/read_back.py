"""Reading back: what the server made of what was written is seen with the next batch, or when nothing is due."""

from collections.abc import Mapping

from ledger.records import ItemSync
from ledger.store import Ledger
from model.item import Item
from plan.forms import read_back

MOST_ITEMS = 50  # as many as a batch has; what is left over is seen when its item is read the next time


class ReadBack:
    """The items that were written and not read since. For the worker's thread."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._written: dict[str, ItemSync] = {}

    def add(self, sync: ItemSync) -> None:
        """Remember to read it back; of too many, the oldest is let go."""
        self._written.pop(sync.item_id, None)
        self._written[sync.item_id] = sync
        for oldest in list(self._written)[:-MOST_ITEMS]:
            del self._written[oldest]

    @property
    def is_due(self) -> bool:
        return bool(self._written)

    def keys(self, server_id: str) -> list[str]:
        return [key for key, sync in self._written.items() if sync.server_id == server_id]

    def learn(self, shown: Mapping[str, Item]) -> None:
        """Note what the items show in the place of what was sent, and ask for them no more."""
        seen = [(sync, shown[key]) for key, sync in self._written.items() if key in shown and _holds(shown[key], sync)]
        self._written = {}
        self._ledger.items.write_shown([(sync, read_back(sync.baseline, item, sync.entries)) for sync, item in seen])


def _holds(item: Item, sync: ItemSync) -> bool:
    """Tell the item that was written from one that has its key since."""
    return any(part.path == sync.path for part in item.parts)
