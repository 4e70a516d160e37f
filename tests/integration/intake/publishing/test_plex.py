"""Plex shows what was brought in: its folder scanned, the item found by its path, fields and pictures locked."""

import time
from dataclasses import replace

import pytest

from intake.publishing.picture_fetch import PictureFetcher
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
from intake.publishing.target_publisher import ShownAs, TargetPublisher
from plex.client import PlexClient
from plex.device_identity import load_identity
from sim.plex import faults
from sim.plex.server import SimPlex
from tests.support.clocks import FakeClock

THERE = "/data/scenes/intake"


@pytest.fixture
def plex():
    with SimPlex(5) as server:
        server.quirks.scan_seconds = 0.05
        yield server
        assert server.disasters == []


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def publisher(tmp_path, plex, clock):
    client = PlexClient(
        plex.url, plex.token, load_identity(str(tmp_path / "id")), connect_timeout=20, read_timeout=20, wait=print
    )
    rules = PathMap({str(tmp_path / "library"): THERE})
    made = TargetPublisher(client, ShownAs(rules, "Scenes"), PictureFetcher(), clock.monotonic)
    yield made
    made.close()


@pytest.fixture
def path(tmp_path, plex):
    path = tmp_path / "library" / "Ruri" / "Ruri - SONE-760.mp4"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x" * 1234)
    plex.add_file(f"{THERE}/Ruri/Ruri - SONE-760.mp4", 1234)
    return str(path)


@pytest.fixture
def item(publisher, path):
    publisher.scan([path])
    return found(publisher, path)


def found(publisher, path):
    deadline = time.monotonic() + 5
    while True:
        try:
            return publisher.find(path, is_last=False)
        except ItemNotIndexed:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_a_file_is_shown_with_all_that_is_known_of_it(publisher, plex, path, item, work):
    publisher.write(item, work, path, {})
    for place in publisher.places:
        publisher.show_picture(item, work, place, "")
    shown = plex.item(int(item))
    assert (shown.title, shown.values["summary"], shown.values["studio"]) == (
        "SONE-760 A title: part two",
        "What happens.",
        "Label",
    )
    assert str(shown.values["originallyAvailableAt"]) == "2024-05-01"
    assert (shown.actors, sorted(shown.genres)) == (("Ruri Saijo",), ["Drama", "Romance"])
    assert {"title", "summary", "studio", "genre", "actor", "thumb", "art"} <= shown.locks
    assert shown.poster.startswith("upload://")
    assert shown.art.startswith("upload://")


def test_publishing_twice_uploads_nothing_twice(publisher, plex, path, item, work):
    wrote = publisher.write(item, work, path, {})
    marks = {place: publisher.show_picture(item, work, place, "") for place in publisher.places}
    assert publisher.write(item, work, path, wrote) == wrote
    for place in publisher.places:
        publisher.show_picture(item, work, place, marks[place])
    assert [len(plex.uploads(int(item), kind)) for kind in ("posters", "arts")] == [1, 1]


def test_a_choice_of_plexs_own_between_upload_and_lock_does_not_stay(publisher, plex, path, item, work):
    """Its first look at a new file may come just then, and takes what nothing locks."""
    edit = publisher._target.edit

    def refreshed_before(change):
        plex.refresh(int(item))
        edit(change)

    publisher._target.edit = refreshed_before
    publisher.show_picture(item, work, "thumb", "")
    assert plex.item(int(item)).poster.startswith("upload://")


def test_what_a_person_wrote_or_chose_is_left_alone(publisher, plex, path, item, work):
    plex.edit_by_person(int(item), summary="My own words.")
    plex.lock(int(item), "thumb")
    wrote = publisher.write(item, work, path, {})
    assert publisher.show_picture(item, work, "thumb", "") == "theirs"
    plex.edit_by_person(int(item), title="My own title")
    publisher.write(item, replace(work, title="Better", label="Other"), path, wrote)
    shown = plex.item(int(item))
    assert (shown.title, shown.values["summary"], shown.values["studio"]) == (
        "My own title",
        "My own words.",
        "Other",
    )


def test_only_the_folder_is_scanned_and_not_again_and_again(publisher, plex, path, clock):
    assert publisher.scan([path, path]) == {path}
    assert publisher.scan([path]) == frozenset()
    clock.advance(2)
    assert publisher.scan([path]) == {path}
    assert plex.count("scan") == 2


def test_name_and_size_tell_at_the_last_look_if_unique(publisher, plex, tmp_path, path):
    publisher._shown_as = ShownAs(PathMap({}), "Scenes")
    with pytest.raises(ItemNotIndexed, match="plex_path_map"):
        publisher.find(path, is_last=True)
    one = plex.add_item("/data/scenes/one/Ruri - SONE-760.mp4", 1234, 60_000)
    plex.add_item("/data/scenes/other/Ruri - SONE-760.mp4", 999, 60_000)
    assert publisher.find(path, is_last=True) == str(one)
    plex.add_item("/data/scenes/two/Ruri - SONE-760.mp4", 1234, 60_000)
    with pytest.raises(ItemAmbiguous, match="2 items"):
        publisher.find(path, is_last=True)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (faults.status(400), WriteRejected),
        (faults.UNAUTHORIZED, ServerRefuses),
        (faults.SERVER_ERROR, ServerFailed),
        (faults.MAINTENANCE, ServerAway),
        (faults.RESET, ServerAway),
    ],
)
def test_every_trouble_has_its_family(publisher, plex, path, item, work, fault, error):
    plex.faults.add(fault, method="PUT")
    with pytest.raises(error):
        publisher.write(item, work, path, {})


def test_a_lost_answer_is_looked_after(publisher, plex, path, item, work):
    plex.faults.add(faults.LOST_BY_RESET, method="PUT", times=1)
    publisher.write(item, work, path, {})
    assert plex.item(int(item)).title == "SONE-760 A title: part two"


def test_a_picture_that_plex_does_not_take_blocks_nothing(publisher, plex, path, item, work):
    plex.faults.add(faults.SERVER_ERROR, method="POST")
    with pytest.raises(PicturesFailed):
        publisher.show_picture(item, work, "thumb", "")


def test_an_item_that_is_gone_is_not_shown_any_more(publisher, plex, path, item, work):
    plex.delete(int(item))
    with pytest.raises(ItemNotIndexed):
        publisher.write(item, work, path, {})


def test_a_plex_that_is_away_is_away(publisher, plex, path):
    plex.stop()
    with pytest.raises(ServerAway):
        publisher.scan([path])
    plex.start()
    assert "1 library with videos" in publisher.check()
