"""The demo: a simulated Stash, real hooks, a real worker. Nothing to configure, nothing left behind."""

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

    from sim.stash.simulator import SimStash

SIM_REQUIREMENTS = os.path.join(ROOT, "sim", "requirements.txt")
SETTINGS = {"plex_url": "http://127.0.0.1:32400", "plex_token": "a-token-for-the-demo"}
PATIENCE_SECONDS = 30.0


def run_demo() -> int:
    if not os.path.exists(SIM_REQUIREMENTS):
        raise Refusal("The demo needs the simulated servers, which are in the source but not in the released plugin.")
    config_dir = Path(tempfile.mkdtemp(prefix="stash2plex-demo-"))
    folder = DataFolder(str(config_dir / "stash2plex"))
    try:
        _load_packages(folder)
        from sim.stash.simulator import SimStash  # noqa: PLC0415 - needs the packages just loaded

        with SimStash(scenes=40, config_dir=config_dir) as stash:
            stash.configure_plugin("Stash2Plex", SETTINGS)
            stash.install_plugin(Path(ROOT))
            Demo(stash, folder).run()
    finally:
        _end_worker(folder)
        shutil.rmtree(config_dir, ignore_errors=True)
    return 0


class Demo:
    """One act after the other; each prints what it did and what came of it."""

    def __init__(self, stash: SimStash, folder: DataFolder) -> None:
        self._stash = stash
        self._folder = folder

    def run(self) -> None:
        print(f"A simulated Stash with 40 scenes listens at {self._stash.url}; the plugin is installed in it.\n")
        self._act("Somebody edits scene 1 and presses Save.", lambda: self._stash.save_scene(1, title="A new title"))
        self._act("The same again: this time a worker lives.", lambda: self._stash.save_scene(2, title="Another"))
        ids = ", ".join(f'"{one}"' for one in range(3, 11))
        bulk = f"mutation {{ bulkSceneUpdate(input: {{ ids: [{ids}], rating100: 80 }}) {{ id }} }}"
        self._act("A bulk edit of eight scenes.", lambda: self._stash.graphql(bulk))
        rename = 'mutation { tagUpdate(input: { id: "1", name: "Renamed" }) { id } }'
        self._act("A tag is renamed: all its scenes are concerned.", lambda: self._stash.graphql(rename))
        print("The worker is killed with SIGKILL.")
        _end_worker(self._folder, getattr(signal, "SIGKILL", signal.SIGTERM))
        self._act("The next Save revives it.", lambda: self._stash.save_scene(11, title="Still here"))
        played = "Somebody watches scene 12: only the play count was sent, so nothing is queued."
        self._act(played, lambda: self._stash.save_scene(12, play_count=3))
        print("Everything was captured, worked on once, and nothing is left in the queue.")
        print("This version reads each scene when its job is due; writing it to Plex comes next.")

    def _act(self, title: str, act: Callable[[], object]) -> None:
        print(title)
        runs_before, log_before = len(self._stash.hook_runs), self._log_size()
        start = time.monotonic()
        act()
        saved = time.monotonic() - start
        runs = self._stash.hook_runs[runs_before:]
        mean = sum(run.seconds for run in runs) / len(runs)
        print(f"   Save took {saved * 1000:.0f} ms: {len(runs)} hook(s) of {mean * 1000:.0f} ms each.")
        self._wait_for_empty_queue()
        print(f"   {time.monotonic() - start:.2f} s after it began the queue is empty again. The worker says:")
        lines = self._log_lines(log_before)
        for line in [*lines[:4], *([f"… and {len(lines) - 4} lines more"] if len(lines) > 4 else [])]:  # noqa: PLR2004
            print(f"      {line}")
        print()

    def _wait_for_empty_queue(self) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        connection = connect(self._folder.queue_dir)
        while sum(operations.count(connection, time.time()).values()):
            if time.monotonic() > deadline:
                raise Refusal(f"The queue did not become empty; look at {self._folder.worker_log}.")
            time.sleep(0.02)
        connection.close()

    def _log_size(self) -> int:
        return os.path.getsize(self._folder.worker_log) if os.path.exists(self._folder.worker_log) else 0

    def _log_lines(self, start: int) -> list[str]:
        with open(self._folder.worker_log, encoding="utf-8") as file:
            file.seek(start)
            return [line.strip()[11:] for line in file] or ["(nothing)"]


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
