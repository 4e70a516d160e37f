"""Keeps the leases of rows in hand alive, however long a copy or an answer takes."""

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager

from intake.store.errors import LeaseLost, StoreError
from intake.store.port import LEASE_SECONDS, RENEW_SECONDS, IntakeStore
from intake.store.row import Row

log = logging.getLogger(__name__)


class Stopping(Exception):
    """The service was told to stop: what is in hand is handed back."""


class LeaseKeeper:
    """A thread with a store of its own. Whoever works calls `check` now and then, and is told that it is over."""

    def __init__(
        self, store: IntakeStore, stop: threading.Event, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._stop = stop
        self._monotonic = monotonic
        self._held: dict[int, Row] = {}
        self._held_since: dict[int, float] = {}
        self._lost: set[int] = set()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="leases", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Stop renewing, once nothing is in hand any more."""
        with self._changed:
            self._stop.set()
            self._changed.notify_all()
        self._thread.join(1.0)
        self._store.close()

    @contextmanager
    def holding(self, rows: Iterable[Row]) -> Generator[None]:
        """Renew these rows' leases until the block ends."""
        held = {row.id: row for row in rows}
        with self._changed:
            self._held |= held
            self._held_since |= dict.fromkeys(held, self._monotonic())
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                for row_id in held:
                    self._held.pop(row_id, None)
                    self._held_since.pop(row_id, None)
                    self._lost.discard(row_id)

    def checking(self, rows: Iterable[Row]) -> Callable[[], None]:
        """Return what raises if one of these rows was taken over, or if the service stops.

        It is cheap: called for every piece of a copy.
        """
        ids = frozenset(row.id for row in rows)

        def check() -> None:
            if self._stop.is_set():
                raise Stopping
            if lost := ids & self._lost:
                raise LeaseLost(f"Row {min(lost)} was taken over by another worker.")

        return check

    def still_ours(self, row: Row) -> Callable[[], None]:
        """Return what also raises once the lease may have run out unnoticed, as after a sleep of the whole machine.

        For what cannot be done twice by two: a server would show a picture double.
        """
        check = self.checking([row])

        def still() -> None:
            check()
            since = self._held_since.get(row.id)
            if since is not None and self._monotonic() - since > LEASE_SECONDS:
                raise LeaseLost(f"The lease of row {row.id} has run out; another worker may have it.")

        return still

    def _run(self) -> None:
        """Renew every twenty seconds what is in hand then; most rows are done before that."""
        while not self._stop.is_set():
            with self._changed:
                self._changed.wait_for(lambda: self._held or self._stop.is_set())
                self._changed.wait_for(self._stop.is_set, RENEW_SECONDS)
                held = list(self._held.values())
            if held and not self._stop.is_set():
                self._renew(held)

    def _renew(self, held: list[Row]) -> None:
        asked_at = self._monotonic()
        try:
            lost = self._store.renew(held)
        except StoreError as error:
            log.debug("The leases in hand were not renewed: %s", error)
            return
        with self._changed:
            self._lost |= lost & self._held.keys()
            renewed = {row.id for row in held} - lost
            self._held_since |= dict.fromkeys(renewed & self._held.keys(), asked_at)
