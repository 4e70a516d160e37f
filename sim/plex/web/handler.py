"""One connection: requests in, answers (or accidents) out."""

import contextlib
import gzip
import os
import socket
import struct
import time
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

from sim.plex.faults import Fault, Wire
from sim.plex.journal import Entry
from sim.plex.web import routes
from sim.plex.web.exchange import Answer, Request, page

if TYPE_CHECKING:  # the server makes its listener with this handler
    from sim.plex.controls.controls import Controls
    from sim.plex.web.listener import Listener

_LINGER_NOT = struct.pack("ii", 1, 0)
DRIP_SECONDS = 0.1
_SILENT = frozenset({Wire.RESET, Wire.HANG})


class PlexHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: "Listener[Controls]"  # pyright: ignore[reportIncompatibleVariableOverride]  nothing else makes handlers

    def setup(self) -> None:
        super().setup()
        self.connection.settimeout(self.server.stage.world.quirks.keep_alive_seconds)

    def do_GET(self) -> None:
        self._serve()

    def do_HEAD(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def _serve(self) -> None:
        request = self._read()
        if request.path.startswith("/sim/"):
            self._send(request, self.server.control(request), Wire.WHOLE)
            return
        found = routes.find(request.method, request.path)
        kind = found[0].kind if found else "unknown"
        if len(self.requestline) > self.server.stage.world.quirks.max_request_line:
            self.close_connection = True
            self._finish(request, "too long", page(414))
            return
        delay, fault = self.server.stage.faults.take(request.method, request.path, kind)
        self.server.rest(delay + self.server.stage.world.quirks.latency_seconds)
        answer = self._answer(request, fault)
        self.server.rest(answer.work_seconds)
        self._finish(request, kind, answer, fault)

    def _read(self) -> Request:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        return Request(self.command, self.path, headers, body)

    def _answer(self, request: Request, fault: Fault | None) -> Answer:
        if fault is not None and fault.answer is not None:
            return fault.answer
        if fault is not None and not fault.does_work:
            return Answer()
        try:
            return routes.answer(self.server.stage.world, request)
        except Exception as error:  # noqa: BLE001  the one catch-all: a mistake of ours must fail the test, not hang it
            self.server.stage.crashes.append(error)
            return page(500)

    def _finish(self, request: Request, kind: str, answer: Answer, fault: Fault | None = None) -> None:
        wire = fault.wire if fault else Wire.WHOLE
        self._record(request, kind, 0 if wire in _SILENT else answer.status)
        if wire is Wire.RESET:
            self._reset()
        elif wire is Wire.HANG and fault is not None:
            self.server.hang(fault)
            self.close_connection = True
        else:
            self._send(request, answer, wire)

    def _record(self, request: Request, kind: str, status: int) -> None:
        self.server.stage.journal.record(
            Entry(
                request.method,
                request.path,
                request.query,
                kind,
                status,
                time.time(),
                request.headers.get("x-plex-client-identifier", ""),
                "X-Plex-Token=" in request.target,
                request.number("X-Plex-Container-Size"),
            )
        )

    def _drip(self, data: bytes) -> None:
        """Send a byte now and then, until nobody takes them any more."""
        self.close_connection = True
        with contextlib.suppress(OSError):
            for place in range(len(data)):
                self.wfile.write(data[place : place + 1])
                self.wfile.flush()
                if self.server.rest(DRIP_SECONDS):
                    return

    def _send(self, request: Request, answer: Answer, wire: Wire) -> None:
        body, content_type = answer.rendered(as_json=request.wants_json)
        if wire is Wire.CUT:
            body = body[: len(body) // 2]
        self.send_response_only(answer.status)
        self.send_header("X-Plex-Protocol", "1.0")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Content-Type", content_type)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        body = self._compressed(request, body)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        else:
            self.send_header("Connection", "Keep-Alive")
            self.send_header("Keep-Alive", f"timeout={self.server.stage.world.quirks.keep_alive_seconds:.0f}")
        self.send_header("Date", self.date_time_string())
        if wire is Wire.DRIP_HEADERS:
            headers, self._headers_buffer = b"".join(self._headers_buffer), list[bytes]()
            self._drip(headers + b"\r\n" + body)
            return
        self.end_headers()
        if wire is Wire.DRIP:
            self._drip(body)
            return
        is_broken = wire in (Wire.SHORT, Wire.RESET_MIDWAY)
        if request.method != "HEAD":
            self.wfile.write(body[: len(body) // 2] if is_broken else body)
        self.wfile.flush()
        if wire is Wire.RESET_MIDWAY:
            self._reset()
        self.close_connection = self.close_connection or is_broken

    def _compressed(self, request: Request, body: bytes) -> bytes:
        if not body or not self.server.stage.world.quirks.compresses:
            return body
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return body
        packed = gzip.compress(body, 1, mtime=0)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("X-Plex-Content-Original-Length", str(len(body)))
        self.send_header("X-Plex-Content-Compressed-Length", str(len(packed)))
        return packed

    def _reset(self) -> None:
        """Close so that the other side gets an RST: a plain close would look like an orderly end."""
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
            os.close(self.connection.detach())

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what the standard library refuses by itself: unreadable requests and lines beyond 64 kB."""
        del message, explain
        self.close_connection = True
        request = Request(getattr(self, "command", None) or "?", getattr(self, "path", "?"), {})
        self.request_version = self.request_version or "HTTP/1.1"
        self._finish(request, "refused", page(code))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is the standard library's
        """Stay silent: the journal is the log."""
