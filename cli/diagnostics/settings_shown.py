"""The settings as far as they may be shown to others, and what of them may not."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from model.sentences import counted
from runtime.folder import DataFolder
from runtime.state_file import read_text
from stash.client import PluginState, StashClient
from stash.exceptions import StashError
from sync.settings import settings_in_force
from sync_queue.session import Session
from validation.config import ENVIRONMENT_PREFIX, KEYS, SECRETS, Stash2PlexConfig, read_settings_file


@dataclass(frozen=True)
class ShownSettings:
    """Switches and numbers as they are; of a text, that there is one."""

    values: Mapping[str, Any]
    problems: tuple[str, ...]
    secrets: tuple[str, ...]
    hosts: frozenset[str]


def read_shown_settings(folder: DataFolder, session: Session | None) -> ShownSettings:
    """Read them from Stash, the file and the environment; a Stash that does not answer is a problem among others."""
    state, problems = _ask(session)
    text = read_text(folder.settings_file)
    settings = settings_in_force(state.settings, folder)
    places = (state.settings, read_settings_file(text)[0], _environment())
    return ShownSettings(
        {key: {"value": _shown(settings.config, key), "from": settings.sources[key]} for key in KEYS},
        (*problems, *settings.problems, *settings.warnings),
        (state.api_key, *(str(place.get(key) or "") for key in SECRETS for place in places)),
        frozenset(_host(place.get("plex_url")) for place in places),
    )


def _ask(session: Session | None) -> tuple[PluginState, tuple[str, ...]]:
    nothing = PluginState({}, enabled=True, api_key="")
    if session is None:
        return nothing, ("The plugin does not know yet where Stash is.",)
    client = StashClient(session)
    try:
        return client.plugin_state(), ()
    except StashError as problem:
        return nothing, (str(problem),)
    finally:
        client.close()


def _environment() -> dict[str, str]:
    return {key: os.environ.get(ENVIRONMENT_PREFIX + key.upper(), "") for key in KEYS}


def _shown(config: Stash2PlexConfig | None, key: str) -> object:
    value: object = getattr(config, key, None)
    if isinstance(value, bool | int | float) or value is None:
        return value
    if isinstance(value, str) and value:
        scheme = value.partition("://")[0] if "://" in value else "text"
        return f"{scheme} of {counted(len(value), 'character')}"
    return "none" if not value else "hidden"


def _host(address: object) -> str:
    try:
        return (urlsplit(address).hostname or "") if isinstance(address, str) else ""
    except ValueError:
        return ""
