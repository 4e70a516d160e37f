"""A batch on a slow Plex: nobody waits long behind it, and nothing is written over that was read long ago."""

import pytest

from ledger.states import SceneState
from sim.stash.library.pictures import png
from sync.scenes.left_items import LEFT_SECONDS
from tests.integration.sync.pictures.test_pictures import choose_by_person, upload_key
from tests.integration.sync.test_several_items import add_copy

THEIRS = "Typed by a person meanwhile"


@pytest.fixture
def scene_count():
    return 30


def slow_down(shop, seconds=1.0, *, kind="edit"):
    """Have every request of a kind take so long, by the clock of this world."""

    def wait():
        shop.clock.advance(seconds)
        shop.plex.after(kind, wait)

    shop.plex.after(kind, wait)


def ids(shop):
    return [scene_id for scene_id, scene in shop.stash.library.scenes.items() if scene.files]


def titles(shop):
    return {scene_id: shop.item(scene_id).title for scene_id in ids(shop)}


def retitle_all(shop, words):
    for scene_id in ids(shop):
        shop.edit(scene_id, title=f"{words} {scene_id}")


@pytest.mark.parametrize("nth", range(1, 30, 4))
def test_what_a_person_types_while_a_batch_is_under_way_stays(shop, nth):
    retitle_all(shop, "First")
    shop.sync_all()
    retitle_all(shop, "Second")
    slow_down(shop)
    last = ids(shop)[-1]
    shop.plex.after("edit", lambda: shop.plex.edit_by_person(shop.key(last), title=THEIRS), nth=nth)
    shop.sync_all()
    assert titles(shop) == {one: f"Second {one}" if one != last else THEIRS for one in ids(shop)}
    assert {shop.record(one).state for one in ids(shop)} == {SceneState.SYNCED}


def test_what_a_person_types_between_matching_and_writing_stays(shop):
    """Also where the first of a batch was read long before it can be written."""
    shop.edit(1, title="First")
    shop.sync(1)
    shop.edit(1, title="Second")

    def edit():
        shop.clock.advance(5.0)
        shop.plex.edit_by_person(shop.key(1), title=THEIRS)

    shop.plex.after("details", edit)
    shop.sync(1)
    assert shop.item(1).title == THEIRS
    assert shop.record(1).state is SceneState.SYNCED


def test_an_item_that_went_away_before_it_is_read_again_is_looked_for_anew(shop):
    shop.sync_all()
    shop.edit(1, title="Second")

    def rebuild():
        shop.clock.advance(5.0)
        shop.plex.rebuild(shop.key(1))

    shop.plex.after("details", rebuild)
    shop.sync(1)
    shop.work_for(120)
    assert shop.item(1).title == "Second"


def save(shop, scene_id):
    shop.edit(scene_id, title="Saved")
    shop.queue.enqueue("scene", [scene_id], "Scene.Update.Post", shop.clock.now(), due_at=0.0)


def written(shop):
    return [entry.params["id"] for entry in shop.writes()]


def test_a_save_waits_for_a_few_writes_not_for_a_whole_batch(shop):
    last = ids(shop)[-1]
    slow_down(shop)
    shop.plex.after("edit", lambda: save(shop, last), nth=5)
    shop.sync_all()
    assert 5 <= written(shop).index(shop.key(last)) <= 5 + 3
    assert sorted(written(shop)) == sorted(shop.key(one) for one in ids(shop))  # each of them once
    assert all(job.attempts == 0 for scene_id in ids(shop) if (job := shop.jobs().get(f"scene:{scene_id}")))


def test_a_save_does_not_wait_while_what_many_scenes_left_is_taken_back(shop):
    *_, last = ids(shop)
    mine = ids(shop)[:12]
    for scene_id in mine:
        add_copy(shop, scene_id, f"/data/clips/copies/cut {scene_id}.mp4")
    shop.sync_all()
    with shop.stash.library.lock:
        for scene_id in mine:
            scene = shop.stash.library.scenes[scene_id]
            scene.files = scene.files[:1]
    shop.sync(*mine)
    shop.clock.advance(LEFT_SECONDS + 1)
    shop.forget_requests()
    slow_down(shop)
    shop.plex.after("edit", lambda: save(shop, last))
    shop.work()
    assert written(shop).index(shop.key(last)) <= 4
    assert len(written(shop)) == len(mine) + 1
    assert not {f"scene:{one}" for one in mine} & shop.jobs().keys()


def test_a_slow_plex_is_not_asked_for_items_that_cannot_be_written_in_time(shop):
    slow_down(shop)
    shop.sync_all()
    read = [len(entry.path.split(",")) for entry in shop.plex.requests if entry.kind == "details"]
    assert read[0] == len(ids(shop))
    assert sum(read[1:]) <= 3 * len(ids(shop))


def test_no_intent_is_left_of_what_was_not_begun(shop):
    slow_down(shop)
    left = []
    shop.plex.after("edit", lambda: left.append(shop.ledger.unfinished.scenes()), nth=4)  # in the second batch
    shop.sync_all()
    assert len(left[0]) <= 4
    assert shop.ledger.unfinished.scenes() == set()


@pytest.mark.parametrize("is_known", [False, True], ids=["never there", "gone since"])
def test_files_that_plex_lacks_hold_nobody_up(shop, is_known):
    """Looking for each by its name takes Plex a second."""
    *missing, last = ids(shop)
    if is_known:
        shop.sync_all()
    for scene_id in missing:
        shop.plex.delete(shop.key(scene_id))
    shop.sync(last)
    retitle_all(shop, "Second")
    shop.forget_requests()
    slow_down(shop, kind="list")
    shop.plex.after("list", lambda: save(shop, last), nth=3)
    shop.queue.enqueue("scene", missing, "test", shop.clock.now(), due_at=shop.clock.now())
    shop.work()
    kinds = [entry.kind for entry in shop.plex.requests]
    assert kinds[: kinds.index("edit")].count("list") <= 3 + 4
    assert written(shop) == [shop.key(last)]
    assert {shop.record(one).state for one in missing} == {SceneState.WAITING}


@pytest.mark.parametrize("first", ["posters", "arts"])
def test_a_picture_that_a_person_chooses_while_the_other_is_uploaded_stays(shop, first):
    """An upload can take Plex minutes: what was read before it says nothing of what is shown after it."""
    shop.configure(sync_poster=True, sync_background=True)
    shop.sync(1)
    theirs = png("a person's own")

    def choose():
        shop.clock.advance(60.0)
        if first == "posters":
            choose_by_person(shop, theirs, "arts")

    shop.plex.after("upload", choose)
    shop.pictures()
    item = shop.item(1)
    assert item.poster == upload_key(png("scene 1 1"))
    assert item.art == upload_key(theirs if first == "posters" else png("scene 1 1"), "arts")
    assert shop.ledger.pictures.unfinished([shop.key(1)], shop.plex.server_id) == {}
    shop.work_for(600)
    assert shop.item(1).art == item.art
