"""The worker's log file: rotating, private, without secrets, and without paths where the person wants that."""

import logging
from logging.handlers import RotatingFileHandler

from runtime.redaction import Redactor

MAX_BYTES = 1_000_000
OLD_FILES = 3


class _Formatter(logging.Formatter):
    """One line an event but for tracebacks; secrets taken out after all arguments have been put in."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(message)s")
        self._redactor = redactor

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        return super().formatMessage(record).replace("\r", " ").replace("\n", " ")  # nobody's title forges a line

    def format(self, record: logging.LogRecord) -> str:
        return self._redactor.clean_for_log(super().format(record))


def open_log_file(path: str, redactor: Redactor) -> None:
    handler = RotatingFileHandler(path, maxBytes=MAX_BYTES, backupCount=OLD_FILES, encoding="utf-8", delay=True)
    handler.setFormatter(_Formatter(redactor))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    for chatty in ("urllib3", "persistqueue"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    logging.raiseExceptions = False  # a full disk must not make the log write to a stderr that nobody reads


def set_debug(*, on: bool) -> None:
    logging.getLogger().setLevel(logging.DEBUG if on else logging.INFO)
