"""From pressing Save in Stash until Plex shows it: with a living worker, with one to start, and behind Sync All.

    python bench/save.py [--runs 30]

Simulated servers; hook and worker are the real processes. The clock runs from before the Save is sent, so the hook is
part of it. Behind Sync All every write takes Plex a second, and all scenes are to be written. Ends with 1 if a promise
is broken.
"""

import argparse
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.support.promises import Promise, judge  # noqa: E402 - a script finds its packages first
from runtime.folder import DataFolder  # noqa: E402
from runtime.lock import is_held  # noqa: E402
from runtime.state_file import read_state  # noqa: E402
from sim.plex.faults import slow  # noqa: E402
from sim.plex.server import SimPlex  # noqa: E402
from sim.stash.simulator import SimStash  # noqa: E402

SCENES = 50
MOST_SECONDS_LIVING, MOST_SECONDS_TO_START, MOST_SECONDS_BEHIND = 1.0, 3.0, 5.0
SECONDS_A_WRITE = 1.0
PATIENCE_SECONDS = 60.0


class Pair:
    """A Stash with the plugin from this folder, and a Plex that holds its files."""

    def __init__(self, config_dir: str) -> None:
        self.stash = SimStash(scenes=SCENES, config_dir=Path(config_dir))
        self.plex = SimPlex(0)
        self.folder = DataFolder.of_stash(config_dir)
        self.keys: dict[int, str] = {}
        for scene in self.stash.library.scenes.values():
            if scene.files:
                file = scene.files[0]
                path = file.path.replace("/data/clips", "/data/scenes/clips", 1)
                self.keys[scene.id] = self.plex.add_item(path, file.size, int(file.duration * 1000))

    def start(self) -> None:
        self.plex.start()
        self.stash.start()
        settings = {"plex_url": self.plex.url, "plex_token": self.plex.token}
        self.stash.configure_plugin("Stash2Plex", settings)
        self.stash.install_plugin(ROOT, python=sys.executable)

    def stop(self) -> None:
        self.end_worker()
        self.stash.stop()
        self.plex.stop()

    def save(self, scene_id: int, title: str) -> float:
        """Save, and return the seconds until Plex shows it."""
        started = time.perf_counter()
        self.stash.save_scene(scene_id, title=title)
        wait(lambda: self.plex.item(self.keys[scene_id]).title == title)
        return time.perf_counter() - started

    def sync_all_slowly(self) -> None:
        """Give every scene something new, have Plex take its time for each write, and begin Sync All."""
        for scene in self.stash.library.scenes.values():
            scene.details = "Written behind a slow Plex"
        self.plex.faults.add(slow(SECONDS_A_WRITE), kind="edit")
        before = self.plex.count("edit")
        self.stash.graphql('mutation { runPluginTask(plugin_id: "Stash2Plex", task_name: "Sync All") }')
        wait(lambda: self.plex.count("edit") > before)

    def end_worker(self) -> None:
        pid = read_state(self.folder.worker_state).get("pid")
        if isinstance(pid, int) and is_held(self.folder.worker_lock):
            os.kill(pid, signal.SIGTERM)
            wait(lambda: not is_held(self.folder.worker_lock))

    def wait_until_idle(self) -> None:
        """Wait until the first sweep and its pictures are through."""
        count = -1
        while count != (count := len(self.plex.requests)):
            time.sleep(2.0)


def wait(claim: Callable[[], bool]) -> None:
    deadline = time.perf_counter() + PATIENCE_SECONDS
    while not claim():
        if time.perf_counter() > deadline:
            raise SystemExit("it did not come true in a minute")
        time.sleep(0.002)


def measure(runs: int) -> dict[str, list[float]]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as config_dir:
        pair = Pair(config_dir)
        pair.start()
        try:
            ids = list(pair.keys)
            pair.save(ids[0], "Warming up")
            pair.wait_until_idle()
            living = [pair.save(ids[run % len(ids)], f"Living {run}") for run in range(runs)]
            starting: list[float] = []
            for run in range(max(3, runs // 3)):
                pair.end_worker()
                starting.append(pair.save(ids[run % len(ids)], f"Starting {run}"))
            pair.sync_all_slowly()
            behind: list[float] = []
            for run in range(max(3, runs // 4)):
                time.sleep(0.37 * run % 1.0)  # whatever the batch is at
                behind.append(pair.save(ids[-1 - run], f"Behind {run}"))
        finally:
            pair.stop()
    return {"a living worker": living, "a worker to start": starting, "behind Sync All": behind}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30)
    promises: list[Promise] = []
    print(f"{'Save to Plex':28}{'median':>9}{'slowest':>9}{'runs':>6}")
    limits = (MOST_SECONDS_LIVING, MOST_SECONDS_TO_START, MOST_SECONDS_BEHIND)
    for (name, seconds), limit in zip(measure(parser.parse_args().runs).items(), limits, strict=True):
        median, slowest = statistics.median(seconds), max(seconds)
        print(f"{name:28}{median:8.2f}s{slowest:8.2f}s{len(seconds):6}")
        if limit == MOST_SECONDS_BEHIND:  # nobody is to wait longer
            figure, is_kept = f"{slowest:.2f} s at worst", slowest <= limit
        else:
            figure, is_kept = f"{median:.2f} s", median < limit
        promises.append(Promise(f"Save to Plex, {name}: {figure}", f"under {limit:.0f} s", kept=is_kept))
    sys.exit(judge(promises))


if __name__ == "__main__":
    main()
