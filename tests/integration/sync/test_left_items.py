"""What becomes of an item that a scene leaves: our values go again, unless another scene takes it."""

from dataclasses import replace

import pytest

from ledger.states import SceneState
from sim.plex import faults
from sim.stash.library.pictures import png
from sync.scenes.left_items import LEFT_SECONDS
from tests.integration.sync.test_claims import assert_each_is_on_its_own, files_go
from tests.integration.sync.test_several_items import add_copy

SCENE, OTHER = 1, 2


def seen(item):
    values = {name: value for name, value in item.values.items() if value != ""}
    if values.get("titleSort") == values["title"]:
        del values["titleSort"]
    return values, {kind: set(names) for kind, names in item.tags.items() if names}, item.locks, item.poster, item.art


@pytest.fixture
def shop(counter):
    """Pictures and all."""
    counter.configure(sync_poster=True, sync_background=True)
    counter.shop.upload_cover(SCENE, png("cover"))
    return counter.shop


@pytest.fixture
def chosen(shop):
    """An item in Plex that no file leads to."""
    return shop.plex.add_item("/data/archive/elsewhere.mp4", 5, 5)


def sync(shop, *scene_ids):
    shop.sync(*scene_ids)
    shop.pictures()


def let_time_pass(shop):
    shop.work_for(2 * LEFT_SECONDS, every=10.0)


def test_a_wrong_match_that_a_person_corrects_gives_back_what_was_there(shop, counter, chosen):
    wrong = shop.key(SCENE)
    before = seen(shop.plex.item(wrong))
    sync(shop, SCENE)
    assert seen(shop.plex.item(wrong)) != before
    counter.ask("map_scene", scene_id=SCENE, item_id=chosen)
    shop.work()
    assert counter.ask("scenes", state="left")["scenes"][0]["item_id"] == wrong
    let_time_pass(shop)
    assert seen(shop.plex.item(wrong)) == before
    assert shop.plex.item(chosen).title == shop.stash.library.scenes[SCENE].title
    assert shop.record(SCENE).state is SceneState.SYNCED
    assert counter.ask("scenes", state="left")["scenes"] == []
    assert shop.jobs() == {}


def test_what_a_person_edited_on_the_item_since_stays(shop, counter, chosen):
    wrong = shop.key(SCENE)
    shop.edit(SCENE, tags=["Ours"])
    sync(shop, SCENE)
    shop.plex.edit_by_person(wrong, summary="A person's", genre=["Ours", "A person's"])
    counter.ask("map_scene", scene_id=SCENE, item_id=chosen)
    let_time_pass(shop)
    item = shop.plex.item(wrong)
    assert (item.values["summary"], item.genres) == ("A person's", ("A person's",))


def test_an_item_that_another_scene_takes_is_never_emptied_in_between(shop):
    sync(shop, SCENE, OTHER)
    files_go(shop, {SCENE: OTHER, OTHER: SCENE})
    shop.forget_requests()
    sync(shop, SCENE)
    sync(shop, OTHER)
    let_time_pass(shop)
    assert_each_is_on_its_own(shop, SCENE, OTHER)
    edits = [entry for entry in shop.plex.requests if entry.kind == "edit" and "title.value" in entry.query]
    assert len(edits) == 2


def test_the_scene_that_had_to_give_way_gets_the_item_back_that_is_left(shop, counter, chosen):
    key = shop.key(SCENE)
    sync(shop, SCENE)
    counter.ask("map_scene", scene_id=OTHER, item_id=key)
    shop.work()
    assert shop.record(SCENE).state is SceneState.AMBIGUOUS
    counter.ask("map_scene", scene_id=OTHER, item_id=chosen)
    let_time_pass(shop)
    assert shop.plex.item(key).title == shop.stash.library.scenes[SCENE].title
    assert shop.plex.item(chosen).title == shop.stash.library.scenes[OTHER].title
    assert {shop.record(one).state for one in (SCENE, OTHER)} == {SceneState.SYNCED}


def test_an_item_of_a_library_that_is_not_chosen_any_more_is_named_and_not_touched(shop, counter):
    wrong = shop.key(SCENE)
    sync(shop, SCENE)
    before = shop.plex.item(wrong)
    shop.plex.add_section("Elsewhere", ["/data/elsewhere"])
    (file,) = shop.stash.library.scenes[SCENE].files
    name = file.path.rpartition("/")[2]
    moved = shop.plex.add_item(f"/data/elsewhere/{name}", file.size, int(file.duration * 1000), section="Elsewhere")
    counter.configure(plex_library="Elsewhere")
    shop.sync(SCENE, verify=True)
    let_time_pass(shop)
    assert shop.plex.item(moved).title == shop.stash.library.scenes[SCENE].title
    assert shop.plex.item(wrong) == before


def test_an_item_of_the_scenes_own_file_is_not_taken_back_though_our_index_lost_it(shop):
    key = add_copy(shop)
    shop.edit(SCENE, title="Both")
    sync(shop, SCENE)
    shop.connection._store.forget(key)
    shop.edit(SCENE, title="One")
    sync(shop, SCENE)
    let_time_pass(shop)
    assert shop.plex.item(key).title == "Both"
    shop.clock.advance(25 * 3600)
    shop.sync(SCENE, verify=True)
    assert shop.plex.item(key).title == "One"


def test_a_file_that_is_no_more_the_scenes_takes_its_item_along(shop):
    copy = add_copy(shop)
    before = seen(shop.plex.item(copy))
    sync(shop, SCENE)
    assert seen(shop.plex.item(copy)) != before
    with shop.stash.library.lock:
        scene = shop.stash.library.scenes[SCENE]
        scene.files = scene.files[:1]
    sync(shop, SCENE)
    let_time_pass(shop)
    assert seen(shop.plex.item(copy)) == before


def test_a_deleted_item_is_let_go(shop, counter, chosen):
    wrong = shop.key(SCENE)
    sync(shop, SCENE)
    counter.ask("map_scene", scene_id=SCENE, item_id=chosen)
    shop.work()
    shop.plex.delete(wrong)
    let_time_pass(shop)
    assert shop.jobs() == {}
    assert shop.ledger.items.left_of([SCENE], shop.plex.server_id) == {}


def test_an_outage_in_between_only_delays_it(shop, counter, chosen):
    wrong = shop.key(SCENE)
    before = seen(shop.plex.item(wrong))
    sync(shop, SCENE)
    counter.ask("map_scene", scene_id=SCENE, item_id=chosen)
    shop.work()
    shop.plex.faults.add(faults.MAINTENANCE)
    let_time_pass(shop)
    shop.plex.faults.clear()
    shop.work_for(600)
    assert seen(shop.plex.item(wrong)) == before
    assert shop.letters() == {}


def test_a_job_that_was_lost_is_made_good_by_the_sweep(shop, counter, chosen):
    wrong = shop.key(SCENE)
    before = seen(shop.plex.item(wrong))
    sync(shop, SCENE)
    counter.ask("map_scene", scene_id=SCENE, item_id=chosen)
    shop.work()
    counter.ask("clear_queue")
    shop.clock.advance(2 * LEFT_SECONDS)
    shop.sweep_and_work()
    assert seen(shop.plex.item(wrong)) == before


def test_an_undo_of_everything_puts_both_items_back(shop, counter, chosen):
    keys = shop.key(SCENE), chosen
    before = [seen(shop.plex.item(key)) for key in keys]
    sync(shop, SCENE)
    counter.ask("map_scene", scene_id=SCENE, item_id=chosen)
    sync(shop, SCENE)
    counter.ask("undo", all=True)
    let_time_pass(shop)
    assert [seen(shop.plex.item(key)) for key in keys] == before
    assert shop.record(SCENE).state is SceneState.UNDONE


# --- what is not simple ---------------------------------------------------------------------------------------------


def lose_the_copy(shop):
    with shop.stash.library.lock:
        scene = shop.stash.library.scenes[SCENE]
        scene.files = scene.files[:1]


def test_a_scene_with_a_bad_date_takes_back_what_it_left_and_comes_to_rest(shop, counter):
    copy = add_copy(shop)
    before = seen(shop.plex.item(copy))
    shop.edit(SCENE, title="Both", date="2024-02-31")
    sync(shop, SCENE)
    assert shop.plex.item(copy).title == "Both"
    lose_the_copy(shop)
    sync(shop, SCENE)
    letters = shop.letters()
    counter.ask("clear_dlq")
    let_time_pass(shop)
    assert seen(shop.plex.item(copy)) == before
    assert (letters.keys(), shop.letters()) == ({f"scene:{SCENE}"}, {})
    assert shop.jobs() == {}
    assert shop.record(SCENE).state is SceneState.REFUSED
    assert counter.ask("scenes", state="left")["scenes"] == []


def test_a_scene_with_a_bad_date_whose_job_was_lost_is_made_good_by_the_sweep(shop, counter):
    copy = add_copy(shop)
    before = seen(shop.plex.item(copy))
    shop.edit(SCENE, title="Both", date="2024-02-31")
    sync(shop, SCENE)
    lose_the_copy(shop)
    sync(shop, SCENE)
    counter.ask("clear_queue")
    shop.clock.advance(2 * LEFT_SECONDS)
    shop.sweep_and_work()
    assert seen(shop.plex.item(copy)) == before


def test_the_item_of_a_scene_whose_file_is_not_in_plex_any_more_is_named_and_left_alone(shop, counter):
    key = shop.key(SCENE)
    sync(shop, SCENE)
    shown = shop.plex.item(key)
    library = shop.stash.library
    with library.lock:
        scene = library.scenes[SCENE]
        scene.files = (replace(scene.files[0], path="/data/clips/not in plex at all.mkv", size=77_777),)
        library.touch(scene)
    shop.sync(SCENE)
    assert shop.record(SCENE).state is SceneState.WAITING
    for _ in range(2):
        let_time_pass(shop)
        assert shop.plex.item(key) == shown
        (left,) = counter.ask("scenes", state="left")["scenes"]
        assert (left["scene_id"], left["item_id"]) == (SCENE, key)
        assert "An undo of that scene takes it back" in left["sentence"]
        assert f"item {key}, which is not its own now" in counter.explain(SCENE)["sentence"]
    counter.ask("undo", scene_id=SCENE)
    assert counter.ask("scenes", state="left")["scenes"] == []
    assert "not its own now" not in counter.explain(SCENE)["sentence"]


def test_a_picture_that_plex_cannot_unset_is_told_and_its_item_stays_named(shop, counter, caplog):
    shop.plex.quirks.unsets_pictures = False
    copy = add_copy(shop)
    before = shop.plex.item(copy)
    sync(shop, SCENE)
    lose_the_copy(shop)
    with caplog.at_level("INFO"):
        sync(shop, SCENE)
        let_time_pass(shop)
        shop.sweep_and_work()
    item = shop.plex.item(copy)
    assert (item.title, item.art) != (before.title, before.art)
    assert item.title == before.title
    told = [record.getMessage() for record in caplog.records if f"item {copy}, which it left" in record.getMessage()]
    assert len(told) == 1
    assert "art: this Plex cannot show none again" in told[0]
    assert "took back what was written" not in caplog.text
    (left,) = counter.ask("scenes", state="left")["scenes"]
    assert left["item_id"] == copy
    assert "cannot be taken back" in left["sentence"]
    assert "cannot be taken back" in counter.explain(SCENE)["sentence"]
    assert f"scene:{SCENE}" not in shop.jobs()
