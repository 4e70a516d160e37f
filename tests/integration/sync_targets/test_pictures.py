"""Covers on Emby and Jellyfin: uploaded once, beside what others put there, and taken back without a trace."""

import pytest

from ledger.states import PictureState
from sim.mediabrowser import faults
from sim.stash.library.pictures import png
from tests.integration.sync_targets.test_scenes import later, run, undo

SCENE, OTHER = 1, 2
MINE = b"\x89PNG\r\n\x1a\n" + b"hers" * 10


@pytest.fixture
def shop(shop):
    shop.configure(sync_poster=True, sync_background=True)
    return shop


def cover(scene_id=SCENE):
    return png(f"scene {scene_id} 1")


def pictures(shop, kind, scene_id=SCENE):
    return shop.server.pictures(shop.key(scene_id), kind)


def show(shop, *scene_ids):
    later(shop)
    shop.sync(*scene_ids)
    later(shop)
    shop.pictures()


def bytes_shown(shop, scene_id=SCENE):
    return sorted((one["Type"], one["Sha1"]) for one in shop.item(scene_id)["Pictures"])


def test_the_cover_becomes_poster_and_backdrop(shop):
    show(shop, SCENE)
    assert (pictures(shop, "Primary"), pictures(shop, "Backdrop")) == ([cover()], [cover()])
    assert {one.state for one in shop.ledger.pictures.of_scenes([SCENE]).values()} == {PictureState.SHOWN}
    assert pictures(shop, "Thumb") == []  # it is no film


def test_it_is_uploaded_once_whatever_else_is_edited(shop):
    show(shop, SCENE)
    uploads = shop.server.count("upload")
    shop.edit(SCENE, title="Another")
    show(shop, SCENE)
    run(shop, SCENE, verify=True)
    shop.pictures()
    assert shop.server.count("upload") == uploads == 2


def test_without_the_ledger_nothing_is_uploaded_again(shop):
    show(shop, SCENE)
    shop.restart(without_ledger=True)
    show(shop, SCENE)
    assert shop.server.count("upload") == 2
    assert pictures(shop, "Backdrop") == [cover()]


def test_a_new_cover_takes_the_place_of_ours_alone(shop):
    shop.server.put_picture_by_person(shop.key(SCENE), "Backdrop", MINE)
    show(shop, SCENE)
    assert pictures(shop, "Backdrop") == [MINE, cover()]
    shop.upload_cover(SCENE, png("new"), seconds_later=30.0)
    show(shop, SCENE)
    assert (pictures(shop, "Primary"), pictures(shop, "Backdrop")) == ([png("new")], [MINE, png("new")])


def test_a_poster_chosen_over_ours_stays(shop):
    show(shop, SCENE)
    shop.server.put_picture_by_person(shop.key(SCENE), "Primary", MINE)
    shop.upload_cover(SCENE, png("new"), seconds_later=30.0)
    show(shop, SCENE)
    assert pictures(shop, "Primary") == [MINE]
    known = shop.ledger.pictures.get(SCENE, "thumb")
    assert (known.state, "it is kept" in known.sentence) == (PictureState.REFUSED, True)
    assert pictures(shop, "Backdrop") == [png("new")]


@pytest.mark.parametrize("others", [False, True])
def test_an_undo_shows_what_was_there_before(shop, others):
    if others:
        shop.server.put_picture_beside(shop.key(SCENE), "Primary", MINE)
        shop.server.put_picture_by_person(shop.key(SCENE), "Backdrop", MINE)
    before = bytes_shown(shop)
    show(shop, SCENE)
    shop.upload_cover(SCENE, png("new"), seconds_later=30.0)
    show(shop, SCENE)
    assert bytes_shown(shop) != before
    report = undo(shop, everything=True)
    assert (report.impossible, report.failed) == (0, 0)
    assert bytes_shown(shop) == before


def test_a_lost_answer_doubles_nothing(shop):
    shop.server.put_picture_by_person(shop.key(SCENE), "Backdrop", MINE)
    shop.server.faults.add(faults.LOST_BY_RESET, kind="upload", times=2)
    show(shop, SCENE)
    assert (pictures(shop, "Primary"), pictures(shop, "Backdrop")) == ([cover()], [MINE, cover()])


def test_what_a_new_cover_replaces_goes_also_after_an_outage_in_between(shop):
    """The new backdrop has come, and then the server starts anew before ours of before is taken away."""
    shop.server.put_picture_by_person(shop.key(SCENE), "Backdrop", MINE)
    show(shop, SCENE)
    before = shop.server.count("upload")
    shop.server.after("upload", lambda: shop.server.faults.add(faults.STARTING), nth=2)
    shop.upload_cover(SCENE, png("new"), seconds_later=30.0)
    show(shop, SCENE)
    assert pictures(shop, "Backdrop") == [MINE, cover(), png("new")]
    shop.server.faults.clear()
    shop.work_for(600.0)
    assert pictures(shop, "Backdrop") == [MINE, png("new")]
    assert shop.server.count("upload") == before + 2


class ProcessDies(BaseException):
    """Not an error the worker could catch."""


@pytest.mark.parametrize("deaths", [["record"], ["record", "announce"]], ids=["once", "and again when it was found"])
def test_a_worker_that_dies_after_an_upload_doubles_nothing_and_can_be_undone(shop, monkeypatch, deaths):
    shop.server.put_picture_by_person(shop.key(SCENE), "Backdrop", MINE)
    shop.server.put_picture_by_person(shop.key(SCENE), "Primary", MINE)
    before = bytes_shown(shop)
    later(shop)
    shop.sync(SCENE)

    def die(*_, **__):
        raise ProcessDies

    for moment in deaths:
        with monkeypatch.context() as patch:
            where = (shop.ledger, "record_pictures") if moment == "record" else (shop.ledger.pictures, "announce")
            patch.setattr(*where, die)
            with pytest.raises(ProcessDies):
                shop.pictures()
        shop.restart()
        later(shop)
    shop.pictures()
    assert (pictures(shop, "Primary"), pictures(shop, "Backdrop")) == ([cover()], [MINE, cover()])
    assert shop.server.count("upload") == 2
    undo(shop, everything=True)
    assert bytes_shown(shop) == before


def test_a_scene_costs_at_most_six_requests(shop):
    shop.configure(sync_collection=False)
    for scene_id in range(1, 11):
        shop.server.put_picture_by_provider(shop.key(scene_id), "Primary", MINE)
    run(shop, 1)
    shop.pictures()
    shop.forget_requests()
    scenes = range(2, 11)
    run(shop, *scenes)
    shop.pictures()
    assert len(shop.server.requests) / len(scenes) <= 6


@pytest.mark.parametrize("flavour", ["jellyfin-12"])
def test_a_film_gets_a_wide_card_and_a_banner_if_asked(shop):
    film = "/data/movies/clips/film.mp4"
    places = {f"{shop.name}_library": "", f"{shop.name}_path_map": "/data/clips=>/data/movies/clips"}
    shop.configure(**places, sync_banner=True)
    file = shop.stash.library.scenes[OTHER].files[0]
    film = "/data/movies/clips" + shop.stash.library.scenes[OTHER].path.removeprefix("/data/clips")
    key = shop.server.add_item(film, file.size, file.duration, library="Movies")
    show(shop, OTHER)
    assert {one["Type"] for one in shop.server.item_json(key)["Pictures"]} == {"Primary", "Backdrop", "Thumb", "Banner"}


# --- what others put there --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"GIF89a" + b"hers" * 10, b"RIFF....WEBP" + b"hers" * 10])
def test_an_undo_puts_any_picture_back(shop, content):
    shop.server.put_picture_by_person(shop.key(SCENE), "Primary", content)
    before = bytes_shown(shop)
    show(shop, SCENE)
    assert pictures(shop, "Primary") == [cover()]
    result = undo(shop, everything=True)
    assert (result.failed, result.impossible, bytes_shown(shop)) == (0, 0, before)


def test_a_picture_that_the_server_refuses_keeps_no_words_from_being_put_back(shop):
    shop.server.put_picture_by_person(shop.key(SCENE), "Primary", MINE)
    run(shop, SCENE, title="Ours")
    show(shop, SCENE)
    shop.server.faults.add(faults.status(413), kind="upload")
    result = undo(shop, everything=True)
    assert (result.failed, result.impossible) == (0, 1)
    assert (shop.item(SCENE)["Name"] != "Ours", pictures(shop, "Primary")) == (True, [cover()])
    shop.server.faults.clear()
    undo(shop, everything=True)
    assert pictures(shop, "Primary") == [MINE]


@pytest.mark.parametrize("kind", ["Primary", "Backdrop"])
def test_the_same_picture_of_a_persons_is_shown_and_never_ours(shop, kind):
    shop.server.put_picture_by_person(shop.key(SCENE), kind, cover())
    show(shop, SCENE)
    assert pictures(shop, kind) == [cover()]
    assert {one.state for one in shop.ledger.pictures.of_scenes([SCENE]).values()} == {PictureState.SHOWN}
    uploads = shop.server.count("upload")
    run(shop, SCENE, verify=True)
    shop.pictures()
    assert shop.server.count("upload") == uploads
    undo(shop, everything=True)
    assert pictures(shop, kind) == [cover()]


@pytest.mark.parametrize("kind", ["Primary", "Backdrop"])
def test_a_new_cover_leaves_the_same_picture_of_a_persons(shop, kind):
    shop.server.put_picture_by_person(shop.key(SCENE), kind, cover())
    before = bytes_shown(shop)
    show(shop, SCENE)
    shop.upload_cover(SCENE, png("new"), seconds_later=30.0)
    show(shop, SCENE)
    assert pictures(shop, kind) == ([png("new")] if kind == "Primary" else [cover(), png("new")])
    undo(shop, everything=True)
    assert bytes_shown(shop) == before


def test_a_poster_in_the_folder_of_the_video_is_left_alone_and_said(shop):
    shop.server.library("Scenes").options["SaveLocalMetadata"] = True
    shop.server.put_picture_beside(shop.key(SCENE), "Primary", MINE)
    files = dict(shop.server.picture_files)
    show(shop, SCENE)
    assert {path: shop.server.picture_files.get(path) for path in files} == files
    poster = shop.ledger.pictures.get(SCENE, "thumb")
    assert (poster.state, "left alone" in poster.sentence) == (PictureState.REFUSED, True)
    undo(shop, everything=True)
    assert pictures(shop, "Primary") == [MINE]
