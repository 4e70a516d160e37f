"""The listener: the socket, a thread for each connection, and a way to take all of it down at once."""

import contextlib
import socket
import sys
import threading
import time
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from typing import Any

from sim.plex.backstage import Backstage
from sim.plex.exchange import Answer, Request
from sim.plex.faults import Fault
from sim.plex.handler import PlexHandler

_BLINK = 0.01


class Listener(ThreadingHTTPServer):
    """From its making to its `close` it answers; afterwards connections to its port are refused."""

    request_queue_size = 256
    daemon_threads = True

    def __init__(self, port: int, stage: Backstage, control: Callable[[Request], Answer]) -> None:
        self.stage = stage
        self.control = control
        self._halted = threading.Event()
        self._connections: dict[socket.socket, threading.Thread] = {}
        self._guard = threading.Lock()
        super().__init__(("127.0.0.1", port), PlexHandler)
        self._loop = threading.Thread(target=self.serve_forever, args=(_BLINK,), name="sim-plex", daemon=True)
        self._loop.start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def rest(self, seconds: float) -> None:
        if seconds > 0:
            self._halted.wait(seconds)

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

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        with self._guard:
            self._connections[request] = threading.current_thread()
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
