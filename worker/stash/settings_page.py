"""Stash's settings page, kept true: it shows what is in force, and what a person chose there stays.

A page that was open before sends its old copy back whole, and so takes away what others wrote since.
"""

import logging
from typing import Any

from runtime.folder import DataFolder
from runtime.state_file import write_state
from stash.client import PluginState, StashClient
from stash.exceptions import StashError
from sync.settings import read_offers
from validation.config import (
    KEYS,
    Offers,
    Settings,
    is_offer,
    is_same_value,
    page_values,
)

log = logging.getLogger(__name__)


class SettingsPage:
    """What the page shows, look by look. For one thread."""

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        self._stash = ""
        self._chosen: dict[str, Any] = {}
        self._problem: str | None = None

    def tell_what_vanished(self, state: PluginState) -> None:
        """Say what a person had chosen and what is gone; it is not put back, for the page or a script may mean it."""
        if state.stash != self._stash:  # opened with another configuration, it has nothing to do with ours
            self._stash, self._chosen = state.stash, {}
        present = {key: value for key, value in state.settings.items() if value is not None}
        vanished = self._chosen.keys() - present.keys()
        if vanished:
            log.warning(
                "%s: no longer set in Stash, so the default holds again. "
                "A settings page that was open before takes back what was set since: set it again if you miss it.",
                ", ".join(sorted(vanished)),
            )
        offers = read_offers(self._folder)
        self._chosen = {
            key: value for key, value in present.items() if key in KEYS and not is_offer(offers, key, value)
        }

    def keep_true(self, state: PluginState, settings: Settings, client: StashClient) -> None:
        """Write to the page, which showed `state`, the values in force that it lacks."""
        offers = read_offers(self._folder)
        offered = {
            key: value for key, value in page_values(settings).items() if not _is_shown(state.settings.get(key), value)
        }
        if not offered:
            return
        try:
            # Both values count as ours until the new one is there: else, after a crash, the old one were a person's.
            self._keep({**offers, **{key: [*offers.get(key, ()), value] for key, value in offered.items()}})
            client.add_settings(offered, lambda key, value: is_offer(offers, key, value))
            self._keep({**offers, **{key: [value] for key, value in offered.items()}})
            self._problem = None
        except (StashError, OSError) as problem:
            if self._problem != str(problem):
                log.warning("Stash's settings page could not be brought up to date: %s", problem)
            self._problem = str(problem)

    def _keep(self, offers: Offers) -> None:
        write_state(self._folder.offered_settings, dict(offers))


def _is_shown(value: Any, wanted: Any) -> bool:
    """Tell whether the page shows it; a text that is not set is empty there, and so is one that is empty."""
    return is_same_value("" if value is None else value, wanted)
