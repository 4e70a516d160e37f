"""The settings in force: from Stash, from the file, from the environment, and what a worker offered by itself."""

from collections.abc import Mapping
from typing import Any

from runtime.folder import DataFolder
from runtime.quiet_state import save_quietly
from runtime.state_file import read_state, read_text
from sync.known_targets import state_of, targets_in
from validation.config import Offers, Settings, Stash2PlexConfig, default_offers, read_settings
from validation.json_shapes import as_list


def read_offers(folder: DataFolder) -> Offers:
    """Return what a worker has written to the page by itself."""
    kept = read_state(folder.offered_settings)
    return {key: as_list(values) or [] for key, values in kept.items()} or default_offers()


def settings_in_force(in_stash: Mapping[str, Any], folder: DataFolder) -> Settings:
    """Read the settings from all places there are."""
    return read_settings(in_stash, read_text(folder.settings_file), read_offers(folder))


def keep_targets(folder: DataFolder, config: Stash2PlexConfig | None) -> None:
    """Leave word of which targets are on, for a status, which asks no server."""
    state = state_of(targets_in(config))
    if read_state(folder.targets_state) != state:
        save_quietly(folder.targets_state, state)
