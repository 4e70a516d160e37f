"""A server that is left alone for a while after it did not answer: one request in an outage, not one a file."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from intake.patience import pause_after
from intake.publishing.port import Marks, Publisher, ServerAway, ServerRefuses
from intake.sources.work import Work

T = TypeVar("T")


class GuardedPublisher:
    """While it is left alone, whoever asks is told the error of the last time."""

    def __init__(self, publisher: Publisher, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.name = publisher.name
        self.places = publisher.places
        self._publisher = publisher
        self._monotonic = monotonic
        self._failures = 0
        self._until = 0.0
        self._error: ServerAway | ServerRefuses | None = None

    def scan(self, paths: Sequence[str]) -> frozenset[str]:
        return self._asked(lambda: self._publisher.scan(paths))

    def find(self, path: str, *, is_last: bool) -> str:
        return self._asked(lambda: self._publisher.find(path, is_last=is_last))

    def write(self, item_id: str, work: Work, path: str, wrote: Marks) -> Marks:
        return self._asked(lambda: self._publisher.write(item_id, work, path, wrote))

    def show_picture(self, item_id: str, work: Work, place: str, shown: str, *, came_along: bool = False) -> str:
        show = self._publisher.show_picture
        return self._asked(lambda: show(item_id, work, place, shown, came_along=came_along))

    def check(self) -> str:
        return self._publisher.check()

    def close(self) -> None:
        self._publisher.close()

    def _asked(self, act: Callable[[], T]) -> T:
        if self._error is not None and self._monotonic() < self._until:
            raise type(self._error)(str(self._error))
        try:
            answer = act()
        except (ServerAway, ServerRefuses) as error:
            self._until = self._monotonic() + pause_after(error, self._failures)
            self._failures += 1
            self._error = error
            raise
        self._failures, self._error = 0, None
        return answer
