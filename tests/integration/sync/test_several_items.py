"""A scene with several files: every item that holds one of them shows the scene."""

import pytest

from ledger.states import PictureState, SceneState
from sim.plex import faults
from sim.stash.library.pictures import png
from tests.integration.sync.conftest import PLEX_ROOT
from tests.integration.sync.pictures.test_pictures import upload_key
from tests.integration.sync.test_trouble import sync_and_die

SCENE, OTHER = 1, 2
COPY = "/data/clips/copies/another cut.mp4"


def add_copy(shop, scene_id=SCENE, path=COPY):
    """Give the scene a second file, and Plex an item for it."""
    shop.stash.events.scan_second_file(scene_id, path)
    return shop.plex.add_item(PLEX_ROOT + path.removeprefix("/data/clips"), 50_000, 60_000)


def shown(shop, *keys):
    """What people see of items, without what their files alone make of them."""
    return [(item.title, item.values.get("summary", ""), set(item.genres)) for item in map(shop.plex.item, keys)]


@pytest.fixture
def pair(shop):
    """The items of a scene with two files."""
    copy = add_copy(shop)
    return shop.key(SCENE), copy


def test_every_item_with_a_file_of_the_scene_is_written_and_none_twice(shop, pair):
    shop.edit(SCENE, title="Both", details="The same", tags=["One", "Two"])
    shop.sync(SCENE)
    assert shown(shop, *pair) == [("Both", "The same", {"One", "Two"})] * 2
    assert (shop.record(SCENE).state, shop.record(SCENE).item_id) == (SceneState.SYNCED, pair[0])
    shop.forget_requests()
    shop.sync(SCENE, verify=True)
    assert shop.writes() == []
    shop.edit(SCENE, title="Again")
    shop.sync(SCENE)
    assert [shop.plex.item(key).title for key in pair] == ["Again", "Again"]
    assert len(shop.writes()) == 2


def test_two_files_in_one_item_are_written_once(shop):
    path = "/data/clips/copies/another cut.mp4"
    shop.stash.events.scan_second_file(SCENE, path)
    key = shop.key(SCENE)
    with shop.plex.world.lock:
        library = shop.plex.world.library
        library.items[int(key)].media += (
            library.new_media(library.new_part(PLEX_ROOT + "/copies/another cut.mp4", 50_000, 60_000)),
        )
    shop.edit(SCENE, title="One")
    shop.sync(SCENE)
    assert len(shop.writes()) == 1


def test_another_primary_file_leaves_no_item_behind(shop, pair):
    shop.edit(SCENE, title="Before")
    shop.sync(SCENE)
    second = shop.stash.library.scenes[SCENE].files[1].id
    shop.stash.save_scene(SCENE, primary_file_id=str(second), title="After")
    shop.sync(SCENE)
    assert [shop.plex.item(key).title for key in pair] == ["After", "After"]
    assert shop.record(SCENE).item_id == pair[1]


def test_the_items_of_merged_scenes_all_show_the_one_that_is_left(shop):
    shop.edit(SCENE, title="Left", tags=["Both", "Left"])
    shop.edit(OTHER, title="Gone", tags=["Both", "Gone"])
    shop.sync(SCENE, OTHER)
    keys = shop.key(SCENE), shop.key(OTHER)
    shop.plex.edit_by_person(keys[1], genre=[*shop.plex.item(keys[1]).genres, "A person's"])
    merge = f'source: ["{OTHER}"], destination: "{SCENE}", values: {{ id: "{SCENE}" }}'
    shop.stash.graphql(f"mutation {{ sceneMerge(input: {{ {merge} }}) {{ id }} }}")
    shop.sweep_and_work()
    assert [shop.plex.item(key).title for key in keys] == ["Left", "Left"]
    assert set(shop.plex.item(keys[1]).genres) == {"Both", "Left", "A person's"}
    assert shop.record(OTHER) is None


def test_an_item_that_is_also_another_scenes_very_file_stays_with_that_scene(shop, pair):
    twin = shop.stash.events.scan_new_file(COPY, size=50_000).id
    shop.edit(twin, title="Twin")
    shop.sync(twin)
    shop.edit(SCENE, title="Mine")
    shop.sync(SCENE)
    assert [shop.plex.item(key).title for key in pair] == ["Mine", "Twin"]
    assert {shop.record(one).state for one in (SCENE, twin)} == {SceneState.SYNCED}


def test_a_copy_that_is_gone_from_plex_keeps_nothing_back(shop, pair):
    shop.sync(SCENE)
    shop.plex.delete(pair[1])
    shop.edit(SCENE, title="Alone")
    shop.sync(SCENE)
    assert shop.plex.item(pair[0]).title == "Alone"
    assert shop.record(SCENE).state is SceneState.SYNCED
    shop.edit(SCENE, title="Still alone")
    shop.sync(SCENE)
    assert shop.plex.item(pair[0]).title == "Still alone"


# --- when something goes wrong between the two ----------------------------------------------------------------------


def test_a_fault_between_the_two_is_made_good_and_both_can_be_undone(counter, pair):
    shop = counter.shop
    before = shown(shop, *pair)
    shop.edit(SCENE, title="Both")
    shop.plex.faults.add(faults.SERVER_ERROR, method="PUT", skip=1)
    shop.sync(SCENE)
    assert shop.record(SCENE) is None or shop.record(SCENE).state is not SceneState.SYNCED
    shop.plex.faults.clear()
    shop.work_for(600)
    assert [shop.plex.item(key).title for key in pair] == ["Both", "Both"]
    assert shop.record(SCENE).state is SceneState.SYNCED
    counter.ask("undo", scene_id=SCENE)
    assert shown(shop, *pair) == before
    assert shop.record(SCENE).state is SceneState.UNDONE


def test_what_plex_refuses_is_named_and_all_else_is_on_both(shop, pair):
    shop.edit(SCENE, title="Refused", details="Taken")
    shop.plex.quirks.max_request_line = 8192
    shop.plex.faults.add(faults.status(400), method="PUT", path="*/all", times=2)  # the whole, and its first piece
    shop.sync(SCENE)
    assert shop.record(SCENE).state is SceneState.REFUSED
    assert [shop.plex.item(key).values["summary"] for key in pair] == ["Taken", "Taken"]


def test_a_death_after_both_were_written_comes_out_right(counter, pair, monkeypatch):
    shop = counter.shop
    before = shown(shop, *pair)
    shop.edit(SCENE, title="Both")
    sync_and_die(shop, monkeypatch, SCENE)
    shop.edit(SCENE, title="Since")
    shop.sync(SCENE)
    assert [shop.plex.item(key).title for key in pair] == ["Since", "Since"]
    shop.work()
    counter.ask("undo", all=True)
    assert shown(shop, *pair) == before


# --- said -----------------------------------------------------------------------------------------------------------


def test_a_scenes_story_names_all_its_items_and_a_preview_what_each_would_get(counter, pair):
    shop = counter.shop
    shop.edit(SCENE, title="Both")
    plan = counter.preview(SCENE)
    assert [plan["item_id"], *(one["item_id"] for one in plan["also"])] == [*pair]
    assert {change["field"] for change in plan["also"][0]["changes"]} >= {"title"}
    shop.sync(SCENE)
    told = counter.explain(SCENE)
    assert told["last_sync"]["items"] == [*pair]
    assert f"items {pair[0]} and {pair[1]}" in told["sentence"]
    shop.plex.wipe(pair[1])
    assert "differs" in counter.explain(SCENE)["sentence"]


# --- pictures -----------------------------------------------------------------------------------------------------


@pytest.fixture
def pictured(counter):
    counter.configure(sync_poster=True, sync_background=True)
    return counter.shop


def posters(shop, *keys):
    return [(item.poster, item.art, {"thumb", "art"} <= item.locks) for item in map(shop.plex.item, keys)]


def cover(data):
    return upload_key(data), upload_key(data, "arts"), True


def work_both(shop, *scene_ids, verify=False):
    shop.sync(*scene_ids, verify=verify)
    shop.pictures()


@pytest.mark.parametrize("digests", ["sha1", "own"])
def test_every_item_shows_the_cover_and_no_picture_is_uploaded_twice(pictured, counter, digests):
    pictured.plex.quirks.upload_digest = digests
    pair = pictured.key(SCENE), add_copy(pictured)
    before = posters(pictured, *pair)
    pictured.upload_cover(SCENE, png("first"))
    work_both(pictured, SCENE)
    pictured.upload_cover(SCENE, png("second"), seconds_later=60.0)
    work_both(pictured, SCENE)
    assert len({poster for poster, _, _ in posters(pictured, *pair)}) == 1
    if digests == "sha1":
        assert posters(pictured, *pair) == [cover(png("second"))] * 2
    assert pictured.plex.count("upload") == 8
    pictured.clock.advance(60.0)
    pictured.edit(SCENE, title="Other words")
    work_both(pictured, SCENE)
    work_both(pictured, SCENE, verify=True)
    assert pictured.plex.count("upload") == 8
    counter.ask("undo", all=True)
    assert posters(pictured, *pair) == before


def test_the_items_of_merged_scenes_all_show_the_cover_of_the_one_that_is_left(pictured):
    for scene_id, data in ((SCENE, png("left")), (OTHER, png("gone"))):
        pictured.upload_cover(scene_id, data)
    work_both(pictured, SCENE, OTHER)
    keys = pictured.key(SCENE), pictured.key(OTHER)
    merge = f'source: ["{OTHER}"], destination: "{SCENE}", values: {{ id: "{SCENE}" }}'
    pictured.stash.graphql(f"mutation {{ sceneMerge(input: {{ {merge} }}) {{ id }} }}")
    pictured.sweep_and_work()
    assert posters(pictured, *keys) == [cover(png("left"))] * 2


def test_a_poster_that_a_person_chose_for_one_of_them_stays_there_alone(pictured):
    pair = pictured.key(SCENE), add_copy(pictured)
    with pictured.plex.world.lock:
        item = pictured.plex.world.library.item(int(pair[1]))
        pictured.plex.world.pictures.upload(item, "posters", png("a person's"))
    pictured.plex.lock(pair[1], "thumb")
    pictured.upload_cover(SCENE, png("ours"))
    work_both(pictured, SCENE)
    assert [pictured.plex.item(key).poster for key in pair] == [upload_key(png("ours")), upload_key(png("a person's"))]
    assert pictured.ledger.pictures.get(SCENE, "thumb").state is PictureState.SHOWN


def test_another_primary_file_costs_no_upload(pictured):
    pair = pictured.key(SCENE), add_copy(pictured)
    pictured.upload_cover(SCENE, png("first"))
    work_both(pictured, SCENE)
    pictured.clock.advance(60.0)
    second = pictured.stash.library.scenes[SCENE].files[1].id
    pictured.stash.save_scene(SCENE, primary_file_id=str(second), title="After")
    work_both(pictured, SCENE)
    assert posters(pictured, *pair) == [cover(png("first"))] * 2
    assert pictured.record(SCENE).item_id == pair[1]
    assert pictured.plex.count("upload") == 4


def test_a_copy_that_goes_while_pictures_are_shown_keeps_nothing_back(pictured):
    pair = pictured.key(SCENE), add_copy(pictured)
    pictured.upload_cover(SCENE, png("ours"))
    pictured.sync(SCENE)
    pictured.plex.delete(pair[1])
    pictured.pictures()
    assert pictured.plex.item(pair[0]).poster == upload_key(png("ours"))
    assert pictured.record(SCENE).state is SceneState.SYNCED
    assert pictured.jobs() == {}


def test_an_undo_counts_a_scene_with_two_items_once(counter):
    shop = counter.shop
    add_copy(shop)
    shop.edit(SCENE, title="Both")
    shop.sync(SCENE)
    assert " of 1 scene put back" in counter.ask("undo", scene_id=SCENE)["sentence"]
