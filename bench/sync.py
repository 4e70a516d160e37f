"""Syncing at scale: requests, time and memory per scene, against a bare loop that makes the same requests.

    python bench/sync.py [scenes ...]        5000 and 20000 if none are given

The simulated servers, the sync and the bare loop each run in a process of their own, steered over stdin. The sync works
as the worker does, both its databases on disk, without pictures. Ends with 1 if a promise is broken. The bare loop's
time is a limit for the first sync; where there is next to nothing to ask for, it is shown and means little.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator

import requests

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from bench.processes import Child, Figures, serve, timed  # noqa: E402 - a script finds its packages first
from bench.promises import Promise, judge  # noqa: E402
from ledger.store import Ledger  # noqa: E402
from plex.device_identity import load_identity  # noqa: E402
from runtime.folder import DataFolder  # noqa: E402
from runtime.redaction import Redactor  # noqa: E402
from sim.plex.server import SimPlex  # noqa: E402
from sim.stash.simulator import SimStash  # noqa: E402
from stash import queries  # noqa: E402
from stash.client import PAGE_SIZE  # noqa: E402
from sync_queue.manager import QueueManager  # noqa: E402
from sync_queue.session import Session  # noqa: E402
from validation.config import Stash2PlexConfig  # noqa: E402
from worker.clock import SystemClock  # noqa: E402
from worker.conditions import Conditions, ConditionsBoard  # noqa: E402
from worker.plex_line import PlexLine  # noqa: E402
from worker.plex_target import PlexTarget  # noqa: E402
from worker.probe import PlexProbe  # noqa: E402
from worker.processor import BATCH, SyncWorker, Why  # noqa: E402
from worker.recovery import RecoveryScheduler  # noqa: E402
from worker.scene_work import SceneWork  # noqa: E402
from worker.stash_line import StashLine  # noqa: E402

SIZES = (5_000, 20_000)
PHASES = ("first", "again", "all", "changed")
ONLY_FIRST_ABOVE = 20_000  # beyond, only how the first sync grows is of interest
TOLD = {
    "first": "first sync",
    "again": "again, unchanged",
    "all": "Sync All, unchanged",
    "changed": "one in a hundred changed",
}
CHANGED_SHARE = 100
MOST_PUTS, MOST_GETS, MOST_STASH, MOST_UNCHANGED = 1.1, 0.05, 0.03, 0.05
MOST_OF_BARE = 1.5
MOST_MEGABYTES = 150.0
MOST_GROWTH = 1.2

# --- the servers --------------------------------------------------------------------------------------------------


class Servers:
    """Stash with so many scenes, and Plex with an item for each, under another prefix."""

    def __init__(self, scenes: int) -> None:
        self.stash, self.plex = SimStash(scenes), SimPlex(0)
        library = self.stash.library
        for scene in library.scenes.values():
            if not scene.files:
                scene.files = (library.new_file(f"/data/clips/more/Scene Number {scene.id}.mp4", 50_000 + scene.id),)
            file = scene.files[0]
            path = file.path.replace("/data/clips", "/data/scenes/clips", 1)
            self.plex.add_item(path, file.size, int(file.duration * 1000))
        self.stash.start()
        self.plex.start()

    def where(self) -> Figures:
        return {
            "url": self.plex.url,
            "token": self.plex.token,
            "port": self.stash.port,
            "cookie": self.stash.login().removeprefix("session="),
            "ids": len(self.stash.library.scenes),
        }

    def change(self) -> int:
        """Give one scene in a hundred another title."""
        changed = list(self.stash.library.scenes.values())[::CHANGED_SHARE]
        for scene in changed:
            scene.title = f"Changed {scene.id}"
        return len(changed)

    def take(self, file: str) -> Figures:
        """Write down what was asked of Plex since the last time, and count it all."""
        asked = [(one.method, one.path, one.query, one.page_size) for one in self.plex.requests]
        with open(file, "w", encoding="utf-8") as out:
            json.dump(asked, out)
        counts = {
            "puts": sum(one[0] == "PUT" for one in asked),
            "gets": sum(one[0] == "GET" for one in asked),
            "stash": sum(self.stash.requests.values()),
            "disasters": self.plex.disasters,
        }
        self.plex.journal.clear()
        self.stash.requests.clear()
        return counts


# --- the sync -----------------------------------------------------------------------------------------------------


class Sync:
    """The metadata lane as the worker wires it, stepped until nothing is due."""

    def __init__(self, where: Figures, folder: str) -> None:
        clock = SystemClock()
        self._clock, self._ids = clock, list(range(1, where["ids"] + 1))
        self._queue = QueueManager.begin(os.path.join(folder, "queue"), clock.now())
        self._queue.keep_session(Session("http", "127.0.0.1", where["port"], where["cookie"], clock.now()))
        file = os.path.join(folder, "ledger.db")
        ledger = Ledger(file)
        stash = StashLine(self._queue)
        identity = load_identity(folder)
        line = PlexLine(ledger, file, identity, stash, clock)
        target = PlexTarget(self._queue, ledger, line, clock)
        scenes = SceneWork(self._queue, stash, target, _no_sweep, clock)
        board = ConditionsBoard()
        settings = {"plex_url": where["url"], "plex_token": where["token"], "plex_library": "Scenes"}
        board.post(Conditions(Stash2PlexConfig(**settings, sync_poster=False, sync_background=False), None))
        recovery = RecoveryScheduler(DataFolder(folder), PlexProbe(ledger, identity), clock, Redactor())
        self._worker = SyncWorker(self._queue, scenes, board, recovery, clock, Redactor())

    def run(self, phase: str) -> None:
        now = self._clock.now()
        if phase in {"first", "all"}:
            self._queue.enqueue("all", [0], "bench", now, due_at=now, full=True)
        else:
            self._queue.enqueue("scene", self._ids, "bench", now, due_at=now)
        while self._worker.step().why is Why.WORKED:
            pass
        if self._queue.next_due_at(self._clock.now()) is not None:
            raise SystemExit(f"jobs are left after '{phase}'")


def _no_sweep(reason: str) -> None:
    raise SystemExit(f"nobody shall ask for a sweep here: {reason}")


class Bare:
    """The same requests, one after the other, and nothing done with the answers."""

    def __init__(self, where: Figures) -> None:
        self._plex, self._stash = requests.Session(), requests.Session()
        self._plex.headers["X-Plex-Token"] = where["token"]
        self._stash.headers["Cookie"] = f"session={where['cookie']}"
        self._url, self._graphql = where["url"], f"http://127.0.0.1:{where['port']}/graphql"
        self._ids = list(range(1, where["ids"] + 1))

    def run(self, phase: str, file: str) -> None:
        if phase == "first":
            self._walk_stash(queries.SCENE_FILES_PAGE)
        if phase in {"first", "all"}:
            self._walk_stash(queries.SCENE_IDS_PAGE)
        for start in range(0, len(self._ids), BATCH):
            self._ask_stash(queries.scenes_by_ids(self._ids[start : start + BATCH]), {})
        with open(file, encoding="utf-8") as recorded:
            asked = json.load(recorded)
        for method, path, query, size in asked:
            headers = {} if size is None else {"X-Plex-Container-Start": "0", "X-Plex-Container-Size": str(size)}
            address = f"{self._url}{path}?{query}" if query else f"{self._url}{path}"
            self._plex.request(method, address, headers=headers, timeout=60).raise_for_status()

    def _walk_stash(self, query: str) -> None:
        for start in range(0, len(self._ids), PAGE_SIZE):
            page = {"page": 1, "per_page": PAGE_SIZE, "sort": "id", "direction": "ASC"}
            after = {"id": {"value": start, "modifier": "GREATER_THAN"}}
            self._ask_stash(query, {"filter": page, "scenes": after})

    def _ask_stash(self, query: str, variables: Figures) -> None:
        answer = self._stash.post(self._graphql, json={"query": query, "variables": variables}, timeout=60)
        answer.raise_for_status()


# --- processes ----------------------------------------------------------------------------------------------------


def play(role: str, scenes: int, where: str) -> None:
    if role == "servers":
        servers = Servers(scenes)
        serve(lambda act, *words: getattr(servers, act)(*words))
    elif role == "sync":
        with tempfile.TemporaryDirectory() as folder:
            serve(timed(Sync(json.loads(where), folder).run))
    else:
        serve(timed(Bare(json.loads(where)).run))


# --- the report ---------------------------------------------------------------------------------------------------


def phases_of(scenes: int) -> tuple[str, ...]:
    return PHASES if scenes <= ONLY_FIRST_ABOVE else PHASES[:1]


def measure(scenes: int) -> Figures:
    """Run all phases, and then the bare loop over what they asked, on servers as fresh as the first ones were."""
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as folder:
        with Child("servers", "--scenes", str(scenes)) as servers:
            where = servers.tell("where")
            with Child("sync", "--where", json.dumps(where)) as sync:
                for phase in phases_of(scenes):
                    changed = servers.tell("change") if phase == "changed" else 0
                    figures[phase] = sync.tell(phase)
                    figures[phase] |= servers.tell("take", os.path.join(folder, phase)) | {"changed": changed}
        with Child("servers", "--scenes", str(scenes)) as servers:
            where = servers.tell("where")
            with Child("bare", "--where", json.dumps(where)) as bare:
                for phase in phases_of(scenes):
                    figures[phase]["bare"] = bare.tell(phase, os.path.join(folder, phase))
    return figures


def show(scenes: int, figures: Figures) -> None:
    print(f"\n{scenes:,} scenes{'PUT/scene':>19}{'GET/scene':>11}{'Stash/scene':>13}", end="")
    print(f"{'seconds':>9}{'bare':>8}{'times':>6}{'cpu s':>8}{'bare':>7}{'ms/scene':>10}{'peak MB':>9}")
    for phase, one in figures.items():
        bare = one["bare"]["seconds"]
        print(f"{TOLD[phase]:26}", end="")
        print(f"{one['puts'] / scenes:7.4f}{one['gets'] / scenes:11.4f}{one['stash'] / scenes:13.4f}", end="")
        print(f"{one['seconds']:9.2f}{bare:8.2f}{one['seconds'] / bare:6.2f}", end="")
        print(f"{one['cpu_seconds']:8.2f}{one['bare']['cpu_seconds']:7.2f}", end="")
        print(f"{one['seconds'] / scenes * 1e3:10.2f}{one['peak_mb']:9.0f}")


def promises(scenes: int, figures: Figures) -> Iterator[Promise]:
    first = figures["first"]
    for name, unit, most in (("puts", "PUTs", MOST_PUTS), ("gets", "GETs", MOST_GETS), ("stash", "Stash", MOST_STASH)):
        figure = first[name] / scenes
        yield Promise(f"{scenes:,}, first sync: {figure:.3f} {unit} a scene", f"at most {most}", kept=figure <= most)
    for phase in ("again", "all"):
        if phase in figures:
            yield from _unchanged(scenes, phase, figures[phase])
    if changed := figures.get("changed"):
        figure = f"{scenes:,}, {TOLD['changed']}: {changed['puts']} PUTs"
        yield Promise(figure, f"{changed['changed']}", kept=changed["puts"] == changed["changed"])
    share = first["seconds"] / first["bare"]["seconds"]
    figure = f"{scenes:,}, first sync: {share:.2f} of the bare loop's time"
    yield Promise(figure, f"at most {MOST_OF_BARE}", kept=share <= MOST_OF_BARE)
    peak = max(one["peak_mb"] for one in figures.values())
    yield Promise(f"{scenes:,}: {peak:.0f} MB at the peak", f"under {MOST_MEGABYTES:.0f}", kept=peak < MOST_MEGABYTES)
    ruined = sum(len(one["disasters"]) for one in figures.values())
    yield Promise(f"{scenes:,}: {ruined} requests that ruin a library", "none", kept=not ruined)


def _unchanged(scenes: int, phase: str, one: Figures) -> Iterator[Promise]:
    asked = (one["puts"] + one["gets"] + one["stash"]) / scenes
    yield Promise(f"{scenes:,}, {TOLD[phase]}: {one['puts']} PUTs", "none", kept=one["puts"] == 0)
    yield Promise(
        f"{scenes:,}, {TOLD[phase]}: {asked:.3f} requests a scene",
        f"at most {MOST_UNCHANGED}",
        kept=asked <= MOST_UNCHANGED,
    )


def growth(sizes: list[int], measured: list[Figures]) -> Iterator[Promise]:
    """Compare the bigger ones with the smallest."""
    small = measured[0]
    for size, big in zip(sizes[1:], measured[1:], strict=True):
        for phase in ("first", "all"):
            if phase in big:
                times = big[phase]["seconds"] / size / (small[phase]["seconds"] / sizes[0])
                figure = f"{TOLD[phase]}, time per scene at {size:,}: {times:.2f} times that at {sizes[0]:,}"
                yield Promise(figure, f"at most {MOST_GROWTH}", kept=times <= MOST_GROWTH)
        times = big["first"]["peak_mb"] / small["first"]["peak_mb"]
        figure = f"memory of the first sync at {size:,}: {times:.2f} times that at {sizes[0]:,}"
        yield Promise(figure, f"the same: at most {MOST_GROWTH}", kept=times <= MOST_GROWTH)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--role", choices=("servers", "sync", "bare"))
    parser.add_argument("--scenes", type=int, default=0)
    parser.add_argument("--where", default="{}")
    asked = parser.parse_args()
    if asked.role:
        play(asked.role, asked.scenes, asked.where)
        return
    sizes = sorted(asked.sizes)
    measured: list[Figures] = []
    verdicts: list[Promise] = []
    for scenes in sizes:
        measured.append(measure(scenes))
        show(scenes, measured[-1])
        verdicts += promises(scenes, measured[-1])
    if len(sizes) > 1:
        verdicts += growth(sizes, measured)
    print()
    sys.exit(judge(verdicts))


if __name__ == "__main__":
    main()
