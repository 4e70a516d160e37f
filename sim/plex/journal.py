"""The journal: every request that came in, counted by kind, and what is to happen after the n-th of them."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from urllib.parse import parse_qsl


@dataclass(frozen=True, slots=True)
class Entry:
    """One request. A status of 0: nobody got an answer."""

    method: str
    path: str
    query: str
    kind: str
    status: int
    at: float
    client_identifier: str = ""
    token_in_url: bool = False
    page_size: int | None = None

    @property
    def params(self) -> dict[str, str]:
        return dict(parse_qsl(self.query, keep_blank_values=True))

    @property
    def is_write(self) -> bool:
        return self.method not in ("GET", "HEAD") or self.kind in ("scan", "rate")


class Journal:
    """For any number of requests at once."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._lock = Lock()
        self._counts: Counter[str] = Counter()
        self._plans: list[tuple[str, int, Callable[[], object]]] = []

    def record(self, entry: Entry) -> None:
        """Written down before the answer leaves, so that what follows the n-th request precedes the next one."""
        with self._lock:
            self.entries.append(entry)
            self._counts[entry.kind] += 1
            due = [plan for plan in self._plans if plan[0] == entry.kind and plan[1] <= self._counts[entry.kind]]
            self._plans = [plan for plan in self._plans if plan not in due]
        for _, _, act in due:
            act()

    def after(self, kind: str, nth: int, act: Callable[[], object]) -> None:
        """Act once when `nth` more requests of the kind have been answered."""
        with self._lock:
            self._plans.append((kind, self._counts[kind] + nth, act))

    def count(self, kind: str | None = None) -> int:
        return self._counts[kind] if kind else len(self.entries)

    def counts(self) -> dict[str, int]:
        with self._lock:
            return dict(self._counts)

    def writes(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.is_write]

    def clear(self) -> None:
        with self._lock:
            self.entries.clear()
            self._counts.clear()
            self._plans.clear()
