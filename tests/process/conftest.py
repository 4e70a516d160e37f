"""Real processes: the plugin installed beside a simulated Stash."""

import pytest

from sim.stash.simulator import SimStash
from tests.support.plugin.plugin import InstalledPlugin
from tests.support.settings import COMPLETE, config


@pytest.fixture
def plugin(tmp_path):
    installed = InstalledPlugin(tmp_path)
    installed.record_work()
    yield installed
    installed.kill_workers()


@pytest.fixture
def stash(plugin):
    """A Stash whose config folder is the plugin's, with complete settings, the plugin installed and all scenes synced.

    So the sweep of a worker that starts finds nothing, and the tests see what hooks and tasks bring about.
    """
    with SimStash(scenes=250, config_dir=plugin.config_dir) as running:
        running.configure_plugin("Stash2Plex", COMPLETE)
        running.install_plugin(plugin.plugin_dir, python=plugin.python)
        plugin.know_all_scenes(running, config())
        yield running
        plugin.kill_workers()
