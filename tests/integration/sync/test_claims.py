"""Whose an item is: what the files of two scenes say now, how surely, and what a person says above all."""

import itertools

import pytest

from ledger.states import SceneState

SCENE, OTHER, THIRD = 1, 2, 3


def files_go(shop, new_owners):
    """Rename files on the disk so that each scene's file lies where another's lay; both servers have noticed."""
    library, plex = shop.stash.library, shop.plex.world
    with library.lock, plex.lock:
        paths = {one: library.scenes[one].path for one in new_owners}
        for scene_id, path in new_owners.items():
            (file,) = library.scenes[scene_id].files
            file.path = paths[path]
            (part,) = plex.library.items[int(shop.plex.find(shop.path(scene_id)))].parts
            part.size, part.duration = file.size, int(file.duration * 1000)


def assert_each_is_on_its_own(shop, *scene_ids):
    titles = {one: shop.item(one).title for one in scene_ids}
    assert titles == {one: shop.stash.library.scenes[one].title for one in scene_ids}
    assert {shop.record(one).state for one in scene_ids} == {SceneState.SYNCED}
    assert [shop.record(one).item_id for one in scene_ids] == [shop.key(one) for one in scene_ids]


@pytest.fixture
def synced(shop):
    shop.sync_all()
    return shop


# --- swapped and renumbered files -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [(SCENE, OTHER), (OTHER, SCENE)])
def test_scenes_that_swapped_their_files_swap_their_items_one_by_one(synced, order):
    files_go(synced, {SCENE: OTHER, OTHER: SCENE})
    for scene_id in order:
        synced.sync(scene_id)
        assert synced.record(scene_id).state is SceneState.SYNCED
        assert synced.item(scene_id).title == synced.stash.library.scenes[scene_id].title
    synced.work()
    assert_each_is_on_its_own(synced, SCENE, OTHER)


@pytest.mark.parametrize("order", list(itertools.permutations((SCENE, OTHER, THIRD))))
def test_renumbered_files_are_followed_in_whatever_order_they_are_told(synced, order):
    files_go(synced, {SCENE: OTHER, OTHER: THIRD, THIRD: SCENE})
    for scene_id in order:
        synced.sync(scene_id)
    synced.work()
    assert_each_is_on_its_own(synced, SCENE, OTHER, THIRD)


def test_swapped_files_that_no_hook_told_are_right_after_a_sweep(synced):
    before = synced.others(SCENE, OTHER)
    files_go(synced, {SCENE: OTHER, OTHER: SCENE})
    synced.sweep_and_work()
    assert_each_is_on_its_own(synced, SCENE, OTHER)
    assert synced.others(SCENE, OTHER) == before


def test_a_preview_of_swapped_files_says_what_the_sync_will_do(counter):
    shop = counter.shop
    shop.sync_all()
    files_go(shop, {SCENE: OTHER, OTHER: SCENE})
    plan = counter.preview(SCENE)
    assert (plan["verdict"], plan["item_id"]) == ("would change", shop.key(SCENE))


def test_the_item_of_a_scene_that_stash_has_deleted_is_free_before_anyone_told_us(synced):
    twin = synced.stash.events.scan_new_file(synced.stash.library.scenes[SCENE].path, size=50_001)
    synced.edit(twin.id, title="Twin")
    key = synced.key(SCENE)
    del synced.stash.library.scenes[SCENE]
    synced.sync(twin.id)
    assert synced.plex.item(key).title == "Twin"
    assert synced.record(twin.id).state is SceneState.SYNCED


# --- the surer one has it ------------------------------------------------------------------------------------------


@pytest.fixture
def pair(shop):
    """Two scenes with a file of one name and size in two folders, of which Plex has only the second's."""
    shop.sync(SCENE)
    loose, exact = (
        shop.stash.events.scan_new_file(f"/data/clips/{place}/thing.mp4", size=4242).id for place in ("x", "y")
    )
    shop.edit(loose, title="By name and size")
    shop.edit(exact, title="By its path")
    return loose, exact, shop.plex.add_item("/data/scenes/clips/y/thing.mp4", 4242, 60_000)


@pytest.fixture
def taken_before(shop, pair):
    """The weaker match has the item: Stash knew the file at that path only later."""
    loose, exact, key = pair
    scene = shop.stash.library.scenes.pop(exact)
    shop.sync(loose)
    assert shop.plex.item(key).title == "By name and size"
    shop.stash.library.scenes[exact] = scene
    return pair


def test_a_match_by_name_and_size_gives_way_to_the_scene_whose_path_it_is(shop, taken_before):
    loose, exact, key = taken_before
    shop.sync(exact)
    assert shop.plex.item(key).title == "By its path"
    assert shop.record(exact).state is SceneState.SYNCED
    assert shop.record(loose).state is SceneState.WAITING
    assert f"scene {exact}." in shop.record(loose).sentence
    shop.sync(loose)
    shop.sync_all()
    assert shop.plex.item(key).title == "By its path"
    assert shop.record(loose).state is SceneState.WAITING


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_in_one_batch_the_surer_match_has_the_item_whoever_comes_first(shop, pair, order):
    shop.forget_requests()
    shop.sync(*(pair[one] for one in order))
    assert shop.plex.item(pair[2]).title == "By its path"
    assert len(shop.writes()) == 1
    assert shop.record(pair[0]).state is SceneState.WAITING


def test_a_match_by_name_and_size_takes_no_item_whose_path_another_scene_has(shop, pair):
    loose, exact, key = pair
    shop.sync(loose)
    assert shop.writes()[-1].params["id"] != str(key)
    assert shop.record(loose).state is SceneState.WAITING
    assert f"scene {exact}." in shop.record(loose).sentence


@pytest.mark.parametrize("why", ["unorganized", "left out"])
def test_a_scene_that_is_not_synced_keeps_the_item_of_its_path_from_others(counter, pair, why):
    shop, (loose, exact, key) = counter.shop, pair
    counter.configure(only_organized=True)
    shop.edit(loose, organized=True)
    shop.edit(exact, organized=why != "unorganized")
    if why == "left out":
        counter.ask("ignore_scene", ids=[exact])
    before = shop.plex.item(key)
    shop.sync(loose)
    shop.sync_all()
    assert shop.plex.item(key) == before
    assert shop.record(loose).state is SceneState.WAITING
    assert counter.preview(loose)["verdict"] == "unmatched"


def test_a_scene_that_gave_way_is_synced_when_its_own_file_is_in_plex(shop, taken_before):
    loose, exact, key = taken_before
    shop.sync(exact)
    own = shop.plex.add_item("/data/scenes/clips/x/thing.mp4", 4242, 60_000)
    shop.work_for(1200)
    assert shop.plex.item(own).title == "By name and size"
    assert shop.plex.item(key).title == "By its path"
    assert {shop.record(one).state for one in (loose, exact)} == {SceneState.SYNCED}


# --- a person's choice beats them all ------------------------------------------------------------------------------


@pytest.fixture
def twins(counter):
    """Two scenes with the same file: the first has the item."""
    shop = counter.shop
    shop.sync(SCENE)
    twin = shop.stash.events.scan_new_file(shop.stash.library.scenes[SCENE].path, size=50_001).id
    shop.edit(twin, title="Twin")
    shop.sync(twin)
    assert counter.explain(twin)["command"] == f"map {twin} ITEM"
    return twin


def test_mapping_gives_an_item_that_another_scene_has_to_the_one_a_person_chose(counter, twins):
    shop, key = counter.shop, counter.shop.key(SCENE)
    counter.ask("map_scene", scene_id=twins, item_id=key)
    shop.work()
    assert shop.plex.item(key).title == "Twin"
    assert shop.record(twins).state is SceneState.SYNCED
    assert shop.record(SCENE).state is SceneState.AMBIGUOUS
    assert f"Scene {twins} " in shop.record(SCENE).sentence
    shop.edit(SCENE, title="Edited meanwhile")
    shop.sync(SCENE)
    shop.sync_all()
    assert shop.plex.item(key).title == "Twin"


def test_a_scene_whose_look_alike_is_anothers_is_explained_as_not_in_plex(counter, pair):
    loose, exact, _ = pair
    counter.shop.sync(exact)
    told = counter.explain(loose)
    assert told["plan"]["verdict"] == "unmatched"
    assert f"scene {exact}." in told["plan"]["sentence"]


def test_of_two_choices_for_one_item_the_later_counts_and_the_answer_says_so(counter, twins):
    shop, key = counter.shop, counter.shop.key(SCENE)
    counter.ask("map_scene", scene_id=twins, item_id=key)
    shop.work()
    said = counter.ask("map_scene", scene_id=SCENE, item_id=key)["sentence"]
    shop.work()
    assert f"Scene {twins} was mapped to it before" in said
    assert shop.item(SCENE).title == shop.stash.library.scenes[SCENE].title
    assert shop.record(twins).state is SceneState.AMBIGUOUS
    assert shop.ledger.pins.of([SCENE, twins]) == {SCENE: key}


def test_a_preview_follows_the_choice_as_the_sync_does(counter, twins):
    key = counter.shop.key(SCENE)
    assert counter.preview(twins)["verdict"] == "ambiguous"
    counter.ask("map_scene", scene_id=twins, item_id=key)
    assert counter.preview(twins)["verdict"] == "would change"
