"""The server's log, and the line protocol through which plugins write to it."""

from collections.abc import Callable
from typing import NamedTuple

LEVELS = {"t": "trace", "d": "debug", "i": "info", "w": "warning", "e": "error", "p": "progress"}
MAX_LINE_BYTES = 64 * 1024


class LogEntry(NamedTuple):
    level: str
    text: str


class LineTooLong(Exception):
    """Go's scanner gives up on such a line, and Stash closes the pipe."""


class LogReader:
    """Cuts a plugin's stderr into lines and tells each one's level."""

    def __init__(self, default_level: str, write: Callable[[str, str], None]) -> None:
        self._default = default_level
        self._write = write
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """Raises LineTooLong when no line end comes within 64 KiB."""
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = b""
        for line in lines:
            self._emit(_fitting(line))
        self._rest = _fitting(rest)

    def finish(self) -> None:
        if self._rest:
            self._emit(self._rest)
        self._rest = b""

    def _emit(self, line: bytes) -> None:
        text = line.removesuffix(b"\r").decode("utf-8", "replace")
        level = LEVELS.get(text[1]) if len(line) >= 4 and text[0] == "\x01" and text[2] == "\x02" else None
        if level is None:
            self._write(self._default, text)
        else:
            self._write(level, text[3:])


def _fitting(line: bytes) -> bytes:
    if len(line) >= MAX_LINE_BYTES:
        raise LineTooLong
    return line
