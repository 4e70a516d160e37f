"""Covers: which pictures the settings ask for, and what names the version of a scene's cover."""

from collections.abc import Collection, Sequence
from urllib.parse import parse_qs, urlsplit

from model.picture import PictureKind
from validation.config import Stash2PlexConfig

SETTLES_AFTER_SECONDS = 10.0  # a slow disk may take some to store a cover under the second in which it was sent


ON_EVERY_SERVER = frozenset({PictureKind.POSTER, PictureKind.BACKGROUND})


def wanted_kinds(config: Stash2PlexConfig, of_server: Collection[PictureKind] = ON_EVERY_SERVER) -> list[PictureKind]:
    """Name the pictures that the settings ask for and a server has for every item."""
    switches = (
        (PictureKind.POSTER, config.sync_poster),
        (PictureKind.BACKGROUND, config.sync_background),
        (PictureKind.BANNER, config.sync_banner),
    )
    return [kind for kind, on in switches if on and config.sync_master and kind in of_server]


def with_companions(kinds: Sequence[PictureKind], of_server: Collection[PictureKind]) -> list[PictureKind]:
    """Add what goes with a picture where an item has it: a film's wide card with its poster."""
    has_wide = PictureKind.POSTER in kinds and PictureKind.LANDSCAPE in of_server
    return [*kinds, *([PictureKind.LANDSCAPE] if has_wide else [])]


def screenshot_stamp(screenshot: str) -> str:
    """Return what names the version of a cover: its time, without the address it was asked for at."""
    path, _, version = screenshot.partition("://")[2].partition("?")
    return version or path.partition("/")[2]


def is_final(screenshot: str, now: float) -> bool:
    """Tell whether these bytes, fetched after `now`, are all that this version of the cover will ever be.

    Stash names a version by the second of the scene's last change, and a second change may come within it.
    """
    times = parse_qs(urlsplit(screenshot).query).get("t", [""])
    return not times[0].isdigit() or now - int(times[0]) >= SETTLES_AFTER_SECONDS
