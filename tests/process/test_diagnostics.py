"""The diagnostics bundle: what went wrong is in it, and nothing that is the person's."""

import json
import re
import time
import zipfile

import pytest

from cli.diagnostics.bundle import run_diagnostics
from ledger.store import Ledger
from model.user_error import UserError
from runtime.lock import FileLock
from runtime.state_file import write_state
from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from sync_queue.manager import QueueManager
from tests.support.actions import opening
from tests.support.plugin.plugin import InstalledPlugin, wait_until

TOKEN = "to%ken+/=(x)[y]*$1\\d'q\"&amp"
TITLE = 'Zorblax & Quimby\'s "Nightfall"'
FOLDER = "Xanthippe Files"
LIBRARY = "Wolpertinger, the Second"
NAMES = [
    "Zorblax",
    "Quimby",
    "Nightfall",
    "Xanthippe",
    "Wolpertinger",
    "Qrstuv",
    "schnurr",
    "10.9.8.7",
    "fe80",
    "Плёнка",
]

NOW = "2026-01-02 03:04:05,678"
LINES = f"""
{NOW} INFO    scene:1: Not in Plex yet: nothing in Plex is called “{TITLE}.mp4” (Stash has “/{FOLDER}/x.mp4”).
{NOW} ERROR   GET /library/sections: no answer in time http://schnurr.example.org:32400/x?X-Plex-Token={TOKEN}
{NOW} WARNING no library with videos is called '{LIBRARY}'; there are: '{LIBRARY}', Wolpertinger
{NOW} WARNING connect to 10.9.8.7:32400 or [fe80::1ff:fe23:4567:890a]:32400 or schnurr or schnurr.local failed
{NOW} INFO    Performer Qrstuv Zorblax, tag Плёнка, mail qrstuv@schnurr.org, \\\\schnurr\\{FOLDER}\\a b.mp4
Traceback (most recent call last):
  File "/somewhere/{FOLDER}/thing.py", line 5, in _write
    raise ValueError('{TITLE}')
ValueError: {TITLE}
"""


@pytest.fixture
def plugin(tmp_path):
    installed = InstalledPlugin(tmp_path)
    yield installed
    installed.kill_workers()


def plant(plugin):
    """Put what must not be told into everything that is read."""
    now = time.time()
    queue = QueueManager(plugin.data.queue_dir)
    queue.enqueue("scene", [7], "Scene.Update.Post", now, due_at=0.0)
    (job,) = queue.claim(now, 1, 0)
    queue.bury(job, "metadata", f"The title '{TITLE}' of Qrstuv is refused.", f"/{FOLDER}/{TITLE}", now)
    queue.close()
    ledger = Ledger(plugin.data.target("plex").ledger)
    ledger.scenes.record_state(9, "waiting", f"nothing is called {TITLE}", now)
    ledger.close()
    for path in (plugin.data.worker_log, plugin.data.worker_stderr):
        with open(path, "a", encoding="utf-8") as file:
            file.write(LINES)
    write_state(
        plugin.data.target("plex").circuit, {"last_error": f"http://schnurr:32400 {TITLE}", "strikes": 5, TITLE: 1}
    )
    write_state(plugin.data.target("plex").stats, {"scenes": {TITLE: "Qrstuv"}, "at": "2026-01-02T03:04:05"})


def read(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_nothing_of_the_persons_is_in_the_bundle_and_what_went_wrong_is(plugin, tmp_path):
    with SimPlex(items=1) as plex, SimStash(scenes=3, config_dir=plugin.config_dir) as stash:
        plex.world.identity.token = TOKEN
        plex.world.identity.name = "Qrstuv Zorblax"
        stash.set_credentials("Qrstuv", "Xanthippe")
        key = stash.generate_api_key()
        settings = {"plex_url": plex.url, "plex_token": TOKEN, "plex_library": LIBRARY, "path_map": f"/a=>/{FOLDER}"}
        stash.configure_plugin("Stash2Plex", settings)
        stash.install_plugin(plugin.plugin_dir, python=plugin.python)
        stash.library.scenes[1].files[0].path = f"/{FOLDER}/{TITLE}.mp4"
        stash.save_scene(1, title=TITLE, details=TITLE)
        wait_until(lambda: "Wolpertinger" in plugin.log())
        plugin.kill_workers()
        plant(plugin)
        out = tmp_path / "bundle.zip"
        told = plugin.run(b"", "diagnostics", "--data-dir", plugin.data.root, "--out", str(out), "--json")
        assert told.code == 0, told.stderr
        assert json.loads(told.stdout)["path"] == str(out)
        plugin.kill_workers()

    assert out.stat().st_mode & 0o777 == 0o600
    files = read(out)
    everything = "\n".join(files.values())
    hidden = [*NAMES, TOKEN, key, str(tmp_path), plex.url, "127.0.0.1", str(plex.server_id), "to%ken"]
    assert not [one for one in hidden if one.lower() in everything.lower()], everything

    assert json.loads(files["versions.json"])["Stash2Plex"]
    shown = json.loads(files["settings.json"])["settings"]
    assert shown["plex_token"] == {"value": "hidden", "from": "Stash"}
    assert shown["strict_matching"]["value"] is True
    assert json.loads(files["queue.json"])["counts"]["dead"] == 1
    assert json.loads(files["queue.json"])["dead_letters"] == [{"kind": "metadata", "letters": 1}]
    assert json.loads(files["ledger.json"])["plex"]["scenes"]["waiting"] == 1
    assert json.loads(files["state.json"])["targets/plex/circuit_breaker.json"]["strikes"] == 5
    assert {one["part"] for one in json.loads(files["health.json"])["findings"]} >= {"Python", "Stash", "Plex"}
    log = files["worker.log"]
    assert "no library with videos is called '…'; there are: '…'" in log
    assert re.search(r"scene:1: Not in Plex yet: nothing in Plex is called “[0-9a-f]{8}\.mp4” \(Stash has “/…/", log)
    assert "GET /library/sections: no answer in time …" in log
    assert "line 5, in _write" in log


def test_a_bundle_is_made_of_ruins_too(plugin, tmp_path):
    plugin.data.make()
    queue = tmp_path / "stash2plex" / "queue"
    queue.mkdir()
    (queue / "data.db").write_bytes(b"this is no database, for certain" * 100)
    (tmp_path / "stash2plex" / "targets" / "plex").mkdir(parents=True, exist_ok=True)
    (tmp_path / "stash2plex" / "targets" / "plex" / "ledger.db").write_bytes(b"neither is this" * 100)
    out = tmp_path / "bundle.zip"
    lock = FileLock(plugin.data.worker_lock)
    assert lock.acquire()  # as if a worker lived: one that starts would mend it all
    told = plugin.run(b"", "diagnostics", "--data-dir", plugin.data.root, "--out", str(out))
    lock.release()
    assert told.code == 0, told.stderr
    files = read(out)
    assert "it is damaged" in files["queue.json"]
    assert "file is not a database" in files["ledger.json"]


def test_it_never_overwrites_a_file(plugin, tmp_path):
    plugin.data.make()
    (tmp_path / "mine.zip").write_text("mine")
    with pytest.raises(UserError, match="there already"):
        run_diagnostics(plugin.data, opening, str(tmp_path / "mine.zip"))
    with pytest.raises(UserError, match="cannot be written"):
        run_diagnostics(plugin.data, opening, str(tmp_path / "nowhere" / "x.zip"))
    assert (tmp_path / "mine.zip").read_text() == "mine"
