"""The scanner: looks at the watched folder and offers what has arrived to the store."""

import logging
import math
import time
from collections.abc import Callable, Mapping

from intake.naming.shown import quoted
from intake.store.errors import StoreAway
from intake.store.port import IntakeStore, Offered
from intake.store.row import FoundFile
from intake.watching.arrivals import ArrivalFinder, Arrivals
from intake.watching.gate import Refusal
from intake.watching.seen import SeenFile
from intake.watching.watch import FolderWatch, Hints

log = logging.getLogger(__name__)

BATCH = 500
BUSY_SECONDS = 15.0
AWAY_SECONDS = 10.0
MOST_REFUSED_SHOWN = 50
MOST_NAMED = 10
_NOT_WORTH_A_LINE = frozenset({"changing", "extension", "hidden", "ignored_folder", "temporary"})


class Scanner:
    """One step is one scan. The scan is the truth, at start and ever after; hints only bring it forward."""

    def __init__(
        self,
        finder: ArrivalFinder,
        store: IntakeStore,
        watch: FolderWatch,
        hints: Hints,
        wake: Callable[[], None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._finder = finder
        self._store = store
        self._watch = watch
        self._hints = hints
        self._wake = wake
        self._monotonic = monotonic
        self._known: dict[str, str] = {}
        self._seen: set[str] = set()
        self._told: set[str] = set()
        self._watch_note = ""
        self.obstacle: str | None = None
        self.refused: tuple[tuple[str, Refusal], ...] = ()

    def step(self) -> float:
        """Scan once and say for how many seconds to rest at most."""
        self._keep_watching()
        self._seen = set()
        arrivals = self._finder.find(self._is_known, self._monotonic())
        if all(one.word == "empty" for one in arrivals.troubles):  # what comes back is offered again
            self._known = {path: identity for path, identity in self._known.items() if path in self._seen}
        self._tell(arrivals)
        pause = min(self._watch.interval_seconds, self._offer(arrivals.ready))
        if not math.isinf(arrivals.look_again_at):
            pause = min(pause, arrivals.look_again_at - self._monotonic())
        return max(0.1, pause)

    def rest(self, seconds: float) -> None:
        self._hints.wait(seconds)

    def close(self) -> None:
        self._watch.stop()
        self._store.close()

    def _is_known(self, file: SeenFile) -> bool:
        self._seen.add(file.path)
        return self._known.get(file.path) == str(file.identity)

    def _offer(self, ready: tuple[SeenFile, ...]) -> float:
        """Offer the files, and say after how many seconds to do so again."""
        is_busy = False
        for start in range(0, len(ready), BATCH):
            batch = [FoundFile(file.path, str(file.identity)) for file in ready[start : start + BATCH]]
            try:
                answers = self._store.offer(batch)
            except StoreAway as error:
                self._say_obstacle(str(error))
                return AWAY_SECONDS
            is_busy |= Offered.BUSY in answers
            self._note(dict(zip(batch, answers, strict=True)))
            self._wake()
        if ready and self.obstacle:
            self.obstacle = None
        return BUSY_SECONDS if is_busy else math.inf

    def _note(self, answers: Mapping[FoundFile, Offered]) -> None:
        known = [file for file, answer in answers.items() if answer is not Offered.BUSY]
        self._known |= {file.path: file.identity for file in known}
        new = [quoted(file.path) for file in known if answers[file] is not Offered.KNOWN]
        if new:
            more = f" and {len(new) - MOST_NAMED:,} more" if len(new) > MOST_NAMED else ""
            log.info("Taken in: %s%s.", ", ".join(new[:MOST_NAMED]), more)

    def _keep_watching(self) -> None:
        """Listen for events, again if the listening has ended; why it cannot be is said once."""
        if self._watch.is_listening():
            return
        self._watch.stop()
        if (note := self._watch.start()) and note != self._watch_note:
            log.info("%s", note)
        self._watch_note = note

    def _tell(self, arrivals: Arrivals) -> None:
        """Say once of each file why it is left alone, and what is wrong with the folder."""
        trouble = next((one.sentence for one in arrivals.troubles if one.word != "empty"), None)
        if trouble:
            self._say_obstacle(trouble)
        elif self.obstacle and not arrivals.ready:
            self.obstacle = None
        self.refused = tuple((file.path, refusal) for file, refusal in arrivals.refused[:MOST_REFUSED_SHOWN])
        said = {refusal.sentence for _, refusal in arrivals.refused if refusal.word not in _NOT_WORTH_A_LINE}
        for sentence in said - self._told:
            log.info("Left alone: %s", sentence)
        self._told = said

    def _say_obstacle(self, sentence: str) -> None:
        if sentence != self.obstacle:
            log.error("%s", sentence)
        self.obstacle = sentence
