"""Undo beside everything else that goes on: it puts back what was there, and nothing that never was."""

import pytest

from ledger.states import SceneState
from model.user_error import UserError
from runtime.lock import FileLock
from sim.plex import faults
from sim.stash.library.pictures import png
from sync.runs import FOLD_ABOVE, KEPT_WRITES
from sync.undo import run as undo_run
from sync_queue.operations import AT_ONCE
from tests.integration.sync.pictures.test_pictures import ProcessDies, upload_key

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
    shop.work()


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
        shop.plex.world.library.items[int(key)].deleted_at = int(shop.clock.now())
    assert counter.ask("undo")["failed"] == 1
    with shop.plex.world.lock:
        shop.plex.world.library.items[int(key)].deleted_at = None
    counter.ask("undo")
    assert shop.plex.item(key).title == was


def test_an_item_whose_file_lies_elsewhere_now_is_still_the_one_we_wrote(shop, counter):
    was, key = shop.item(SCENE).title, shop.key(SCENE)
    run(shop, SCENE, title="First")
    with shop.plex.world.lock:
        for part in shop.plex.world.library.items[int(key)].parts:
            part.file = part.file.replace("/data/scenes/", "/mnt/scenes/")
    counter.ask("undo")
    assert shop.plex.item(key).title == was


def test_an_item_that_lost_another_version_of_its_file_is_still_the_one_we_wrote(shop, counter):
    key, library = shop.key(SCENE), shop.plex.world.library
    with shop.plex.world.lock:
        other = library.new_media(library.new_part("/data/scenes/clips/another version.mp4", 123, 1000))
        library.items[int(key)].media = (other, *library.items[int(key)].media)
    was = shop.item(SCENE).title
    run(shop, SCENE, title="First")
    with shop.plex.world.lock:
        library.items[int(key)].media = library.items[int(key)].media[1:]
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
    monkeypatch.setattr("sync_queue.claim_pause.PATIENCE_SECONDS", 0.2)
    run(shop, SCENE, title="First")
    shop.queue.enqueue("scene", [OTHER], "test", shop.clock.now(), due_at=0.0)
    assert shop.queue.claim(shop.clock.now(), 1)
    with pytest.raises(UserError, match="the worker is busy"):
        counter.ask("undo")
    shop.queue.take_back()
    assert counter.ask("undo")["put_back"] > 0


def test_one_undo_at_a_time(shop, counter):
    run(shop, SCENE, title="First")
    other = FileLock(f"{counter.folder.queue_dir}/undo.lock")
    assert other.acquire()
    with pytest.raises(UserError, match="another undo is running"):
        counter.ask("undo")
    other.release()


def die(*_, **__):
    raise ProcessDies


def test_a_killed_undo_of_an_item_whose_file_lies_elsewhere_hides_nothing_either(shop, counter, monkeypatch):
    run(shop, SCENE, title="First")
    run(shop, SCENE, title="Second")
    with shop.plex.world.lock:
        for part in shop.plex.world.library.items[int(shop.key(SCENE))].parts:
            part.file = part.file.replace("/clips/", "/clips/moved/")
    with monkeypatch.context() as patch:
        patch.setattr("ledger.store.Ledger.record_undo", die)
        with pytest.raises(ProcessDies):
            counter.ask("undo")
    (intent,) = shop.ledger.unfinished.of_items([shop.record(SCENE).item_id], shop.plex.server_id).values()
    assert intent.path in shop.plex.item(shop.record(SCENE).item_id).files


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


def test_a_name_that_a_person_took_out_stays_out_after_an_undo_and_a_new_edit(shop, counter):
    run(shop, SCENE, tags=["A", "B"])
    shop.plex.edit_by_person(shop.key(SCENE), genre=["B"])
    counter.ask("undo", all=True)
    assert shop.item(SCENE).genres == ()
    run(shop, SCENE, tags=["A", "B", "C"])
    assert shop.item(SCENE).genres == ("B", "C")


# --- backgrounds of items that had none ---------------------------------------------------------------------------


@pytest.fixture
def pictured(shop, counter):
    counter.configure(sync_poster=True, sync_background=True)
    return shop


def sync_with_pictures(shop, *scene_ids):
    run(shop, *scene_ids)
    shop.pictures()


def test_a_background_goes_from_an_item_that_had_none(pictured, counter):
    before = {one: pictured.item(one) for one in (SCENE, OTHER)}
    assert {one.art for one in before.values()} == {""}
    sync_with_pictures(pictured, SCENE, OTHER)
    told = counter.ask("undo", all=True)
    for one, was in before.items():
        now = pictured.item(one)
        assert (now.poster, now.art, now.locks) == (was.poster, was.art, was.locks)
    assert told["impossible"] == 0
    assert pictured.ledger.journal.entries() == []


def test_a_background_that_this_plex_cannot_take_away_is_said_and_kept_in_the_journal(pictured, counter):
    was = pictured.item(SCENE)
    pictured.plex.quirks.unsets_pictures = False
    sync_with_pictures(pictured, SCENE)
    told = counter.ask("undo", all=True)
    now = pictured.item(SCENE)
    assert (now.poster, now.title, now.locks) == (was.poster, was.title, was.locks)
    assert now.art == upload_key(png(f"scene {SCENE} 1"), "arts")
    assert told["impossible"] == 1
    assert "1 could not be taken back" in told["sentence"]
    assert [entry.field for entry in pictured.ledger.journal.entries()] == ["art"]
    pictured.plex.quirks.unsets_pictures = True  # Plex was updated
    told = counter.ask("undo", all=True)
    assert (told["impossible"], pictured.item(SCENE).art) == (0, "")
    assert pictured.ledger.journal.entries() == []


@pytest.mark.parametrize("request_kind", ["select", "unset"])
def test_what_a_person_types_while_pictures_are_put_back_stays(pictured, counter, monkeypatch, request_kind):
    """A slow Plex takes its time for each of them; the words are read again before they are put back."""
    monkeypatch.setattr("sync.undo.item.FRESH_SECONDS", 0.0)  # the undo's clock is the machine's
    pictured.edit(SCENE, title="Ours", details="Ours")
    sync_with_pictures(pictured, SCENE)
    pictured.plex.after(request_kind, lambda: pictured.plex.edit_by_person(pictured.key(SCENE), summary="A person's"))
    told = counter.ask("undo", all=True)
    assert pictured.item(SCENE).values["summary"] == "A person's"
    assert pictured.item(SCENE).title != "Ours"
    assert told["kept"] == 1


@pytest.mark.parametrize("digests", ["sha1", "own"])
def test_a_background_that_stayed_is_locked_again_by_the_next_sync_and_not_sent_again(pictured, counter, digests):
    pictured.plex.quirks.unsets_pictures = False
    pictured.plex.quirks.upload_digest = digests
    sync_with_pictures(pictured, SCENE)
    counter.ask("undo", all=True)
    assert "art" not in pictured.item(SCENE).locks
    sent = pictured.plex.count("upload")
    pictured.clock.advance(60.0)
    pictured.edit(SCENE, title="Edited since")
    sync_with_pictures(pictured, SCENE)
    assert {"art", "thumb"} <= pictured.item(SCENE).locks
    assert pictured.plex.count("upload") == sent
    pictured.plex.quirks.unsets_pictures = True
    counter.ask("undo", all=True)
    assert pictured.item(SCENE).art == ""


def test_a_picture_whose_forerunner_is_gone_is_said_and_kept_in_the_journal(pictured, counter):
    sync_with_pictures(pictured, SCENE)
    library = pictured.plex.world.library
    with pictured.plex.world.lock:  # the agent offers others now
        item = library.item(int(pictured.key(SCENE)))
        library.sections[item.section_id].agent = "tv.plex.agents.movie"
    told = counter.ask("undo", all=True)
    assert told["impossible"] == 1
    assert pictured.item(SCENE).poster == upload_key(png(f"scene {SCENE} 1"))
    assert [entry.field for entry in pictured.ledger.journal.entries()] == ["thumb"]


@pytest.mark.parametrize("unsets", [True, False], ids=["unset", "left"])
def test_our_own_upload_never_passes_for_the_picture_before(pictured, counter, unsets):
    """Undone, synced again with another cover, undone again: nothing of ours is left."""
    was = pictured.item(SCENE)
    pictured.plex.quirks.unsets_pictures = unsets
    sync_with_pictures(pictured, SCENE)
    counter.ask("undo", all=True)
    pictured.edit(SCENE, title="Edited since")
    pictured.upload_cover(SCENE, png("another"))
    sync_with_pictures(pictured, SCENE)
    assert pictured.item(SCENE).art == upload_key(png("another"), "arts")
    pictured.plex.quirks.unsets_pictures = True
    counter.ask("undo", all=True)
    now = pictured.item(SCENE)
    assert (now.poster, now.art, now.locks) == (was.poster, was.art, was.locks)


def test_an_undo_killed_after_it_took_a_background_away_is_finished_by_the_next(pictured, counter, monkeypatch):
    was = pictured.item(SCENE)
    sync_with_pictures(pictured, SCENE)
    with monkeypatch.context() as patch:
        patch.setattr("plex.client.PlexClient.edit", die)
        with pytest.raises(ProcessDies):
            counter.ask("undo", all=True)
    assert (pictured.item(SCENE).art, "art" in pictured.item(SCENE).locks) == ("", True)
    counter.ask("undo", all=True)
    now = pictured.item(SCENE)
    assert (now.title, now.poster, now.art, now.locks) == (was.title, was.poster, was.art, was.locks)


def test_a_background_whose_removal_got_no_answer_is_looked_for(pictured, counter):
    sync_with_pictures(pictured, SCENE)
    pictured.plex.faults.add(faults.LOST_BY_RESET, method="DELETE", times=1)
    told = counter.ask("undo", all=True)
    assert (told["impossible"], told["failed"]) == (0, 0)
    assert pictured.item(SCENE).art == ""


def test_a_background_that_somebody_chose_since_stays(pictured, counter):
    sync_with_pictures(pictured, SCENE)
    with pictured.plex.world.lock:
        item = pictured.plex.world.library.item(int(pictured.key(SCENE)))
        theirs = pictured.plex.world.pictures.upload(item, "arts", png("theirs"))
    assert counter.ask("undo", all=True)["kept"] == 1
    assert pictured.item(SCENE).art == theirs


# --- synced again when the scene is edited ---------------------------------------------------------------------------


def undone(pictured, counter):
    sync_with_pictures(pictured, SCENE)
    pictured.clock.advance(60)
    counter.ask("undo", all=True)
    assert pictured.record(SCENE).state is SceneState.UNDONE


@pytest.mark.parametrize("by_sweep", [False, True], ids=["hook", "sweep"])
def test_a_save_of_the_cover_alone_brings_an_undone_scene_back(pictured, counter, by_sweep):
    undone(pictured, counter)
    pictured.upload_cover(SCENE, png("another"))
    if by_sweep:
        assert f"scene:{SCENE}" in pictured.sweep()
    sync_with_pictures(pictured, SCENE)
    assert pictured.record(SCENE).state is SceneState.SYNCED
    assert pictured.item(SCENE).title == pictured.stash.library.scenes[SCENE].title
    assert pictured.item(SCENE).poster == upload_key(png("another"))


def test_what_is_no_edit_leaves_an_undone_scene_undone(pictured, counter):
    undone(pictured, counter)
    was = pictured.item(SCENE)
    sync_with_pictures(pictured, SCENE)  # a scan calls the hook for every scene there is
    pictured.configure(sync_tags=False)
    assert f"scene:{SCENE}" not in pictured.sweep()
    assert pictured.item(SCENE) == was


def test_a_save_of_the_cover_that_waits_while_it_is_undone_counts(pictured, counter):
    sync_with_pictures(pictured, SCENE)
    pictured.clock.advance(60)
    pictured.upload_cover(SCENE, png("another"))
    pictured.queue.enqueue("scene", [SCENE], "edited", pictured.clock.now(), due_at=AT_ONCE)
    counter.ask("undo", all=True)
    pictured.work()
    pictured.pictures()
    assert pictured.item(SCENE).poster == upload_key(png("another"))


# --- what a person put back by hand -------------------------------------------------------------------------------


def test_a_text_of_ours_that_a_person_put_back_by_hand_stays(shop, counter):
    run(shop, SCENE, details="First")
    run(shop, SCENE, details="Second")
    shop.plex.edit_by_person(shop.key(SCENE), summary="First")
    told = counter.ask("undo", all=True)
    assert shop.item(SCENE).values["summary"] == "First"
    assert "summary" in shop.item(SCENE).locks
    assert told["kept"] == 1


def test_what_a_person_types_while_a_slow_undo_is_under_way_stays(shop, counter, monkeypatch):
    shop.edit(OTHER, title="Second")
    run(shop, SCENE, OTHER, title="First")
    monkeypatch.setattr(undo_run, "FRESH_SECONDS", 0.0)
    key = shop.key(SCENE)  # written first, so undone last
    shop.plex.after("edit", lambda: shop.plex.edit_by_person(key, title="Typed meanwhile"))
    assert counter.ask("undo")["kept"] == 1
    assert shop.plex.item(key).title == "Typed meanwhile"


# --- how far back the journal goes --------------------------------------------------------------------------------


def test_however_often_a_scene_is_edited_its_journal_stays_small_and_leads_back_to_before_us(pictured, counter):
    was = pictured.item(SCENE)
    for number in range(3 * FOLD_ABOVE):
        pictured.edit(SCENE, title=f"Title {number}", tags=[f"Tag {number % 3}"], details=f"{number // 2}")
        if number % 5 == 0:
            pictured.upload_cover(SCENE, png(f"cover {number % 4}"))
        sync_with_pictures(pictured, SCENE)
        key, server_id = pictured.key(SCENE), pictured.plex.server_id
        assert len(pictured.ledger.journal.writes_of(key, server_id)) <= FOLD_ABOVE + 1
    told = counter.ask("undo", all=True)
    now = pictured.item(SCENE)
    assert (now.title, now.values.get("summary", ""), now.tags, now.poster, now.art, now.locks) == (
        was.title,
        was.values.get("summary", ""),
        was.tags,
        was.poster,
        was.art,
        was.locks,
    )
    assert (told["kept"], told["impossible"], pictured.ledger.journal.entries()) == (0, 0, [])


def test_the_last_writes_are_undone_one_by_one(shop, counter):
    numbers = range(2 * FOLD_ABOVE)
    for number in numbers:
        run(shop, SCENE, title=f"Title {number}")
    for number in reversed(numbers[-KEPT_WRITES + 1 :]):
        assert shop.item(SCENE).title == f"Title {number}"
        counter.ask("undo")


def test_what_another_scene_wrote_in_between_is_not_folded_over(shop, counter):
    was = shop.item(SCENE).title
    for number in range(FOLD_ABOVE):
        run(shop, SCENE, title=f"Title {number}")
    library = shop.stash.library
    library.scenes[OTHER].files = (*library.scenes[SCENE].files, *library.scenes[OTHER].files)
    key = shop.key(SCENE)
    del library.scenes[SCENE]
    run(shop, SCENE, OTHER)
    for number in range(FOLD_ABOVE):
        run(shop, OTHER, title=f"Heir {number}")
    assert shop.plex.item(key).title == f"Heir {FOLD_ABOVE - 1}"
    counter.ask("undo", all=True)
    assert shop.plex.item(key).title == was
