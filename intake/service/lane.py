"""A lane: claims rows that are due, has them worked on, and tells the store what became of each."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

from intake.patience import Decision, WorkUnsettled, decide, rule_for
from intake.service.lease_keeper import LeaseKeeper, Stopping
from intake.store.errors import LeaseLost, StoreAway, StoreError
from intake.store.port import IntakeStore, Progress, Trouble
from intake.store.row import Lane as LaneName
from intake.store.row import Row, Step
from runtime.privacy.redaction import Redactor
from sync.retries.backoff import ceiling

log = logging.getLogger(__name__)

IDLE_SECONDS = 60.0
STRANGERS_SECONDS = 10.0  # rows of other machines become due without anybody telling
AWAY_SECONDS, LONGEST_AWAY_SECONDS = 2.0, 60.0
LEAST_SECONDS = 0.05
MOST_ROWS, LONG_SECONDS = 256, 2.0


class RowWork(Protocol):
    """What a lane does with rows."""

    def work(self, rows: Sequence[Row]) -> Generator[tuple[Row, Exception | None]]:
        """Work on rows, and say of each that the store knows what became of it, or why nothing did."""
        ...

    def recover(self, row: Row) -> Progress:
        """Say how a row that failed goes on."""
        ...


class Why(Enum):
    """Why a lane rests."""

    WORKED = "worked"
    IDLE = "nothing is due"
    AWAY = "the store cannot be used"


@dataclass(frozen=True)
class Pause:
    """How long to rest before the next step, and why."""

    seconds: float
    why: Why


class Lane:
    """A thread over `step`. `obstacle` is what keeps it from working, in a sentence."""

    def __init__(
        self,
        name: LaneName,
        store: IntakeStore,
        work: RowWork,
        sees: Callable[[Row], bool],
        keeper: LeaseKeeper,
        redactor: Redactor,
        patience: tuple[tuple[float, ...], int],
        stop: threading.Event,
    ) -> None:
        self._name = name
        self._store = store
        self._work = work
        self._sees = sees
        self._keeper = keeper
        self._redactor = redactor
        self._patience = patience
        self._stop = stop
        self._news = threading.Event()
        self._troubles = 0
        self._limit = 1
        self._monotonic = time.monotonic
        self._thread = threading.Thread(target=self._run, name=f"lane {name}", daemon=True)
        self.obstacle: str | None = None

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        self._news.set()

    def join(self, seconds: float) -> bool:
        """Once the service stops: wait for the row in hand to be finished or handed back; say whether it was."""
        self._news.set()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._news.clear()
            pause = self.step()
            if pause.seconds:
                self._news.wait(pause.seconds)
        self._store.close()

    def step(self) -> Pause:
        """Work on the next rows, and say how long to rest before more."""
        try:
            if rows := self._store.claim(self._name, self._sees, self._limit):
                self._work_on(rows)
                pause = Pause(0.0, Why.WORKED)
            else:
                pause = Pause(self._until_next(), Why.IDLE)
        except StoreAway as error:
            return self._after_away(error)
        except StoreError as error:  # a row was taken over, or deleted: whoever has it knows better
            log.warning("%s", error)
            return Pause(LEAST_SECONDS, Why.WORKED)
        if self.obstacle:
            log.info("The lane %s goes on.", self._name)
        self._troubles, self.obstacle = 0, None
        return pause

    def _until_next(self) -> float:
        due_in = self._store.next_due_in(self._name)
        return max(LEAST_SECONDS, min(STRANGERS_SECONDS, IDLE_SECONDS if due_in is None else due_in))

    def _work_on(self, rows: Sequence[Row]) -> None:
        """Take as many at once as are done in a moment: other machines may want to share large files."""
        began = self._monotonic()
        open_rows = {row.id: row for row in rows}
        with self._keeper.holding(rows):
            try:
                self._settle(open_rows)
            except Stopping:
                self._hand_back(open_rows.values())
            except StoreError:
                self._limit = 1
                raise
            except Exception as error:  # noqa: BLE001 - the lane's catch-all: a bug must not end the service
                self._after_bug(list(open_rows.values()), error)
                self._limit = 1
                return
        is_quick = self._monotonic() - began < LONG_SECONDS
        self._limit = min(MOST_ROWS, self._limit * 2) if is_quick else max(1, self._limit // 4)

    def _settle(self, open_rows: dict[int, Row]) -> None:
        for row, error in self._work.work(list(open_rows.values())):
            open_rows.pop(row.id, None)
            if error is not None:
                self._after_failure(row, error)

    def _after_bug(self, rows: Sequence[Row], error: Exception) -> None:
        """Let a row that was alone pay for a bug; of several it is not known which one has met it: each comes alone."""
        if len(rows) == 1:
            self._after_failure(rows[0], error)
            return
        log.error("A bug of ours among %d rows; they are tried one by one.", len(rows), exc_info=error)
        for row in rows:
            with contextlib.suppress(LeaseLost):
                self._store.release(row)

    def _hand_back(self, rows: Iterable[Row]) -> None:
        for row in rows:
            log.info("Row %d is handed back: the service stops.", row.id)
            with contextlib.suppress(LeaseLost):
                self._store.release(row)

    def _after_failure(self, row: Row, error: Exception) -> None:
        """Tell the store. A row that was taken over, or deleted, is not ours to speak of any more."""
        try:
            if isinstance(error, StoreError):
                raise error
            self._fail(row, error)
        except StoreAway:
            raise
        except StoreError as lost:
            log.warning("%s", lost)

    def _fail(self, row: Row, error: Exception) -> None:
        current = self._store.get(row.id)
        decision = self._decide(error, row)
        log.log(
            logging.WARNING if decision.is_failure else logging.INFO,
            "Row %d: %s %s",
            row.id,
            decision.why.sentence,
            _when(decision),
            exc_info=error if rule_for(error).kind == "bug" else None,
        )
        progress = self._progress(current, error, decision)
        if decision.is_failure:
            self._store.fail(row, decision.why, decision.delay, progress)
        else:
            self._store.postpone(row, decision.delay or 0.0, decision.why, progress)

    def _decide(self, error: Exception, row: Row) -> Decision:
        decision = decide(error, row, *self._patience)
        why = Trouble(decision.why.kind, self._redactor.clean(decision.why.sentence))
        return replace(decision, why=why)

    def _progress(self, row: Row, error: Exception, decision: Decision) -> Progress:
        progress = replace(self._work.recover(row), attempts=decision.attempts)
        if isinstance(error, WorkUnsettled):
            known = error.movie_code or None
            return replace(progress, movie_code=known, candidates_json=error.candidates_json, step=Step.NAMED)
        return progress

    def _after_away(self, error: StoreAway) -> Pause:
        sentence = self._redactor.clean(str(error))
        if sentence != self.obstacle:
            log.error("%s", sentence)
        self.obstacle = sentence
        self._troubles += 1
        return Pause(ceiling(self._troubles - 1, AWAY_SECONDS, LONGEST_AWAY_SECONDS), Why.AWAY)


def _when(decision: Decision) -> str:
    return "It waits for a person." if decision.delay is None else f"Again in {decision.delay:.0f} s."
