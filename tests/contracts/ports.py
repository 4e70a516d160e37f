"""Both adapters, held to the port by the type checker."""

from mediabrowser.target import MediaBrowserTarget
from plex.client import PlexClient
from sync.target import Target


def as_targets(plex: PlexClient, mediabrowser: MediaBrowserTarget) -> list[Target]:
    """Give both as what the engine takes."""
    return [plex, mediabrowser]
