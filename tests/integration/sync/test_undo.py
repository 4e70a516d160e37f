"""Undo beside everything else that goes on: it puts back what was there, and nothing that never was."""

import pytest

from ledger.states import SceneState
from runtime.lock import FileLock
from sim.plex import faults
from sim.stash.pictures import png
from stash.wire import Refusal
from tasks import undo_run
from tests.integration.sync.test_pictures import ProcessDies, upload_key

SCENE, OTHER = 1, 2


@pytest.fixture
def shop(counter):
    return counter.shop


def run(shop, *scene_ids, **edits):
    """Edit and sync as one run."""
    if edits:
        shop.edit(scene_ids[0], **edits)
    shop.clock.advance(1.0)
    shop.sync(*scene_ids)
    shop.target.rest()


def test_what_arrived_of_a_refused_edit_is_undone(shop, counter):
    was = shop.item(SCENE)
    shop.plex.faults.add(faults.status(400), method="PUT", path="*/all", times=2)  # the whole, and its first piece
    run(shop, SCENE, title="First", details="New")
    assert shop.record(SCENE).state is SceneState.REFUSED
    assert shop.record(SCENE).sentence.startswith("title: ")
    assert shop.item(SCENE).values["summary"] == "New"
    counter.ask("undo", all=True)
    now = shop.item(SCENE)
    assert (now.values.get("summary", ""), now.locks) == (was.values.get("summary", ""), was.locks)


def test_an_item_whose_drive_is_away_is_left_for_a_later_undo(shop, counter):
    was, key = shop.item(SCENE).title, shop.key(SCENE)
    run(shop, SCENE, title="First")
    with shop.plex.world.lock:
        shop.plex.world.library.items[key].deleted_at = int(shop.clock.now())
    assert counter.ask("undo")["failed"] == 1
    with shop.plex.world.lock:
        shop.plex.world.library.items[key].deleted_at = None
    counter.ask("undo")
    assert shop.plex.item(key).title == was


def test_an_item_whose_file_lies_elsewhere_now_is_still_the_one_we_wrote(shop, counter):
    was, key = shop.item(SCENE).title, shop.key(SCENE)
    run(shop, SCENE, title="First")
    with shop.plex.world.lock:
        for part in shop.plex.world.library.items[key].parts:
            part.file = part.file.replace("/data/scenes/", "/mnt/scenes/")
    counter.ask("undo")
    assert shop.plex.item(key).title == was


def test_an_item_that_lost_another_version_of_its_file_is_still_the_one_we_wrote(shop, counter):
    key, library = shop.key(SCENE), shop.plex.world.library
    with shop.plex.world.lock:
        other = library.new_media(library.new_part("/data/scenes/clips/another version.mp4", 123, 1000))
        library.items[key].media = (other, *library.items[key].media)
    was = shop.item(SCENE).title
    run(shop, SCENE, title="First")
    with shop.plex.world.lock:
        library.items[key].media = library.items[key].media[1:]
    counter.ask("undo")
    assert shop.plex.item(key).title == was


def test_an_edit_made_during_an_undo_waits_and_then_counts(shop, counter, monkeypatch):
    run(shop, SCENE, title="First")
    run(shop, SCENE, title="Second")
    undo = undo_run.UndoRun._undo

    def edited_meanwhile(self, trace, shown):
        run(shop, SCENE, title="Third")
        assert shop.item(SCENE).title == "Second"  # no job is claimed
        undo(self, trace, shown)

    with monkeypatch.context() as patch:
        patch.setattr(undo_run.UndoRun, "_undo", edited_meanwhile)
        counter.ask("undo")
    assert shop.item(SCENE).title == "First"
    shop.work()
    assert shop.item(SCENE).title == "Third"
    run(shop, SCENE, title="Fourth")
    assert shop.item(SCENE).title == "Fourth"


def test_an_undo_does_not_begin_while_a_job_is_in_hand(shop, counter, monkeypatch):
    monkeypatch.setattr("sync_queue.claim_bar.PATIENCE_SECONDS", 0.2)
    run(shop, SCENE, title="First")
    shop.queue.enqueue("scene", [OTHER], "test", shop.clock.now(), due_at=0.0)
    assert shop.queue.claim(shop.clock.now(), 1)
    with pytest.raises(Refusal, match="the worker is busy"):
        counter.ask("undo")
    shop.queue.take_back()
    assert counter.ask("undo")["put_back"] > 0


def test_one_undo_at_a_time(shop, counter):
    run(shop, SCENE, title="First")
    other = FileLock(f"{counter.folder.queue_dir}/undo.lock")
    assert other.acquire()
    with pytest.raises(Refusal, match="another undo is running"):
        counter.ask("undo")
    other.release()


def die(*_, **__):
    raise ProcessDies


def test_a_killed_undo_of_an_item_whose_file_lies_elsewhere_hides_nothing_either(shop, counter, monkeypatch):
    run(shop, SCENE, title="First")
    run(shop, SCENE, title="Second")
    with shop.plex.world.lock:
        for part in shop.plex.world.library.items[shop.key(SCENE)].parts:
            part.file = part.file.replace("/clips/", "/clips/moved/")
    with monkeypatch.context() as patch:
        patch.setattr("ledger.store.Ledger.record_undo", die)
        with pytest.raises(ProcessDies):
            counter.ask("undo")
    (intent,) = shop.ledger.intents([shop.record(SCENE).rating_key], shop.plex.machine_identifier).values()
    assert intent.path in shop.plex.item(shop.record(SCENE).rating_key).files


@pytest.mark.parametrize("again", [True, False], ids=["undone again", "edited"])
def test_an_undo_killed_between_plex_and_ledger_leaves_nothing_that_passes_for_a_persons(
    shop, counter, monkeypatch, again
):
    run(shop, SCENE, title="First", tags=["A"])
    run(shop, SCENE, title="Second", tags=["B"])
    with monkeypatch.context() as patch:
        patch.setattr("ledger.store.Ledger.record_undo", die)
        with pytest.raises(ProcessDies):
            counter.ask("undo")
    assert shop.item(SCENE).title == "First"
    if again:
        counter.ask("undo", all=True)
        assert shop.item(SCENE).title not in ("First", "Second")
    run(shop, SCENE, title="Third", tags=["C"])
    assert (shop.item(SCENE).title, shop.item(SCENE).genres) == ("Third", ("C",))


def test_pictures_go_back_with_the_words_they_came_with_however_busy_their_lane_is(shop, counter):
    counter.configure(sync_poster=True)
    run(shop, SCENE, OTHER)
    shop.picture_lane.step()  # busy since the import: its run stays open
    before = shop.item(SCENE).poster
    shop.upload_cover(SCENE, png("new"))
    run(shop, SCENE, title="New")
    shop.pictures()
    assert shop.item(SCENE).poster == upload_key(png("new"))
    counter.ask("undo")
    assert shop.item(SCENE).poster == before


def test_a_collection_that_studio_and_group_both_gave_and_took_does_not_come_by_an_undo(shop, counter):
    counter.configure(sync_groups=True)
    before = shop.item(SCENE).collections
    run(shop, SCENE, studio="Vixen", groups=["Vixen"])
    run(shop, SCENE, studio="", groups=[])
    counter.ask("undo", all=True)
    assert shop.item(SCENE).collections == before
