"""The port by which actions reach a target: what opens one knows the vendors, and nothing above it does."""

from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import Protocol

from model.library import Library
from model.server import ServerIdentity
from runtime.folder import DataFolder
from sync.context import TargetContext
from sync.report import Reporter
from sync.stash_connection import StashConnection
from validation.config import Stash2PlexConfig


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
