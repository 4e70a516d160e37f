"""Sorted items: the items of one type in one section, in the order of their sort titles."""

from bisect import bisect_left, insort
from collections.abc import Iterator


class SortedItems:
    """Kept in order while items come, go and are renamed, so that a page is a slice."""

    def __init__(self) -> None:
        self._places: dict[int, str] = {}
        self._order: list[tuple[str, int]] = []
        self._keys: list[int] = []
        self._is_sorted = True

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[int]:
        self._sort()
        return (item_id for _, item_id in self._order)

    def slice(self, start: int, size: int) -> list[int]:
        self._sort()
        return [item_id for _, item_id in self._order[start : start + size]]

    def slice_by_key(self, start: int, size: int) -> list[int]:
        return self._keys[start : start + size]

    def fill(self, item_id: int, sort_title: str) -> None:
        """Put one of many up, leaving the sorting for later."""
        self._places[item_id] = sort_title
        self._order.append((sort_title, item_id))
        self._keys.append(item_id)
        self._is_sorted = False

    def put(self, item_id: int, sort_title: str) -> None:
        if self._places.get(item_id) == sort_title:
            return
        self.take(item_id)
        self._sort()
        self._places[item_id] = sort_title
        insort(self._order, (sort_title, item_id))
        insort(self._keys, item_id)

    def take(self, item_id: int) -> None:
        if (sort_title := self._places.pop(item_id, None)) is None:
            return
        self._sort()
        del self._order[bisect_left(self._order, (sort_title, item_id))]
        del self._keys[bisect_left(self._keys, item_id)]

    def _sort(self) -> None:
        if not self._is_sorted:
            self._order.sort()
            self._is_sorted = True
