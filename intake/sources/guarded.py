"""A source that is left alone for a while after it did not answer: one request in an outage, not one a file."""

import time
from collections.abc import Callable, Sequence

from intake.patience import pause_after
from intake.sources.port import MetadataSource, Offer, Question, SourceError


class GuardedSource:
    """While it is left alone, whoever asks is told the error of the last time."""

    def __init__(self, source: MetadataSource, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.name = source.name
        self._source = source
        self._monotonic = monotonic
        self._failures = 0
        self._until = 0.0
        self._error: SourceError | None = None

    def find(self, question: Question) -> Sequence[Offer]:
        if self._error is not None and self._monotonic() < self._until:
            raise type(self._error)(str(self._error))
        try:
            found = self._source.find(question)
        except SourceError as error:
            self._until = self._monotonic() + pause_after(error, self._failures)
            self._failures += 1
            self._error = error
            raise
        self._failures, self._error = 0, None
        return found

    def check(self) -> str:
        return self._source.check()

    def close(self) -> None:
        self._source.close()
