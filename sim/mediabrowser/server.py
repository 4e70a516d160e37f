"""SimMediaBrowser: the simulated Emby or Jellyfin, ready to be talked to."""

import threading
import time
from typing import Self

from sim.mediabrowser.controls.controls import Controls
from sim.mediabrowser.controls.endpoints import ControlEndpoints
from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.quirks import Clock, Quirks
from sim.mediabrowser.seed import Shape, sow
from sim.mediabrowser.web.handler import MediaBrowserHandler
from sim.mediabrowser.world.identity import Identity
from sim.mediabrowser.world.records import User
from sim.mediabrowser.world.world import World
from sim.plex.web.listener import Listener

API_KEY = "0123456789abcdef0123456789abcdef"
_SERVER_ID = "5e12ce1d" * 4
_USERS = (("a0" * 16, "admin", True), ("b1" * 16, "viewer", False))


class LibraryRuined(AssertionError):
    """Somebody did what nobody must ever do: see `DisasterKind`."""


class SimMediaBrowser(Controls):
    """`with SimMediaBrowser("jellyfin-12", 1000) as server:` answers at `server.url` until the block ends."""

    def __init__(
        self,
        flavour: str = "jellyfin-10.11",
        items: int = 100,
        *,
        version: str | None = None,
        port: int = 0,
        quirks: Quirks | None = None,
        clock: Clock = time.time,
        shape: Shape | None = None,
        scenes_type: str = "homevideos",
    ) -> None:
        kind = FLAVOURS[flavour] if version is None else FLAVOURS[flavour].with_version(version)
        users = [User(user_id, name, f"sim-{name}-token", is_admin) for user_id, name, is_admin in _USERS]
        identity = Identity(kind, _SERVER_ID, f"Simulated {kind.product}", {API_KEY}, users)
        super().__init__(World(identity, quirks or Quirks(), clock))
        sow(self.world, items, shape or Shape(), scenes_type)
        self._port = port
        self._listener: Listener[SimMediaBrowser] | None = None
        self._switching = threading.Lock()
        self._ended = threading.Event()

    @property
    def url(self) -> str:
        """Where it answers, its base address included."""
        return f"http://127.0.0.1:{self._port}{self.quirks.base_url}"

    @property
    def api_key(self) -> str:
        return API_KEY

    @property
    def server_id(self) -> str:
        return self.world.identity.server_id

    def start(self) -> None:
        """Listen, after a `stop` on the same port as before."""
        with self._switching:
            if self._listener is None:
                self._listener = Listener(self._port, self, ControlEndpoints(self).answer, MediaBrowserHandler)
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

        threading.Thread(target=absence, name="sim-mediabrowser-absence", daemon=True).start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End, and scream if there was a disaster. A test that means it clears `disasters`."""
        self._ended.set()
        self.stop()
        if kind is None and self.crashes:
            raise ExceptionGroup("the simulated server itself is broken", self.crashes)
        if kind is None and self.disasters:
            raise LibraryRuined(*map(str, self.disasters))
