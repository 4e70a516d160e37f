"""Clients of simulated servers, with every request and every answer held to the vendors' documents."""

from contextlib import ExitStack

import pytest

from mediabrowser.client import MediaBrowserClient
from mediabrowser.connection import Timeouts
from mediabrowser.dialect import Product
from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.server import SimMediaBrowser
from tests.support.openapi import held_to_documents


def client_of(server, **changes):
    product = Product.EMBY if server.flavour.is_emby else Product.JELLYFIN
    options = {
        "device_id": "test",
        "version": "1.0",
        "timeouts": Timeouts(20.0, 20.0),
        "wait": lambda _: None,
    } | changes
    return MediaBrowserClient(options.pop("url", server.url), options.pop("key", server.api_key), product, **options)


@pytest.fixture(params=FLAVOURS)
def flavour(request):
    return request.param


@pytest.fixture
def start():
    """Start a server of a flavour and a client of it; both end with the test."""
    with ExitStack() as stack:

        def started(flavour, items=5, *, held=True, client=None, **more):
            server = stack.enter_context(SimMediaBrowser(flavour, items, **more))
            if held:
                stack.enter_context(held_to_documents(server))
            made = client_of(server, **(client or {}))
            stack.callback(made.close)
            return server, made

        yield started
