"""What a preview, an undo or an explanation on one target is given: settings, ledger, and the way to both servers."""

from collections.abc import Callable
from dataclasses import dataclass

from ledger.store import Ledger
from runtime.clock import SystemClock
from stash.client import StashClient
from sync.connection import TargetConnection
from sync.report import Reporter
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
    def stash(self) -> StashClient:
        """The connection to Stash. Raises StashError."""
        return self.stash_connection.client()

    def now(self) -> float:
        return SystemClock().now()
