"""A simulated Plex and a client for it; whatever a test does, nothing disastrous may have been asked of the server."""

import pytest

from ledger.index_store import IndexStore
from plex.client import PlexClient
from plex.device_identity import load_identity
from sim.plex.server import SimPlex
from sync.index import PathIndex


@pytest.fixture(params=["add", "replace"])
def tag_mode(request):
    return request.param


@pytest.fixture
def identity(tmp_path):
    return load_identity(str(tmp_path))


@pytest.fixture
def sim(identity):
    with SimPlex(40) as server:
        yield server
        assert server.disasters == []
        assert not [entry for entry in server.requests if entry.token_in_url]
        assert {entry.client_identifier for entry in server.requests} <= {identity.identifier}


@pytest.fixture
def waits():
    return []


@pytest.fixture
def make_client(sim, identity, waits):
    made = []

    def make(**changes):
        options = {"url": sim.url, "token": sim.token, "identity": identity, "connect_timeout": 2, "read_timeout": 2.0}
        client = PlexClient(**{**options, "wait": waits.append, **changes})
        made.append(client)
        return client

    yield make
    for client in made:
        client.close()


@pytest.fixture
def client(make_client):
    return make_client()


@pytest.fixture
def scenes(client):
    return next(library for library in client.libraries() if library.title == "Scenes")


@pytest.fixture
def store(tmp_path):
    opened = IndexStore(str(tmp_path / "ledger.db"))
    yield opened
    opened.close()


@pytest.fixture
def index(store, client):
    return PathIndex(store, client, "Scenes")
