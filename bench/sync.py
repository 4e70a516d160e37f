"""Syncing at scale: requests, time and memory per scene, against a bare loop that makes the same requests.

    python bench/sync.py [scenes ...]             5000 and 20000 if none are given
    python bench/sync.py --target jellyfin        plex, emby or jellyfin; plex if none is named
    python bench/sync.py --pictures [scenes]      only a first sync with pictures, of 1000 if no number is given

The simulated servers, the sync and the bare loop each run in a process of their own, steered over stdin. The sync works
as the worker does, all its databases on disk; without pictures, and then a first sync with them, from items that show
different things before. Ends with 1 if a promise is broken. The bare loop's time is a limit for the first sync; where
there is next to nothing to ask for, it is shown and means little.
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
from bench.support.promises import Promise, judge  # noqa: E402
from bench.support.servers import Servers, Sync  # noqa: E402
from model.targets import EMBY, JELLYFIN, PLEX, TITLES  # noqa: E402
from stash import queries  # noqa: E402
from stash.client import PAGE_SIZE  # noqa: E402
from worker.processor import BATCH  # noqa: E402

SIZES = (5_000, 20_000)
PHASES = ("first", "again", "all", "changed")
ONLY_FIRST_ABOVE = 20_000  # beyond, only how the first sync grows is of interest
TOLD = {
    "first": "first sync",
    "again": "again, unchanged",
    "all": "Sync All, unchanged",
    "changed": "one in a hundred changed",
}
MOST_WRITES, MOST_STASH, MOST_UNCHANGED = 1.1, 0.03, 0.05
MOST_READS = {PLEX: 0.05, JELLYFIN: 0.1, EMBY: 1.1}  # Emby shows its locks item by item
MOST_READS_UNCHANGED = {PLEX: 0.05, JELLYFIN: 0.1, EMBY: 1.1}
MOST_OF_BARE = 1.5
MOST_MEGABYTES = 150.0
MOST_GROWTH = 1.2
PICTURE_SCENES, MOST_STASH_WITH_PICTURES = 1_000, 1.1
MOST_WITH_PICTURES = {"both": 6.0, "frame": 5.0, "nothing": 4.0}
MOST_OF_OTHERS = {
    JELLYFIN: {"both": 6.2, "frame": 5.2, "nothing": 4.2},  # six, and what a batch has in common
    EMBY: {"both": 7.2, "frame": 6.2, "nothing": 5.2},  # one more, for its locks
}
"""Three uploads (a film has a wide card, too), the words, what ours takes the place of, a look at its backdrops."""
UPLOADS = {PLEX: 2, JELLYFIN: 3, EMBY: 3}
TOLD.update({"both": "both shown before", "frame": "a frame shown before", "nothing": "nothing shown before"})


class Bare:
    """The same requests, one after the other, and nothing done with the answers."""

    def __init__(self, where: Figures) -> None:
        ((name, target),) = where["targets"].items()
        self._session, self._stash = requests.Session(), requests.Session()
        self._session.headers.update(
            {
                PLEX: {"X-Plex-Token": target["key"]},
                EMBY: {"X-Emby-Token": target["key"]},
                JELLYFIN: {"Authorization": f'MediaBrowser Token="{target["key"]}"'},
            }[name]
        )
        self._stash.headers["Cookie"] = f"session={where['cookie']}"
        self._url, self._graphql = target["url"], f"http://127.0.0.1:{where['port']}/graphql"
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
        for method, path, query, size, body in asked:
            headers = {} if size is None else {"X-Plex-Container-Start": "0", "X-Plex-Container-Size": str(size)}
            if body:
                headers["Content-Type"] = "application/json"
            address = f"{self._url}{path}?{query}" if query else f"{self._url}{path}"
            answer = self._session.request(method, address, headers=headers, data=body.encode() or None, timeout=60)
            answer.raise_for_status()

    def _walk_stash(self, query: str) -> None:
        for start in range(0, len(self._ids), PAGE_SIZE):
            page = {"page": 1, "per_page": PAGE_SIZE, "sort": "id", "direction": "ASC"}
            after = {"id": {"value": start, "modifier": "GREATER_THAN"}}
            self._ask_stash(query, {"filter": page, "scenes": after})

    def _ask_stash(self, query: str, variables: Figures) -> None:
        answer = self._stash.post(self._graphql, json={"query": query, "variables": variables}, timeout=60)
        answer.raise_for_status()


# --- processes ----------------------------------------------------------------------------------------------------


def play(role: str, scenes: int, target: str, where: str) -> None:
    if role == "servers":
        servers = Servers(scenes, [target])
        serve(lambda act, *words: getattr(servers, act)(*words))
    elif role == "sync":
        with tempfile.TemporaryDirectory() as folder:
            serve(timed(Sync(json.loads(where), folder).run))
    else:
        serve(timed(Bare(json.loads(where)).run))


# --- the report ---------------------------------------------------------------------------------------------------


def phases_of(scenes: int) -> tuple[str, ...]:
    return PHASES if scenes <= ONLY_FIRST_ABOVE else PHASES[:1]


def measure(scenes: int, target: str) -> Figures:
    """Run all phases, and then the bare loop over what they asked, on servers as fresh as the first ones were."""
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as folder:
        with Child("servers", "--scenes", str(scenes), "--target", target) as servers:
            where = servers.tell("where")
            with Child("sync", "--where", json.dumps(where)) as sync:
                for phase in phases_of(scenes):
                    changed = servers.tell("change") if phase == "changed" else 0
                    figures[phase] = sync.tell(phase)
                    taken = servers.tell("take", os.path.join(folder, phase), target)
                    figures[phase] |= taken | {"changed": changed}
        with Child("servers", "--scenes", str(scenes), "--target", target) as servers:
            where = servers.tell("where")
            with Child("bare", "--where", json.dumps(where)) as bare:
                for phase in phases_of(scenes):
                    figures[phase]["bare"] = bare.tell(phase, os.path.join(folder, phase))
    return figures


def measure_pictures(scenes: int, target: str) -> Figures:
    """Do a first sync with pictures from every start, on fresh servers each."""
    figures: Figures = {}
    for start in MOST_WITH_PICTURES:
        with (
            tempfile.TemporaryDirectory() as folder,
            Child("servers", "--scenes", str(scenes), "--target", target) as servers,
        ):
            servers.tell("dress", start)
            switches = {"sync_poster": True, "sync_background": True, "sync_performers": start != "both"}
            with Child("sync", "--where", json.dumps(servers.tell("where") | {"settings": switches})) as sync:
                figures[start] = sync.tell("first") | servers.tell("take", os.path.join(folder, start), target)
    return figures


def show_pictures(scenes: int, target: str, figures: Figures) -> Iterator[Promise]:
    name = TITLES[target]
    print(f"\n{scenes:,} scenes with pictures{f'{name}/scene':>18}{'upload':>8}{'write':>8}{'read':>8}", end="")
    print(f"{'Stash/scene':>13}{'seconds':>9}{'ms/scene':>10}{'peak MB':>9}{'ledger MB':>11}")
    for start, one in figures.items():
        shares = [one[kind] / scenes for kind in ("uploads", "writes", "reads")]
        print(f"{TOLD[start]:32}{sum(shares):12.3f}", *(f"{share:7.3f}" for share in shares), end="")
        print(f"{one['stash'] / scenes:13.3f}{one['seconds']:9.2f}", end="")
        print(f"{one['seconds'] / scenes * 1e3:10.2f}{one['peak_mb']:9.0f}{one['ledger_mb']:11.1f}")
        figure = f"{name}, {scenes:,} with pictures, {TOLD[start]}: {sum(shares):.3f} requests a scene"
        most = MOST_WITH_PICTURES[start] if target == PLEX else MOST_OF_OTHERS[target][start]
        yield Promise(figure, f"at most {most:g}", kept=sum(shares) <= most)
        figure = f"{name}, {scenes:,} with pictures, {TOLD[start]}: {shares[0]:.3f} uploads a scene"
        yield Promise(figure, str(UPLOADS[target]), kept=one["uploads"] == UPLOADS[target] * scenes)
        ruined = len(one["disasters"])
        yield Promise(f"{name}, {TOLD[start]}: {ruined} requests that ruin a library", "none", kept=not ruined)
    stash = max(one["stash"] for one in figures.values()) / scenes
    figure = f"{name}, {scenes:,} with pictures: {stash:.3f} requests to Stash a scene, one of them for the cover"
    yield Promise(figure, f"at most {MOST_STASH_WITH_PICTURES}", kept=stash <= MOST_STASH_WITH_PICTURES)


def show(scenes: int, target: str, figures: Figures) -> None:
    print(f"\n{TITLES[target]}, {scenes:,} scenes{'write/scene':>19}{'read/scene':>11}{'Stash/scene':>13}", end="")
    print(
        f"{'seconds':>9}{'bare':>8}{'times':>6}{'cpu s':>8}{'bare':>7}{'ms/scene':>10}{'peak MB':>9}"
        f"{'collection/scene':>18}"
    )
    for phase, one in figures.items():
        bare = one["bare"]["seconds"]
        print(f"{TOLD[phase]:26}", end="")
        print(f"{one['writes'] / scenes:7.4f}{one['reads'] / scenes:11.4f}{one['stash'] / scenes:13.4f}", end="")
        print(f"{one['seconds']:9.2f}{bare:8.2f}{one['seconds'] / bare:6.2f}", end="")
        print(f"{one['cpu_seconds']:8.2f}{one['bare']['cpu_seconds']:7.2f}", end="")
        print(f"{one['seconds'] / scenes * 1e3:10.2f}{one['peak_mb']:9.0f}{one['collections'] / scenes:18.4f}")


def promises(scenes: int, target: str, figures: Figures) -> Iterator[Promise]:
    first, of = figures["first"], f"{TITLES[target]}, {scenes:,}"
    limits = (
        ("writes", "writes" if target == PLEX else "writes (collections aside)", MOST_WRITES),
        ("reads", "reads", MOST_READS[target]),
        ("stash", "Stash", MOST_STASH),
    )
    for name, unit, most in limits:
        figure = first[name] / scenes
        yield Promise(f"{of}, first sync: {figure:.3f} {unit} a scene", f"at most {most}", kept=figure <= most)
    for phase in ("again", "all"):
        if phase in figures:
            yield from _unchanged(scenes, target, phase, figures[phase])
    if changed := figures.get("changed"):
        figure = f"{of}, {TOLD['changed']}: {changed['writes']} writes"
        yield Promise(figure, f"{changed['changed']}", kept=changed["writes"] == changed["changed"])
    share = first["seconds"] / first["bare"]["seconds"]
    figure = f"{of}, first sync: {share:.2f} of the bare loop's time"
    yield Promise(figure, f"at most {MOST_OF_BARE}", kept=share <= MOST_OF_BARE)
    peak = max(one["peak_mb"] for one in figures.values())
    yield Promise(f"{of}: {peak:.0f} MB at the peak", f"under {MOST_MEGABYTES:.0f}", kept=peak < MOST_MEGABYTES)
    ruined = sum(len(one["disasters"]) for one in figures.values())
    yield Promise(f"{of}: {ruined} requests that ruin a library", "none", kept=not ruined)


def _unchanged(scenes: int, target: str, phase: str, one: Figures) -> Iterator[Promise]:
    asked = (one["writes"] + one["reads"] + one["stash"]) / scenes
    of = f"{TITLES[target]}, {scenes:,}, {TOLD[phase]}"
    yield Promise(f"{of}: {one['writes']} writes", "none", kept=one["writes"] == 0)
    most = MOST_READS_UNCHANGED[target] if phase == "all" else MOST_UNCHANGED
    yield Promise(f"{of}: {asked:.3f} requests a scene", f"at most {most}", kept=asked <= most)


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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int)
    parser.add_argument("--target", choices=(PLEX, EMBY, JELLYFIN), default=PLEX)
    parser.add_argument("--pictures", action="store_true")
    parser.add_argument("--role", choices=("servers", "sync", "bare"))
    parser.add_argument("--scenes", type=int, default=0)
    parser.add_argument("--where", default="{}")
    asked = parser.parse_args()
    if asked.role:
        play(asked.role, asked.scenes, asked.target, asked.where)
        return
    if asked.pictures:
        scenes = asked.sizes[0] if asked.sizes else PICTURE_SCENES
        sys.exit(judge(list(show_pictures(scenes, asked.target, measure_pictures(scenes, asked.target)))))
    sizes: list[int] = sorted(asked.sizes or SIZES)
    measured: list[Figures] = []
    verdicts: list[Promise] = []
    for scenes in sizes:
        measured.append(measure(scenes, asked.target))
        show(scenes, asked.target, measured[-1])
        verdicts += promises(scenes, asked.target, measured[-1])
    if len(sizes) > 1:
        verdicts += growth(sizes, measured)
    verdicts += show_pictures(PICTURE_SCENES, asked.target, measure_pictures(PICTURE_SCENES, asked.target))
    print()
    sys.exit(judge(verdicts))


if __name__ == "__main__":
    main()
