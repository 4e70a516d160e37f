"""From a Save in Stash to what Plex shows, through real processes."""

import os
import signal
import time

import pytest

from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from tests.support.plugin import InstalledPlugin, wait_until

SCENES = 20


@pytest.fixture
def plugin(tmp_path):
    installed = InstalledPlugin(tmp_path)
    installed.change_constant("worker/circuit_breaker.py", "PROBE_EVERY_SECONDS = 60.0", "PROBE_EVERY_SECONDS = 1.0")
    yield installed
    installed.kill_workers()


@pytest.fixture
def plex():
    with SimPlex(items=5) as running:
        yield running


@pytest.fixture
def stash(plugin, plex):
    with SimStash(scenes=SCENES, config_dir=plugin.config_dir) as running:
        running.configure_plugin("Stash2Plex", {"plex_url": plex.url, "plex_token": plex.token})
        running.install_plugin(plugin.plugin_dir, python=plugin.python)
        yield running
        plugin.kill_workers()


@pytest.fixture
def keys(stash, plex):
    """Give Plex the scenes' files, below another folder; return scene to item."""
    found = {}
    for scene in stash.library.scenes.values():
        for file in scene.files[:1]:
            path = file.path.replace("/data/clips", "/data/scenes/clips")
            found[scene.id] = plex.add_item(path, file.size, int(file.duration * 1000))
    return found


def test_a_save_is_in_plex_within_two_seconds_of_a_living_worker(plugin, stash, plex, keys):
    stash.save_scene(1, title="The first")
    wait_until(lambda: plex.item(keys[1]).title == "The first")
    start = time.monotonic()
    stash.save_scene(2, title="The second", details="With a summary")
    wait_until(lambda: plex.item(keys[2]).title == "The second")
    assert time.monotonic() - start < 2
    shown = plex.item(keys[2])
    assert shown.values["summary"] == "With a summary"
    assert {"title", "summary", "genre", "actor"} <= shown.locks


def test_the_cover_follows_and_is_uploaded_once(plugin, stash, plex, keys):
    for title in ("one", "two", "three"):
        stash.save_scene(1, title=title)
        wait_until(lambda title=title: plex.item(keys[1]).title == title)
    wait_until(lambda: plex.item(keys[1]).poster.startswith("upload://"))
    wait_until(lambda: plex.item(keys[1]).art.startswith("upload://"))
    assert len(plex.uploads(keys[1], "posters")) == len(plex.uploads(keys[1], "arts")) == 1


def test_an_outage_of_plex_is_waited_out_and_the_newest_edit_wins(plugin, stash, plex, keys):
    stash.save_scene(1, title="Before")
    wait_until(lambda: plex.item(keys[1]).title == "Before")
    plex.stop()
    stash.save_scene(1, title="During")
    time.sleep(1)
    stash.save_scene(1, title="Newest")
    plex.start()
    wait_until(lambda: plex.item(keys[1]).title == "Newest", 40)
    status = plugin.run(plugin.request({"mode": "queue_status"}, stash.port)).output
    assert status["dead"] == 0


def test_a_worker_killed_in_the_middle_of_a_bulk_edit_leaves_nothing_undone(plugin, stash, plex, keys):
    scenes = [one for one in keys if one <= 15]
    ids = ", ".join(f'"{one}"' for one in scenes)
    stash.graphql(f'mutation {{ bulkSceneUpdate(input: {{ ids: [{ids}], details: "All alike" }}) {{ id }} }}')
    wait_until(lambda: any(plex.item(keys[one]).values.get("summary") for one in scenes))
    for pid in plugin.worker_pids():
        os.kill(pid, signal.SIGKILL)
    stash.save_scene(18, title="Somebody goes on")
    wait_until(lambda: all(plex.item(keys[one]).values.get("summary") == "All alike" for one in scenes), 40)
    assert plex.disasters == []


def test_no_token_is_in_any_file_of_the_data_folder_but_the_private_ones(plugin, stash, plex, keys):
    stash.save_scene(1, title="The first")
    wait_until(lambda: plex.item(keys[1]).title == "The first")
    for name in os.listdir(plugin.data.root):
        path = os.path.join(plugin.data.root, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                assert plex.token.encode() not in file.read(), name
            assert os.stat(path).st_mode & 0o077 == 0, name
    assert not [entry for entry in plex.requests if entry.token_in_url]


def test_another_server_at_the_same_address_is_not_written_to(plugin, stash, plex, keys):
    stash.save_scene(1, title="The first")
    wait_until(lambda: plex.item(keys[1]).title == "The first")
    wait_until(lambda: plex.item(keys[1]).art.startswith("upload://"))
    plex.become_another_server()
    plugin.kill_workers()
    plex.journal.clear()
    stash.save_scene(2, title="Not here")
    wait_until(lambda: "another Plex server answers" in plugin.log())
    assert plex.journal.writes() == []
    asked = plugin.request({"mode": "queue_status"}, stash.port)
    wait_until(lambda: "another Plex server answers" in plugin.run(asked).output["sentence"])
