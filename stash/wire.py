"""Stash's wire protocol: one JSON document in, one JSON document out, prefixed lines on stderr.

Standard library only, and only the cheap part of it: the hook waits for every import made here.
"""

from __future__ import annotations

import os
import sys

from model.user_error import UserError
from validation.fast_json import dump_flat, dumps, loads
from validation.json_shapes import as_object, as_text

TYPE_CHECKING = False  # typing and collections.abc cost the hook time that only a type checker has
if TYPE_CHECKING:
    from collections.abc import Callable


MAX_REQUEST_BYTES = 64 * 1024 * 1024
MAX_LINE_BYTES = 60_000  # at 64 KiB Stash closes the pipe, and the next write kills the plugin
DEBUG, INFO, WARNING, ERROR = "diwe"
NEUTRAL = dict.fromkeys((*range(32), *range(127, 160), 8232, 8233), " ")


class Request:
    """What Stash sent: where it is, what it wants."""

    __slots__ = ("args", "cookie", "directory", "host", "port", "scheme")

    def __init__(self, connection: dict[str, object], args: dict[str, object]) -> None:
        self.args = args
        self.scheme = as_text(connection.get("Scheme")) or "http"
        self.host = as_text(connection.get("Host")) or "localhost"
        port = connection.get("Port")
        self.port = port if isinstance(port, int) and 0 < port < 65536 else 9999  # noqa: PLR2004 - TCP's limit
        self.directory = _as_path(connection.get("Dir"))
        cookie = as_object(connection.get("SessionCookie"))
        self.cookie = as_text(cookie.get("Value")) if cookie else ""


def _as_path(value: object) -> str:
    """Read a path; empty for one that no file system could have."""
    path = as_text(value)
    try:
        return "" if b"\0" in os.fsencode(path) else path
    except UnicodeEncodeError:
        return ""


def read_request(read: Callable[[int], bytes]) -> Request:
    """Drain stdin and parse it. It is always read to its end, else Stash logs a broken pipe."""
    raw = read(MAX_REQUEST_BYTES + 1)
    if len(raw) > MAX_REQUEST_BYTES:
        while read(1024 * 1024):
            pass
        raise UserError(
            "Stash sent more than 64 MiB; that was not read. The next check of all scenes finds the change."
        )
    if not raw.strip():
        raise UserError("Nothing came on stdin. Stash sends one JSON document; on a terminal try --help.")
    try:
        document = loads(raw)
    except (ValueError, RecursionError) as error:  # also bad UTF-8 and numbers of thousands of digits
        raise UserError("What came on stdin is not a JSON document that Stash would send.") from error
    return parse_request(document)


def parse_request(document: object) -> Request:
    whole = as_object(document)
    if whole is None:
        raise UserError("What came on stdin is JSON, but not an object with server_connection and args.")
    connection, args = as_object(whole.get("server_connection")), whole.get("args")
    if connection is None:
        raise UserError("What came on stdin has no server_connection object, so Stash cannot be reached.")
    known_args = as_object({} if args is None else args)
    if known_args is None:
        raise UserError("What came on stdin has args that are not an object.")
    return Request(connection, known_args)


def serve(read: Callable[[int], bytes], handle: Callable[[Request], object]) -> int:
    """Serve one hook, task or operation with exactly one document on stdout.

    The exit code is 0 whatever happens: with any other Stash throws the document away.
    """
    os.umask(0o077)
    sys.stdout = sys.stderr = _StrayOutput()
    try:
        document = _success(handle(read_request(read)))
    except UserError as error:
        document = dump_flat({"error": f"Stash2Plex: {error}"})
    except Exception as error:  # noqa: BLE001 - the catch-all of all that Stash starts: never a traceback at a person
        bug = f"Stash2Plex: a bug of ours, please report it: {type(error).__name__} in {_where(error)}"
        document = dump_flat({"error": bug})
    _write(document)
    return 0


def _success(output: object) -> str:
    return dumps({"output": output})


def _where(error: BaseException) -> str:
    """Name the innermost line. The error's own text stays unsaid: it may quote what Stash sent, secrets and all."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "an unknown place"
    return f"{os.path.basename(trace.tb_frame.f_code.co_filename)}, line {trace.tb_lineno}"


def _write(document: str) -> None:
    try:
        sys.__stdout__.write(document + "\n")  # pyright: ignore[reportOptionalMemberAccess]
        sys.__stdout__.flush()  # pyright: ignore[reportOptionalMemberAccess]
    except (OSError, ValueError):  # Stash hung up; there is nobody left to tell
        pass


def log(level: str, text: str) -> None:
    """Log to Stash, a protocol line for every line of the text."""
    for line in text.splitlines() or [""]:
        _emit(level, line.translate(NEUTRAL).encode("utf-8", "replace")[:MAX_LINE_BYTES])


def progress(fraction: float) -> None:
    _emit("p", b"%.4f" % min(max(fraction, 0.0), 1.0))


def _emit(level: str, line: bytes) -> None:
    try:
        sys.__stderr__.buffer.write(b"\x01%s\x02%s\n" % (level.encode(), line))  # pyright: ignore[reportOptionalMemberAccess]
        sys.__stderr__.buffer.flush()  # pyright: ignore[reportOptionalMemberAccess]
    except (OSError, ValueError):
        pass


class _StrayOutput:
    """Stands where print() and warnings write: a stray line becomes a log line instead of spoiling the answer."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        if text.strip():
            log(DEBUG, text)
        return len(text)

    def flush(self) -> None:
        pass
