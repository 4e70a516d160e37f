"""Habits of servers, and settings of their owners, that nobody has verified: the scene arrives, and no more."""

import pytest

from ledger.states import SceneState
from sim.mediabrowser.flavours import FLAVOURS
from tests.contracts.conftest import OTHERWISE
from tests.integration.sync.conftest import STASH_ROOT
from tests.integration.sync_targets.test_scenes import EDIT, OTHER, SCENE, later, leave, names, run, undo


@pytest.fixture(params=list(FLAVOURS))
def flavour(request):
    return request.param


def collections_of(shop):
    return [names(shop)[one] for one in shop.item(SCENE)["Collections"]]


def in_another_library(shop):
    """Move the scene's file into a library that the settings do not choose, and have the path map lead there."""
    shop.server.delete(shop.key(SCENE))
    scene = shop.stash.library.scenes[SCENE]
    (file, *_) = scene.files
    path = "/data/movies/clips" + scene.path.removeprefix(STASH_ROOT)
    shop.configure(**{f"{shop.name}_path_map": f"{STASH_ROOT}=>/data/movies/clips"})
    return shop.server.add_item(path, file.size, file.duration, library="Movies")


@pytest.mark.parametrize("heeds", [True, False])
def test_nothing_is_written_into_a_library_that_was_not_chosen(shop, heeds):
    shop.server.quirks.heeds_parent_beside_path = heeds
    item_id = in_another_library(shop)
    before = shop.server.item_json(item_id)
    run(shop, SCENE, **EDIT)
    assert shop.server.item_json(item_id) == before
    record, name = shop.record(SCENE), shop.name.title()
    assert (record.state, f"nothing in {name} is called" in record.sentence) == (SceneState.WAITING, True)


def test_a_scene_moves_from_one_collection_to_another_and_back(shop):
    before = shop.item(SCENE)
    run(shop, SCENE, **EDIT)
    assert collections_of(shop) == ["House"]
    run(shop, SCENE, studio="Other")
    assert collections_of(shop) == ["Other"]
    shop.forget_requests()
    run(shop, SCENE, verify=True)
    assert shop.writes() == []
    undo(shop, everything=True)
    assert shop.item(SCENE)["Collections"] == before["Collections"]


@pytest.mark.parametrize("lists", [True, False])
@pytest.mark.parametrize("reaches", [True, False])
def test_a_scene_on_a_further_version_of_a_film_arrives_on_one_item(shop, lists, reaches):
    shop.server.quirks.lists_versions, shop.server.quirks.ids_reach_versions = lists, reaches or lists
    (file, *_) = shop.stash.library.scenes[SCENE].files
    first, path = shop.key(OTHER), shop.path(SCENE)
    shop.server.delete(shop.key(SCENE))
    second = shop.server.add_version(first, path, file.size, file.duration)
    run(shop, SCENE, **EDIT)
    record = shop.record(SCENE)
    assert (record.state, record.item_id) == (SceneState.SYNCED, second if lists else first)
    assert shop.server.item_json(record.item_id)["Name"] == EDIT["title"]


@pytest.mark.parametrize(
    "quirk",
    [{"source_ids": "guid"}, {"shows_etag": False}, {"shows_empty_locks": False}, {"names_server": False}],
    ids=lambda quirk: next(iter(quirk)),
)
def test_a_scene_arrives_however_little_the_server_tells(shop, quirk):
    for name, value in quirk.items():
        setattr(shop.server.quirks, name, value)
    before = shop.item(SCENE)
    run(shop, SCENE, **EDIT)
    assert shop.record(SCENE).state is SceneState.SYNCED
    assert shop.item(SCENE)["Name"] == EDIT["title"]
    undo(shop, everything=True)
    assert shop.item(SCENE) == before


@pytest.mark.parametrize("substitution", [None, ("/data/scenes", "//nas/Scenes")])
def test_an_item_that_a_scene_left_is_taken_back_however_its_path_is_spelled(shop, substitution):
    shop.server.quirks.path_substitution = substitution
    library = shop.server.library("Scenes")
    library.locations = tuple(one.upper() for one in library.locations)
    before, old = shop.item(SCENE), shop.key(SCENE)
    run(shop, SCENE, **EDIT)
    new = leave(shop, SCENE)
    assert shop.record(SCENE).item_id == new
    shop.work_for(120.0)
    assert {name: value for name, value in shop.server.item_json(old).items() if value != ""} == before


@pytest.mark.parametrize("sort_name", [None, "Same", "Sorted"])
def test_an_undo_tells_no_sort_name_from_one_that_is_the_title(shop, sort_name):
    shop.server.edit_by_person(shop.key(SCENE), Name="Same", ForcedSortName=sort_name, lock=False)
    before = shop.item(SCENE)
    run(shop, SCENE, **EDIT)
    assert shop.item(SCENE)["ForcedSortName"] == EDIT["title"]
    shop.forget_requests()
    run(shop, SCENE, verify=True)
    assert shop.writes() == []
    undo(shop, everything=True)
    assert shop.item(SCENE) == before


def test_an_id_that_somebody_spelled_otherwise_is_not_doubled(shop):
    shop.server.edit_by_person(shop.key(SCENE), lock=False, ProviderIds={"stash": "old", "Tmdb": "5"})
    before = shop.item(SCENE)
    run(shop, SCENE, **EDIT)
    assert shop.item(SCENE)["ProviderIds"] == {"stash": str(SCENE), "Tmdb": "5"}
    undo(shop, everything=True)
    assert shop.item(SCENE) == before


ODD = {
    "title": "  The  odd | title ",
    "details": "a\r\nb\n\nc",
    "studio": "X|Y",
    "date": "2024-05",
    "code": "A|1 ",
    "director": "Max|Moritz",
    "performers": ["Ann|Zoe", "ann|zoe", "Bo "],
    "tags": ["A|B", "Blue", "blue", "Red; Green", " x "],
}


def test_odd_names_empty_no_list_and_leave_no_trace(shop):
    shop.configure(tags_as="both", sync_performer_collections=True, collection_prefix="P/ ")
    typed = {"Genres": ["blue"], "Tags": ["Hers"], "Studios": ["Theirs", "x/y"]}
    shop.server.edit_by_person(shop.key(SCENE), lock=False, **typed)
    before = shop.item(SCENE)
    run(shop, SCENE, **ODD)
    now = shop.item(SCENE)
    assert (now["Studios"][0].casefold(), "Theirs" in now["Studios"]) == (
        ("x|y", False) if shop.name == "emby" else ("x/y", True)
    )
    assert {"blue", "Red; Green"} <= set(now["Genres"])
    later(shop)
    run(shop, SCENE, verify=True)
    shop.forget_requests()
    run(shop, SCENE, verify=True)
    assert shop.writes() == []
    undo(shop, everything=True)
    assert shop.item(SCENE) == before


@pytest.mark.parametrize("flavour", ["emby-4.8", "emby-4.9"])
def test_people_whom_emby_does_not_show_stay(shop):
    quirks = shop.server.quirks
    quirks.shows_people, quirks.missing_people = False, "kept"
    shop.server.edit_by_person(shop.key(SCENE), People=[("Wim", "", "Writer")], lock=False)
    run(shop, SCENE, title="T", performers=[], director="")
    assert [one["Name"] for one in shop.item(SCENE)["People"]] == ["Wim"]


HABITS = {
    "lists versions": {"lists_versions": True},
    "hides versions": {"lists_versions": False, "ids_reach_versions": True},
    "substitutes paths": {"path_substitution": ("/data/scenes", "//nas/scenes")},
    "an unknown parent is nothing": {"unknown_parent": "nothing"},
    "honours the index of a picture": {"honours_image_index": True},
    "restores a collection": {"same_name_collection": "restored"},
    "makes a second collection": {"same_name_collection": "second"},
    "all of them": OTHERWISE,
}


@pytest.mark.parametrize("habits", HABITS)
def test_a_scene_arrives_and_goes_without_a_trace_whatever_the_habits(shop, habits):
    shop.configure(sync_poster=True, sync_background=True, sync_groups=True)
    for name, value in HABITS[habits].items():
        setattr(shop.server.quirks, name, value)
    (file, *_) = shop.stash.library.scenes[OTHER].files
    shop.server.add_version(shop.key(OTHER), shop.path(OTHER).replace(".mp4", " - 4k.mkv"), file.size + 1)
    shop.server.put_picture_by_person(shop.key(SCENE), "Backdrop", b"\x89PNG\r\n\x1a\n" + b"hers")
    with shop.server.world.lock:
        shop.server.world.collections.create("House", [shop.key(3)])  # what EDIT names is there already
    before = [shop.item(one) for one in (SCENE, OTHER)]
    shop.edit(OTHER, groups=["Best of"])
    run(shop, SCENE, OTHER, **EDIT)
    shop.pictures()
    assert [shop.record(one).state for one in (SCENE, OTHER)] == [SceneState.SYNCED] * 2
    assert (shop.item(SCENE)["Name"], "House" in collections_of(shop)) == (EDIT["title"], True)
    assert len(shop.server.pictures(shop.key(SCENE), "Backdrop")) == 2
    shop.forget_requests()
    run(shop, SCENE, OTHER, verify=True)
    shop.pictures()
    assert shop.writes() == []
    undo(shop, everything=True)
    assert [pictureless(shop.item(one)) for one in (SCENE, OTHER)] == [pictureless(one) for one in before]


def pictureless(document):
    """Give a document with its pictures by their bytes: one that is put back may lie in another file."""
    return {**document, "Pictures": sorted((one["Type"], one["Sha1"]) for one in document["Pictures"])}
