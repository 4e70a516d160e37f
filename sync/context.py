"""What an action on one target is given: settings, ledger, the way to both servers; and the port that opens it."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from ledger.store import Ledger
from model.server import Library, ServerIdentity
from runtime.clock import SystemClock
from runtime.folder import DataFolder
from sync.connection import TargetConnection
from sync.ports import Reporter, Source
from sync.stash_connection import StashConnection
from validation.config import Stash2PlexConfig


@dataclass(frozen=True)
class TargetContext:
    """One target that is open for one action. A worker may be at work on the same files meanwhile.

    `item_url` gives the address of an item's page in the server's own web client, if that can be known without asking.
    """

    target: str
    name: str
    reporter: Reporter
    config: Stash2PlexConfig
    ledger: Ledger
    connection: TargetConnection
    item_url: Callable[[str], str | None]
    stash_connection: StashConnection

    @property
    def stash(self) -> Source:
        """The connection to Stash. Raises StashError."""
        return self.stash_connection.client()

    def now(self) -> float:
        return SystemClock().now()


class AskedServer(Protocol):
    """A server that is only asked how it is. All of it may raise TargetError."""

    def identify(self) -> ServerIdentity:
        """Ask who it is; proves address and key."""
        ...

    def may_edit(self) -> bool:
        """Ask whether the key or token may change items."""
        ...

    def libraries(self) -> list[Library]:
        """List all libraries, also those without videos."""
        ...

    def advice(self, library_keys: Collection[str], *, with_collections: bool) -> list[str]:
        """Say what in the options of server and libraries will undo or spill our work, and what to do about it."""
        ...


class TargetOpener(Protocol):
    """Opens targets by their names: `plex`, `emby`, `jellyfin`. The real one is the module `worker.wiring`."""

    def open_target(
        self, folder: DataFolder, config: Stash2PlexConfig, name: str, stash: StashConnection, reporter: Reporter
    ) -> AbstractContextManager[TargetContext]:
        """Open ledger and connection of a target, for one thread, until the block ends. Nothing is asked yet."""
        ...

    def open_server(
        self, folder: DataFolder, config: Stash2PlexConfig, name: str
    ) -> AbstractContextManager[AskedServer]:
        """Open the connection alone, also where the ledger cannot be used."""
        ...
