"""The adapters: the one module that names them. Each is imported only once its server is wanted.

The worker, the actions and intake open their servers here; intake, which may have no other packages than its own
servers need, comes without the worker's wiring.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from model.picture import PictureKind
from model.targets import PLEX, TITLES
from runtime.version import VERSION
from sync.target import Target

DEFAULT_TIMEOUTS = (5.0, 30.0)


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server is, and how it is spoken to. `pictures` is the folder that keeps those that ours replace."""

    name: str
    url: str
    key: str
    pictures: str
    collections: bool = False
    timeouts: tuple[float, float] = DEFAULT_TIMEOUTS  # to connect, to read
    expected_server: str | None = None
    monotonic: Callable[[], float] = time.monotonic


def open_adapter(root: str, server: Server) -> Target:
    """Make the client of a server, known to it as the installation in this folder. Nothing is asked yet."""
    return _plex(root, server) if server.name == PLEX else _media_browser(root, server)


def shown_pictures(name: str) -> frozenset[PictureKind]:
    """Name the pictures that a server shows of an item."""
    if name == PLEX:
        from plex.capabilities import PLEX as CAPABILITIES  # noqa: PLC0415 - only who wants it loads it

        return CAPABILITIES.pictures
    from mediabrowser.dialect import Product  # noqa: PLC0415 - as above
    from mediabrowser.port.capabilities import capabilities_of  # noqa: PLC0415 - as above

    return capabilities_of(Product(TITLES[name])).pictures


def _plex(root: str, server: Server) -> Target:
    from plex.client import PlexClient  # noqa: PLC0415 - as above
    from plex.device_identity import load_identity  # noqa: PLC0415 - as above

    connect, read = server.timeouts
    return PlexClient(
        server.url,
        server.key,
        load_identity(root, VERSION),
        connect_timeout=connect,
        read_timeout=read,
        expected_server=server.expected_server,
    )


def _media_browser(root: str, server: Server) -> Target:
    from mediabrowser.client import MediaBrowserClient  # noqa: PLC0415 - as above
    from mediabrowser.connection import Timeouts  # noqa: PLC0415 - as above
    from mediabrowser.dialect import Product  # noqa: PLC0415 - as above
    from mediabrowser.target import MediaBrowserTarget  # noqa: PLC0415 - as above
    from plex.device_identity import load_identity  # noqa: PLC0415 - as above

    product = Product(TITLES[server.name])
    client = MediaBrowserClient(
        server.url,
        server.key,
        product,
        device_id=load_identity(root, VERSION).identifier,
        version=VERSION,
        timeouts=Timeouts(*server.timeouts),
        expected_server=server.expected_server,
    )
    return MediaBrowserTarget(client, product, server.pictures, server.monotonic, collections=server.collections)
