"""From pressing Save in Stash until Plex shows it, with a living worker and with one that has to be started.

    python bench/save.py [--runs 30]

Simulated servers; hook and worker are the real processes. The clock runs from before the Save is sent, so the hook is
part of it. Ends with 1 if a promise is broken.
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

from bench.promises import Promise, judge  # noqa: E402 - a script finds its packages first
from runtime.folder import DataFolder  # noqa: E402
from runtime.lock import is_held  # noqa: E402
from runtime.state_file import read_state  # noqa: E402
from sim.plex.server import SimPlex  # noqa: E402
from sim.stash.simulator import SimStash  # noqa: E402

SCENES = 50
MOST_SECONDS_LIVING, MOST_SECONDS_TO_START = 1.0, 3.0
PATIENCE_SECONDS = 60.0


class Pair:
    """A Stash with the plugin from this folder, and a Plex that holds its files."""

    def __init__(self, config_dir: str) -> None:
        self.stash = SimStash(scenes=SCENES, config_dir=Path(config_dir))
        self.plex = SimPlex(0)
        self.folder = DataFolder.of_stash(config_dir)
        self.keys: dict[int, int] = {}
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


def measure(runs: int) -> tuple[list[float], list[float]]:
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
        finally:
            pair.stop()
    return living, starting


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30)
    promises: list[Promise] = []
    print(f"{'Save to Plex':28}{'median':>9}{'slowest':>9}{'runs':>6}")
    both = zip(("a living worker", "a worker to start"), measure(parser.parse_args().runs), strict=True)
    for (name, seconds), limit in zip(both, (MOST_SECONDS_LIVING, MOST_SECONDS_TO_START), strict=True):
        median = statistics.median(seconds)
        print(f"{name:28}{median:8.2f}s{max(seconds):8.2f}s{len(seconds):6}")
        promises.append(Promise(f"Save to Plex, {name}: {median:.2f} s", f"under {limit:.0f} s", kept=median < limit))
    sys.exit(judge(promises))


if __name__ == "__main__":
    main()
