"""SimPlex: the simulated Plex Media Server, ready to be talked to."""

import threading
import time
from typing import Literal, Self

from sim.plex.controls.controls import Controls
from sim.plex.controls.endpoints import Control
from sim.plex.quirks import Clock, Quirks
from sim.plex.seed import Shape, sow
from sim.plex.web.handler import PlexHandler
from sim.plex.web.listener import Listener
from sim.plex.world import Identity, World

TOKEN = "sim-plex-owner-token"  # noqa: S105  the token of a server that does not exist
GUEST_TOKEN = "sim-plex-guest-token"  # noqa: S105  as above
MACHINE_IDENTIFIER = "51a9" * 10
VERSION = "1.43.1.10611-1e34174b1"


class LibraryRuined(AssertionError):
    """Somebody made a request nobody must ever make: an edit without `id`, a forced refresh."""


class SimPlex(Controls):
    """`with SimPlex(1000) as plex:` answers at `plex.url` until the block ends."""

    def __init__(
        self,
        items: int = 100,
        *,
        port: int = 0,
        tag_mode: Literal["add", "replace"] = "add",
        quirks: Quirks | None = None,
        clock: Clock = time.time,
        shape: Shape | None = None,
    ) -> None:
        quirks = quirks or Quirks()
        quirks.tag_mode = tag_mode
        identity = Identity(MACHINE_IDENTIFIER, "Simulated Plex", VERSION, TOKEN, GUEST_TOKEN)
        super().__init__(World(identity, quirks, clock))
        sow(self.world.library, items, shape or Shape())
        self._port = port
        self._listener: Listener[SimPlex] | None = None
        self._switching = threading.Lock()
        self._ended = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def token(self) -> str:
        return self.world.identity.token

    @property
    def guest_token(self) -> str:
        return self.world.identity.guest_token

    @property
    def server_id(self) -> str:
        return self.world.identity.server_id

    def start(self) -> None:
        """Listen, after a `stop` on the same port as before."""
        with self._switching:  # a server that still stops is waited for
            if self._listener is None:
                self._listener = Listener(self._port, self, Control(self).answer, PlexHandler)
                self._port = self._listener.port

    def stop(self) -> None:
        """Cut all connections and refuse new ones. What the server knows stays."""
        with self._switching:
            if self._listener is not None:
                self._listener.close()
                self._listener = None

    def drop_connections(self) -> None:
        """Hang up on everybody, as a server does that has waited long enough; the next call gets through."""
        if self._listener is not None:
            for thread in self._listener.drop_connections():
                thread.join(2)

    def go_away(self, seconds: float) -> None:
        """Be gone for so long, starting in a moment (who asked for it still gets an answer), and come back."""

        def absence() -> None:
            time.sleep(0.05)
            self.stop()
            if not self._ended.wait(seconds):
                self.start()

        threading.Thread(target=absence, name="sim-plex-absence", daemon=True).start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End, and scream if there was a disaster. A test that means it clears `disasters`."""
        self._ended.set()
        self.stop()
        if kind is None and self.crashes:
            raise ExceptionGroup("the simulated Plex itself is broken", self.crashes)
        if kind is None and self.disasters:
            raise LibraryRuined(*self.disasters)
