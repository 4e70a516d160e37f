"""The journal: every request that came in, counted by kind, and what is to happen after the n-th of them."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
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
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._counts: Counter[str] = Counter()
        self._plans: list[tuple[str, int, Callable[[], object]]] = []

    def record(self, entry: Entry) -> None:
        """Written down before the answer leaves, so that what follows the n-th request precedes the next one."""
        self.entries.append(entry)
        self._counts[entry.kind] += 1
        if self._plans:
            self._follow(entry.kind)

    def after(self, kind: str, nth: int, act: Callable[[], object]) -> None:
        """Act once when `nth` more requests of the kind have been answered."""
        self._plans.append((kind, self._counts[kind] + nth, act))

    def count(self, kind: str | None = None) -> int:
        return self._counts[kind] if kind else len(self.entries)

    def counts(self) -> dict[str, int]:
        return dict(self._counts)

    def writes(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.is_write]

    def clear(self) -> None:
        self.entries.clear()
        self._counts.clear()
        self._plans.clear()

    def _follow(self, kind: str) -> None:
        due = [plan for plan in self._plans if plan[0] == kind and plan[1] <= self._counts[kind]]
        for plan in due:
            self._plans.remove(plan)
            plan[2]()
