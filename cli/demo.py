"""The demo: simulated servers, real hooks, a real worker. Nothing to configure, nothing left behind."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from runtime.folder import DataFolder
from runtime.lock import is_held
from runtime.packages import REQUIREMENTS, ROOT, PackageLoader, PackagesMissing
from runtime.state_file import read_state
from stash.wire import Refusal
from sync_queue import operations
from sync_queue.queue_file import connect

if TYPE_CHECKING:
    from collections.abc import Callable

    from sim.plex.server import SimPlex
    from sim.stash.simulator import SimStash

SIM_REQUIREMENTS = os.path.join(ROOT, "sim", "requirements.txt")
SCENES = 40
PATIENCE_SECONDS = 30.0


def run_demo() -> int:
    if not os.path.exists(SIM_REQUIREMENTS):
        raise Refusal("The demo needs the simulated servers, which are in the source but not in the released plugin.")
    config_dir = Path(tempfile.mkdtemp(prefix="stash2plex-demo-"))
    folder = DataFolder(str(config_dir / "stash2plex"))
    try:
        _load_packages(folder)
        from sim.plex.server import SimPlex  # noqa: PLC0415 - needs the packages just loaded
        from sim.stash.simulator import SimStash  # noqa: PLC0415 - as above

        with SimStash(scenes=SCENES, config_dir=config_dir) as stash, SimPlex(items=0) as plex:
            stash.configure_plugin("Stash2Plex", {"plex_url": plex.url, "plex_token": plex.token})
            stash.install_plugin(Path(ROOT))
            Demo(stash, plex, folder).run()
            _end_worker(folder)
    finally:
        _end_worker(folder)
        shutil.rmtree(config_dir, ignore_errors=True)
    return 0


class Demo:
    """One act after the other; each prints what it did and what Plex shows of it."""

    def __init__(self, stash: SimStash, plex: SimPlex, folder: DataFolder) -> None:
        self._stash = stash
        self._plex = plex
        self._folder = folder
        self._keys = self._fill_plex()

    def run(self) -> None:
        print(f"A simulated Stash with {SCENES} scenes at {self._stash.url}, a simulated Plex at {self._plex.url}.")
        print("Plex sees the same files below /data/scenes; scene 40 it has not.\n")
        print(f"Before:  {self._shown(1)}")
        edit = {"title": "A new title", "details": "What it is about."}
        self._act("Somebody edits scene 1 and presses Save.", lambda: self._stash.save_scene(1, **edit))
        print(f"After:   {self._shown(1)}\n")
        self._act("The same again: this time a worker lives.", lambda: self._stash.save_scene(2, title="Another"))
        ids = ", ".join(f'"{one}"' for one in range(3, 11))
        bulk = f'mutation {{ bulkSceneUpdate(input: {{ ids: [{ids}], details: "All alike" }}) {{ id }} }}'
        self._act("A bulk edit of eight scenes.", lambda: self._stash.graphql(bulk))
        rename = 'mutation { tagUpdate(input: { id: "1", name: "Renamed" }) { id } }'
        self._act("A tag is renamed: all its scenes are concerned.", lambda: self._stash.graphql(rename))
        renamed = sum("Renamed" in self._plex.item(key).genres for key in self._keys.values())
        print(f"   {renamed} items have the new name among their genres.\n")
        print("The worker is killed with SIGKILL.")
        _end_worker(self._folder, getattr(signal, "SIGKILL", signal.SIGTERM))
        self._act("The next Save revives it.", lambda: self._stash.save_scene(11, title="Still here"))
        self._act("Somebody edits scene 40, which Plex has not.", lambda: self._stash.save_scene(40, title="Where?"))
        print(f"   {self._why(40)}\n")
        self._plex.journal.clear()
        self._act("Sync All, pictures and all.", self._sync_all)
        writes = len(self._plex.journal.writes())
        self._plex.journal.clear()
        self._act("Sync All again: nothing has changed.", self._sync_all)
        print(f"   Requests that changed Plex: {writes} the first time, {len(self._plex.journal.writes())} the second.")

    def _fill_plex(self) -> dict[int, int]:
        keys: dict[int, int] = {}
        for scene in self._stash.library.scenes.values():
            for file in scene.files if scene.id != SCENES else ():
                path = file.path.replace("/data/clips", "/data/scenes/clips")
                keys[scene.id] = self._plex.add_item(path, file.size, int(file.duration * 1000))
        return keys

    def _shown(self, scene_id: int) -> str:
        item = self._plex.item(self._keys[scene_id])
        values = {name: item.values.get(name, "") for name in ("title", "summary", "studio")}
        return f"{values}, genres {list(item.genres)}, actors {list(item.actors)}"

    def _why(self, scene_id: int) -> str:
        from ledger.store import Ledger  # noqa: PLC0415 - the command line starts without it

        ledger = Ledger(self._folder.ledger)
        record = ledger.scene(scene_id)
        ledger.close()
        return f"{record.state}: {record.sentence}" if record else "not seen yet"

    def _sync_all(self) -> None:
        self._stash.graphql('mutation { runPluginTask(plugin_id: "Stash2Plex", task_name: "Sync All") }')
        time.sleep(0.5)  # the task runs in Stash's job queue

    def _act(self, title: str, act: Callable[[], object]) -> None:
        print(title)
        runs_before = len(self._stash.hook_runs)
        start = time.monotonic()
        act()
        saved = time.monotonic() - start
        if runs := self._stash.hook_runs[runs_before:]:
            mean = sum(run.seconds for run in runs) / len(runs)
            print(f"   Save took {saved * 1000:.0f} ms: {len(runs)} hook(s) of {mean * 1000:.0f} ms each.")
        self._wait_until_all_is_done()
        print(f"   {time.monotonic() - start:.2f} s after it began all is done.")

    def _wait_until_all_is_done(self) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        connection = connect(self._folder.queue_dir)
        while True:
            counts = operations.count(connection, time.time())
            if not counts["due"] + counts["claimed"]:
                break
            if time.monotonic() > deadline:
                raise Refusal(f"The queue did not become empty; look at {self._folder.worker_log}.")
            time.sleep(0.02)
        connection.close()


def _load_packages(folder: DataFolder) -> None:
    loader = PackageLoader(folder, REQUIREMENTS, SIM_REQUIREMENTS)
    try:
        if not loader.ready():
            print("Installing the packages into a temporary folder …")
        loader.load()
    except PackagesMissing as problem:
        raise Refusal(str(problem)) from problem


def _end_worker(folder: DataFolder, number: int = signal.SIGTERM) -> None:
    """End the worker and wait until it has let go of its lock."""
    pid = _worker_pid(folder)
    deadline = time.monotonic() + PATIENCE_SECONDS
    if pid and is_held(folder.worker_lock):
        os.kill(pid, number)
    while is_held(folder.worker_lock) and time.monotonic() < deadline:
        time.sleep(0.02)


def _worker_pid(folder: DataFolder) -> int:
    return int(read_state(folder.worker_state).get("pid", 0))
