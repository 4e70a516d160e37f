"""The socket: an HTTP server that can go away and come back on the same port."""

import contextlib
import select
import socket
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from sim.stash.errors import OperationCancelled
from sim.stash.web.site import Request, Response, Site

CLOSE_SECONDS = 5.0


def has_hung_up(connection: socket.socket) -> bool:
    """Whether the client closed its end. POLLRDHUP sees that even behind unread bytes, and under TLS."""
    if connection.fileno() == -1:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), getattr(select, "POLLRDHUP", 0) | select.POLLHUP)
    return bool(poll.poll(0))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "SimStash"
    wbufsize = 65_536
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = Request(
            self.command, self.path, dict(self.headers.items()), body, lambda: has_hung_up(self.connection)
        )
        try:
            self._send(cast("Listener", self.server).site.answer(request))
        except OperationCancelled:
            self.close_connection = True

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        self.send_header("Content-Type", response.media_type)
        self.send_header("Content-Length", str(len(response.body)))
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(response.body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing; requests are counted instead."""


class Listener(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, site: Site, tls: ssl.SSLContext | None) -> None:
        self.site = site
        self._open: set[Any] = set()
        self._closed_one = threading.Condition()
        super().__init__(("127.0.0.1", port), Handler)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._closed_one:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self._closed_one:
            self._open.discard(request)
            self._closed_one.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the standard library's
        """A client that leaves, or dislikes our certificate, is no news; anything else is a bug of ours."""
        error = sys.exception()
        if isinstance(error, Exception) and not isinstance(error, OSError):
            self.site.crashes.append(error)

    def drop_connections(self) -> None:
        with self._closed_one:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._closed_one.wait_for(lambda: not self._open, CLOSE_SECONDS)


class HttpServer:
    """Listens on loopback. The port is chosen once and kept through every absence."""

    def __init__(self, site: Site, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self._site = site
        self._tls = tls
        self._listener: Listener | None = None
        self._thread: threading.Thread | None = None
        self.port = port

    def start(self) -> None:
        if self._listener is not None:
            return
        listener = Listener(self.port, self._site, self._tls)
        self.port = listener.server_address[1]
        self._listener = listener
        self._thread = threading.Thread(target=listener.serve_forever, args=(0.02,), name="sim-stash-http", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Refuse new connections and cut the open ones."""
        if self._listener is None or self._thread is None:
            return
        self._listener.shutdown()
        self._thread.join()
        self._listener.server_close()
        self._listener.drop_connections()
        self._listener = None
