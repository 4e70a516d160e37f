"""The engine between a simulated Stash and a simulated Emby or Jellyfin, in one process, on a clock that stands."""

import time

import pytest

from sim.mediabrowser.server import SimMediaBrowser
from sim.stash.simulator import SimStash
from tests.integration.sync.conftest import PLEX_ROOT, STASH_ROOT, Counter, Workshop
from tests.support.clocks import FakeClock
from tests.support.openapi import held_to_documents

FLAVOURS = ["jellyfin-10.11", "emby-4.9"]


class TargetWorkshop(Workshop):
    """A workshop whose server is an Emby or a Jellyfin: `plex` of its methods is that server."""

    @property
    def server(self):
        return self.plex

    def add_to_server(self, scene_id):
        (file, *_) = self.stash.library.scenes[scene_id].files
        return self.server.add_item(self.path(scene_id), file.size, file.duration)

    def path(self, scene_id):
        return PLEX_ROOT + self.stash.library.scenes[scene_id].path.removeprefix(STASH_ROOT)

    def item(self, scene_id):
        """Give all that the server holds of the scene's item; an empty text is none."""
        held = self.server.item_json(self.key(scene_id))
        return {name: value for name, value in held.items() if value != ""}

    def writes(self):
        return [call for call in self.server.requests if call.method != "GET"]


@pytest.fixture(params=FLAVOURS)
def flavour(request):
    return request.param


@pytest.fixture
def clock():
    return FakeClock(float(int(time.time())))


@pytest.fixture
def scene_count():
    return 12


@pytest.fixture
def stash(clock, scene_count):
    with SimStash(scenes=scene_count, now=clock.now) as running:
        yield running


@pytest.fixture
def server(clock, flavour):
    with SimMediaBrowser(flavour, 3, clock=clock.now) as running, held_to_documents(running):
        running.token = running.api_key
        yield running
        assert running.disasters == []


@pytest.fixture
def shop(stash, server, tmp_path, clock, monkeypatch):
    """Twelve scenes, all of them on the server under another prefix, nothing synced yet; pictures only if asked for."""

    monkeypatch.setattr("mediabrowser.connection._FIRST_WAIT_SECONDS", 0.0)
    name = "emby" if server.flavour.is_emby else "jellyfin"
    settings = {f"{name}_url": server.url, f"{name}_api_key": server.api_key, f"{name}_library": "Scenes"}
    shop = TargetWorkshop(stash, server, tmp_path, clock, name, settings)
    shop.configure(sync_poster=False, sync_background=False, connect_timeout=20, read_timeout=20)
    for scene_id, scene in stash.library.scenes.items():
        if scene.files:
            shop.add_to_server(scene_id)
    yield shop
    shop.close()


@pytest.fixture
def counter(shop, tmp_path):
    opened = Counter(shop, tmp_path)
    yield opened
    opened.lock.release()
