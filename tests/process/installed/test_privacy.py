"""The setting obfuscate_paths: no folder or file name in any log, and the person still sees where to look."""

import pytest

from ledger.store import Ledger
from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from tests.support.plugin.plugin import InstalledPlugin, wait_until

AWKWARD = {
    1: '/data/Very Privat/it\'s "mine", yes.mp4',
    2: "C:\\Users\\Jane Doe\\Ünïcode Straße\\日本語 clip.mp4",
    3: "\\\\nas-host\\share one\\deep & low\\100% [x].mkv",
    4: "/data/clips/known file.mp4",
}
WORDS = ["Privat", "mine", "Jane", "Ünïcode", "Straße", "日本語", "nas-host", "share", "deep", "100%", "known", "clips"]


@pytest.fixture
def plugin(tmp_path):
    installed = InstalledPlugin(tmp_path)
    yield installed
    installed.kill_workers()


@pytest.fixture
def plex():
    with SimPlex(items=3) as running:
        yield running


@pytest.fixture
def stash(plugin, plex):
    with SimStash(scenes=len(AWKWARD), config_dir=plugin.config_dir) as running:
        settings = {"plex_url": plex.url, "plex_token": plex.token, "obfuscate_paths": True, "debug_logging": True}
        running.configure_plugin("Stash2Plex", {**settings, "trigger_plex_scan": True})
        running.install_plugin(plugin.plugin_dir, python=plugin.python)
        for scene_id, path in AWKWARD.items():
            running.library.scenes[scene_id].files[0].path = path
        yield running
        plugin.kill_workers()


def sentence_of(plugin, scene_id):
    ledger = Ledger(plugin.data.target("plex").ledger)
    record = ledger.scenes.get(scene_id)
    ledger.close()
    return record.sentence if record else ""


def test_no_name_of_a_file_is_in_any_log_and_the_ledger_still_says_it(plugin, stash, plex):
    file = stash.library.scenes[4].files[0]
    key = plex.add_item(file.path.replace("/data/", "/films/"), file.size, int(file.duration * 1000))
    for scene_id in AWKWARD:
        stash.save_scene(scene_id, title=f"Scene {scene_id}")
    wait_until(lambda: plex.item(key).title == "Scene 4")
    wait_until(lambda: all("Not in Plex" in sentence_of(plugin, one) for one in (1, 2, 3)))
    runs = [
        plugin.run(plugin.request({"mode": mode}, stash.port)) for mode in ("preview", "health_check", "queue_status")
    ]
    wait_until(lambda: plugin.log().count("Not in Plex yet") >= 3)

    logged = plugin.log() + "".join(entry.text for entry in stash.logs) + "".join(run.stderr.decode() for run in runs)
    assert not [word for word in WORDS if word in logged], logged
    assert "“/…/" in plugin.log()
    assert 'it\'s "mine", yes.mp4' in sentence_of(plugin, 1)


def test_a_new_worker_hides_from_its_first_line(plugin, stash):
    stash.save_scene(1, title="Once")
    wait_until(lambda: "Not in Plex yet" in plugin.log())
    plugin.kill_workers()
    stash.save_scene(2, title="Twice")
    wait_until(lambda: plugin.log().count("Worker 0") == 2 and "scene:2: Not in Plex" in plugin.log())
    assert not [word for word in WORDS if word in plugin.log()]
