"""The judge: one verdict for every proof, from what both servers hold, without asking a line of the product."""

import sqlite3
from collections import Counter

from tests.prove.world import THEIRS

LOOKS = 6
SECONDS_A_LOOK = 20.0


def complaints(world):
    """Say all that is wrong: what Plex shows is what Stash says, all explained, nothing lost, doubled or trampled."""
    try:
        remembered = [*_unexplained(world), *_unfinished(world)]
    except sqlite3.Error as error:  # damaged, or not made anew yet
        remembered = [f"our own files cannot be read: {error}"]
    return [*_wrong_values(world), *remembered, *_doubled_pictures(world), *_trampled(world)]


def verdict(world):
    """Wait until there is nothing to complain of, looking at the status now and then as people do; say what is left."""
    for _ in range(LOOKS):
        world.wake()
        if world.wait(lambda: not complaints(world), SECONDS_A_LOOK):
            return []
    return complaints(world)


# --- what Plex shows is what Stash says ---------------------------------------------------------------------------


def expected(world, scene):
    library = world.stash.library
    return {
        "title": scene.title,
        "summary": " ".join(scene.details.split()),
        "actors": sorted(library.performers[one].name for one in scene.performer_ids),
        "genres": sorted(library.tags[one].name for one in scene.tag_ids),
    }


def shown(world, key):
    item = world.plex.item(key)
    return {
        "title": item.title,
        "summary": " ".join(str(item.values.get("summary", "")).split()),
        "actors": sorted(item.actors),
        "genres": sorted(name for name in item.genres if name != THEIRS),
    }


def _wrong_values(world):
    for scene in list(world.stash.library.scenes.values()):
        key = world.keys.get(scene.id)
        if key is None:
            continue
        wanted, there = expected(world, scene), shown(world, key)
        for name, value in wanted.items():
            if there[name] != value:
                yield f"scene {scene.id}: {name} is {there[name]!r}, should be {value!r}"


def _trampled(world):
    for key in list(world.keys.values())[::3]:
        if THEIRS not in world.plex.item(key).genres:
            yield f"item {key}: a tag of somebody else is gone"
    now = world.stranger_portraits()
    if now != world.strangers:
        changed = [key for key in world.strangers if now.get(key) != world.strangers[key]]
        yield f"items that are none of ours were changed: {changed}"
    yield from (f"a disaster: {one}" for one in world.plex.disasters)


# --- all explained, nothing lost ----------------------------------------------------------------------------------


def _rows(path, query):
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def _unfinished(world):
    rows = _rows(world.plugin.data.queue_dir + "/data.db", "SELECT key FROM ack_queue_default WHERE status < 3")
    patient = {f"scene:{one}" for one in world.stash.library.scenes if one not in world.keys}  # not in Plex yet
    waiting = {key for (key,) in rows} - patient
    if waiting:
        yield f"{len(waiting)} jobs are not done: {sorted(waiting)[:5]}"
    dead = _rows(world.plugin.data.queue_dir + "/data.db", "SELECT key, sentence FROM dead_letters")
    if len(dead) != world.expected_dead:
        yield f"dead letters: {dead}"


def _unexplained(world):
    known = dict(_rows(world.plugin.data.ledger, "SELECT scene_id, state || ' ' || sentence FROM scene"))
    for scene_id in list(world.stash.library.scenes):
        if not known.get(scene_id):
            yield f"scene {scene_id}: the ledger does not know it"


# --- nothing doubled ----------------------------------------------------------------------------------------------


def _doubled_pictures(world):
    stored = Counter(
        entry.path
        for entry in world.plex.requests
        if entry.method == "POST" and entry.status in (200, 201) and entry.path.endswith(("/posters", "/arts"))
    )
    for path, times in stored.items():
        if times > 1:
            yield f"{path}: a picture was stored {times} times"
