"""Settings that are complete."""

from validation.config import Stash2PlexConfig

COMPLETE = {"plex_url": "http://127.0.0.1:9", "plex_token": "test-token-1234"}  # where nobody has a Plex


def config(**changes):
    return Stash2PlexConfig(**{**COMPLETE, **changes})
