"""Covers: which pictures the settings ask for, and what names the version of a scene's cover."""

from plex.pictures import PictureKind
from validation.config import Stash2PlexConfig


def wanted_kinds(config: Stash2PlexConfig) -> list[PictureKind]:
    switches = ((PictureKind.POSTER, config.sync_poster), (PictureKind.BACKGROUND, config.sync_background))
    return [kind for kind, on in switches if on and config.sync_master]


def screenshot_stamp(screenshot: str) -> str:
    """Return what names the version of a cover: its path and time, without the host it was asked from."""
    return screenshot.partition("://")[2].partition("/")[2]
