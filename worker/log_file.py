"""The worker's log file: rotating, private, without secrets, and without paths where the person wants that."""

import logging
from logging.handlers import RotatingFileHandler
from typing import Any, TextIO

from runtime.privacy.redaction import Redactor
from stash.wire import NEUTRAL

MAX_BYTES = 1_000_000
OLD_FILES = 3

TRACE_MARGIN = "    | "


class _Formatter(logging.Formatter):
    """One line an event, and nobody's title forges one; a trace has a margin.

    Secrets are taken out after all arguments have been put in.
    """

    def __init__(self, redactor: Redactor) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(message)s")
        self._redactor = redactor

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        return super().formatMessage(record).translate(NEUTRAL)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        """Keep the lines of a trace, which quotes whatever an error holds, apart from the lines of the log."""
        lines = super().formatException(ei).splitlines()
        return "\n".join(TRACE_MARGIN + line.translate(NEUTRAL) for line in lines)

    def format(self, record: logging.LogRecord) -> str:
        return self._redactor.clean_for_log(super().format(record))


def open_log_file(path: str, redactor: Redactor) -> None:
    _open(RotatingFileHandler(path, maxBytes=MAX_BYTES, backupCount=OLD_FILES, encoding="utf-8", delay=True), redactor)


def open_log_stream(stream: TextIO, redactor: Redactor) -> None:
    """Log to a stream, for a service whose output others keep."""
    _open(logging.StreamHandler(stream), redactor)


def _open(handler: logging.Handler, redactor: Redactor) -> None:
    handler.setFormatter(_Formatter(redactor))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    for chatty in ("urllib3", "persistqueue"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    logging.raiseExceptions = False  # a full disk must not make the log write to a stderr that nobody reads


def set_debug(*, on: bool) -> None:
    logging.getLogger().setLevel(logging.DEBUG if on else logging.INFO)
