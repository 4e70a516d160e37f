"""The judge of Emby and Jellyfin: whole documents, property by property, without asking a line of the product."""

import copy
import sqlite3
from collections import Counter

from model.sentences import counted
from tests.prove.judge import LOOKS, SECONDS_A_LOOK, full_date

LOCKS = {
    "Name": "Name",
    "Overview": "Overview",
    "OfficialRating": "OfficialRating",
    "Genres": "Genres",
    "Studios": "Studios",
    "People": "Cast",
}
EMBY_LOCKS = LOCKS | {"ForcedSortName": "SortName", "Taglines": "Tagline", "Collections": "Collections"}


def complaints(world):
    """Say all that is wrong on every side: what it shows is what Stash says, all else is as it was, nothing is lost."""
    return [f"{side.sim.flavour.name}: {one}" for side in world.sides for one in _complaints_of(side)]


def verdict(world, complain=complaints):
    """Wait until there is nothing to complain of, looking at the status now and then as people do; say what is left."""
    for _ in range(LOOKS):
        world.wake()
        if world.wait(lambda: not complain(world), SECONDS_A_LOOK):
            return []
    return complain(world)


def not_undone(world):
    """Say by property what is not as it was before we came, after all of it was undone."""
    return [f"{side.sim.flavour.name}: {one}" for side in world.sides for one in _left_of(side)]


def _complaints_of(side):
    try:
        remembered = [*_unexplained(side), *_unfinished(side)]
    except sqlite3.Error as error:  # not made yet
        remembered = [f"our own files cannot be read: {error}"]
    return [*_wrong_values(side), *remembered, *_doubled(side), *_trampled(side)]


# --- what the server shows is what Stash says ---------------------------------------------------------------------


def expected(side, scene):
    """Work out the whole document of a scene's item: Stash's values, beside and below what people had put there."""
    before, library = side.originals[scene.id], side.installation.stash.library
    names = EMBY_LOCKS if side.sim.flavour.is_emby else LOCKS
    studio = library.studios[scene.studio_id].name if scene.studio_id else ""
    document = copy.deepcopy(before)
    told = {"Name": scene.title, "Overview": scene.details}
    told |= {"Taglines": [scene.code] if scene.code else [], "Studios": _first(before["Studios"], studio)}
    for name, value in told.items():
        is_locked = names.get(name) in before["LockedFields"] and bool(before.get(name))
        if value and not (is_locked and side.installation.keeps_edits):
            document[name] = value
    if document["Name"] == scene.title:
        document["ForcedSortName"] = scene.title
    if scene.date:
        document["PremiereDate"] = f"{full_date(scene.date)}T00:00:00.0000000Z"
        document["ProductionYear"] = int(scene.date[:4])
    document["Genres"] = _with(before["Genres"], [library.tags[one].name for one in scene.tag_ids])
    document["Collections"] = sorted(_with(before["Collections"], [studio] if studio else []))
    document["ProviderIds"] = {**before["ProviderIds"], "Stash": str(scene.id)}
    document["People"] = _cast(before, scene, library)
    changed = {name for name, value in document.items() if value != before.get(name)}
    typed = side.typed.get(scene.id, {})
    document.update(typed)
    locks = {names[one] for one in changed | typed.keys() if one in names}
    document["LockedFields"] = sorted({*before["LockedFields"], *locks})
    document["Pictures"] = _pictures(before, side.installation.cover(scene))
    return document


def _first(studios, studio):
    """The first of the studios is ours to choose; one that is in the list already changes places with it."""
    if not studio or studios[:1] == [studio]:
        return studios
    rest = [studios[0] if one == studio else one for one in studios[1:]]
    return [studio, *rest]


def _with(there, names):
    known = {name.casefold() for name in there}
    return [*there, *(name for name in dict.fromkeys(names) if name.casefold() not in known)]


def _cast(before, scene, library):
    cast, known = list(before["People"]), {(one["Name"], one["Type"]) for one in before["People"]}
    actors = [(library.performers[one].name, "Actor") for one in scene.performer_ids]
    for name, work in [*actors, *([(scene.director, "Director")] if scene.director else [])]:
        if (name, work) not in known:
            cast.append({"Name": name, "Role": "", "Type": work})
    return cast


def _pictures(before, cover):
    pictures = {kind: list(of) for kind, of in before["Pictures"].items()}
    pictures["Primary"] = [cover]
    pictures["Backdrop"] = [*pictures.get("Backdrop", ()), cover]
    if before["Type"] == "Movie":
        pictures["Thumb"] = [cover]
    return pictures


def compared(document):
    """Put a document into the form in which two are compared: the order of a list counts where the server shows it."""
    found = {name: value for name, value in document.items() if value is not None}
    found["LockedFields"] = sorted(found["LockedFields"])
    found["Genres"] = sorted(found["Genres"])
    found["People"] = sorted((one["Name"], one["Role"], one["Type"]) for one in found["People"])
    found["Overview"] = " ".join(found.get("Overview", "").split())
    return found


def differences(now, wanted):
    """Say property by property how two documents differ."""
    for name in sorted({*now, *wanted}):
        if now.get(name) != wanted.get(name):
            yield f"{name} is {now.get(name)!r}, should be {wanted.get(name)!r}"


def _wrong_values(side):
    for scene in side.scenes:
        now, wanted = compared(side.document(side.keys[scene.id])), compared(expected(side, scene))
        yield from (f"scene {scene.id}: {one}" for one in differences(now, wanted))


def _trampled(side):
    now = side.stranger_documents()
    changed = [key for key, document in side.strangers.items() if now.get(key) != document]
    if changed:
        yield f"items that are none of ours were changed: {changed}"
    for name, members in side.boxsets.items():
        if not set(members) <= set(side.members().get(name, ())):
            yield f"the collection {name!r} lost members"
    yield from (f"a disaster: {one}" for one in side.sim.disasters)


def _left_of(side):
    yield from _trampled(side)
    for scene_id, key in side.keys.items():
        before = copy.deepcopy(side.originals[scene_id])
        if typed := side.typed.get(scene_id):  # no undo touches what a person typed
            names = EMBY_LOCKS if side.sim.flavour.is_emby else LOCKS
            before.update(typed)
            before["LockedFields"] = sorted({*before["LockedFields"], *(names[one] for one in typed if one in names)})
        yield from (f"scene {scene_id}: {one}" for one in differences(side.document(key), before))
    now = side.members()
    yield from (f"collection {name!r}: {now[name]}" for name, members in side.boxsets.items() if now[name] != members)


# --- all explained, nothing lost ----------------------------------------------------------------------------------


def _rows(path, query):
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def _unfinished(side):
    queue = side.installation.plugin.data.queue_dir + "/data.db"
    jobs = {key for (key,) in _rows(queue, "SELECT key FROM ack_queue_default WHERE status < 3")}
    patient = {f"scene:{one}@{side.name}" for one in side.installation.stash.library.scenes if one not in side.keys}
    waiting = {key for key in jobs if key.endswith(f"@{side.name}")} - patient
    if waiting:
        yield f"{counted(len(waiting), 'job')} not done: {sorted(waiting)[:5]}"
    if dead := _rows(queue, "SELECT key, sentence FROM dead_letters"):
        yield f"dead letters: {dead}"


def _unexplained(side):
    rows = _rows(side.installation.plugin.data.target(side.name).ledger, "SELECT scene_id, state, sentence FROM scene")
    known = {scene_id: (state, sentence) for scene_id, state, sentence in rows}
    for scene_id in list(side.installation.stash.library.scenes):
        state, sentence = known.get(scene_id, ("unknown", ""))
        if scene_id in side.keys and state != "synced":
            yield f"scene {scene_id}: the ledger says {state} ({sentence})"
        if scene_id not in side.keys and (state != "waiting" or "Not in" not in sentence):
            yield f"scene {scene_id}: is not there, and the ledger says {state} ({sentence})"


def _doubled(side):
    """A picture is stored once for each cover that a scene has had."""
    stored = Counter(call.path for call in side.sim.requests if call.kind == "upload" and call.status in (200, 204))
    covers = {side.keys[scene.id]: scene.cover_version for scene in side.scenes}
    for path, times in stored.items():
        if times > covers.get(path.split("/")[-3], 1):
            yield f"{path}: a picture was stored {times} times"
