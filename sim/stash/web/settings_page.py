"""Stash's own settings page in a browser: a writer that does not look what others wrote since it was opened."""

import copy
import re
from typing import Any, Protocol

from sim.stash.settings import JsonMap, Settings

CONFIGURE = "mutation Configure($id:ID!,$input:Map!){configurePlugin(plugin_id:$id,input:$input)}"


class Server(Protocol):
    settings: Settings

    def graphql(self, query: str, variables: JsonMap | None = None) -> Any: ...


class SettingsPage:
    """Copies the settings of all plugins when it is opened; each change of any plugin sends every copy back whole."""

    def __init__(self, stash: Server) -> None:
        self._stash = stash
        self._copies = copy.deepcopy(stash.settings.plugins)

    def change(self, plugin_id: str, key: str, value: Any) -> None:
        """Turn a switch, or type a text."""
        self._copies.setdefault(plugin_id, {})[key] = value
        for one, values in self._copies.items():
            self._stash.graphql(CONFIGURE, {"id": one, "input": values})

    def type_number(self, plugin_id: str, key: str, text: str) -> None:
        """The page reads a NUMBER with JavaScript's parseInt, so 0.25 is 0."""
        digits = re.match(r"\s*-?\d+", text)
        self.change(plugin_id, key, int(digits[0]) if digits else 0)

    def shows(self, plugin_id: str, key: str) -> Any:
        """A switch that is not set shows as off, a number as 0, a text as empty: all of them are falsy here."""
        return self._copies.get(plugin_id, {}).get(key, False)
