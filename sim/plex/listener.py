"""The listener: the socket, a thread for each connection, and a way to take all of it down at once."""

import contextlib
import socket
import threading
import time
from http.server import ThreadingHTTPServer
from typing import Any

from sim.plex.faults import Fault, Faults
from sim.plex.handler import PlexHandler
from sim.plex.journal import Journal
from sim.plex.world import World

_BLINK = 0.01


class Listener(ThreadingHTTPServer):
    """From its making to its `close` it answers; afterwards connections to its port are refused."""

    request_queue_size = 256
    daemon_threads = True

    def __init__(self, port: int, world: World, faults: Faults, journal: Journal, crashes: list[Exception]) -> None:
        self.world = world
        self.faults = faults
        self.journal = journal
        self.crashes = crashes
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
        while time.monotonic() < ends_at and self.faults.is_standing(fault) and not self._halted.wait(_BLINK):
            pass

    def close(self) -> None:
        """Stop listening, cut every connection, wait for the threads."""
        self._halted.set()
        self.shutdown()
        self.server_close()
        self._loop.join()
        with self._guard:
            open_connections = dict(self._connections)
        for connection in open_connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in open_connections.values():
            thread.join(2)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        with self._guard:
            self._connections[request] = threading.current_thread()
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._guard:
                self._connections.pop(request, None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore it: a client that hangs up is its own business."""
