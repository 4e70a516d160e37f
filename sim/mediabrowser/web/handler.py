"""One connection: requests in, answers (or accidents) out."""

import contextlib
import email.utils
import gzip
import os
import socket
import struct
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

from sim.mediabrowser.faults import Fault, Wire
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.web import routes
from sim.mediabrowser.web.access import has_token_in_url
from sim.mediabrowser.web.call import Call
from sim.mediabrowser.web.exchange import Answer, Request, empty

if TYPE_CHECKING:  # the server makes its listener with this handler
    from sim.mediabrowser.controls.controls import Controls
    from sim.plex.web.listener import Listener

_LINGER_NOT = struct.pack("ii", 1, 0)
_SILENT = frozenset({Wire.RESET, Wire.HANG})
_WORTH_PACKING = 1000


class MediaBrowserHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: "Listener[Controls]"  # pyright: ignore[reportIncompatibleVariableOverride]  nothing else makes handlers

    def setup(self) -> None:
        super().setup()
        self.connection.settimeout(self._quirks.keep_alive_seconds)

    def do_GET(self) -> None:
        self._serve()

    def do_HEAD(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    @property
    def _quirks(self) -> Quirks:
        return self.server.stage.world.quirks

    def _serve(self) -> None:
        request = self._read()
        if request.whole_path.startswith("/sim/"):
            self._send(request, self.server.control(request), Wire.WHOLE)
            return
        kind = routes.kind_of(self.server.stage.world, request)
        if len(self.requestline) > self._quirks.max_request_line:
            self.close_connection = True
            self._finish(request, "too long", empty(414))
            return
        delay, fault = self.server.stage.faults.take(request.method, request.whole_path, kind)
        self.server.rest(delay + self._quirks.latency_seconds)
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
            return empty(500)

    def _finish(self, request: Request, kind: str, answer: Answer, fault: Fault | None = None) -> None:
        wire = fault.wire if fault else Wire.WHOLE
        if fault is None:
            self.server.stage.observe(request, answer)
        self._record(request, kind, 0 if wire in _SILENT else answer.status)
        if wire is Wire.RESET:
            self._reset()
        elif wire is Wire.HANG and fault is not None:
            self.server.hang(fault)
            self.close_connection = True
        else:
            self._send(request, answer, wire)

    def _record(self, request: Request, kind: str, status: int) -> None:
        is_json = "json" in request.headers.get("content-type", "")
        self.server.stage.journal.record(
            Call(
                request.method,
                request.whole_path,
                request.target.partition("?")[2],
                kind,
                status,
                self.server.stage.world.clock(),
                token_in_url=has_token_in_url(request),
                headers=dict(request.headers),
                body=request.body if is_json else b"",
            )
        )

    def _send(self, request: Request, answer: Answer, wire: Wire) -> None:
        body, content_type = answer.rendered(as_json=True)
        if wire is Wire.CUT:
            body = body[: len(body) // 2]
        self.send_response_only(answer.status)
        self.send_header("Server", "Kestrel")
        self.send_header("Date", email.utils.formatdate(self.server.stage.world.clock(), usegmt=True))
        if content_type:
            self.send_header("Content-Type", content_type)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        body = self._packed(request, body)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        is_broken = wire in (Wire.SHORT, Wire.RESET_MIDWAY)
        if request.method != "HEAD":
            self.wfile.write(body[: len(body) // 2] if is_broken else body)
        self.wfile.flush()
        if wire is Wire.RESET_MIDWAY:
            self._reset()
        self.close_connection = self.close_connection or is_broken

    def _packed(self, request: Request, body: bytes) -> bytes:
        accepts = "gzip" in request.headers.get("accept-encoding", "")
        if len(body) < _WORTH_PACKING or not accepts or not self._quirks.compresses:
            return body
        self.send_header("Content-Encoding", "gzip")
        return gzip.compress(body, 1, mtime=0)

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
        self._finish(request, "refused", empty(code))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is the standard library's
        """Stay silent: the journal is the log."""
