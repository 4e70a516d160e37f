"""The judge: one verdict for every proof, from what both servers hold, without asking a line of the product."""

import sqlite3
from collections import Counter

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

LISTS = ("actor", "genre", "director", "collection")


def expected(world, scene):
    """Work out what the scene's item shows and locks: Stash's values, beside and below what people had put there."""
    original, library = world.originals[scene.id], world.stash.library
    studio = library.studios[scene.studio_id].name if scene.studio_id else ""
    told = {
        "title": scene.title,
        "summary": _spaced(scene.details),
        "studio": studio,
        "originallyAvailableAt": full_date(scene.date) if scene.date else "",
        "tagline": scene.code,
        "actor": {library.performers[one].name for one in scene.performer_ids},
        "genre": {library.tags[one].name for one in scene.tag_ids},
        "director": {scene.director} - {""},
        "collection": {studio} - {""},
    }
    wanted, locks = {}, set(original.locks)
    for name, value in told.items():
        there = _value(original, name)
        if name in LISTS:
            wanted[name] = value | there
        else:
            is_kept = not value or (world.keeps_edits and there and name in original.locks)
            wanted[name] = there if is_kept else value
        if wanted[name] != there:
            locks.add(name)
    cover = world.cover(scene)
    wanted["poster"], wanted["art"] = f"upload://posters/{cover}", f"upload://arts/{cover}"
    return wanted, locks | {"thumb", "art"}


def full_date(text):
    return text + "-01" * ((10 - len(text)) // 3)


def _spaced(text):
    return " ".join(str(text).split())


def _value(item, name):
    if name in LISTS:
        return set(item.tags.get(name, ()))
    return getattr(item, name) if name in ("poster", "art") else _spaced(item.values.get(name, ""))


def _wrong_values(world):
    for scene in list(world.stash.library.scenes.values()):
        key = world.keys.get(scene.id)
        if key is None:
            continue
        (wanted, locks), item = expected(world, scene), world.plex.item(key)
        for name, value in wanted.items():
            if _value(item, name) != value:
                yield f"scene {scene.id}: {name} is {_value(item, name)!r}, should be {value!r}"
        if not locks <= item.locks:
            yield f"scene {scene.id}: {sorted(locks - item.locks)} not locked"


def _trampled(world):
    now = world.stranger_portraits()
    if now != world.strangers:
        changed = [key for key in world.strangers if now.get(key) != world.strangers[key]]
        yield f"items that are none of ours were changed: {changed}"
    yield from (f"a disaster: {one}" for one in world.plex.disasters)


def not_undone(world):
    """Say what is not as it was before we came, after all of it was undone."""
    for scene_id, key in world.keys.items():
        now, before = world.plex.item(key), world.originals[scene_id]
        if _seen(now) != _seen(before):
            changed = [(name, was, _seen(now)[name]) for name, was in _seen(before).items() if was != _seen(now)[name]]
            yield f"scene {scene_id}: {changed}"


def _seen(item):
    """What a person sees; an empty text is none, and a sort title that is the title shows nothing."""
    values = {name: value for name, value in item.values.items() if value != ""}
    if values.get("titleSort") == values["title"]:
        del values["titleSort"]
    return {"values": values, "tags": item.tags, "locks": item.locks, "poster": item.poster, "art": item.art}


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
    rows = _rows(world.plugin.data.ledger, "SELECT scene_id, state, sentence FROM scene")
    known = {scene_id: (state, sentence) for scene_id, state, sentence in rows}
    for scene_id in list(world.stash.library.scenes):
        state, sentence = known.get(scene_id, ("unknown", ""))
        if scene_id in world.keys and state != "synced":
            yield f"scene {scene_id}: the ledger says {state} ({sentence})"
        if scene_id not in world.keys and (state != "waiting" or "Not in Plex yet" not in sentence):
            yield f"scene {scene_id}: is not in Plex, and the ledger says {state} ({sentence})"


# --- nothing doubled ----------------------------------------------------------------------------------------------


def _doubled_pictures(world):
    stored = Counter(
        entry.path
        for entry in world.plex.requests
        if entry.method == "POST" and entry.status in (200, 201) and entry.path.endswith(("/posters", "/arts"))
    )
    covers = {world.keys[scene.id]: scene.cover_version for scene in world.scenes_in_plex()}
    for path, times in stored.items():
        if times > covers.get(int(path.split("/")[3]), 1):
            yield f"{path}: a picture was stored {times} times"
