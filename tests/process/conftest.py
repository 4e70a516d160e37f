"""Real processes: the plugin installed beside a simulated Stash."""

import pytest

from sim.stash.simulator import SimStash
from tests.support.plugin import InstalledPlugin
from tests.support.settings import COMPLETE


@pytest.fixture
def plugin(tmp_path):
    installed = InstalledPlugin(tmp_path)
    installed.record_work()
    yield installed
    installed.kill_workers()


@pytest.fixture
def stash(plugin):
    """A Stash whose config folder is the plugin's, with complete settings and the plugin installed."""
    with SimStash(scenes=250, config_dir=plugin.config_dir) as running:
        running.configure_plugin("Stash2Plex", COMPLETE)
        running.install_plugin(plugin.plugin_dir, python=plugin.python)
        yield running
        plugin.kill_workers()
