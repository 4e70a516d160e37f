"""From a Save in Stash to what Plex shows, through real processes."""

import os
import signal
import time

import pytest

from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from tests.support.plugin.plugin import InstalledPlugin, wait_until

SCENES = 20


@pytest.fixture
def plugin(tmp_path):
    installed = InstalledPlugin(tmp_path)
    installed.adjust("sync.outage.circuit.PROBE_EVERY_SECONDS", 1.0)
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


def test_a_save_is_in_plex_soon_where_a_worker_lives(plugin, stash, plex, keys):
    stash.save_scene(1, title="The first")
    wait_until(lambda: plex.item(keys[1]).title == "The first")
    start = time.monotonic()
    stash.save_scene(2, title="The second", details="With a summary")
    wait_until(lambda: plex.item(keys[2]).title == "The second")
    assert time.monotonic() - start < 10  # a fifth of a second where nothing else runs: `make bench-save`
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
    assert status["queue"]["dead"] == 0


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


@pytest.fixture
def synced(plugin, stash, plex, keys):
    """All scenes are in Plex, by the first sweep; from here on only hooks tell of anything."""
    settings = {"plex_url": plex.url, "plex_token": plex.token, "sync_groups": True, "reconcile_interval": 0}
    stash.configure_plugin("Stash2Plex", {**settings, "sync_poster": False, "sync_background": False})
    stash.save_scene(1, title="The first")
    wait_until(lambda: all("genre" in plex.item(key).locks for key in keys.values()), 40)
    wait_until(lambda: "Sweep ends" in plugin.log())
    return keys


def shown_names(plex, key):
    """All names an item shows, as a person sees them."""
    item = plex.item(key)
    return {item.values.get("studio"), *(name for names in item.tags.values() for name in names)}


@pytest.mark.parametrize("kind", ["performer", "studio", "tag", "group"])
def test_a_new_name_is_in_plex_for_every_scene_that_has_it(stash, plex, synced, kind):
    shelf = getattr(stash.library, f"{kind}s")
    chosen = max(shelf, key=lambda one: len(stash.library.scenes_with(kind, one)))
    old = shelf[chosen].name
    scenes = [scene.id for scene in stash.library.scenes_with(kind, chosen) if scene.id in synced]
    assert all(old in shown_names(plex, synced[one]) for one in scenes)
    stash.graphql(f'mutation {{ {kind}Update(input: {{ id: "{chosen}", name: "Brand New" }}) {{ id }} }}')
    wait_until(lambda: all("Brand New" in shown_names(plex, synced[one]) for one in scenes))
    assert not any(old in shown_names(plex, synced[one]) for one in scenes)


@pytest.mark.parametrize("kind", ["performer", "studio", "tag", "group"])
def test_what_is_deleted_in_stash_leaves_every_scene_in_plex(stash, plex, synced, kind):
    """Nobody knows any more whose scenes they were, and the second hook may never come."""
    shelf = getattr(stash.library, f"{kind}s")
    gone = sorted(shelf, key=lambda one: len(stash.library.scenes_with(kind, one)))[-2:]
    names = {shelf[one].name for one in gone}
    scenes = [one.id for kept in gone for one in stash.library.scenes_with(kind, kept) if one.id in synced]
    assert all(names & shown_names(plex, synced[one]) for one in scenes)
    stash.graphql(f'mutation {{ {kind}sDestroy(ids: ["{gone[0]}", "{gone[1]}"]) }}')
    wait_until(lambda: not any(names & shown_names(plex, synced[one]) for one in scenes))


def test_tags_merged_in_stash_are_one_in_plex(stash, plex, synced):
    target, *sources = sorted(stash.library.tags, key=lambda one: -len(stash.library.scenes_with("tag", one)))[:3]
    name, gone = stash.library.tags[target].name, {stash.library.tags[one].name for one in sources}
    scenes = [one.id for tag in sources for one in stash.library.scenes_with("tag", tag) if one.id in synced]
    given = ", ".join(f'"{one}"' for one in sources)
    stash.graphql(f'mutation {{ tagsMerge(input: {{ source: [{given}], destination: "{target}" }}) {{ id }} }}')
    wait_until(lambda: all(name in shown_names(plex, synced[one]) for one in scenes))
    wait_until(lambda: not any(gone & shown_names(plex, synced[one]) for one in scenes))


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
