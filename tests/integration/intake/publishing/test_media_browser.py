"""Emby and Jellyfin show what was brought in: found by its path, written whole, pictures put up and none lost."""

import pytest

from intake.publishing.port import (
    ItemAmbiguous,
    ItemNotIndexed,
    PicturesFailed,
    ServerAway,
    ServerFailed,
    ServerRefuses,
    WriteRejected,
)
from intake.publishing.server_paths import PathMap
from intake.publishing.target_publisher import ShownAs
from sim.mediabrowser import faults
from sim.wordpress.server import make_jpeg


def test_a_file_is_shown_with_all_that_is_known_of_it(stage, flavour, work):
    there = stage(flavour)
    path = there.place()
    item = there.published(path, work)
    shown = there.shown(item)
    assert (shown["Name"], shown["OriginalTitle"], shown["Overview"]) == (
        "SONE-760 A title: part two",
        "物語",
        "What happens.",
    )
    assert shown["PremiereDate"].startswith("2024-05-01")
    assert shown["ProductionYear"] == 2024
    assert [person["Name"] for person in shown["People"]] == ["Ruri Saijo"]
    assert shown["Studios"] == ["Label"]
    assert sorted(shown["Genres"]) == ["Drama", "Romance"]
    assert shown["LockData"] is False
    assert {"Name", "Overview", "Cast", "Genres", "Studios"} <= set(shown["LockedFields"])
    assert there.server.pictures(item, "Primary") == [make_jpeg(1200)]
    assert there.server.pictures(item, "Backdrop") == there.server.pictures(item, "Banner") == [make_jpeg(800)]


def test_publishing_twice_changes_nothing_more(stage, flavour, work):
    there = stage(flavour)
    path = there.place()
    item = there.published(path, work)
    first = there.shown(item)
    uploads = there.server.count("upload")
    assert there.published(path, work) == item
    second = there.shown(item)
    for name in ("Name", "Overview", "Genres", "People", "LockedFields"):
        assert second[name] == first[name]
    assert there.server.count("upload") == uploads


# --- finding it ------------------------------------------------------------------------------------------------------


def test_only_the_files_folder_is_scanned_and_once_for_all_in_it(stage, flavour):
    there = stage(flavour)
    there.indexed(there.place("Ruri/one.mp4"))
    there.server.journal.clear()
    paths = [there.place(f"Ruri/{number}.mp4") for number in range(5)]
    there.wait(10)
    assert there.publisher.scan(paths) == frozenset(paths)
    (refresh,) = [call for call in there.server.requests if call.kind == "refresh"]
    folder = there.server.world.store.at_path(str(there.library / "Ruri"))
    assert folder.id in refresh.path
    there.wait(2)
    for path in paths:
        assert there.publisher.find(path, is_last=False)
    assert there.server.count("changes") == 1  # one question for all that are looked for in the same moment


def test_a_folder_is_not_scanned_again_and_again(stage):
    there = stage()
    first, second = there.place("A/a.mp4"), there.place("A/b.mp4")
    assert there.publisher.scan([first]) == {first}
    there.wait(0.1)
    assert there.publisher.scan([second]) == frozenset()
    there.wait(11)
    assert there.publisher.scan([second]) == {second}
    assert there.server.count("refresh") == 2


def test_an_item_is_not_there_before_the_scan_and_not_written_before_the_server_has_looked_into_it(stage, flavour):
    there = stage(flavour)
    path = there.place()
    there.publisher.scan([path])
    with pytest.raises(ItemNotIndexed):
        there.publisher.find(path, is_last=False)
    there.wait(0.4)  # listed, and its first metadata pass to come: it would overwrite
    with pytest.raises(ItemNotIndexed):
        there.publisher.find(path, is_last=False)
    assert there.publisher.find(path, is_last=True)
    there.wait(2)
    assert there.publisher.find(path, is_last=False)


def test_a_server_that_sees_the_folder_elsewhere_is_told_by_the_path_map(stage, flavour, tmp_path):
    there = stage(flavour, seen_as="/media/films", path_map={str(tmp_path / "library"): "/media/films"})
    path = there.place()
    item = there.indexed(path)
    assert there.shown(item)["Path"] == "/media/films/Ruri/Ruri - SONE-760.mp4"


def test_without_a_path_map_the_named_folder_is_scanned_and_name_and_size_tell(stage, flavour):
    """As the first users of the service have it: EMBY_PARENT_FOLDER_ID."""
    there = stage(flavour, seen_as="/media/films")
    there.publisher._shown_as = ShownAs(PathMap({}), parent_folder_id=there.server.library("Intake").item_id)
    path = there.place(content=b"x" * 12345)
    there.server.add_item("/data/scenes/else/Ruri - SONE-760.mp4", 999)
    item = there.indexed(path)
    assert there.shown(item)["Path"].startswith("/media/films")


def test_two_of_one_name_and_size_are_a_persons_case(stage, flavour):
    there = stage(flavour)
    path = there.place(content=b"x" * 1000)
    for folder in ("one", "two"):
        there.server.add_item(f"/data/scenes/{folder}/Ruri - SONE-760.mp4", 1000)
    with pytest.raises(ItemAmbiguous, match="2 items of this name and size") as error:
        there.publisher.find(path, is_last=True)
    assert len(error.value.candidates) == 2


def test_one_of_the_same_name_and_another_size_is_a_stranger(stage, flavour):
    there = stage(flavour)
    path = there.place(content=b"x" * 1000)
    there.server.add_item("/data/scenes/one/Ruri - SONE-760.mp4", 1001)
    with pytest.raises(ItemNotIndexed):
        there.publisher.find(path, is_last=True)


def test_the_second_part_of_a_film_is_the_item_of_the_first(stage, flavour):
    there = stage(flavour)
    paths = [there.place(f"A/B-1-cd{number}.mp4") for number in (1, 2)]
    item = there.server.add_item(paths[0], library="Intake", parts=paths[1:])
    assert [there.publisher.find(path, is_last=False) for path in paths] == [item, item]


def test_a_folder_that_no_library_has_is_said(stage):
    there = stage(seen_as="/elsewhere")
    path = there.place()
    assert there.publisher.scan([path]) == {path}
    with pytest.raises(ItemNotIndexed, match="jellyfin_path_map"):
        there.publisher.find(path, is_last=True)


# --- writing ---------------------------------------------------------------------------------------------------------


def test_what_a_person_wrote_is_left_alone_and_what_others_added_stays(stage, flavour, work):
    there = stage(flavour)
    path = there.place()
    item = there.indexed(path)
    there.server.edit_by_person(item, Overview="My own words.")
    there.server.edit_by_person(item, lock=False, Genres=["Home"], CustomRating="R")
    there.publisher.write(item, work, path, {})
    shown = there.shown(item)
    assert shown["Overview"] == "My own words."
    assert shown["Genres"] == ["Home", "Drama", "Romance"]
    assert shown["CustomRating"] == "R"
    assert shown["Name"] == "SONE-760 A title: part two"


def test_an_item_that_a_person_has_locked_whole_is_left_alone(stage, flavour, work):
    there = stage(flavour)
    path = there.place()
    item = there.indexed(path)
    there.server.edit_by_person(item, Overview="Mine.", LockData=True, Name="Mine")
    there.publisher.write(item, work, path, {})
    shown = there.shown(item)
    assert (shown["Name"], shown["Overview"], shown["LockData"]) == ("Mine", "Mine.", True)


def test_our_own_words_of_before_are_replaced_and_a_persons_later_ones_are_not(stage, flavour, work):
    from dataclasses import replace

    there = stage(flavour)
    path = there.place()
    item = there.indexed(path)
    wrote = there.publisher.write(item, work, path, {})
    there.server.edit_by_person(item, Overview="My own words.")
    better = replace(work, title="Better", overview="Better.", release_date="2024-06-02")
    there.publisher.write(item, better, path, wrote)
    shown = there.shown(item)
    assert (shown["Name"], shown["Overview"]) == ("SONE-760 Better", "My own words.")
    assert shown["PremiereDate"].startswith("2024-06-02")


def test_what_is_not_known_of_a_work_clears_nothing(stage, flavour, work):
    from dataclasses import replace

    there = stage(flavour)
    path = there.place()
    item = there.indexed(path)
    there.server.edit_by_person(item, lock=False, Overview="From a provider.", People=["Somebody"])
    there.publisher.write(item, replace(work, overview="", performers=()), path, {})
    shown = there.shown(item)
    assert shown["Overview"] == "From a provider."
    assert [person["Name"] for person in shown["People"]] == ["Somebody"]


@pytest.mark.parametrize("fault", [faults.LOST_BY_RESET, faults.RESET, faults.BAD_GATEWAY, faults.STARTING])
def test_a_lost_answer_is_tried_again_and_ends_as_it_should(stage, flavour, work, fault):
    there = stage(flavour)
    path = there.place()
    item = there.indexed(path)
    there.server.faults.add(fault, kind="update", times=1)
    wrote = None
    if fault is faults.LOST_BY_RESET:  # it was looked at, and is there
        wrote = there.publisher.write(item, work, path, {})
    else:
        with pytest.raises(ServerAway):
            there.publisher.write(item, work, path, {})
        wrote = there.publisher.write(item, work, path, {})
    assert set(wrote) >= {"title", "summary", "genre"}
    assert there.shown(item)["Overview"] == "What happens."


@pytest.mark.parametrize("flavour", ["jellyfin-10.11", "jellyfin-12", "emby-4.9"])
def test_an_update_that_failed_half_way_is_sent_again(stage, work, flavour):
    """The server shows what it has not saved, until it restarts."""
    there = stage(flavour)
    path = there.place()
    item = there.indexed(path)
    there.server.faults.add(faults.DATABASE_LOCKED, kind="update", times=2)  # the target itself sends it once more
    with pytest.raises(ServerFailed, match="failed inside"):
        there.publisher.write(item, work, path, {})
    there.publisher.write(item, work, path, {})
    there.server.restart()
    there.server.set_phase("running")
    assert there.shown(item)["Overview"] == "What happens."


def test_a_database_that_is_locked_while_a_scan_runs_costs_a_try_and_nothing_else(stage, work):
    there = stage("jellyfin-10.11")
    there.server.quirks.database_locked_every = 1
    path = there.place()
    item = there.indexed(path)
    there.server.start_scan()
    with pytest.raises(ServerFailed):
        there.publisher.write(item, work, path, {})
    there.wait(5)
    there.publisher.write(item, work, path, {})
    assert there.shown(item)["Overview"] == "What happens."


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (faults.status(400), WriteRejected),
        (faults.UNAUTHORIZED, ServerRefuses),
        (faults.FORBIDDEN, ServerRefuses),
        (faults.NOT_FOUND, ItemNotIndexed),
        (faults.LOGIN_PAGE, ServerAway),
        (faults.CUT_JSON, ServerAway),
        (faults.HANG, ServerAway),
    ],
)
def test_every_trouble_has_its_family(stage, work, fault, error):
    there = stage("jellyfin-12", held=False, read_timeout=2.0)
    path = there.place()
    item = there.indexed(path)
    kind = "details" if error is ServerAway else "update"
    there.server.faults.add(fault, kind=kind)
    with pytest.raises(error) as raised:
        there.publisher.write(item, work, path, {})
    assert there.server.api_key not in str(raised.value)
    assert str(raised.value).startswith("Jellyfin")


def test_a_server_that_is_down_or_slow_is_away(stage):
    there = stage("jellyfin-12", held=False, read_timeout=2.0)
    path = there.place()
    there.server.stop()
    with pytest.raises(ServerAway):
        there.publisher.scan([path])
    there.server.start()
    there.server.faults.add(faults.slow(4), kind="libraries")
    with pytest.raises(ServerAway):
        there.publisher.scan([path])
    there.server.faults.clear()
    assert there.indexed(path)


def test_another_server_at_the_same_address_is_not_written_to(stage, work):
    there = stage("jellyfin-12")
    path = there.place()
    item = there.indexed(path)
    there.server.become_another_server()
    with pytest.raises(ServerRefuses, match="another Jellyfin server"):
        there.publisher.write(item, work, path, {})


# --- pictures --------------------------------------------------------------------------------------------------------


def show_all(there, item, work, marks=None):
    return {
        place: there.publisher.show_picture(item, work, place, (marks or {}).get(place, ""))
        for place in there.publisher.places
    }


def test_a_lost_answer_doubles_no_picture(stage, flavour, work):
    there = stage(flavour)
    item = there.indexed(there.place())
    there.server.faults.add(faults.LOST_BY_RESET, kind="upload", times=3)
    show_all(there, item, work)
    assert [len(there.server.pictures(item, place)) for place in ("Primary", "Backdrop", "Banner")] == [1, 1, 1]


@pytest.mark.parametrize("fault", [faults.RESET, faults.STARTING, faults.BAD_GATEWAY])
def test_an_upload_that_did_not_arrive_is_made_again_and_nothing_was_taken_away(stage, flavour, work, fault):
    there = stage(flavour)
    item = there.indexed(there.place())
    there.server.put_picture_by_provider(item, "Primary", make_jpeg(10))
    there.server.faults.add(fault, kind="upload", times=1)
    with pytest.raises(ServerAway):
        show_all(there, item, work)
    assert there.server.pictures(item, "Primary") == [make_jpeg(10)]
    show_all(there, item, work)
    assert there.server.pictures(item, "Primary") == [make_jpeg(1200)]


def test_a_picture_that_is_replaced_is_kept(stage, flavour, work):
    there = stage(flavour)
    item = there.indexed(there.place())
    there.server.put_picture_by_person(item, "Primary", make_jpeg(77))
    show_all(there, item, work)
    assert there.server.pictures(item, "Primary") == [make_jpeg(1200)]
    (kept,) = [path for path in there.replaced.rglob("Primary-*") if path.is_file()]
    assert kept.read_bytes() == make_jpeg(77)


def test_a_picture_that_came_with_the_video_is_a_persons_and_stays(stage, flavour, work):
    there = stage(flavour)
    item = there.indexed(there.place())
    there.server.put_picture_beside(item, "Primary", make_jpeg(77))
    marks = {
        place: there.publisher.show_picture(item, work, place, "", came_along=True) for place in there.publisher.places
    }
    assert there.server.pictures(item, "Primary") == [make_jpeg(77)]
    assert marks["thumb"] == "theirs"
    assert there.server.pictures(item, "Banner") == [make_jpeg(800)]  # it shows none there, whatever came along


def test_a_new_picture_takes_the_place_of_ours_and_a_persons_later_one_stays(stage, flavour, work, site):
    from dataclasses import replace

    there = stage(flavour)
    item = there.indexed(there.place())
    there.server.put_picture_by_person(item, "Backdrop", make_jpeg(55))
    marks = show_all(there, item, work)
    there.server.put_picture_by_person(item, "Banner", make_jpeg(44))
    site.picture_height = 30
    there.publisher._fetcher._kept.clear()
    other = replace(work, image_url=work.image_url.replace("SONE-760", "other"))
    marks = show_all(there, item, other, marks)
    assert there.server.pictures(item, "Primary") == [make_jpeg(1200, 30)]
    assert there.server.pictures(item, "Backdrop") == [make_jpeg(55), make_jpeg(800, 30)]
    assert there.server.pictures(item, "Banner") == [make_jpeg(44)]
    assert marks["banner"] == "theirs"


@pytest.mark.parametrize("mood", ["html", "gone"])
def test_what_is_no_picture_is_not_shown(stage, work, site, mood):
    there = stage()
    item = there.indexed(there.place())
    if mood == "gone":
        site.stop()
    else:
        site.mood = mood
    with pytest.raises(PicturesFailed, match=r"/wp-content/SONE-760\.jpg "):
        show_all(there, item, work)
    assert there.server.count("upload") == 0


def test_a_picture_with_the_wrong_status_is_a_picture(stage, work, site):
    there = stage()
    item = there.indexed(there.place())
    site.mood = "jpeg with 404"
    show_all(there, item, work)
    assert there.server.pictures(item, "Primary") == [make_jpeg(1200)]


def test_a_work_without_a_picture_needs_none(stage, work):
    from dataclasses import replace

    there = stage()
    item = there.indexed(there.place())
    assert set(show_all(there, item, replace(work, image_url="")).values()) == {"none"}
    assert there.server.count("upload") == 0


def test_a_server_that_takes_no_picture_blocks_no_other_place(stage, work):
    there = stage(held=False)
    item = there.indexed(there.place())
    there.server.faults.add(faults.status(415), kind="upload", times=1)
    with pytest.raises(PicturesFailed):
        there.publisher.show_picture(item, work, "thumb", "")
    there.publisher.show_picture(item, work, "banner", "")


def test_the_doctor_is_told_who_answers(stage, flavour):
    there = stage(flavour)
    assert "answers and has 5 libraries" in there.publisher.check()
    there.server.revoke_key()
    with pytest.raises(ServerRefuses, match="API key"):
        there.publisher.check()
