"""The real plugin behind the page: its process for each operation, its worker, simulated servers that it writes to."""

from types import SimpleNamespace

import pytest

from sim.mediabrowser.server import SimMediaBrowser
from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from tests.support.plugin.plugin import InstalledPlugin, wait_until
from tests.ui.support.traffic import arguments_and_answers

PATIENCE = 60
"""Seconds for what a worker does; a machine may be busy with other tests."""


@pytest.fixture
def installed(tmp_path):
    copy = InstalledPlugin(tmp_path)
    yield copy
    copy.kill_workers()


@pytest.fixture
def plex():
    with SimPlex(items=0) as server:
        yield server


@pytest.fixture
def jellyfin():
    with SimMediaBrowser("jellyfin-10.11", items=0) as server:
        yield server


@pytest.fixture
def stash(installed):
    with SimStash(scenes=12, config_dir=installed.config_dir) as running:
        running.install_plugin(installed.plugin_dir, python=installed.python)
        yield running
        installed.kill_workers()


@pytest.fixture
def plugin():
    """No script: the simulated Stash runs the plugin itself."""


@pytest.fixture
def items(stash, plex):
    """Every scene but the last has its item in Plex; by scene id."""
    found = {}
    for scene_id, scene in list(stash.library.scenes.items())[:-1]:
        file = scene.files[0]
        found[scene_id] = plex.add_item(file.path, file.size, int(file.duration * 1000))
    return found


@pytest.fixture
def connected(stash, plex):
    stash.configure_plugin("Stash2Plex", {"plex_url": plex.url, "plex_token": plex.token})


@pytest.fixture
def page(open_tab, size, front, plex, stash):
    """A tab of each size. Whatever is done in it, no operation and no task takes or gives the token or a cookie."""
    tab = open_tab(size)
    tab.page.set_default_timeout(PATIENCE * 1000)
    yield SimpleNamespace(tab=tab, open=tab.open)
    asked = arguments_and_answers(front)
    assert asked
    assert stash.sessions.signatures  # the plugin's processes are given one each
    secrets = {plex.token, *stash.sessions.signatures}
    assert [one for one in asked if any(secret in one for secret in secrets)] == []


@pytest.fixture
def shows(plex):
    """Waits until Plex shows a title on an item."""

    def wait(item_id, title, seconds=PATIENCE):
        wait_until(lambda: plex.item(item_id).title == title, seconds)

    return wait
