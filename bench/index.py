"""The path index at scale: requests, memory, rate and look-ups, against a bare loop over the same pages.

    python bench/index.py [items]

The simulated Plex, the bare loop and the index each run in a process of their own, so that memory and processor time
are each one's own. Ends with 1 if a promise is broken.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from io import BytesIO
from typing import Any
from xml.etree.ElementTree import iterparse

import requests

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from ledger.index_store import IndexStore  # noqa: E402
from matching.matcher import match  # noqa: E402
from matching.path_map import parse_path_map  # noqa: E402
from model.scene import SceneFile  # noqa: E402
from plex.client import PlexClient  # noqa: E402 - a script finds its packages first
from plex.device_identity import load_identity  # noqa: E402
from plex.http.transport import query_string  # noqa: E402
from plex.listing import PAGE_SIZE, TRIM, paging  # noqa: E402
from sync.index import PathIndex  # noqa: E402

LIBRARY = "Scenes"
MOST_REQUESTS = 110
MOST_MEGABYTES = 120.0
MOST_LOOKUP_SECONDS = 0.001
LEAST_SHARE_OF_BARE = 0.5
LOOKUPS = 10_000

Figures = dict[str, Any]


def peak_megabytes() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def bare_loop(url: str, token: str) -> Figures:
    """Fetch and parse what the index fetches, and keep nothing."""
    session = requests.Session()
    session.headers["X-Plex-Token"] = token
    sections = session.get(f"{url}/library/sections", headers={"Accept": "application/json"}, timeout=60).json()
    key = next(one["key"] for one in sections["MediaContainer"]["Directory"] if one["title"] == LIBRARY)
    address = f"{url}/library/sections/{key}/all{query_string([('type', 1), *TRIM, ('sort', 'id')])}"
    started, started_cpu = time.perf_counter(), time.process_time()
    rows, offset, total = 0, 0, 1
    while offset < total:
        page = session.get(address, headers=dict(paging(offset)), timeout=60)
        total = int(page.headers["X-Plex-Container-Total-Size"])
        for _, element in iterparse(BytesIO(page.content)):  # noqa: S314 - our own simulated server
            if element.tag == "Part":
                rows += bool(element.get("file"))
            elif element.tag == "Video":
                element.clear()
        offset += PAGE_SIZE
    return {
        "rows": rows,
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - started_cpu,
        "peak_mb": peak_megabytes(),
    }


def build_index(url: str, token: str) -> Figures:
    """Walk the library into a database and look files up in it."""
    with tempfile.TemporaryDirectory() as folder:
        client = PlexClient(url, token, load_identity(folder), read_timeout=60)
        store = IndexStore(os.path.join(folder, "ledger.db"))
        index = PathIndex(store, client, LIBRARY)
        client.identify()
        started, started_cpu = time.perf_counter(), time.process_time()
        (done,) = index.refresh(time.time())
        figures: Figures = {
            "how": done.how.value,
            "items": done.items,
            "rows": store.count_parts(),
            "seconds": time.perf_counter() - started,
            "cpu_seconds": time.process_time() - started_cpu,
            "peak_mb": peak_megabytes(),
            "database_mb": os.path.getsize(os.path.join(folder, "ledger.db")) / 1e6,
        }
        figures |= look_up(index, [path for path, _ in store.all_parts()])
        store.close()
        client.close()
    return figures


def look_up(index: PathIndex, paths: list[str]) -> Figures:
    """Time what the worker does for each scene: candidates and match, through a path map."""
    path_map = parse_path_map("/stash=>/data")
    chance = random.Random(4)
    seconds: list[float] = []
    sure = 0
    for path in chance.choices(paths, k=LOOKUPS):
        file = SceneFile(path.replace("/data", "/stash", 1))
        started = time.perf_counter()
        sure += match([file], index.candidates([file], path_map), path_map).score > 0.5
        seconds.append(time.perf_counter() - started)
    seconds.sort()
    return {
        "lookup_mean": sum(seconds) / LOOKUPS,
        "lookup_p99": seconds[LOOKUPS * 99 // 100],
        "sure": sure,
    }


def run(role: str, url: str, token: str) -> Figures:
    command = [sys.executable, __file__, "--role", role, "--url", url, "--token", token]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return json.loads(done.stdout)


def measure(items: int) -> tuple[Figures, Figures, int]:
    command = [sys.executable, "-m", "sim.plex", "--items", str(items)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        try:
            assert server.stdout is not None
            where = json.loads(server.stdout.readline())
            tries = [run("bare", where["url"], where["token"]) for _ in range(2)]  # the first also warms the server
            bare = min(tries, key=lambda one: one["seconds"])
            control = f"{where['url']}/sim/requests"
            requests.delete(control, timeout=60)
            index = run("index", where["url"], where["token"])
            asked = sum(requests.get(control, timeout=60).json()["counts"].values())
        finally:
            server.terminate()
    return bare, index, asked


def report(items: int) -> bool:
    """Print the figures; tell whether every promise is kept."""
    bare, index, asked = measure(items)
    share = (index["rows"] / index["seconds"]) / (bare["rows"] / bare["seconds"])
    print(f"{index['items']:,} items, {index['rows']:,} files, {index['how']}, {index['database_mb']:.0f} MB on disk")
    print(f"{'':10}{'rows/s':>10}{'seconds':>10}{'cpu s':>10}{'peak MB':>10}")
    for name, one in (("bare loop", bare), ("index", index)):
        rate = one["rows"] / one["seconds"]
        print(f"{name:10}{rate:10,.0f}{one['seconds']:10.1f}{one['cpu_seconds']:10.1f}{one['peak_mb']:10.0f}")
    promises = [
        (f"{asked} requests", f"at most {MOST_REQUESTS}", asked <= MOST_REQUESTS),
        (f"{index['peak_mb']:.0f} MB at its peak", f"under {MOST_MEGABYTES:.0f}", index["peak_mb"] < MOST_MEGABYTES),
        (f"{share:.0%} of the bare loop's rate", f"at least {LEAST_SHARE_OF_BARE:.0%}", share >= LEAST_SHARE_OF_BARE),
        (
            f"{index['lookup_mean'] * 1e6:.0f} µs a look-up, 99 % under {index['lookup_p99'] * 1e6:.0f} µs",
            f"under {MOST_LOOKUP_SECONDS * 1e6:.0f} µs",
            index["lookup_p99"] < MOST_LOOKUP_SECONDS,
        ),
        (f"{index['sure']:,} of {LOOKUPS:,} found", "all", index["sure"] == LOOKUPS),
    ]
    for shown, promised, kept in promises:
        print(f"{'kept  ' if kept else 'BROKEN'} {shown} ({promised})")
    return all(kept for _, _, kept in promises)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("items", nargs="?", type=int, default=100_000)
    parser.add_argument("--role", choices=("bare", "index"))
    parser.add_argument("--url", default="")
    parser.add_argument("--token", default="")
    asked = parser.parse_args()
    if asked.role:
        work = bare_loop if asked.role == "bare" else build_index
        print(json.dumps(work(asked.url, asked.token)))
    else:
        sys.exit(0 if report(asked.items) else 1)


if __name__ == "__main__":
    main()
