"""The probe: whether Plex is there, is ours, takes our token and has our libraries, in as few requests as can be."""

from ledger.kept_names import FORGOTTEN_AT, TRY_AT
from ledger.store import Ledger
from plex.device_identity import DeviceIdentity
from plex.library import choose_libraries
from validation.config import Stash2PlexConfig
from worker.plex_line import connection_settings, open_client


class PlexProbe:
    """Asks over a connection of its own, so that nothing is left of the one that broke."""

    def __init__(self, ledger: Ledger, identity: DeviceIdentity) -> None:
        self._ledger = ledger
        self._identity = identity

    def ask(self, config: Stash2PlexConfig) -> None:
        """Raise PlexError unless jobs can work. While nobody answers it is one request."""
        client = open_client(config, self._identity, self._ledger)
        try:
            client.probe()
            # That needs no token, and a server with a broken database answers it too. This one tells.
            choose_libraries(config.plex_library, client.libraries())
        finally:
            client.close()

    def circumstances(self, config: Stash2PlexConfig) -> object:
        asked = (self._ledger.value(FORGOTTEN_AT), self._ledger.value(TRY_AT))
        return *connection_settings(config), config.plex_library, *asked
