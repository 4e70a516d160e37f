"""A small library with a past, for the pictures: the real plugin has synced it, and some of it needs a person.

Everything that the pictures say is said by the plugin; only the titles, and how busy the last day was, are made up.
"""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.mediabrowser.server import SimMediaBrowser
from sim.plex.faults import status as answering
from sim.plex.server import SimPlex
from sim.stash.library.library import Library
from sim.stash.library.records import Performer, Studio, Tag
from sim.stash.simulator import SimStash
from tests.support.plugin.plugin import InstalledPlugin, wait_until
from tests.ui.support.ports import usual_port

STUDIOS = ("Harbour Films", "Lantern & Co", "North Window")
PEOPLE = ("Ada Quill", "Ben Marsh", "Clara Voss", "Dev Anand Rao", "Elif Kaya", "Finn O'Hara")
TAGS = ("Outdoor", "Evening", "Ferry", "Interview", "Black & White", "Winter", "City")
TITLES = (
    "Blue Harbour", "A Walk in May", "Northern Lights", "The Long Table", "Paper Boats", "Half Past Four",
    "Salt and Rain", "Two Doors Down", "The Last Ferry", "Glass Houses", "Slow Train South", "Orchard Road",
    "Seven Windows", "Quiet Hours", "The Lamplighter", "Under the Viaduct", "Low Tide", "Morning Papers",
    "A Borrowed Coat", "Chalk Lines", "The Upper Room", "Small Engines", "Winter Garden", "Off the Map",
    "Second Breakfast", "The Piano Movers", "Red Umbrella", "Station Clock", "Kites", "Lemon Street",
    "The Night Baker", "Postcards", "Tin Roof", "A Field in August", "Rooftops", "Letters Home",
)  # fmt: skip
SUMMARY = "{title}: {first} and {second} have an afternoon, a camera and no plan."
NOT_ON_SERVER = (34, 35, 36)
SEVERAL = (4, 9)
REFUSED = 12
FAILED = 20
IGNORED = 30
TYPED_IN_PLEX = 2
WIPED = (1, 2, 3, 6, 7, 11)
"""Scenes of which Plex has forgotten what was written: no hook tells, and a preview finds it."""
PATIENCE_SECONDS = 180.0


@dataclass(frozen=True)
class Staged:
    stash: SimStash
    plex: SimPlex


@contextmanager
def new_library(folder: Path) -> Iterator[Staged]:
    """The plugin as somebody has just installed it, beside servers that have the files."""
    with ExitStack() as stack:
        installed = InstalledPlugin(folder)
        stack.callback(installed.kill_workers)
        plex = stack.enter_context(SimPlex(items=0, port=usual_port(32400)))
        stash = stack.enter_context(SimStash(port=usual_port(9999), config_dir=folder))
        _fill(stash.library)
        stash.install_plugin(installed.plugin_dir, python=installed.python)
        yield Staged(stash, plex)
        installed.kill_workers()


@contextmanager
def used_library(folder: Path) -> Iterator[Staged]:
    """The same after a day: synced to two servers, with edits, an outage of one value, and what needs a person."""
    with new_library(folder) as staged, SimMediaBrowser(items=0, port=usual_port(8096)) as jellyfin:
        items = _add_items(staged, jellyfin)
        for target, busy in (("plex", 37), ("jellyfin", 23)):
            _give_a_past(folder / "stash2plex" / "targets" / target, busy)
        stash, plex = staged.stash, staged.plex
        settings = {"plex_url": plex.url, "plex_token": plex.token}
        settings |= {"jellyfin_url": jellyfin.url, "jellyfin_api_key": jellyfin.api_key}
        stash.configure_plugin("Stash2Plex", settings)
        _task(stash, "all")
        _wait_for(
            stash, lambda status: all(_is_quiet(one) for one in status["targets"]) and len(status["targets"]) == 2
        )
        for scene_id, title in ((5, "Paper Boats (restored)"), (8, "Two Doors Down, uncut")):
            stash.save_scene(scene_id, title=title)
            wait_until(
                lambda scene_id=scene_id, title=title: plex.item(items[scene_id]).title == title, PATIENCE_SECONDS
            )
            time.sleep(2)  # the worker rests, so that each edit is a run of its own
        plex.faults.add(answering(400), method="PUT")
        stash.save_scene(FAILED, title=f"{TITLES[FAILED - 1]}, part one")
        _wait_for(
            stash,
            lambda status: status["targets"][0]["scenes"]["failed"] + status["targets"][0]["scenes"]["refused"] >= 2,
        )
        plex.faults.clear()
        _operation(stash, "ignore_scene", scene_id=IGNORED, ignore=True)
        for scene_id in WIPED:
            plex.wipe(items[scene_id])
        plex.edit_by_person(items[TYPED_IN_PLEX], studio="My own words")
        _operation(stash, "path_map", target="plex")
        for mode in ("health_check", "preview"):
            _task(stash, mode)
        _wait_for(stash, lambda status: all(_is_quiet(one) for one in status["targets"]))
        yield staged


def _fill(library: Library) -> None:
    now = library.clock.stamp()
    for number, name in enumerate(STUDIOS, 1):
        library.studios.put(Studio(number, name, now, now))
    for number, name in enumerate(PEOPLE, 1):
        library.performers.put(Performer(number, name, now, now))
    for number, name in enumerate(TAGS, 1):
        library.tags.put(Tag(number, name, now, now))
    for number, title in enumerate(TITLES):
        scene = library.new_scene()
        first, second = number % len(PEOPLE), (number + 2) % len(PEOPLE)
        scene.title, scene.organized, scene.cover_version = title, True, 1
        scene.details = SUMMARY.format(title=title, first=PEOPLE[first], second=PEOPLE[second])
        scene.date = (
            "yesterday" if scene.id == REFUSED else f"20{10 + number % 15}-{number % 12 + 1:02}-{number % 28 + 1:02}"
        )
        scene.studio_id, scene.performer_ids = number % len(STUDIOS) + 1, (first + 1, second + 1)
        scene.tag_ids = tuple(sorted({(number * step) % len(TAGS) + 1 for step in (1, 2, 3)}))
        name = title.lower().replace(" ", "-").replace(",", "")
        scene.files = (library.new_file(f"/data/clips/{name}.mp4", 700_000_000 + number * 1_300_000),)


def _add_items(staged: Staged, jellyfin: SimMediaBrowser) -> dict[int, str]:
    """Every scene on both servers, below other folders than Stash has; Plex lacks some, and has two of others."""
    found: dict[int, str] = {}
    for scene_id, scene in staged.stash.library.scenes.items():
        (file,) = scene.files
        name = file.path.rpartition("/")[2]
        jellyfin.add_item(f"/data/scenes/{name}", file.size, file.duration)
        if scene_id in SEVERAL:
            for place in ("archive", "new"):
                staged.plex.add_item(f"/data/scenes/{place}/{name}", file.size, int(file.duration * 1000))
        elif scene_id not in NOT_ON_SERVER:
            found[scene_id] = staged.plex.add_item(f"/data/scenes/{name}", file.size, int(file.duration * 1000))
    return found


def _give_a_past(folder: Path, busy: int) -> None:
    """Let the statistics say how many scenes each hour of the last day had."""
    hour = int(time.time() // 3600) * 3600
    hours = [(hour - age * 3600, age * busy % 90 + 40, 3 * (age % 9 == 4)) for age in range(23, 0, -1)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stats.json").write_text(json.dumps({"hours": hours}), "utf-8")


def _operation(stash: SimStash, mode: str, **args: Any) -> Any:
    query = 'mutation ($args: Map) { runPluginOperation(plugin_id: "Stash2Plex", args: $args) }'
    return stash.graphql(query, {"args": {"mode": mode, **args}})["runPluginOperation"]


def _task(stash: SimStash, mode: str) -> None:
    query = 'mutation ($args: Map) { runPluginTask(plugin_id: "Stash2Plex", args_map: $args) }'
    stash.graphql(query, {"args": {"mode": mode}})


def _wait_for(stash: SimStash, claim: Any) -> None:
    def holds() -> bool:
        time.sleep(0.3)
        return bool(claim(_operation(stash, "status")))

    wait_until(holds, PATIENCE_SECONDS)


def _is_quiet(target: dict[str, Any]) -> bool:
    return (
        target["is_on"]
        and target["scenes"]["synced"] > len(TITLES) // 2
        and not target["queue"]["due"] + target["queue"]["claimed"]
    )
