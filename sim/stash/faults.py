"""Things that can be made to go wrong while the server runs."""

import threading
from enum import Enum


class Fault(Enum):
    HANG = "the request is read and never answered"
    SERVER_ERROR = "500 with a line of text"
    HTML = "200 with a web page, as from a proxy in front"
    DATABASE_LOCKED = "200 with a GraphQL error"


class Faults:
    """At most one fault at a time, for all requests or only for the next few."""

    def __init__(self) -> None:
        self.latency_seconds = 0.0
        self._changed = threading.Condition()
        self._fault: Fault | None = None
        self._left: int | None = None
        self._under = "/"

    def begin(self, fault: Fault, times: int | None = None, under: str = "/") -> None:
        """Let the next `times` requests below a path meet the fault, or all of them until `heal`."""
        with self._changed:
            self._fault, self._left, self._under = fault, times, under
            self._changed.notify_all()

    def heal(self) -> None:
        with self._changed:
            self._fault = None
            self._changed.notify_all()

    def next(self, path: str) -> Fault | None:
        """The fault that a request for this path meets."""
        with self._changed:
            fault = self._fault if path.startswith(self._under) else None
            if fault is not None and self._left is not None:
                self._left -= 1
                if self._left <= 0:
                    self._fault = None
            return fault

    def wait_for_change(self, seconds: float) -> bool:
        with self._changed:
            return self._changed.wait(seconds)
