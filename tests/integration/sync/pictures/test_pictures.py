"""Pictures: one upload in a life, nothing that is no picture, and never in the way of the words."""

import hashlib

import pytest

from ledger.states import PictureState, SceneState
from sim.plex import faults
from sim.stash.faults import Fault as StashFault
from sim.stash.library.pictures import PLACEHOLDER, png
from stash.cover import MAX_BYTES
from sync.batch_time import BATCH_SECONDS
from sync.pictures.covers import SETTLES_AFTER_SECONDS

SCENE, OTHER, COVERLESS = 1, 2, 11
KINDS = [("posters", "thumb"), ("arts", "art")]


@pytest.fixture
def shop(shop):
    shop.configure(sync_poster=True, sync_background=True)
    return shop


def uploads(shop, scene_id=SCENE):
    return sum(len(shop.plex.uploads(shop.key(scene_id), kind)) for kind, _ in KINDS)


def posts(shop):
    return [entry for entry in shop.plex.requests if entry.method == "POST"]


def upload_key(data, kind="posters"):
    return f"upload://{kind}/{hashlib.sha1(data).hexdigest()}"


def choose_by_person(shop, data, kind="posters"):
    with shop.plex.world.lock:
        item = shop.plex.world.library.item(int(shop.key(SCENE)))
        shop.plex.world.pictures.upload(item, kind, data)
    shop.plex.lock(shop.key(SCENE), dict(KINDS)[kind])


# --- once in a life -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("selects", ["always", "first"])
def test_the_cover_becomes_poster_and_background_selected_and_locked(shop, selects):
    shop.plex.quirks.upload_selects = selects
    shop.sync(SCENE)
    shop.pictures()
    cover = png(f"scene {SCENE} 1")
    item = shop.item(SCENE)
    assert (item.poster, item.art) == (upload_key(cover), upload_key(cover, "arts"))
    assert {"thumb", "art"} <= item.locks
    assert shop.plex.uploads(item.item_id)[item.poster] == cover


def test_it_is_uploaded_once_whatever_else_is_edited(shop):
    shop.sync(SCENE)
    shop.pictures()
    assert len(posts(shop)) == 2
    for title in ("One", "Two", "Three"):
        shop.clock.advance(5.0)
        shop.edit(SCENE, title=title)
        shop.sync(SCENE)
        shop.pictures()
    shop.sync_all()
    shop.pictures()
    assert len([one for one in posts(shop) if f"/{shop.key(SCENE)}/" in one.path]) == 2
    assert uploads(shop) == 2


def test_an_unchanged_scene_asks_for_no_picture(shop):
    shop.sync(SCENE)
    shop.pictures()
    shop.forget_requests()
    shop.sync(SCENE)
    shop.pictures()
    assert shop.plex.requests == []
    assert shop.stash.requests[f"/scene/{SCENE}/screenshot"] == 0


def test_without_the_ledger_no_picture_is_uploaded_again(shop):
    shop.sync_all()
    shop.pictures()
    before = {one: shop.item(one).poster for one in shop.stash.library.scenes}
    shop.restart(without_ledger=True)
    shop.forget_requests()
    shop.sync_all()
    shop.pictures()
    assert posts(shop) == []
    assert shop.writes() == []
    assert shop.ledger.journal.entries() == []
    assert {one: shop.item(one).poster for one in shop.stash.library.scenes} == before


def test_a_new_cover_replaces_ours(shop):
    shop.sync(SCENE)
    shop.pictures()
    shop.upload_cover(SCENE, png("another"))
    shop.sync(SCENE)
    shop.pictures()
    assert shop.item(SCENE).poster == upload_key(png("another"))
    assert uploads(shop) == 4


@pytest.mark.parametrize("found_by", ["a hook", "a sweep", "sync 42", "sync all"])
@pytest.mark.parametrize("seconds", [0.0, 3600.0], ids=["at once", "an hour later"])
def test_of_two_covers_within_one_second_the_second_is_shown(shop, found_by, seconds):
    shop.upload_cover(SCENE, png("first"))
    shop.save(SCENE)
    shop.pictures()
    assert shop.item(SCENE).poster == upload_key(png("first"))
    shop.upload_cover(SCENE, png("second"), seconds_later=0.0)
    shop.clock.advance(seconds)
    {
        "a hook": lambda: shop.save(SCENE),
        "a sweep": shop.sweep_and_work,
        "sync 42": lambda: shop.sync(SCENE, verify=True),
        "sync all": shop.sync_all,
    }[found_by]()
    shop.pictures()
    item = shop.item(SCENE)
    assert (item.poster, item.art) == (upload_key(png("second")), upload_key(png("second"), "arts"))
    shop.clock.advance(3600.0)
    shop.sweep_and_work()
    shop.forget_requests()
    shop.sweep_and_work()
    assert shop.plex.requests == []
    assert shop.stash.requests[f"/scene/{SCENE}/screenshot"] == 0


@pytest.mark.parametrize("verify", ["sync 42", "sync all"])
def test_a_full_comparison_goes_by_the_bytes_and_asks_plex_only_where_they_differ(shop, verify):
    """Whatever the address says: a clock that was set back may give a new cover an old one's second."""
    shop.clock.advance(3600.0)
    shop.sync_all()
    shop.pictures()
    library = shop.stash.library
    library.uploaded["scene", SCENE, library.scenes[SCENE].cover_version] = png("changed in place")
    shop.forget_requests()
    shop.sync(SCENE, verify=True) if verify == "sync 42" else shop.sync_all()
    shop.pictures()
    assert shop.item(SCENE).poster == upload_key(png("changed in place"))
    asked = [one for one in shop.plex.requests if "/metadata/" in one.path and one.kind != "details"]
    assert {one.path.split("/")[3] for one in asked} == {str(shop.key(SCENE))}


@pytest.fixture
def own_digest(shop):
    shop.plex.quirks.upload_digest = "own"


def test_a_server_with_its_own_digests_gets_each_picture_once(shop, own_digest):
    """Nobody has measured that Plex names an upload by the SHA-1 of the posted bytes."""
    shop.sync(SCENE)
    shop.pictures()
    before = len(posts(shop))
    assert before == 2
    shop.plex.lock(shop.key(SCENE), "thumb", "art", locked=False)
    shop.plex.refresh(shop.key(SCENE))  # the agent's own are shown again
    shop.sync_all()
    shop.pictures()
    shop.work_for(600)
    assert len([one for one in posts(shop) if f"/{shop.key(SCENE)}/" in one.path]) == before
    assert shop.item(SCENE).poster.startswith("upload://")


def test_a_cover_that_comes_back_on_a_server_with_its_own_digests_is_shown_and_ends(shop, own_digest):
    first = png("first")
    for data in (first, png("second"), first):
        shop.upload_cover(SCENE, data)
        shop.sync(SCENE)
        shop.pictures()
    shop.work_for(600)
    assert len(posts(shop)) == 6
    assert shop.plex.uploads(shop.key(SCENE))[shop.item(SCENE).poster] == first
    assert shop.trouble is None


@pytest.mark.parametrize("selects", ["always", "first"])
def test_an_upload_that_locks_by_itself_is_not_taken_for_somebodys_choice(shop, selects):
    shop.plex.quirks.upload_locks, shop.plex.quirks.upload_selects = True, selects
    with shop.plex.world.lock:  # another tool's, selected and not locked
        shop.plex.world.pictures.upload(
            shop.plex.world.library.item(int(shop.key(SCENE))), "posters", png("another tool's")
        )
    shop.plex.lock(shop.key(SCENE), "thumb", locked=False)
    shop.plex.faults.add(faults.SERVER_ERROR, method="PUT", path="*/poster", times=1)
    shop.sync(SCENE)
    shop.pictures()
    shop.work_for(300)
    assert shop.item(SCENE).poster == upload_key(png(f"scene {SCENE} 1"))


def test_an_old_cover_that_comes_back_is_chosen_and_not_uploaded(shop):
    first = png("first")
    for data in (first, png("second"), first):
        shop.upload_cover(SCENE, data)
        shop.sync(SCENE)
        shop.pictures()
    assert shop.item(SCENE).poster == upload_key(first)
    assert len(posts(shop)) == 4


def test_an_item_built_anew_gets_its_pictures_again(shop):
    shop.sync(SCENE)
    shop.pictures()
    shop.plex.rebuild(shop.key(SCENE))
    shop.sync_all()
    shop.pictures()
    assert shop.item(SCENE).poster == upload_key(png(f"scene {SCENE} 1"))


def test_an_item_whose_key_has_become_another_files_is_given_no_picture(shop):
    """Between the words and the pictures Plex builds its database anew, and gives its keys in another order."""
    shop.sync(SCENE)
    keys = shop.key(SCENE), shop.key(OTHER)
    with shop.plex.world.lock:
        one, other = (shop.plex.world.library.items[int(key)] for key in keys)
        one.media, other.media = other.media, one.media
    shop.pictures()
    assert posts(shop) == []
    assert shop.record(SCENE).state is SceneState.WAITING
    shop.sweep_and_work()
    assert shop.key(SCENE) == keys[1]
    assert shop.item(SCENE).poster == upload_key(png(f"scene {SCENE} 1"))


def test_a_wiped_item_shows_its_poster_again_after_sync_all(shop):
    shop.sync(SCENE)
    shop.pictures()
    shop.plex.wipe(shop.key(SCENE))
    shop.forget_requests()
    shop.sync_all()
    shop.pictures()
    assert shop.item(SCENE).poster == upload_key(png(f"scene {SCENE} 1"))
    assert not [one for one in posts(shop) if f"/{shop.key(SCENE)}/" in one.path]


class ProcessDies(BaseException):
    """Not an error the worker could catch."""


def die(*_, **__):
    raise ProcessDies


MOMENTS = ["upload_picture", "lock_all", "record_pictures"]


@pytest.mark.parametrize("moment", MOMENTS, ids=["before the upload", "before the lock", "before the record"])
@pytest.mark.parametrize("deaths", [1, 2])
def test_an_undo_knows_what_was_shown_before_a_worker_that_died(shop, counter, monkeypatch, moment, deaths):
    was = shop.item(SCENE)
    for number in range(deaths):
        shop.upload_cover(SCENE, png(f"cover {number}"))
        shop.sync(SCENE)
        with monkeypatch.context() as patch:
            owner = (
                shop.ledger if moment == "record_pictures" else shop.picture_work._target(shop.conditions.get().config)
            )
            patch.setattr(owner, moment, die)
            with pytest.raises(ProcessDies):
                shop.pictures()
        shop.restart()
    shop.pictures()
    assert shop.item(SCENE).poster == upload_key(png(f"cover {deaths - 1}"))
    counter.ask("undo", all=True)
    now = shop.item(SCENE)
    assert (now.poster, now.art, now.locks) == (was.poster, was.art, was.locks)


def test_a_cover_put_back_after_a_death_is_shown_again(shop, monkeypatch):
    first, second = png("first"), png("second")
    shop.upload_cover(SCENE, first)
    shop.sync(SCENE)
    shop.pictures()
    shop.upload_cover(SCENE, second)
    shop.sync(SCENE)
    with monkeypatch.context() as patch:
        patch.setattr(shop.ledger, "record_pictures", die)
        with pytest.raises(ProcessDies):
            shop.pictures()
    assert shop.item(SCENE).poster == upload_key(second)
    shop.restart()
    shop.upload_cover(SCENE, first)  # as the ledger remembers it
    shop.sync(SCENE)
    shop.pictures()
    assert shop.item(SCENE).poster == upload_key(first)


def test_an_undo_takes_back_the_picture_of_a_worker_that_nobody_came_after(shop, counter, monkeypatch):
    was = shop.item(SCENE)
    shop.sync(SCENE)
    with monkeypatch.context() as patch:
        patch.setattr(shop.ledger, "record_pictures", die)
        with pytest.raises(ProcessDies):
            shop.pictures()
    shop.restart()
    assert shop.item(SCENE).poster == upload_key(png(f"scene {SCENE} 1"))
    counter.ask("undo", all=True)
    now = shop.item(SCENE)
    assert (now.poster, now.locks) == (was.poster, was.locks)
    shop.pictures()
    assert shop.item(SCENE).poster == was.poster


@pytest.mark.parametrize(("setting", "kind"), [("sync_poster", "posters"), ("sync_background", "arts")])
def test_a_kind_that_is_switched_off_is_left_alone_and_comes_when_switched_on(shop, setting, kind):
    shop.configure(**{setting: False})
    shop.sync(SCENE)
    shop.pictures()
    assert shop.plex.uploads(shop.key(SCENE), kind) == {}
    shop.configure(**{setting: True})
    shop.sync(SCENE)
    shop.pictures()
    assert len(shop.plex.uploads(shop.key(SCENE), kind)) == 1


# --- what is no picture -------------------------------------------------------------------------------------------

NO_PICTURES = {
    "a web page": (b"<!DOCTYPE html><html></html>", "no picture"),
    "nothing": (b"", "empty"),
    "a video": (b"\x00\x00\x00\x18ftypmp42", "no picture"),
    "too much": (b"\xff\xd8\xff" + b"x" * MAX_BYTES, "10 MB"),
}


@pytest.mark.parametrize(("data", "reason"), NO_PICTURES.values(), ids=NO_PICTURES)
def test_what_is_no_picture_is_refused_with_the_reason_and_never_sent(shop, data, reason, monkeypatch):
    monkeypatch.setattr("sim.stash.web.site.png", lambda _: data)  # the simulated Stash draws one for an empty upload
    shop.sync(SCENE)
    shop.pictures()
    assert posts(shop) == []
    for _, kind in KINDS:
        record = shop.ledger.pictures.get(SCENE, kind)
        assert record.state is PictureState.REFUSED
        assert reason in record.sentence
    assert shop.record(SCENE).state is SceneState.SYNCED
    assert shop.jobs() == {}
    assert shop.letters() == {}


def test_a_refused_cover_is_not_fetched_again_until_there_is_another(shop):
    shop.upload_cover(SCENE, b"<html>")
    shop.clock.advance(SETTLES_AFTER_SECONDS)
    shop.sync(SCENE)
    shop.pictures()
    shop.sync(SCENE)
    shop.pictures()
    assert shop.stash.requests[f"/scene/{SCENE}/screenshot"] == 1
    shop.upload_cover(SCENE, png("good"))
    shop.sync(SCENE)
    shop.pictures()
    assert shop.item(SCENE).poster == upload_key(png("good"))


def test_a_new_scene_waits_for_its_cover_and_then_shows_it(shop):
    shop.sync(COVERLESS)
    shop.pictures()
    assert posts(shop) == []
    assert list(shop.jobs()) == [f"picture:{COVERLESS}"]
    shop.clock.advance(1.0)
    shop.stash.events.generate_cover(COVERLESS)
    shop.work_for(60)
    assert shop.item(COVERLESS).poster == upload_key(png(f"scene {COVERLESS} 1"))
    assert shop.jobs() == {}


def test_a_cover_that_never_comes_is_waited_for_two_hours_at_most_and_no_dead_letter(shop):
    shop.sync(COVERLESS)
    shop.work_for(2 * 3600, every=300)
    assert shop.jobs() == {}
    assert shop.letters() == {}
    assert "no cover" in shop.ledger.pictures.get(COVERLESS, "thumb").sentence
    shop.clock.advance(1.0)
    shop.stash.events.generate_cover(COVERLESS)
    shop.sync(COVERLESS)
    shop.pictures()
    assert shop.item(COVERLESS).poster == upload_key(png(f"scene {COVERLESS} 1"))
    assert PLACEHOLDER not in shop.plex.uploads(shop.key(COVERLESS)).values()


# --- what a person chose ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preserve", [True, False])
def test_a_poster_that_a_person_chose_stays_if_edits_are_preserved(shop, preserve):
    shop.configure(preserve_plex_edits=preserve)
    choose_by_person(shop, png("theirs"))
    shop.sync(SCENE)
    shop.pictures()
    ours, theirs = upload_key(png(f"scene {SCENE} 1")), upload_key(png("theirs"))
    assert shop.item(SCENE).poster == (theirs if preserve else ours)
    assert shop.item(SCENE).art == upload_key(png(f"scene {SCENE} 1"), "arts")
    if preserve:
        assert "kept" in shop.ledger.pictures.get(SCENE, "thumb").sentence
        assert uploads(shop) == 2


def test_a_poster_chosen_over_ours_stays_when_stash_gets_a_new_cover(shop):
    shop.sync(SCENE)
    shop.pictures()
    choose_by_person(shop, png("theirs"))
    shop.upload_cover(SCENE, png("new"))
    shop.sync(SCENE)
    shop.pictures()
    assert shop.item(SCENE).poster == upload_key(png("theirs"))
    assert shop.item(SCENE).art == upload_key(png("new"), "arts")


def test_a_kept_poster_is_kept_however_often_the_cover_changes(shop):
    choose_by_person(shop, png("theirs"))
    for name in ("one", "two", "three"):
        shop.upload_cover(SCENE, png(name))
        shop.sync(SCENE)
        shop.pictures()
    assert shop.item(SCENE).poster == upload_key(png("theirs"))


def test_a_bad_cover_in_between_does_not_make_our_own_poster_a_strangers(shop):
    for data in (png("one"), b"<html>", png("two")):
        shop.upload_cover(SCENE, data)
        shop.sync(SCENE)
        shop.pictures()
    assert shop.item(SCENE).poster == upload_key(png("two"))


def test_the_poster_of_a_scene_that_is_gone_does_not_pass_for_a_persons(shop):
    shop.sync(SCENE)
    shop.pictures()
    key, file = shop.key(SCENE), shop.stash.library.scenes[SCENE].files[0]
    del shop.stash.library.scenes[SCENE]
    heir = shop.stash.events.scan_new_file(file.path, size=file.size)
    shop.edit(heir.id, title="Heir")
    shop.upload_cover(heir.id, png("heir"))
    shop.sync(SCENE, heir.id)
    shop.pictures()
    assert shop.plex.item(key).poster == upload_key(png("heir"))
    assert shop.ledger.pictures.get(heir.id, "thumb").state is PictureState.SHOWN


def test_a_kept_poster_is_not_asked_for_again_and_again(shop):
    choose_by_person(shop, png("theirs"))
    shop.sync(SCENE)
    shop.pictures()
    shop.forget_requests()
    shop.sync(SCENE)
    shop.pictures()
    assert shop.plex.requests == []


def test_sync_all_takes_a_poster_back_once_edits_are_no_longer_preserved(shop):
    choose_by_person(shop, png("theirs"))
    shop.sync(SCENE)
    shop.pictures()
    shop.configure(preserve_plex_edits=False)
    shop.sync_all()
    shop.pictures()
    assert shop.item(SCENE).poster == upload_key(png(f"scene {SCENE} 1"))


# --- trouble ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [faults.LOST_BY_RESET, faults.LOST_BY_HANG], ids=lambda one: one.name)
def test_an_upload_whose_answer_is_lost_is_not_doubled(shop, fault, monkeypatch):
    monkeypatch.setattr("plex.pictures.UPLOAD_READ_SECONDS", 0.2)
    shop.plex.faults.add(fault, method="POST", times=1)
    shop.sync(SCENE)
    shop.pictures()
    shop.work_for(300)
    assert len(posts(shop)) == 2
    assert uploads(shop) == 2
    assert shop.item(SCENE).poster == upload_key(png(f"scene {SCENE} 1"))
    assert shop.jobs() == {}


def test_an_upload_that_hangs_until_after_we_have_looked_is_not_doubled(shop, monkeypatch):
    """Plex keeps the bytes only when nobody waits any more; the next try finds them."""
    monkeypatch.setattr("plex.pictures.UPLOAD_READ_SECONDS", 0.2)
    shop.plex.faults.add(faults.HANG, method="POST", times=1)
    shop.sync(SCENE)
    shop.pictures()
    assert uploads(shop) == 0
    with shop.plex.world.lock:
        item = shop.plex.world.library.item(int(shop.key(SCENE)))
        shop.plex.world.pictures.upload(item, "posters", png(f"scene {SCENE} 1"))
    shop.forget_requests()
    shop.work_for(300)
    assert len(posts(shop)) == 1  # the background
    assert uploads(shop) == 2
    assert "thumb" in shop.item(SCENE).locks


@pytest.mark.parametrize("fault", [faults.SERVER_ERROR, faults.MAINTENANCE], ids=lambda one: one.name)
def test_a_picture_that_fails_leaves_the_words_and_is_tried_again(shop, fault):
    shop.plex.faults.add(fault, method="POST", times=2)
    shop.edit(SCENE, title="Words")
    shop.sync(SCENE)
    shop.pictures()
    assert shop.item(SCENE).title == "Words"
    assert shop.record(SCENE).state is SceneState.SYNCED
    assert f"picture:{SCENE}" in shop.jobs()
    shop.work_for(600)
    assert uploads(shop) == 2
    assert shop.jobs() == {}
    assert shop.letters() == {}


def test_a_picture_that_always_fails_is_a_dead_letter_and_comes_with_the_next_edit(shop):
    shop.plex.faults.add(faults.SERVER_ERROR, method="POST")
    shop.sync(SCENE)
    shop.work_for(1200)
    assert list(shop.letters()) == [f"picture:{SCENE}"]
    assert shop.record(SCENE).state is SceneState.SYNCED
    shop.plex.faults.clear()
    shop.edit(SCENE, title="Edited")
    shop.sync(SCENE)
    shop.pictures()
    assert uploads(shop) == 2
    assert shop.letters() == {}


def test_a_stash_that_fails_while_sending_the_cover_is_asked_again(shop):
    shop.sync(SCENE)
    shop.stash.fail_with(StashFault.SERVER_ERROR, under="/scene")
    shop.pictures()
    assert posts(shop) == []
    shop.stash.heal()
    shop.work_for(120)
    assert uploads(shop) == 2


def test_a_scene_that_stash_refuses_is_not_asked_for_for_ever(shop):
    shop.sync(SCENE)
    shop.stash.fail_with(StashFault.DATABASE_LOCKED)
    shop.work_for(3600, every=300)
    assert shop.jobs()[f"picture:{SCENE}"].attempts > 1
    shop.work_for(2 * 3600, every=300)
    assert shop.jobs() == {}
    assert "database is locked" in shop.letters()[f"picture:{SCENE}"]
    shop.stash.heal()
    shop.edit(SCENE, title="Edited")
    shop.sync(SCENE)
    shop.pictures()
    assert uploads(shop) == 2
    assert shop.letters() == {}


def test_a_stash_that_is_away_costs_a_picture_no_try(shop):
    shop.sync(SCENE)
    shop.stash.go_away()
    shop.work_for(300)
    assert shop.jobs()[f"picture:{SCENE}"].attempts == 0


def test_a_persons_new_cover_overtakes_the_pictures_of_a_sweep(shop):
    shop.sweep()
    shop.work()
    assert len(shop.jobs()) > len([SCENE, OTHER])
    shop.upload_cover(OTHER, png("theirs"))
    shop.save(OTHER)
    shop.plex.after("upload", lambda: shop.clock.advance(BATCH_SECONDS), nth=2)  # a slow one
    shop.picture_lane.step()
    assert shop.item(OTHER).poster == upload_key(png("theirs"))
    assert {one.path.split("/")[3] for one in posts(shop)} == {str(shop.key(OTHER))}


def test_a_cover_that_stash_cannot_read_is_not_asked_for_for_ever(shop):
    shop.sync(SCENE)
    shop.stash.fail_with(StashFault.SERVER_ERROR, under="/scene")
    shop.work_for(2 * 3600, every=300)
    assert shop.jobs() == {}
    assert shop.ledger.pictures.get(SCENE, "thumb").state is PictureState.FAILED
    assert "500" in shop.ledger.pictures.get(SCENE, "thumb").sentence
    shop.stash.heal()
    shop.sync(SCENE, verify=True)
    shop.pictures()
    assert uploads(shop) == 2


def test_a_cover_that_a_proxy_hid_behind_a_web_page_comes_with_the_next_sync_all(shop):
    shop.sync(SCENE)
    shop.stash.fail_with(StashFault.HTML, times=1, under="/scene")
    shop.pictures()
    assert shop.ledger.pictures.get(SCENE, "thumb").state is PictureState.REFUSED
    shop.sync(SCENE, verify=True)
    shop.pictures()
    assert uploads(shop) == 2


def test_another_server_gets_no_pictures(shop):
    shop.sync(SCENE)
    shop.pictures()
    shop.upload_cover(SCENE, png("new"))
    shop.sync(SCENE)
    shop.plex.become_another_server()
    shop.plex.drop_connections()
    shop.clock.advance(60.0)
    shop.pictures()
    assert uploads(shop) == 2
    assert shop.jobs()[f"picture:{SCENE}"].attempts == 0


def test_a_scene_deleted_in_stash_needs_no_picture(shop):
    shop.sync(SCENE)
    key = shop.key(SCENE)
    del shop.stash.library.scenes[SCENE]
    shop.pictures()
    assert shop.plex.uploads(key) == {}
    assert shop.jobs() == {}
