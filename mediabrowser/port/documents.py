"""Documents that will be sent back: whole, and surely what the server has now.

An update replaces the whole item, so whoever wrote it between our read and our write would be overwritten in all of it.
An item is read right before it is written. Where many are written one after the other, it is enough to ask for all of
them at once, every so often, whether they were saved since they were read: their Etag tells. What remains is the time
from that question to the write: short, and for a few writes only, for nothing on these servers closes it.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence

from mediabrowser.reading.document import ItemDocument
from mediabrowser.reading.reader import IDS_PER_REQUEST, Reader

SURE_SECONDS = 0.3  # so long a document that was found to be the newest is taken for it
SURE_WRITES = 20  # and for so many writes, its own among them: on a quick server that is sooner
KEPT_SECONDS = 30.0


class Documents:
    """What was read lately. May be shared between threads."""

    def __init__(self, reader: Reader, clock: Callable[[], float] = time.monotonic) -> None:
        self._reader = reader
        self._clock = clock
        self._kept: dict[str, tuple[ItemDocument, float]] = {}
        self._sure_at: dict[str, float] = {}
        self._writes = 0
        self._sure_writes: dict[str, int] = {}
        self._expected: tuple[str, ...] = ()
        self._lock = threading.Lock()

    def keep(self, documents: Iterable[ItemDocument]) -> None:
        """Remember documents, and forget those of long ago. None is taken for the newest yet: decisions take time."""
        now = self._clock()
        with self._lock:
            self._kept = {key: one for key, one in self._kept.items() if now - one[1] < KEPT_SECONDS}
            whole = [one for one in documents if one.is_whole]
            self._kept.update((one.item_id, (one, now)) for one in whole)
            self._sure_at = {key: at for key, at in self._sure_at.items() if key in self._kept}
            self._sure_writes = {key: count for key, count in self._sure_writes.items() if key in self._kept}

    def expect(self, item_ids: Sequence[str]) -> None:
        """Note which items will be written in a moment."""
        with self._lock:
            self._expected = tuple(item_ids)

    def forget(self, item_id: str) -> None:
        """An item was written, or may have been."""
        with self._lock:
            self._writes += 1
            for known in (self._kept, self._sure_at, self._sure_writes):
                known.pop(item_id, None)

    def current(self, item_id: str) -> ItemDocument:
        """Give a document as the server has it now; raise ItemGone if it is not there.

        One that is written alone is read now; of several, what was asked for a moment ago counts.
        """
        with self._lock:
            is_one_of_many = len(self._expected) > 1 and item_id in self._expected
            kept = self._kept.get(item_id) if is_one_of_many else None
            is_sure = self._is_sure(item_id)
            beside = [one for one in self._expected if one in self._kept and one != item_id]
        if kept is not None and not is_sure:
            self._ask([item_id, *beside][:IDS_PER_REQUEST])
            with self._lock:
                kept = self._kept.get(item_id)
        return kept[0] if kept is not None else self._reader.document(item_id)

    def _is_sure(self, item_id: str) -> bool:
        age = self._clock() - self._sure_at.get(item_id, float("-inf"))
        return age < SURE_SECONDS and self._writes - self._sure_writes.get(item_id, 0) < SURE_WRITES

    def _trust(self, item_ids: Iterable[str], asked_at: float) -> None:
        for item_id in item_ids:
            self._sure_at[item_id], self._sure_writes[item_id] = asked_at, self._writes

    def _ask(self, item_ids: Sequence[str]) -> None:
        """Ask which of these were saved since they were read; those are read again in their turn."""
        asked_at, etags = self._clock(), self._reader.etags(item_ids)
        with self._lock:
            for item_id in item_ids:
                kept = self._kept.get(item_id)
                if kept is not None and etags.get(item_id) == kept[0].etag != "":
                    self._trust([item_id], asked_at)
                else:
                    self._kept.pop(item_id, None)
