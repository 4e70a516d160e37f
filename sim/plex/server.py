"""SimPlex: the simulated Plex Media Server, ready to be talked to."""

import time
from typing import Literal, Self

from sim.plex.backstage import Backstage
from sim.plex.listener import Listener
from sim.plex.manners import Clock, Manners
from sim.plex.seed import Shape, sow
from sim.plex.world import Identity, World

TOKEN = "sim-plex-owner-token"  # noqa: S105  the token of a server that does not exist
GUEST_TOKEN = "sim-plex-guest-token"  # noqa: S105  as above
MACHINE_IDENTIFIER = "51a9" * 10
VERSION = "1.43.1.10611-1e34174b1"


class SimPlex(Backstage):
    """`with SimPlex(1000) as plex:` answers at `plex.url` until the block ends."""

    def __init__(
        self,
        items: int = 100,
        *,
        port: int = 0,
        tag_mode: Literal["add", "replace"] = "add",
        manners: Manners | None = None,
        clock: Clock = time.time,
        shape: Shape | None = None,
    ) -> None:
        manners = manners or Manners()
        manners.tag_mode = tag_mode
        identity = Identity(MACHINE_IDENTIFIER, "Simulated Plex", VERSION, TOKEN, GUEST_TOKEN)
        super().__init__(World(identity, manners, clock))
        sow(self.world.library, items, shape or Shape())
        self.crashes: list[Exception] = []
        self._port = port
        self._listener: Listener | None = None

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
    def machine_identifier(self) -> str:
        return self.world.identity.machine_identifier

    def start(self) -> None:
        """Listen, after a `stop` on the same port as before."""
        if self._listener is None:
            self._listener = Listener(self._port, self.world, self.faults, self.journal, self.crashes)
            self._port = self._listener.port

    def stop(self) -> None:
        """Cut all connections and refuse new ones. What the server knows stays."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    def restart(self) -> None:
        self.stop()
        self.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self.crashes:
            raise ExceptionGroup("the simulated Plex itself is broken", self.crashes)
