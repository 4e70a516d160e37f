"""The probe: whether a target is there, is ours, takes our key and has our libraries, in as few requests as can be."""

from ledger.store import Ledger
from ledger.values import FORGOTTEN_AT, TRY_AT
from matching.libraries import choose_libraries
from sync.connection import Connect, connection_settings, known_server
from validation.config import Stash2PlexConfig


class TargetProbe:
    """Asks over a connection of its own, so that nothing is left of the one that broke."""

    def __init__(self, name: str, ledger: Ledger, connect: Connect) -> None:
        self._name = name
        self._ledger = ledger
        self._connect = connect

    def ask(self, config: Stash2PlexConfig) -> None:
        """Raise TargetError unless jobs can work. While nobody answers it is one request."""
        client = self._connect(config, known_server(self._ledger, config, self._name))
        try:
            client.probe()
            # That needs no token, and a server with a broken database answers it too. This one tells.
            choose_libraries(config.target(self._name).library, client.libraries(), client.name)
        finally:
            client.close()

    def circumstances(self, config: Stash2PlexConfig) -> object:
        asked = (self._ledger.values.get(FORGOTTEN_AT), self._ledger.values.get(TRY_AT))
        return *connection_settings(config, self._name), config.target(self._name).library, *asked
