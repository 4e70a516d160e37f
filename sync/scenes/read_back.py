"""Reading back: what the server made of what was written is seen with the next batch, or when nothing is due."""

from collections.abc import Mapping, Sequence

from ledger.records import ItemRecord, ItemSync
from ledger.store import Ledger
from model.item import Item
from plan.forms import FORM_SECONDS, may_be_form, read_back
from runtime.clock import Clock

MOST_ITEMS = 50  # as many as one request for details takes


class ReadBack:
    """The items that were written a moment ago and not read since, also by a worker that has ended. For one thread."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock
        unread = ledger.items.unread(clock.now() - FORM_SECONDS)
        self._written = {(one.server_id, one.item_id): (self._sync_of(one), one.at) for one in unread}

    def add(self, sync: ItemSync) -> None:
        """Remember to read back what was just recorded."""
        key = (sync.server_id, sync.item_id)
        self._written.pop(key, None)
        self._written[key] = sync, self._clock.now()

    @property
    def is_due(self) -> bool:
        return bool(self._written)

    def keys(self, server_id: str) -> list[str]:
        """Name the items to read next. What was written too long ago to learn from is let go."""
        now = self._clock.now()
        self._written = {key: (sync, at) for key, (sync, at) in self._written.items() if may_be_form(at, now)}
        return [item_id for server, item_id in self._written if server == server_id][:MOST_ITEMS]

    def learn(self, keys: Sequence[str], shown: Mapping[str, Item], server_id: str) -> None:
        """Note what the items of these keys show in the place of what was sent, and ask for them no more."""
        asked = [self._written.pop((server_id, key))[0] for key in keys]
        seen = [(sync, shown[sync.item_id]) for sync in asked if _holds(shown.get(sync.item_id), sync)]
        self._ledger.items.write_shown([(sync, read_back(sync.baseline, item, sync.entries)) for sync, item in seen])

    def _sync_of(self, item: ItemRecord) -> ItemSync:
        """Describe the write that another worker did not live to read back."""
        return ItemSync(
            scene_id=0,
            item_id=item.item_id,
            server_id=item.server_id,
            path=item.path,
            fingerprint="",
            baseline=item.baseline,
            entries=tuple(self._ledger.journal.entries_of_items([item.item_id], item.server_id)),
        )


def _holds(item: Item | None, sync: ItemSync) -> bool:
    """Tell the item that was written from one that has its key since."""
    return item is not None and any(part.path == sync.path for part in item.parts)
