"""The listener: the socket, a thread for each connection, and a way to take all of it down at once."""

import contextlib
import socket
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Generic, Protocol, TypeVar

from sim.plex.faults import Fault, Faults
from sim.plex.web.exchange import Answer

_BLINK = 0.01


class Stage(Protocol):
    """What a listener needs of the server that it listens for."""

    faults: Faults
    crashes: list[Exception]


S = TypeVar("S", bound=Stage)


class Listener(ThreadingHTTPServer, Generic[S]):
    """From its making to its `close` it answers; afterwards connections to its port are refused."""

    request_queue_size = 256
    daemon_threads = True

    def __init__(
        self, port: int, stage: S, control: Callable[[Any], Answer], handler: type[BaseHTTPRequestHandler]
    ) -> None:
        self.stage = stage
        self.control = control
        self._halted = threading.Event()
        self._connections: dict[socket.socket, threading.Thread] = {}
        self._guard = threading.Lock()
        super().__init__(("127.0.0.1", port), handler)
        self._loop = threading.Thread(target=self.serve_forever, args=(_BLINK,), name="sim-listener", daemon=True)
        self._loop.start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def rest(self, seconds: float) -> bool:
        """Wait so long; say whether the server goes."""
        return self._halted.wait(seconds) if seconds > 0 else False

    def hang(self, fault: Fault) -> None:
        """Until the fault's time is over, somebody clears it, or the server goes."""
        ends_at = time.monotonic() + fault.seconds
        while time.monotonic() < ends_at and self.stage.faults.is_standing(fault) and not self._halted.wait(_BLINK):
            pass

    def close(self) -> None:
        """Stop listening, cut every connection, wait for the threads."""
        self._halted.set()
        self.shutdown()
        self.server_close()
        self._loop.join()
        for thread in self.drop_connections():
            if thread is not threading.current_thread():
                thread.join(2)

    def drop_connections(self) -> list[threading.Thread]:
        """Hang up on everybody; new connections are welcome. Gives the threads that are about to end."""
        with self._guard:
            dropped = dict(self._connections)
        for connection in dropped:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        return list(dropped.values())

    def process_request(self, request: Any, client_address: Any) -> None:
        """Know a connection from the moment it is accepted: none may outlive a `close` unseen."""
        work = (request, client_address)
        thread = threading.Thread(target=self.process_request_thread, args=work, name="sim-plex-request", daemon=True)
        with self._guard:
            self._connections[request] = thread
        thread.start()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._guard:
                self._connections.pop(request, None)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002  the standard library's
        """Ignore clients that hang up, that is their business; anything else is a mistake of ours."""
        error = sys.exception()
        if isinstance(error, Exception) and not isinstance(error, OSError):
            self.stage.crashes.append(error)
