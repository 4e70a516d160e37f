"""A real worker in an outage that ends, and on a ledger that is damaged under it."""

import os
import time

import pytest

from runtime.state_file import read_state
from sim.plex import faults
from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from sync_queue.queue_file import connect
from tests.support.plugin.plugin import InstalledPlugin, wait_until

SCENES = 300


@pytest.fixture
def plugin(tmp_path):
    installed = InstalledPlugin(tmp_path)
    yield installed
    installed.kill_workers()


@pytest.fixture
def plex():
    with SimPlex(items=5) as running:
        yield running


def settings(plex, **more):
    return {"plex_url": plex.url, "plex_token": plex.token, "read_timeout": 2, **more}


@pytest.fixture
def scene_count():
    return SCENES + 20  # some have no file


@pytest.fixture
def stash(plugin, plex, scene_count):
    with SimStash(scenes=scene_count, config_dir=plugin.config_dir) as running:
        running.configure_plugin("Stash2Plex", settings(plex))
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
    return dict(list(found.items())[:SCENES])


def bulk_edit(plugin, stash, keys):
    for one in keys:
        with stash.library.lock:
            scene = stash.library.scenes[one]
            scene.title, scene.details = f"Title {one}", f"Details of {one}"
            stash.library.touch(scene)
    sent = {"ids": [str(one) for one in keys]}
    plugin.hook(next(iter(keys)), stash.port, sent=sent, fields=("ids", "title"))


def queued(plugin):
    """Count what is to be done; a scene whose cover Stash has not made yet is waited for by a picture."""
    connection = connect(plugin.data.queue_dir)
    undone = "SELECT count(*) FROM ack_queue_default WHERE lane = 0 OR status = 2 OR due_at <= ?"
    try:
        return connection.execute(undone, (time.time(),)).fetchone()[0]
    finally:
        connection.close()


def dead(plugin):
    connection = connect(plugin.data.queue_dir)
    try:
        return connection.execute("SELECT key, sentence FROM dead_letters").fetchall()
    finally:
        connection.close()


def assert_right(plugin, plex, keys):
    for one, key in keys.items():
        assert plex.item(key).title == f"Title {one}"
        assert plex.item(key).values["summary"] == f"Details of {one}"
    ours = {
        f"{kind}:{one}" for one in keys for kind in ("scene", "picture")
    }  # a scene without title and file is given up
    assert [letter for letter in dead(plugin) if letter[0] in ours] == []
    assert plex.disasters == []


OUTAGES = {
    "refused": lambda plex: plex.stop(),
    "503": lambda plex: plex.faults.add(faults.MAINTENANCE),
    "hanging": lambda plex: plex.faults.add(faults.HANG),
    "401": lambda plex: plex.faults.add(faults.UNAUTHORIZED),
    "web page": lambda plex: plex.faults.add(faults.LOGIN_PAGE),
}


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("outage", OUTAGES.values(), ids=OUTAGES)
def test_a_real_worker_waits_an_outage_out_and_comes_back_by_the_ramp(plugin, stash, plex, keys, outage):
    """The clock's constants are a thirtieth: a probe every 2 s, 5 to 20 jobs a second over 10 s."""
    plugin.adjust("sync.outage.circuit.PROBE_EVERY_SECONDS", 2.0)
    plugin.adjust("sync.outage.circuit.SLOW_PROBE_EVERY_SECONDS", 4.0)
    plugin.adjust("sync.outage.circuit.RAMP_SECONDS", 10.0)
    stash.configure_plugin("Stash2Plex", settings(plex, sync_poster=False, sync_background=False))
    bulk_edit(plugin, stash, keys)
    wait_until(lambda: plex.count("edit") >= 60, 60)
    outage(plex)
    status = plugin.request({"mode": "queue_status"}, stash.port)
    wait_until(lambda: plugin.run(status).output["targets"][0]["circuit"]["state"] == "open", 60)
    before = plex.count()
    time.sleep(10)
    assert plex.count() - before <= 3 * 6
    said = plugin.run(status).output
    assert said["targets"][0]["circuit"]["state"] == "open"
    assert "waiting; Plex is asked again in" in said["sentence"]
    plugin.kill_workers()  # and the next one knows
    done = plex.count("edit")
    plex.faults.clear()
    plex.start()
    plugin.hook(next(iter(keys)), stash.port)
    wait_until(lambda: plex.count("edit") > done, 30)
    start, done = time.monotonic(), plex.count("edit")
    while queued(plugin):
        arrived, elapsed = plex.count("edit") - done, time.monotonic() - start + 1.0  # in this order: time may pass
        if elapsed < 10:
            assert arrived <= 5 * elapsed + 0.75 * elapsed**2 + 21
        assert elapsed < 120
        time.sleep(0.1)
    assert_right(plugin, plex, keys)
    wait_until(lambda: not os.path.exists(plugin.data.target("plex").recovery), 30)
    assert len(read_state(plugin.data.target("plex").stats)["outages"]) == 1


@pytest.mark.parametrize("scene_count", [10])
def test_an_answer_that_drips_is_said_long_before_the_circuit_opens(plugin, stash, plex, keys):
    plex.faults.add(faults.DRIPPING)
    plugin.hook(next(iter(keys)), stash.port)
    wait_until(
        lambda: "Plex failed the last request: " in str(read_state(plugin.data.worker_state).get("obstacle")), 30
    )
    said = plugin.run(plugin.request({"mode": "queue_status"}, stash.port)).output["sentence"]
    assert "keeps coming, bit by bit, and does not end" in said
    plex.faults.clear()
    wait_until(lambda: read_state(plugin.data.worker_state).get("obstacle") is None, 60)


@pytest.mark.parametrize("scene_count", [10])
def test_a_ledger_damaged_under_the_worker_is_put_aside_and_said(plugin, stash, plex, keys):
    first, second = list(keys)[:2]
    stash.save_scene(first, title="Before")
    wait_until(lambda: plex.item(keys[first]).title == "Before")
    for suffix in ("", "-wal"):
        path = plugin.data.target("plex").ledger + suffix
        if os.path.exists(path):
            with open(path, "r+b") as file:
                file.write(b"\xff" * os.path.getsize(path))
    stash.save_scene(second, title="After")
    wait_until(lambda: plex.item(keys[second]).title == "After", 40)
    assert [name for name in os.listdir(plugin.data.target("plex").root) if name.startswith("ledger.db.damaged-")]
    status = plugin.request({"mode": "queue_status"}, stash.port)
    wait_until(lambda: "The record of what was synced was damaged" in plugin.run(status).output["sentence"])
