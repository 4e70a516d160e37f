"""The demo: simulated servers, real hooks, a real worker. Nothing to configure, nothing left behind."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from model.sentences import counted
from model.user_error import UserError
from runtime.folder import DataFolder
from runtime.lock import is_held
from runtime.packages import REQUIREMENTS, ROOT, PackageLoader, PackagesMissing
from runtime.state_file import read_state
from sim.demo_intake import run_intake_act
from sync.outage.circuit import CircuitState, read_circuit
from sync_queue import operations
from sync_queue.queue_file import connect

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from sim.mediabrowser.server import SimMediaBrowser
    from sim.plex.server import SimPlex
    from sim.stash.simulator import SimStash

SIM_REQUIREMENTS = os.path.join(ROOT, "sim", "requirements.txt")
SCENES = 40
MISSING = 40
PATIENCE_SECONDS = 30.0


def run_demo() -> int:
    """Run it to its end, and say what stopped it if something does."""
    try:
        return _run()
    except UserError as error:
        print(f"Stash2Plex: {error}", file=sys.stderr)
        return 1


def _run() -> int:
    config_dir = Path(tempfile.mkdtemp(prefix="stash2plex-demo-"))
    folder = DataFolder(str(config_dir / "stash2plex"))
    try:
        _load_packages(folder)
        from sim.mediabrowser.server import SimMediaBrowser  # noqa: PLC0415 - needs the packages just loaded
        from sim.plex.server import SimPlex  # noqa: PLC0415 - as above
        from sim.stash.simulator import SimStash  # noqa: PLC0415 - as above

        with (
            SimStash(scenes=SCENES, config_dir=config_dir) as stash,
            SimPlex(items=0) as plex,
            SimMediaBrowser("jellyfin-12", 0) as jellyfin,
        ):
            addresses = {"plex_url": plex.url, "plex_token": plex.token}
            addresses |= {"jellyfin_url": jellyfin.url, "jellyfin_api_key": jellyfin.api_key}
            stash.configure_plugin("Stash2Plex", {**addresses, "jellyfin_library": "Scenes"})
            stash.install_plugin(Path(ROOT))
            Demo(stash, plex, jellyfin, folder).run()
            run_intake_act(config_dir, folder)
            _end_worker(folder)
    finally:
        _end_worker(folder)
        shutil.rmtree(config_dir, ignore_errors=True)
    return 0


class Demo:
    """One act after the other; each prints what it did and what Plex and Jellyfin show of it."""

    def __init__(self, stash: SimStash, plex: SimPlex, jellyfin: SimMediaBrowser, folder: DataFolder) -> None:
        self._stash = stash
        self._plex = plex
        self._jellyfin = jellyfin
        self._folder = folder
        self._keys = self._fill_plex()
        self._ids = self._fill_jellyfin()
        self._before = self._item_states()
        self._documents = self._jellyfin_documents()

    def run(self) -> None:
        print(f"A simulated Stash with {SCENES} scenes at {self._stash.url},")
        print(f"a simulated Plex at {self._plex.url}, a simulated Jellyfin at {self._jellyfin.url}.")
        print(f"Both see the same files below another folder; scene {MISSING} they have not.")
        self._first_sync()
        self._edits()
        self._kill()
        self._outage()
        self._explain()
        self._compare()
        self._undo()

    # --- the acts -------------------------------------------------------------------------------------------------

    def _first_sync(self) -> None:
        print(f"\nBefore, in Plex:    {self._shown(1)}")
        print(f"        in Jellyfin: {self._shown_in_jellyfin(1)}")
        edit = {"title": "A new title", "details": "What it is about."}
        self._act(
            "Somebody edits scene 1 and presses Save. It is the first: the worker starts, and looks at all scenes.",
            lambda: self._stash.save_scene(1, **edit),
        )
        print(f"After, in Plex:     {self._shown(1)}")
        print(f"       in Jellyfin: {self._shown_in_jellyfin(1)}")

    def _edits(self) -> None:
        self._act("Another Save: this time a worker lives.", lambda: self._stash.save_scene(2, title="Another"))
        ids = ", ".join(f'"{one}"' for one in range(3, 11))
        bulk = f'mutation {{ bulkSceneUpdate(input: {{ ids: [{ids}], details: "All alike" }}) {{ id }} }}'
        self._act("A bulk edit of eight scenes.", lambda: self._stash.graphql(bulk))
        rename = 'mutation { tagUpdate(input: { id: "1", name: "Renamed" }) { id } }'
        self._act("A tag is renamed: all its scenes are concerned.", lambda: self._stash.graphql(rename))
        renamed = sum("Renamed" in self._plex.item(key).genres for key in self._keys.values())
        too = sum("Renamed" in self._jellyfin.item_json(one)["Genres"] for one in self._ids.values())
        print(f"   With the new name among the genres: {counted(renamed, 'item')} in Plex, {too} in Jellyfin.")

    def _kill(self) -> None:
        print("\nThe worker is killed with SIGKILL.")
        _end_worker(self._folder, getattr(signal, "SIGKILL", signal.SIGTERM))
        self._act("The next Save revives it.", lambda: self._stash.save_scene(11, title="Still here"))

    def _outage(self) -> None:
        print("\nPlex goes down. Three scenes are saved meanwhile, one of them twice.")
        self._plex.stop()
        for scene_id, title in ((12, "Too early"), (13, "During the outage"), (14, "Likewise"), (12, "The newest")):
            self._stash.save_scene(scene_id, title=title)
        start = time.monotonic()
        self._wait_for(
            lambda: self._title_in_jellyfin(12) == "The newest" and self._title_in_jellyfin(14) == "Likewise"
        )
        there = ", ".join(f"'{self._title_in_jellyfin(one)}'" for one in (12, 13, 14))
        print(f"   Jellyfin goes on: {time.monotonic() - start:.1f} s after the last Save it shows {there}.")
        self._wait_for(lambda: read_circuit(self._folder.target("plex").circuit).state != CircuitState.CLOSED)
        print(f"   Status: {self._ask('queue_status')['sentence']}")
        self._plex.start()
        print("Plex is back. It is asked once a minute; Process Queue asks at once.")
        start = time.monotonic()
        print(f"   {self._ask('process_queue')['sentence']}")
        shown = ", ".join(f"'{self._plex.item(self._keys[one]).title}'" for one in (12, 13, 14))
        print(f"   {time.monotonic() - start:.1f} s later Plex shows {shown}.")

    def _explain(self) -> None:
        edit = {"title": "Where?"}
        self._act(
            f"Somebody edits scene {MISSING}, which neither has.", lambda: self._stash.save_scene(MISSING, **edit)
        )
        for name, story in zip(("Plex", "Jellyfin"), self._ask("explain", scene_id=MISSING)["targets"], strict=True):
            print(f"   Why is it not in {name}? {story['state']}: {story['sentence']}")
            print(f"   What to do? {story['next_step']} On the command line: {story['command']}")

    def _compare(self) -> None:
        self._plex.journal.clear()
        self._jellyfin.journal.clear()
        self._act("Sync All: every scene is compared with what the servers really show.", self._sync_all)
        counts = f"{len(self._plex.journal.writes())}, Jellyfin: {len(self._jellyfin.journal.writes())}"
        print(f"   Requests that changed Plex: {counts}. Nothing had to be changed.")

    def _undo(self) -> None:
        print("\nUndo everything.")
        print(f"   {self._ask('undo', all=True)['sentence']}")
        for name, before, now in (
            ("Plex", self._before, self._item_states()),
            ("Jellyfin", self._documents, self._jellyfin_documents()),
        ):
            same = sum(now[key] == before[key] for key in before)
            print(
                f"   As they were before the demo, field by field, in {name}: {same} of {counted(len(before), 'item')}."
            )

    # --- what they need -------------------------------------------------------------------------------------------

    def _fill_plex(self) -> dict[int, str]:
        keys: dict[int, str] = {}
        for scene in self._stash.library.scenes.values():
            for file in scene.files if scene.id != MISSING else ():
                path = file.path.replace("/data/clips", "/data/scenes/clips")
                keys[scene.id] = self._plex.add_item(path, file.size, int(file.duration * 1000))
        return keys

    def _fill_jellyfin(self) -> dict[int, str]:
        ids: dict[int, str] = {}
        for scene in self._stash.library.scenes.values():
            for file in scene.files[:1] if scene.id != MISSING else ():
                path = file.path.replace("/data/clips", "/data/scenes/films")
                ids[scene.id] = self._jellyfin.add_item(path, file.size, file.duration)
        return ids

    def _jellyfin_documents(self) -> dict[str, object]:
        """Show everything that Jellyfin holds of each item; of pictures their bytes, not where they lie."""
        found: dict[str, object] = {}
        for item_id in self._ids.values():
            document = {name: value for name, value in self._jellyfin.item_json(item_id).items() if value != ""}
            document["Pictures"] = sorted((one["Type"], one["Sha1"]) for one in document["Pictures"])
            found[item_id] = document
        return found

    def _title_in_jellyfin(self, scene_id: int) -> str:
        return str(self._jellyfin.item_json(self._ids[scene_id])["Name"])

    def _shown_in_jellyfin(self, scene_id: int) -> str:
        item = self._jellyfin.item_json(self._ids[scene_id])
        values = {name: item.get(name, "") for name in ("Name", "Overview")}
        actors = [one["Name"] for one in item["People"] if one["Type"] == "Actor"]
        return f"{values | {'Studios': item['Studios']}}, genres {item['Genres']}, actors {actors}"

    def _item_states(self) -> dict[str, object]:
        """Show every item as a person sees it: an empty field is none, and a sort title like the title is none."""
        found: dict[str, object] = {}
        for key in self._keys.values():
            item = self._plex.item(key)
            values = {name: value for name, value in item.values.items() if value != ""}
            values.setdefault("titleSort", item.title)
            found[key] = (values, item.tags, item.locks)
        return found

    def _shown(self, scene_id: int) -> str:
        item = self._plex.item(self._keys[scene_id])
        values = {name: item.values.get(name, "") for name in ("title", "summary", "studio")}
        return f"{values}, genres {list(item.genres)}, actors {list(item.actors)}"

    def _ask(self, mode: str, **more: object) -> dict[str, Any]:
        """Ask the plugin through Stash, as a page in it does."""
        query = 'mutation ($args: Map) { runPluginOperation(plugin_id: "Stash2Plex", args: $args) }'
        return self._stash.graphql(query, {"args": {"mode": mode, **more}})["runPluginOperation"]

    def _sync_all(self) -> None:
        self._stash.graphql('mutation { runPluginTask(plugin_id: "Stash2Plex", task_name: "Sync All") }')
        self._wait_for(lambda: not self._stash.graphql("query { jobQueue { id } }")["jobQueue"])

    def _act(self, title: str, act: Callable[[], object]) -> None:
        print(f"\n{title}")
        runs_before = len(self._stash.hook_runs)
        start = time.monotonic()
        act()
        saved = time.monotonic() - start
        if runs := self._stash.hook_runs[runs_before:]:
            mean = sum(run.seconds for run in runs) / len(runs)
            print(f"   Save took {saved * 1000:.0f} ms; the plugin held it up by {mean * 1000:.0f} ms a scene.")
        self._wait_until_all_is_done()
        print(f"   {time.monotonic() - start:.2f} s after it began all is done.")

    def _wait_until_all_is_done(self) -> None:
        connection = connect(self._folder.queue_dir)
        try:
            self._wait_for(lambda: not _unfinished(connection))
        finally:
            connection.close()

    def _wait_for(self, claim: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not claim():
            if time.monotonic() > deadline:
                raise UserError(f"It takes too long; look at {self._folder.worker_log}.")
            time.sleep(0.02)


def _unfinished(connection: sqlite3.Connection) -> int:
    counts = operations.count(connection, time.time())
    return counts["due"] + counts["claimed"]


def _load_packages(folder: DataFolder) -> None:
    loader = PackageLoader(folder, REQUIREMENTS, SIM_REQUIREMENTS)
    try:
        if not loader.ready():
            print("Installing the packages into a temporary folder …")
        loader.load()
    except PackagesMissing as problem:
        raise UserError(str(problem)) from problem


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
