"""The right item or none: what Plex has, has not yet, has twice, has lost, has moved."""

import pytest

from ledger.states import SceneState
from sim.plex.server import SimPlex

SCENE, OTHER = 1, 2


def new_scene(shop, path="/data/clips/new/fresh.mp4", **values):
    scene = shop.stash.events.scan_new_file(path, size=777_777)
    shop.edit(scene.id, title="Fresh", tags=["New"], **values)
    return scene.id


# --- not there yet ------------------------------------------------------------------------------------------------


def test_a_file_plex_has_not_seen_waits_with_a_sentence_and_is_synced_when_it_appears(shop):
    shop.sync(SCENE)
    scene_id = new_scene(shop)
    shop.sync(scene_id)
    record = shop.record(scene_id)
    assert record.state is SceneState.WAITING
    assert "/data/clips/new/fresh.mp4" in record.sentence
    assert shop.letters() == {}
    shop.add_to_plex(scene_id)
    shop.work_for(60)
    assert shop.item(scene_id).title == "Fresh"
    assert shop.record(scene_id).state is SceneState.SYNCED
    assert shop.jobs() == {}


def test_one_that_never_appears_is_left_to_the_sweep_and_is_no_dead_letter(shop):
    shop.sync(SCENE)
    scene_id = new_scene(shop)
    shop.sync(scene_id)
    shop.work_for(2 * 3600, every=600)
    assert shop.jobs() == {}
    assert shop.letters() == {}
    assert shop.record(scene_id).state is SceneState.WAITING
    shop.add_to_plex(scene_id)
    shop.sync(scene_id)  # as the sweep does, for it has no fingerprint
    assert shop.record(scene_id).fingerprint
    assert shop.item(scene_id).title == "Fresh"


def test_an_edit_while_it_waits_does_not_lose_the_place_in_line(shop):
    shop.sync(SCENE)
    scene_id = new_scene(shop)
    shop.sync(scene_id)
    shop.edit(scene_id, title="Better")
    shop.sync(scene_id)
    assert len(shop.jobs()) == 1
    shop.add_to_plex(scene_id)
    shop.work_for(90)
    assert shop.item(scene_id).title == "Better"


def test_a_scene_without_a_file_waits_and_asks_nothing_to_be_written(shop):
    shop.sync(SCENE)
    shop.forget_requests()
    shop.edit(OTHER, files=())
    shop.sync(OTHER)
    assert shop.record(OTHER).state is SceneState.WAITING
    assert "no file" in shop.record(OTHER).sentence
    assert shop.writes() == []


def test_a_new_file_has_its_folder_scanned_once_and_is_synced_when_plex_has_it(shop):
    shop.configure(trigger_plex_scan=True)
    shop.sync(SCENE)
    fresh = [new_scene(shop, f"/data/clips/0/fresh {number}.mp4") for number in (1, 2)]
    for scene_id in fresh:
        shop.plex.add_file(shop.path(scene_id), 777_777)
    shop.sync(*fresh)
    scans = [entry for entry in shop.plex.requests if entry.kind == "scan"]
    assert [entry.params["path"] for entry in scans] == ["/data/scenes/clips/0"]
    shop.work_for(120)
    assert [shop.item(scene_id).title for scene_id in fresh] == ["Fresh", "Fresh"]


def test_a_new_file_that_a_sweep_found_is_waited_for_if_its_folder_is_scanned(shop):
    shop.configure(trigger_plex_scan=True)
    shop.sync_all()
    fresh = new_scene(shop, "/data/clips/0/fresh.mp4")
    shop.plex.add_file(shop.path(fresh), 777_777)
    shop.sweep_and_work()
    assert shop.plex.count("scan") == 1
    shop.work_for(120)
    assert shop.item(fresh).title == "Fresh"


def test_without_being_told_to_no_folder_is_scanned(shop):
    shop.sync(SCENE)
    shop.sync(new_scene(shop))
    assert shop.plex.count("scan") == 0


def test_a_scene_is_found_in_any_library_with_videos_if_none_is_named(shop):
    shop.configure(plex_library="")
    scene_id = new_scene(shop, "/data/clips/new/elsewhere.mp4")
    key = shop.plex.add_item("/data/clips/new/elsewhere.mp4", 777_777, 60_000, section="Clips")
    shop.sync(SCENE, scene_id)
    assert shop.plex.item(key).title == "Fresh"


# --- which one ----------------------------------------------------------------------------------------------------


def test_two_items_that_could_be_it_are_named_and_neither_is_written(shop):
    scene_id = new_scene(shop, "/data/clips/new/twice.mp4")
    keys = [shop.plex.add_item(f"/data/archive/{place}/twice.mp4", 1, 5) for place in ("a", "b")]
    before = [shop.plex.item(key) for key in keys]
    shop.sync(SCENE, scene_id)
    record = shop.record(scene_id)
    assert record.state is SceneState.AMBIGUOUS
    assert all(str(key) in record.sentence for key in keys)
    assert [shop.plex.item(key) for key in keys] == before
    assert shop.jobs() == {}
    assert shop.letters() == {}


def test_a_person_settles_which_item_it_is(shop):
    scene_id = new_scene(shop, "/data/clips/new/twice.mp4")
    keys = [shop.plex.add_item(f"/data/archive/{place}/twice.mp4", 1, 5) for place in ("a", "b")]
    shop.sync(scene_id)
    shop.ledger.pins.set(scene_id, keys[1], shop.plex.server_id)
    shop.sync(scene_id)
    assert [shop.plex.item(key).title for key in keys] == ["twice", "Fresh"]
    assert shop.record(scene_id).state is SceneState.SYNCED


def test_a_pin_to_an_item_that_is_gone_is_not_followed_elsewhere_without_a_word(shop):
    scene_id = new_scene(shop, "/data/clips/new/twice.mp4")
    keys = [shop.plex.add_item(f"/data/archive/{place}/twice.mp4", 1, 5) for place in ("a", "b")]
    shop.sync(scene_id)
    shop.ledger.pins.set(scene_id, keys[1], shop.plex.server_id)
    shop.plex.delete(keys[1])
    before = shop.others()
    shop.sync(scene_id)
    assert shop.others() == before
    assert shop.record(scene_id).state in {SceneState.AMBIGUOUS, SceneState.WAITING}
    assert shop.record(scene_id).sentence


@pytest.mark.parametrize(("strict", "title"), [(True, "loose"), (False, "Fresh")])
def test_a_match_by_name_alone_is_written_only_without_strict_matching(shop, strict, title):
    shop.configure(strict_matching=strict)
    scene_id = new_scene(shop, "/data/clips/new/loose.mp4")
    key = shop.plex.add_item("/data/archive/x/loose.mp4", 1, 5)
    shop.sync(SCENE, scene_id)
    assert shop.plex.item(key).title == title


def test_two_scenes_on_one_item_the_first_has_it_the_second_is_told_so(shop):
    shop.sync(SCENE)
    ours = shop.item(SCENE)
    twin = shop.stash.events.scan_new_file(shop.stash.library.scenes[SCENE].path, size=50_001)
    shop.edit(twin.id, title="Twin")
    shop.sync(twin.id)
    assert shop.item(SCENE) == ours
    assert shop.record(twin.id).state is SceneState.AMBIGUOUS
    assert f"Scene {SCENE} " in shop.record(twin.id).sentence
    shop.sync_all()
    assert shop.item(SCENE) == ours


def test_of_two_scenes_on_one_item_in_one_batch_only_one_is_written(shop):
    twin = shop.stash.events.scan_new_file(shop.stash.library.scenes[SCENE].path, size=50_001)
    shop.edit(twin.id, title="Twin")
    shop.sync(SCENE, twin.id)
    assert len(shop.writes()) == 1
    states = {shop.record(SCENE).state, shop.record(twin.id).state}
    assert states == {SceneState.SYNCED, SceneState.AMBIGUOUS}


def test_when_the_first_of_two_scenes_is_deleted_the_second_gets_the_item(shop):
    shop.sync(SCENE)
    twin = shop.stash.events.scan_new_file(shop.stash.library.scenes[SCENE].path, size=50_001)
    shop.edit(twin.id, title="Twin")
    shop.sync(twin.id)
    key = shop.key(SCENE)
    del shop.stash.library.scenes[SCENE]
    shop.sync(SCENE, twin.id)
    shop.sync(twin.id)
    assert shop.record(SCENE) is None
    assert shop.plex.item(key).title == "Twin"


def merge_in_stash(shop, source, target):
    """Do as Stash does: the target gets the files, the source is destroyed."""
    library = shop.stash.library
    with library.lock:
        library.scenes[target].files = (*library.scenes[source].files, *library.scenes[target].files)
        del library.scenes[source]
        library.touch(library.scenes[target])


def test_a_scene_merged_into_another_hands_on_its_item_but_for_what_a_person_wrote_there(shop):
    shop.edit(SCENE, title="Source", details="Source's", tags=["Both", "Source's"])
    shop.edit(OTHER, title="Target", details="Target's", tags=["Both", "Target's"])
    shop.sync(SCENE, OTHER)
    key, left = shop.key(SCENE), shop.key(OTHER)
    shop.plex.edit_by_person(key, summary="A person's", genre=[*shop.plex.item(key).genres, "A person's"])
    behind = shop.plex.item(left)
    merge_in_stash(shop, SCENE, OTHER)
    shop.sync(SCENE, OTHER)
    item = shop.plex.item(key)
    assert (item.title, item.values["summary"]) == ("Target", "A person's")
    assert set(item.genres) == {"Both", "Target's", "A person's"}
    assert shop.record(OTHER).item_id == key
    assert shop.plex.item(left) == behind


def test_an_item_given_up_by_a_merge_is_still_known_as_ours_when_its_file_gets_a_scene_of_its_own(shop):
    shop.sync(SCENE, OTHER)
    file, left = shop.stash.library.scenes[OTHER].files[0], shop.key(OTHER)
    merge_in_stash(shop, SCENE, OTHER)
    shop.sync(SCENE, OTHER)
    library = shop.stash.library
    with library.lock:
        library.scenes[OTHER].files = library.scenes[OTHER].files[:1]
    alone = shop.stash.events.scan_new_file(file.path, size=file.size)
    shop.edit(alone.id, title="On its own")
    shop.sync(alone.id)
    assert shop.plex.item(left).title == "On its own"


def test_a_deleted_scene_is_forgotten_and_its_item_left_as_it_is(shop):
    shop.sync(SCENE)
    before, key = shop.item(SCENE), shop.key(SCENE)
    del shop.stash.library.scenes[SCENE]
    shop.forget_requests()
    shop.sync(SCENE)
    assert shop.record(SCENE) is None
    assert shop.plex.item(key) == before
    assert shop.plex.requests == []


# --- what may not be written at all -------------------------------------------------------------------------------


def test_a_value_that_cannot_be_mended_is_a_dead_letter_with_the_field(shop):
    shop.edit(SCENE, date="2023-02-30")
    shop.sync(SCENE, OTHER)
    assert shop.record(SCENE).state is SceneState.REFUSED
    assert "date" in shop.record(SCENE).sentence
    assert "date" in shop.letters()[f"scene:{SCENE}"]
    assert shop.record(OTHER).state is SceneState.SYNCED
    shop.edit(SCENE, date="2023-02-28")
    shop.sync(SCENE)
    assert shop.letters() == {}
    assert shop.record(SCENE).state is SceneState.SYNCED


def test_only_organized_skips_the_others_until_they_are(shop):
    shop.configure(only_organized=True)
    shop.edit(SCENE, organized=False)
    shop.edit(OTHER, organized=True)
    shop.sync(SCENE, OTHER)
    assert [shop.record(one).state for one in (SCENE, OTHER)] == [SceneState.SKIPPED, SceneState.SYNCED]
    shop.edit(SCENE, organized=True)
    shop.sync(SCENE)
    assert shop.record(SCENE).state is SceneState.SYNCED


def test_a_choice_made_on_one_server_says_nothing_of_another(shop, clock):
    """There the same number is some other item."""
    shop.ledger.pins.set(SCENE, shop.key(SCENE), shop.plex.server_id)
    shop.sync(SCENE)
    with SimPlex(int(shop.key(SCENE)) + 20, clock=clock.now) as second:
        second.become_another_server("beef" * 10)
        keys = [key for section in second.world.library.sections.values() for key in second.item_ids(section.title)]
        assert shop.key(SCENE) in keys
        before = {key: second.item(key) for key in keys}
        shop.configure(plex_url=second.url, plex_token=second.token)
        shop.sweep()
        shop.work()
        assert {key: second.item(key) for key in keys} == before
        assert shop.record(SCENE).state is SceneState.WAITING


# --- what became of the item --------------------------------------------------------------------------------------


@pytest.fixture
def synced(shop):
    """All scenes in Plex, and a person's own words on one of the others' items."""
    shop.sync_all()
    shop.plex.edit_by_person(shop.key(OTHER), genre=[*shop.item(OTHER).genres, "Theirs"], contentRating="Ours")
    return shop


def told(item):
    """What a person sees, without the key and the times."""
    return item.values, {kind: set(names) for kind, names in item.tags.items()}, item.locks


def test_sync_all_fills_in_a_wiped_item_and_touches_nothing_else(synced):
    before, others = told(synced.item(SCENE)), synced.others(SCENE)
    synced.plex.wipe(synced.key(SCENE))
    assert told(synced.item(SCENE)) != before
    synced.sync_all()
    assert told(synced.item(SCENE)) == before
    assert synced.others(SCENE) == others


def test_a_refresh_takes_nothing_that_we_locked(synced):
    before = told(synced.item(SCENE))
    synced.plex.agent_says(synced.key(SCENE), title="Agent", summary="Agent", tagline="Agent")
    synced.plex.refresh(synced.key(SCENE))
    assert told(synced.item(SCENE)) == before
    synced.forget_requests()
    synced.sync_all()
    assert synced.writes() == []


def test_sync_all_puts_right_what_a_refresh_took_from_unlocked_fields(synced):
    before, key = told(synced.item(SCENE)), synced.key(SCENE)
    synced.plex.lock(key, *synced.item(SCENE).locks, locked=False)
    synced.plex.agent_says(key, title="Agent", summary="Agent")
    synced.plex.refresh(key)
    synced.sync_all()
    assert told(synced.item(SCENE))[:2] == before[:2]


def test_an_item_rebuilt_under_another_key_is_written_anew(synced):
    before, others = told(synced.item(SCENE)), synced.others(SCENE)
    old_key = synced.key(SCENE)
    assert synced.plex.rebuild(old_key) != old_key
    synced.sync_all()
    assert told(synced.item(SCENE)) == before
    assert synced.record(SCENE).item_id == synced.key(SCENE)
    assert synced.others(SCENE) == others


def test_an_item_rebuilt_is_found_by_an_edit_too(synced):
    synced.plex.rebuild(synced.key(SCENE))
    synced.edit(SCENE, title="Edited since")
    synced.sync(SCENE)
    assert synced.item(SCENE).title == "Edited since"


def test_a_key_that_now_belongs_to_another_file_is_not_taken_for_the_old_one(synced):
    """A database built anew gives its keys in another order: each scene is found by its file."""
    pair, keys = (SCENE, OTHER), (synced.key(SCENE), synced.key(OTHER))
    before, others = [told(synced.item(one))[0]["title"] for one in pair], synced.others(*pair)
    with synced.plex.world.lock:
        one, other = (synced.plex.world.library.items[int(key)] for key in keys)
        one.media, other.media = other.media, one.media
    for key in keys:
        synced.plex.edit_by_person(key, lock=False, genre=[], actor=[], director=[], collection=[])
        synced.plex.wipe(key)
    synced.sync_all()
    assert [synced.item(one).title for one in pair] == before
    assert [synced.record(one).item_id for one in pair] == [synced.key(one) for one in pair] == [*reversed(keys)]
    assert synced.others(*pair) == others


def test_items_that_swapped_their_files_and_kept_what_we_wrote_are_known_as_ours_and_put_right(synced):
    pair, keys = (SCENE, OTHER), (synced.key(SCENE), synced.key(OTHER))
    before, others = [told(synced.item(one))[0] for one in pair], synced.others(*pair)
    with synced.plex.world.lock:
        one, other = (synced.plex.world.library.items[int(key)] for key in keys)
        one.media, other.media = other.media, one.media
    synced.sync_all()
    assert [told(synced.item(one))[0]["title"] for one in pair] == [values["title"] for values in before]
    assert [told(synced.item(one))[0]["summary"] for one in pair] == [values["summary"] for values in before]
    theirs = set(synced.item(SCENE).genres)
    assert "Theirs" in theirs
    assert set(synced.item(OTHER).genres) == theirs_of(synced, OTHER)
    assert theirs - {"Theirs"} == theirs_of(synced, SCENE)
    assert synced.others(*pair) == others


def theirs_of(shop, scene_id):
    """Name a scene's tags in Stash."""
    library = shop.stash.library
    return {library.tags[tag_id].name for tag_id in library.scenes[scene_id].tag_ids}


def test_a_file_moved_in_plex_is_found_in_its_new_place_by_its_size(synced):
    key = synced.key(SCENE)
    before = told(synced.item(SCENE))
    size = synced.stash.library.scenes[SCENE].files[0].size
    name = synced.path(SCENE).rpartition("/")[2]
    synced.plex.delete(key)
    new = synced.plex.add_item(f"/data/archive/moved/{name}", size, 60_000)
    synced.sync_all()
    assert told(synced.plex.item(new)) == before


def test_an_item_that_is_gone_waits_and_is_written_when_it_is_back(synced):
    before = told(synced.item(SCENE))
    synced.plex.delete(synced.key(SCENE))
    synced.sync_all()
    assert synced.record(SCENE).state is SceneState.WAITING
    assert synced.letters() == {}
    synced.add_to_plex(SCENE)
    synced.work_for(90)
    assert told(synced.item(SCENE)) == before


def test_a_file_moved_in_stash_and_in_plex_is_followed(synced):
    synced.stash.events.rename_folder("/data/clips/0", "/data/clips/renamed")
    for scene_id in (SCENE, OTHER):
        synced.plex.delete(synced.plex.find(synced.path(scene_id).replace("/renamed/", "/0/")))
        synced.add_to_plex(scene_id)
    synced.sync_all()
    assert synced.item(SCENE).title == synced.stash.library.scenes[SCENE].title
    assert synced.record(SCENE).item_id == synced.key(SCENE)


# --- another server -----------------------------------------------------------------------------------------------


def test_a_new_server_is_told_everything_though_nothing_has_changed_in_stash(synced, clock):
    with SimPlex(0, clock=clock.now) as second:
        second.become_another_server("second")
        key = second.add_item(synced.path(SCENE), synced.stash.library.scenes[SCENE].files[0].size)
        synced.configure(plex_url=second.url)
        synced.sync(SCENE)
        assert second.item(key).title == synced.item(SCENE).title
        assert synced.record(SCENE).server_id == "second"
