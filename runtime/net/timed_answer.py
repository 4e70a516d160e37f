"""Answers in time: a time-out of a socket is between two bytes, so a server that drips keeps one reading for ever."""

import contextlib
import http.client
import io
import socket
import time
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from model.sentences import counted
from runtime.net.bounded_answer import MOST_SECONDS, AnswerTooSlow, Dripping, named_timeout

PATIENCE = 2.0  # a whole answer may take so many times as long as a silence may
LEAST_BYTES_A_SECOND = 10_000.0  # who sends more than that is not dripping, only slow
BUFFER_BYTES = 65536


class TimedAdapter(HTTPAdapter):
    """Sends requests whose answers end in time, from the first byte of the first header to the last of the body."""

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)  # pyright: ignore[reportUnknownMemberType] - requests is not typed
        self.poolmanager.pool_classes_by_scheme = {"http": _HTTPPool, "https": _HTTPSPool}

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:  # pyright: ignore[reportIncompatibleMethodOverride]
        try:
            return super().send(request, **options)
        except requests.ReadTimeout as error:
            if isinstance(too_slow := named_timeout(error), AnswerTooSlow):
                raise too_slow from error
            raise


class _TimedFile(io.RawIOBase):
    """Reads from a socket as long as there is time; what has come buys more of it."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._file = sock.makefile("rb", buffering=0)  # it keeps the socket open until it is closed itself
        self._silence = sock.gettimeout() or MOST_SECONDS
        self._began_at, self._bytes = time.monotonic(), 0

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._file.fileno()

    def readinto(self, buffer: Any) -> int | None:
        left = self._most_seconds() - (time.monotonic() - self._began_at)
        if left <= 0:
            raise self._dripping()
        self._sock.settimeout(min(self._silence, left))
        try:
            got = self._file.readinto(buffer)
        except TimeoutError as error:
            if left < self._silence:
                raise self._dripping() from error
            raise
        self._bytes += got or 0
        return got

    def _most_seconds(self) -> float:
        return min(PATIENCE * self._silence + self._bytes / LEAST_BYTES_A_SECOND, MOST_SECONDS)

    def _dripping(self) -> Dripping:
        return Dripping(f"{counted(self._bytes, 'byte')} in {self._most_seconds():.0f} s")

    def close(self) -> None:
        if not self.closed:
            self._file.close()
            with contextlib.suppress(OSError):  # the next request over this connection begins with all its time
                self._sock.settimeout(self._silence)
        super().close()


class _TimedSocket:
    """All that http.client wants of a socket to read an answer from it."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedFile(self._sock), BUFFER_BYTES)


class _TimedResponse(http.client.HTTPResponse):
    def __init__(self, sock: Any, *args: Any, **options: Any) -> None:
        super().__init__(_TimedSocket(sock), *args, **options)  # pyright: ignore[reportArgumentType] - see there


class _HTTPConnection(HTTPConnection):
    response_class = _TimedResponse


class _HTTPSConnection(HTTPSConnection):
    response_class = _TimedResponse


class _HTTPPool(HTTPConnectionPool):
    ConnectionCls = _HTTPConnection  # pyright: ignore[reportAssignmentType] - urllib3's protocol fits not even its own


class _HTTPSPool(HTTPSConnectionPool):
    ConnectionCls = _HTTPSConnection  # pyright: ignore[reportAssignmentType] - as above
