"""Listings: every file of a library, what changed, where a file is."""

import time
from itertools import pairwise

import pytest

from ledger.index_store import IndexStore
from model.errors import FilterIgnored
from sim.mediabrowser.quirks import Quirks
from sync.index import PathIndex, Refreshed

PATH = "/data/scenes/new/A fresh one.mp4"


@pytest.fixture
def small_pages(monkeypatch):
    monkeypatch.setattr("plex.client.PAGE_SIZE", 7)
    monkeypatch.setattr("mediabrowser.reading.reader.PAGE_SIZE", 7)


def test_a_walk_gives_every_file_once_and_its_pages_join(rig, small_pages):
    pages = list(rig.target.walk(rig.library()))
    assert len(pages) > 3
    for before, page in pairwise(pages):
        assert page.items[0].item_id == before.items[-1].item_id
    items = {item.item_id: item for page in pages for item in page.items}
    assert len(items) == pages[0].total
    assert set(items) >= set(rig.sim.item_ids())
    for item_id in rig.sim.item_ids():
        assert {part.path for part in items[item_id].parts} == set(_files(rig, item_id))


def test_the_index_takes_a_walk_for_whole(rig, tmp_path, small_pages):
    store = IndexStore(str(tmp_path / "index.db"))
    index = PathIndex(store, rig.target, "Scenes")
    (done,) = index.refresh(time.time())
    assert done.how is Refreshed.WALKED
    (again,) = index.refresh(time.time())
    assert again.how is Refreshed.CHANGES
    store.close()


def test_changes_have_what_was_saved_since(rig):
    library, item_id = rig.library(), rig.sim.item_ids()[3]
    moment = time.time()
    rig.edit_by_person(item_id, title="Touched")
    new = rig.add_item(PATH)
    changes = rig.target.changes_since(library, moment - 1)
    assert {item_id, new} <= {item.item_id for item in changes.items}
    assert changes.server_time is not None


def test_a_new_file_is_found_by_asking(rig):
    new = rig.add_item(PATH)
    found = rig.target.find_file(rig.library(), PATH)
    assert [item.item_id for item in found] == [new]
    assert [part.path for part in found[0].parts] == [PATH]


def test_sizes_that_a_listing_does_not_tell_are_told_when_they_are_asked_for(rig):
    items = next(iter(rig.target.walk(rig.library()))).items[:5]
    sized = rig.target.sized(items)
    assert [one.item_id for one in sized] == [one.item_id for one in items]
    assert all(part.size for one in sized for part in one.parts)


def test_a_file_that_is_not_there_is_not_found(rig):
    try:
        assert rig.target.find_file(rig.library(), "/data/scenes/nowhere/none.mp4") == []
    except FilterIgnored:
        pytest.fail("it can be asked")


def test_of_a_film_with_versions_and_parts_every_file_is_known(start, flavour):
    rig = start(flavour, held=False)
    stacked = rig.sim.add_item("/data/scenes/two-cd1.mp4", parts=["/data/scenes/two-cd2.mp4"])
    first = rig.sim.add_item("/data/scenes/film.mp4")
    second = rig.sim.add_version(first, "/data/scenes/film - 4k.mkv")
    paths = {}
    for page in rig.target.walk(rig.library()):
        for item in page.items:
            for part in item.parts:
                paths.setdefault(part.path, set()).add(item.item_id)
    assert paths["/data/scenes/two-cd2.mp4"] == {stacked}
    assert paths["/data/scenes/film.mp4"] == {first}
    own = {second} if flavour in {"jellyfin-10.10", "jellyfin-10.11"} else {first}
    assert paths["/data/scenes/film - 4k.mkv"] == own
    details = rig.target.details([first, stacked])
    assert [part.path for part in details[stacked].parts] == ["/data/scenes/two-cd1.mp4", "/data/scenes/two-cd2.mp4"]
    assert ("/data/scenes/film - 4k.mkv" in [part.path for part in details[first].parts]) == (own == {first})


@pytest.mark.parametrize("lists", [True, False])
@pytest.mark.parametrize("reaches", [True, False])
def test_a_version_is_a_file_of_one_item_whether_it_is_listed_or_not(start, flavour, lists, reaches):
    """An index of which only changes are read must agree with one that was walked."""
    rig = start(flavour, quirks=Quirks(lists_versions=lists, ids_reach_versions=reaches))
    moment, other = time.time(), "/data/scenes/films/film - 4k.mkv"
    first = rig.sim.add_item("/data/scenes/films/film.mp4")
    second = rig.sim.add_version(first, other)
    owner = second if lists else first
    pages = [page.items for page in rig.target.walk(rig.library())]
    for items in (*pages, rig.another().changes_since(rig.library(), moment - 1).items):
        assert {one.item_id for one in items for part in one.parts if part.path == other} <= {owner}
    assert any(part.path == other for items in pages for one in items for part in one.parts)
    for target in (rig.target, rig.another()):
        assert (other in [part.path for part in target.details_of(first).parts]) == (owner == first)
    sized = rig.another().sized([one for items in pages for one in items if one.item_id == first])
    assert (other in [part.path for one in sized for part in one.parts]) == (owner == first)


def test_extras_and_discs_are_no_files_of_ours(start, flavour):
    rig = start(flavour, held=False)
    rig.sim.add_item("/data/scenes/x-trailer.mp4", extra_type="Trailer")
    if rig.target.name == "Jellyfin":  # Emby does not tell in a list
        rig.sim.add_item("/data/scenes/disc", video_type="Dvd")
    paths = {part.path for page in rig.target.walk(rig.library()) for item in page.items for part in item.parts}
    assert not paths & {"/data/scenes/x-trailer.mp4", "/data/scenes/disc"}


def _files(rig, item_id):
    whole = rig.whole(item_id)
    return whole.get("Files") or whole["files"]


def test_an_item_that_was_only_just_found_is_not_written_before_its_first_pass(start, flavour):
    rig = start(flavour, held=False)
    clock = [0.0]
    target = rig.another(clock=lambda: clock[0])
    item_id = rig.sim.item_ids()[3]
    rig.sim.world.store.items[item_id].is_probed = False
    assert target.details_of(item_id).parts == ()
    rig.sim.world.store.items[item_id].is_probed = True
    assert target.details_of(item_id).parts
    rig.sim.world.store.items[item_id].is_probed = False  # a file that it cannot read
    assert target.details_of(item_id).parts == ()
    clock[0] += 61.0
    assert target.details_of(item_id).parts
