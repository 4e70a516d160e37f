"""The judge: one verdict for every proof, from what both servers hold, without asking a line of the product."""

import sqlite3
from collections import Counter
from dataclasses import replace

from model.sentences import counted
from sim.plex.library.storing import stored_text, stored_value

LOOKS = 15  # a proof that is right ends at the first; one on a busy machine must not be wrong by chance
SECONDS_A_LOOK = 20.0


def complaints(world):
    """Say all that is wrong: what Plex shows is what Stash says, all explained, nothing lost, doubled or trampled."""
    try:
        remembered = [*_unexplained(world), *_unfinished(world)]
    except sqlite3.Error as error:  # damaged, or not made anew yet
        remembered = [f"our own files cannot be read: {error}"]
    return [*_wrong_values(world), *_left_behind(world), *remembered, *_doubled_pictures(world), *_trampled(world)]


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
    for name, sent in told.items():
        value, there = _stored(sent, world), _value(original, name)
        if name in LISTS:
            wanted[name] = value | there
        else:
            is_kept = not value or (world.keeps_edits and there and name in original.locks)
            wanted[name] = there if is_kept else value
        if wanted[name] != there:
            locks.add(name)
    if world.syncs_rating and scene.rating100 is not None:
        wanted["userRating"] = str(stored_value("userRating", scene.rating100 / 10, world.plex.quirks))
    _let_persons_have_it(wanted, locks, world, scene.id)
    cover = world.cover(scene)
    wanted["poster"], wanted["art"] = f"upload://posters/{cover}", f"upload://arts/{cover}"
    return wanted, locks | {"thumb", "art"}


def _stored(value, world):
    """Say what this Plex makes of a value."""
    if isinstance(value, str):
        return _spaced(stored_text(value, world.plex.quirks))
    return {stored_text(name, world.plex.quirks) for name in value} - {""}


READ_AT_MOST_SECONDS_AGO = 2.0
MARGIN_SECONDS = 1.0


def _let_persons_have_it(wanted, locks, world, scene_id):
    """What a person typed or took out since stays, unless it was typed between our last look and our write."""
    for name, (value, at) in world.typed.get(scene_id, {}).items():
        if _is_in_the_gap(world, scene_id, name, at):
            wanted.pop(name)
            continue
        wanted[name] = _stored(value, world)
        locks.add(name)
    for kind, names in world.taken_out.get(scene_id, {}).items():
        wanted[kind] = wanted[kind] - names
        locks.add(kind)


def _is_in_the_gap(world, scene_id, name, at):
    until = at + READ_AT_MOST_SECONDS_AGO + world.write_seconds + MARGIN_SECONDS
    return any(
        entry.kind == "edit"
        and entry.params.get("id") == str(world.keys[scene_id])
        and f"{name}.value" in entry.params
        and at <= entry.at <= until
        for entry in world.plex.requests
    )


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


def _left_behind(world):
    """Say where an item that its scene has left shows anything else than before us."""
    for key, before in world.left.items():
        if changed := _differences(before, world.plex.item(key)):
            yield f"item {key}, which its scene has left: {changed}"


def _trampled(world):
    now = {key: item for key, item in world.stranger_states().items() if key not in world.left}
    if now != world.strangers:
        changed = [key for key in world.strangers if now.get(key) != world.strangers[key]]
        yield f"items that are none of ours were changed: {changed}"
    yield from (f"a disaster: {one}" for one in world.plex.disasters)


def not_undone(world):
    """Say what is not as it was before we came, after all of it was undone."""
    for scene_id, key in world.keys.items():
        before = _with_persons(world.originals[scene_id], world, scene_id)
        if changed := _differences(before, world.plex.item(key)):
            yield f"scene {scene_id}: {changed}"
    yield from _left_behind(world)


def _differences(before, now):
    """List by its name what a person sees of an item and did not see before, with both."""
    return [(name, was, _seen(now)[name]) for name, was in _seen(before).items() if was != _seen(now)[name]]


def _with_persons(item, world, scene_id):
    """Return an item with what a person typed or took out since: no undo touches that."""
    typed = {name: value for name, (value, _) in world.typed.get(scene_id, {}).items()}
    taken_out = world.taken_out.get(scene_id, {})
    tags = {
        kind: tuple(name for name in names if name not in taken_out.get(kind, ())) for kind, names in item.tags.items()
    }
    return replace(
        item,
        values={**item.values, **typed},
        tags={kind: names for kind, names in tags.items() if names},
        locks=item.locks | typed.keys() | taken_out.keys(),
    )


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
        yield f"{counted(len(waiting), 'job')} not done: {sorted(waiting)[:5]}"
    dead = _rows(world.plugin.data.queue_dir + "/data.db", "SELECT key, sentence FROM dead_letters")
    if len(dead) != world.expected_dead:
        yield f"dead letters: {dead}"


def _unexplained(world):
    rows = _rows(world.plugin.data.target("plex").ledger, "SELECT scene_id, state, sentence FROM scene")
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
        key = path.split("/")[3]
        if times > covers.get(key, 1) + world.former[key]:
            yield f"{path}: a picture was stored {times} times"
