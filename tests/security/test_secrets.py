"""Nothing we write, say or show contains the Plex token, Stash's cookie or its API key, whatever goes wrong."""

import os
import stat
import threading
import time
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest

from runtime.privacy.redaction import forms_of
from sim.plex.faults import BAD_GATEWAY, CUT_XML, LOGIN_PAGE, RESET, UNAUTHORIZED, Fault
from sim.plex.server import SimPlex
from sim.plex.web.exchange import XML, Answer
from sim.stash.faults import Fault as StashFault
from sim.stash.simulator import SimStash
from sync_queue.queue_file import connect
from sync_queue.session import read_session
from tests.support.plugin.plugin import InstalledPlugin, wait_until

TOKENS = ["to%ken+/=(x)[y]*$1\\d'q\"&amp;<b>", "^%2Ftok|en%252F?a=b&c.{3}$\\n\\r#\\x41"]
KEY = "ap%i+ke/y=.*['\"]"
MODES = ("health_check", "preview", "all", "recent", "process_queue", "undo_last_run")
VERBS = ("status", "diagnostics")


def redirect(token):
    location = {"Location": f"https://elsewhere.example/{token}/?X-Plex-Token={token}"}
    return Fault("redirect", Answer(b"", 302, XML, location))


def echo(token):
    body = f"<html><body>bad token {token}</body></html>".encode()
    return Fault("echo", Answer(body, 400, "text/html"))


@pytest.fixture
def plugin(tmp_path):
    installed = InstalledPlugin(tmp_path)
    installed.adjust("tasks.queue.process.PATIENT_LOOKS", 1)
    yield installed
    installed.kill_workers()


class ProcessWatch:
    """Looks at command line and environment of all processes of the plugin, as everybody on the machine may."""

    def __init__(self, plugin):
        self._marks = (str(plugin.plugin_dir).encode(), plugin.data.root.encode())
        self.seen = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        while not self._ended.wait(0.02):
            for entry in Path("/proc").iterdir():
                if entry.name.isdigit():
                    self._look(entry)

    def _look(self, entry):
        try:
            command = (entry / "cmdline").read_bytes()
            if any(mark in command for mark in self._marks):
                self.seen[command] = self.seen.get(command, b"") or (entry / "environ").read_bytes()
        except OSError:
            pass

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()


def use_all_of_it(plugin, stash, said, tmp_path):
    stash.save_scene(1, title=f"at {time.time()}")
    for mode in MODES:
        said.append(plugin.run(plugin.request({"mode": mode}, stash.port, cookie=stash_cookie(plugin))))
    for number, verb in enumerate(VERBS):
        out = ["--out", str(tmp_path / f"{len(said)}-{number}.zip")] if verb == "diagnostics" else []
        said.append(plugin.run(b"", verb, "--data-dir", plugin.data.root, *out))


def stash_cookie(plugin):
    connection = connect(plugin.data.queue_dir)
    session = read_session(connection)
    connection.close()
    return session.cookie if session else ""


def files_below(folder):
    for parent, _, names in os.walk(folder):
        for name in names:
            yield Path(parent, name)


def unpacked(path):
    if path.suffix != ".zip":
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        return b"".join(map(archive.read, archive.namelist()))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("token", TOKENS, ids=["one", "other"])  # pytest shows an id in the environment
def test_no_secret_is_anywhere_but_in_the_queue(plugin, tmp_path, token):
    said, cookies = [], set()
    with SimPlex(items=2) as plex, SimStash(scenes=5, config_dir=plugin.config_dir) as stash:
        plex.world.identity.token = token
        stash.set_credentials("somebody")
        stash.settings.api_key = KEY
        settings = {"plex_url": plex.url, "plex_token": token, "debug_logging": True, "trigger_plex_scan": True}
        stash.configure_plugin("Stash2Plex", settings)
        stash.install_plugin(plugin.plugin_dir, python=plugin.python)
        with ProcessWatch(plugin) as watch:
            use_all_of_it(plugin, stash, said, tmp_path)
            wait_until(lambda: "scene:1:" in plugin.log())
            cookies.add(stash_cookie(plugin))
            faults = [UNAUTHORIZED, LOGIN_PAGE, redirect(token), echo(token), BAD_GATEWAY, CUT_XML, RESET]
            for fault in faults if token == TOKENS[0] else faults[:3]:
                rule = plex.faults.add(fault)
                stash.save_scene(2, title=f"during {fault.name}")
                said.append(plugin.run(plugin.request({"mode": "preview"}, stash.port)))
                plex.faults.remove(rule)
            plex.stop()
            said.append(plugin.run(plugin.request({"mode": "health_check"}, stash.port)))
            for fault in StashFault.HTML, StashFault.SERVER_ERROR, StashFault.DATABASE_LOCKED:
                stash.fail_with(fault)
                said.append(plugin.run(plugin.request({"mode": "health_check"}, stash.port)))
            stash.heal()
            cookies.add(stash_cookie(plugin))
            time.sleep(0.5)
        plugin.kill_workers()
        log = "".join(entry.text for entry in stash.logs).encode()

    heard = [run.stdout + run.stderr for run in said]
    written = [path for path in files_below(plugin.data.root) if path.parent.name != "queue"] + list(
        tmp_path.glob("*.zip")
    )
    places = {
        "Stash's log": log,
        "stdout and stderr": b"".join(heard),
        "processes": b"".join(command + environment for command, environment in watch.seen.items()),
        **{str(path): unpacked(path) for path in written},
    }
    assert watch.seen
    assert len(written) >= 8
    assert all(cookies)
    secrets = {form for one in (token, KEY, *cookies) for form in (one, quote(one), *forms_of(one))}
    leaks = [(place, one) for place, content in places.items() for one in secrets if one.encode() in content]
    assert not leaks
    for path in [*files_below(plugin.data.root), *tmp_path.glob("*.zip")]:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    for folder in (plugin.data.root, plugin.data.queue_dir):
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert not [entry for entry in plex.requests if entry.token_in_url]
