"""A sweep at scale: requests, time and memory over unchanged scenes, against a bare loop that asks for the same pages.

    python bench/sweep.py [scenes ...]       10000 and 100000 if none are given

Stash, the sweep and the bare loop each run in a process of their own. The ledger knows every scene as it is, covers
included, so that nothing may be queued; then one scene in a thousand is changed, and those alone must be. Ends with 1
if a promise is broken.
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

from bench.support.processes import Child, Figures, serve, timed  # noqa: E402 - a script finds its packages first
from ledger.baseline import Baseline  # noqa: E402
from ledger.records import ItemSync, PictureRecord  # noqa: E402
from ledger.states import PictureState  # noqa: E402
from ledger.store import Ledger  # noqa: E402
from model.scene import Scene  # noqa: E402
from model.targets import PLEX  # noqa: E402
from plan.fields import settings_text  # noqa: E402
from runtime.clock import SystemClock  # noqa: E402
from sim.stash.simulator import SimStash  # noqa: E402
from stash import queries  # noqa: E402
from stash.client import PAGE_SIZE, StashClient  # noqa: E402
from sync.connection import keep_server  # noqa: E402
from sync.pictures.covers import screenshot_stamp, wanted_kinds  # noqa: E402
from sync.stash_connection import StashConnection  # noqa: E402
from sync_queue.manager import QueueManager  # noqa: E402
from sync_queue.session import Session  # noqa: E402
from validation.config import Stash2PlexConfig  # noqa: E402
from validation.metadata import fingerprint_of  # noqa: E402
from worker.conditions import Conditions, CurrentConditions  # noqa: E402
from worker.stash.jobs import StashJobs  # noqa: E402
from worker.sweeping.sweep import Sweep, SweptTarget  # noqa: E402

SIZES = (10_000, 100_000)
PHASES = ("unchanged", "changed")
CHANGED_SHARE = 1000
SERVER = "bench"
MOST_CPU_SECONDS = 60.0  # for 100,000 scenes
MOST_OF_BARE = 4.0  # of a simulated Stash, which answers a page five times as fast as a real one
MOST_MEGABYTES = 150.0
MOST_GROWTH = 1.2


class Stash:
    """A Stash with so many scenes."""

    def __init__(self, scenes: int) -> None:
        self._stash = SimStash(scenes)
        self._stash.start()

    def where(self) -> Figures:
        return {"port": self._stash.port, "cookie": self._stash.login().removeprefix("session=")}

    def change(self) -> int:
        changed = list(self._stash.library.scenes.values())[::CHANGED_SHARE]
        for scene in changed:
            scene.title = f"Changed {scene.id}"
        return len(changed)

    def take(self) -> int:
        """Count the requests since the last time."""
        asked = sum(self._stash.requests.values())
        self._stash.requests.clear()
        return asked


class Swept:
    """A sweep over a ledger that knows every scene, both its databases on disk."""

    def __init__(self, where: Figures, folder: str) -> None:
        clock, conditions, jobs = SystemClock(), CurrentConditions(), StashJobs()
        settings: Figures = {"plex_url": "http://127.0.0.1:32400", "plex_token": "bench-token-1234"}
        self._config = Stash2PlexConfig(**settings)
        conditions.set(Conditions(self._config, None))
        session = Session("http", "127.0.0.1", where["port"], where["cookie"], clock.now())
        self._queue = QueueManager.begin(os.path.join(folder, "queue"), clock.now())
        self._queue.keep_session(session)
        ledger = Ledger(os.path.join(folder, "ledger.db"))
        keep_server(ledger, self._config, PLEX, SERVER)
        fill(ledger, session, self._config)
        swept = SweptTarget(PLEX, ledger, self._queue.of_target(PLEX), ledger.path)
        self._sweep = Sweep(self._queue, [swept], StashConnection(self._queue), conditions, jobs, clock)

    def run(self, _phase: str) -> None:
        if not self._sweep.run(self._config):
            raise SystemExit("the sweep was broken off")

    def take_queued(self) -> int:
        """Count the jobs that came of it, and do away with them."""
        queued = self._queue.claim(SystemClock().now(), PAGE_SIZE)
        self._queue.complete(queued)
        return len(queued)


def fill(ledger: Ledger, session: Session, config: Stash2PlexConfig) -> None:
    """Have the ledger know all scenes as synced, a page at a time."""
    settings = settings_text(config, PLEX)
    for page in StashClient(session).all_scenes():
        ledger.record_syncs([_synced(one, fingerprint_of(one, settings)) for one in page], run_id=0, now=0.0)
        ledger.record_pictures([_shown(one, kind.value) for one in page for kind in wanted_kinds(config)], now=0.0)


def _synced(scene: Scene, fingerprint: str) -> ItemSync:
    return ItemSync(
        scene_id=scene.id,
        item_id=str(scene.id),
        server_id=SERVER,
        path="",
        fingerprint=fingerprint,
        baseline=Baseline(),
    )


def _shown(scene: Scene, kind: str) -> PictureRecord:
    stamp = screenshot_stamp(scene.screenshot)
    return PictureRecord(scene.id, kind, str(scene.id), SERVER, stamp, "", "", PictureState.SHOWN, "", 0.0)


class Bare:
    """The same pages, one after the other, and nothing done with them."""

    def __init__(self, where: Figures) -> None:
        self._session = requests.Session()
        self._session.headers["Cookie"] = f"session={where['cookie']}"
        self._url = f"http://127.0.0.1:{where['port']}/graphql"

    def run(self, _phase: str) -> None:
        last = 0
        while True:
            page = {"page": 1, "per_page": PAGE_SIZE, "sort": "id", "direction": "ASC"}
            after = {"id": {"value": last, "modifier": "GREATER_THAN"}}
            asked = {"query": queries.SWEEP_PAGE, "variables": {"filter": page, "scenes": after}}
            answer = self._session.post(self._url, json=asked, timeout=60)
            scenes = answer.json()["data"]["findScenes"]["scenes"]
            if len(scenes) < PAGE_SIZE:
                return
            last = int(scenes[-1]["id"])


# --- processes ----------------------------------------------------------------------------------------------------


def play(role: str, scenes: int, where: str) -> None:
    if role == "stash":
        stash = Stash(scenes)
        serve(lambda act: getattr(stash, act)())
    elif role == "bare":
        serve(timed(Bare(json.loads(where)).run))
    else:
        with tempfile.TemporaryDirectory() as folder:
            swept = Swept(json.loads(where), folder)
            run = timed(swept.run)
            serve(lambda phase: run(phase) | {"queued": swept.take_queued()})


def measure(scenes: int) -> Figures:
    figures: Figures = {}
    with Child("stash", "--scenes", str(scenes)) as stash:
        where = json.dumps(stash.tell("where"))
        with Child("sweep", "--where", where) as sweep:
            sweep.tell("warm up")
            stash.tell("take")
            for phase in PHASES:
                changed = stash.tell("change") if phase == "changed" else 0
                figures[phase] = sweep.tell(phase) | {"changed": changed, "asked": stash.tell("take")}
        with Child("bare", "--where", where) as bare:
            figures["bare"] = bare.tell("all")
    return figures


# --- the report ---------------------------------------------------------------------------------------------------


def show(scenes: int, figures: Figures) -> None:
    print(f"\n{scenes:,} scenes".ljust(24) + f"{'requests':>10}{'queued':>8}{'seconds':>9}{'cpu s':>8}", end="")
    print(f"{'us/scene':>10}{'peak MB':>9}")
    for phase in PHASES:
        one = figures[phase]
        print(f"{phase:23}{one['asked']:10}{one['queued']:8}{one['seconds']:9.2f}{one['cpu_seconds']:8.2f}", end="")
        print(f"{one['cpu_seconds'] / scenes * 1e6:10.0f}{one['peak_mb']:9.0f}")
    bare = figures["bare"]
    print(f"{'bare loop':23}{'':18}{bare['seconds']:9.2f}{bare['cpu_seconds']:8.2f}")


def promises(scenes: int, figures: Figures) -> Iterator[tuple[str, bool]]:
    one, changed = figures["unchanged"], figures["changed"]
    pages = scenes // PAGE_SIZE + 1
    yield f"unchanged: one request a page ({one['asked']})", one["asked"] <= pages
    yield "unchanged: nothing is queued", one["queued"] == 0
    yield "changed: those only are queued", changed["queued"] == changed["changed"]
    cpu = one["cpu_seconds"] / scenes * 100_000
    yield f"at most {MOST_CPU_SECONDS:.0f} s of our CPU for 100,000 scenes ({cpu:.1f})", cpu <= MOST_CPU_SECONDS
    share = min(one["seconds"], changed["seconds"]) / figures["bare"]["seconds"]
    yield f"the faster of the two: at most {MOST_OF_BARE} of the bare loop's time ({share:.2f})", share <= MOST_OF_BARE
    yield f"under {MOST_MEGABYTES:.0f} MB at the peak ({one['peak_mb']:.0f})", one["peak_mb"] < MOST_MEGABYTES


def growth(measured: list[Figures]) -> Iterator[tuple[str, bool]]:
    times = measured[-1]["changed"]["peak_mb"] / measured[0]["changed"]["peak_mb"]
    yield f"memory is the same at both sizes, within {MOST_GROWTH} times ({times:.2f})", times <= MOST_GROWTH


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--role", choices=("stash", "sweep", "bare"))
    parser.add_argument("--scenes", type=int, default=0)
    parser.add_argument("--where", default="{}")
    asked = parser.parse_args()
    if asked.role:
        play(asked.role, asked.scenes, asked.where)
        return
    measured: list[Figures] = []
    verdicts: list[tuple[str, bool]] = []
    for scenes in sorted(asked.sizes):
        measured.append(measure(scenes))
        show(scenes, measured[-1])
        verdicts += [(f"{scenes:,}: {promise}", kept) for promise, kept in promises(scenes, measured[-1])]
    if len(measured) > 1:
        verdicts += growth(measured)
    print()
    for promise, kept in verdicts:
        print(f"{'kept  ' if kept else 'BROKEN'} {promise}")
    sys.exit(0 if all(kept for _, kept in verdicts) else 1)


if __name__ == "__main__":
    main()
