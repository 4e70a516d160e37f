"""Several targets at once: memory with all three on, one that is away and holds up nobody, and Save to Jellyfin.

    python bench/targets.py [scenes ...]      5000 and 20000 if none are given, for memory
    python bench/targets.py --apart [scenes]  only whether Jellyfin is held up by a Plex that is away, with 1000
    python bench/targets.py --save [runs]     only from Save to Jellyfin, 20 times

Simulated servers in a process of their own, the worker's lanes in another; Save is measured with the real processes.
Ends with 1 if a promise is broken.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.save import wait  # noqa: E402
from bench.support.processes import Child, Figures, serve, timed  # noqa: E402 - a script finds its packages first
from bench.support.promises import Promise, judge  # noqa: E402
from bench.support.servers import Servers, Sync  # noqa: E402
from model.targets import EMBY, JELLYFIN, PLEX  # noqa: E402
from runtime.folder import DataFolder  # noqa: E402
from runtime.lock import is_held  # noqa: E402
from runtime.state_file import read_state  # noqa: E402
from sim.mediabrowser.server import SimMediaBrowser  # noqa: E402
from sim.stash.simulator import SimStash  # noqa: E402

SIZES = (5_000, 20_000)
ALL = (PLEX, EMBY, JELLYFIN)
MOST_MEGABYTES, MOST_GROWTH = 170.0, 1.2
APART_SCENES, LEAST_RATE = 1_000, 0.9
SAVES, MOST_SECONDS = 20, 1.0
SCENES_TO_SAVE = 20


def play(role: str, scenes: int, targets: list[str], where: str) -> None:
    if role == "servers":
        servers = Servers(scenes, targets)
        serve(lambda act, *words: getattr(servers, act)(*words))
    else:
        with tempfile.TemporaryDirectory() as folder:
            serve(timed(Sync(json.loads(where), folder).run))


# --- memory -----------------------------------------------------------------------------------------------------------


def memory(sizes: list[int]) -> Iterator[Promise]:
    peaks: list[float] = []
    for scenes in sizes:
        with (
            Child("servers", "--scenes", str(scenes), "--targets", *ALL) as servers,
            Child("sync", "--where", json.dumps(servers.tell("where"))) as sync,
        ):
            first, again = sync.tell("first"), sync.tell("again")
        peaks.append(max(first["peak_mb"], again["peak_mb"]))
        print(
            f"{scenes:,} scenes on three targets: {first['seconds']:.1f} s, {peaks[-1]:.0f} MB at the peak", flush=True
        )
        limit = f"at most {MOST_MEGABYTES:.0f}"
        yield Promise(
            f"{scenes:,}, all three on: {peaks[-1]:.0f} MB at the peak", limit, kept=peaks[-1] <= MOST_MEGABYTES
        )
    for size, peak in zip(sizes[1:], peaks[1:], strict=True):
        figure = f"memory with all three on at {size:,}: {peak / peaks[0]:.2f} times that at {sizes[0]:,}"
        yield Promise(figure, f"the same: at most {MOST_GROWTH}", kept=peak / peaks[0] <= MOST_GROWTH)


# --- one of them away -------------------------------------------------------------------------------------------------


def apart(scenes: int) -> Iterator[Promise]:
    alone = min(_jellyfin_seconds(scenes, None) for _ in range(2))
    for fault in ("refuse", "hang"):
        seconds = min(_jellyfin_seconds(scenes, fault) for _ in range(2))
        told = {"refuse": "refuses", "hang": "hangs"}[fault]
        print(f"Jellyfin, {scenes:,} scenes: {alone:.2f} s alone, {seconds:.2f} s while Plex {told}", flush=True)
        rate = alone / seconds
        figure = f"Jellyfin's rate while Plex {told}: {rate:.2f} of what it is alone"
        yield Promise(figure, f"at least {LEAST_RATE}", kept=rate >= LEAST_RATE)


def _jellyfin_seconds(scenes: int, fault: str | None) -> float:
    targets = (JELLYFIN,) if fault is None else (PLEX, JELLYFIN)
    with Child("servers", "--scenes", str(scenes), "--targets", *targets) as servers:
        where: Figures = servers.tell("where")
        if fault is not None:
            servers.tell(fault, PLEX)
        where["settings"] = {"connect_timeout": 5, "read_timeout": 10}
        with Child("sync", "--where", json.dumps(where)) as sync:
            return sync.tell("first", JELLYFIN)["seconds"]


# --- Save -------------------------------------------------------------------------------------------------------------


def save(runs: int) -> Iterator[Promise]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as config_dir:
        stash, jellyfin = (
            SimStash(scenes=SCENES_TO_SAVE, config_dir=Path(config_dir)),
            SimMediaBrowser("jellyfin-12", 0),
        )
        folder, items = DataFolder.of_stash(config_dir), dict[int, str]()
        for scene in stash.library.scenes.values():
            if scene.files:
                path = scene.files[0].path.replace("/data/clips", "/data/scenes/clips", 1)
                items[scene.id] = jellyfin.add_item(path, scene.files[0].size, scene.files[0].duration)
        jellyfin.start()
        stash.start()
        stash.configure_plugin("Stash2Plex", {"jellyfin_url": jellyfin.url, "jellyfin_api_key": jellyfin.api_key})
        stash.install_plugin(ROOT, python=sys.executable)
        try:
            seconds = _save_times(stash, jellyfin, items, runs)
        finally:
            pid = read_state(folder.worker_state).get("pid")
            if isinstance(pid, int) and is_held(folder.worker_lock):
                os.kill(pid, 15)
                wait(lambda: not is_held(folder.worker_lock))
            stash.stop()
            jellyfin.stop()
    median = statistics.median(seconds)
    print(f"Save to Jellyfin: {median:.2f} s, {max(seconds):.2f} s at worst, {runs} times", flush=True)
    yield Promise(f"Save to Jellyfin, a living worker: {median:.2f} s", "under a second", kept=median < MOST_SECONDS)


def _save_times(stash: SimStash, jellyfin: SimMediaBrowser, items: dict[int, str], runs: int) -> list[float]:
    def shown_after(scene_id: int, title: str) -> float:
        started = time.perf_counter()
        stash.save_scene(scene_id, title=title)
        wait(lambda: jellyfin.item_json(items[scene_id])["Name"] == title)
        return time.perf_counter() - started

    ids = list(items)
    shown_after(ids[0], "Warming up")
    count = -1
    while count != (count := jellyfin.count()):  # until the first sweep and its pictures are through
        time.sleep(2.0)
    return [shown_after(ids[run % len(ids)], f"Saved {run}") for run in range(runs)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", type=int)
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--role", choices=("servers", "sync"))
    parser.add_argument("--targets", nargs="*", default=[])
    parser.add_argument("--scenes", type=int, default=0)
    parser.add_argument("--where", default="{}")
    asked = parser.parse_args()
    if asked.role:
        play(asked.role, asked.scenes, asked.targets, asked.where)
        return
    number = next(iter(asked.numbers), None)
    if asked.apart:
        verdicts = list(apart(number or APART_SCENES))
    elif asked.save:
        verdicts = list(save(number or SAVES))
    else:
        verdicts = [*memory(sorted(asked.numbers or SIZES)), *apart(APART_SCENES), *save(SAVES)]
    sys.exit(judge(verdicts))


if __name__ == "__main__":
    main()
