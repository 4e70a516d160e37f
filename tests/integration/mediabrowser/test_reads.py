"""Reading: every file once, whatever the server leaves out, and no answer to another question."""

import json

import pytest

from mediabrowser.reading import reader
from mediabrowser.reading.document import Person
from model.errors import AccessDenied, AnswerGarbled, FilterIgnored, ItemGone, LibraryNotFound
from sim.mediabrowser.faults import Fault
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.seed import Shape
from sim.mediabrowser.web.exchange import json_answer
from tests.integration.sim.mediabrowser_http import EMBY, JELLYFIN, LISTS, SCALARS, Clock, png

ODD = Shape(two_versions=10, two_parts=7, extra=9, link=11)


def scenes(made):
    return next(library for library in made.libraries() if library.name == "Scenes")


def answering(value):
    return Fault("made up", json_answer(value))


def test_libraries_come_with_what_their_options_do_to_us(start, flavour):
    server, made = start(flavour)
    server.add_library(
        "Noisy", ["/data/noisy"], SaveLocalMetadata=True, MetadataSavers=["Nfo"], AutomaticRefreshIntervalDays=30
    )
    libraries = {library.name: library for library in made.libraries()}
    quiet, noisy = libraries["Scenes"], libraries["Noisy"]
    assert quiet.locations == ("/data/scenes", "/data/archive")
    assert (quiet.saves_pictures_beside, quiet.saves_nfo, quiet.refresh_days, quiet.is_refreshing) == (
        False,
        False,
        0,
        False,
    )
    assert (noisy.saves_pictures_beside, noisy.saves_nfo, noisy.refresh_days) == (True, True, 30)
    assert not libraries["Music"].holds_videos
    assert libraries["Clips"].holds_videos  # mixed
    server.start_scan()
    assert scenes(made).is_refreshing


@pytest.mark.parametrize("value", [{"Items": None}, "x", {}])
def test_what_is_no_list_of_libraries_is_garbled(start, value):
    server, made = start("jellyfin-12")
    made.server()
    server.faults.add(answering(value), kind="libraries")
    with pytest.raises(AnswerGarbled):
        made.libraries()


def test_a_walk_finds_every_file_once_and_its_pages_join(start, flavour, monkeypatch):
    monkeypatch.setattr(reader, "PAGE_SIZE", 10)
    server, made = start(flavour, 45)
    pages = list(made.walk(scenes(made)))
    assert all(page.is_joined for page in pages)
    assert len(pages) == 5
    found = [item.item_id for page in pages for item in page.items]
    assert set(found) == set(server.item_ids())
    assert len(found) == 45 + 4  # one repeated on each page
    paths = {file.path for page in pages for item in page.items for file in item.files}
    assert paths == {server.item_json(item)["Path"] for item in server.item_ids()}
    assert all(item.etag for page in pages for item in page.items)
    assert pages[0].server_time == pytest.approx(server.world.clock(), abs=5)


def test_a_walk_leaves_out_extras_and_discs_and_fills_in_versions_and_parts(start, flavour):
    server, made = start(flavour, 30, shape=ODD)
    disc = server.add_item("/data/scenes/disc", video_type="Dvd")
    listed = [item for page in made.walk(scenes(made)) for item in page.items]
    items = {item.item_id: item for item in made.completed(listed)}
    files = {file.path for item in items.values() for file in item.files}
    expected = {path for item in server.item_ids() for path in server.item_json(item)["Files"]}
    extras = {path for path in expected if "behindthescenes" in path}
    if flavour not in EMBY:  # Emby's lists do not tell a disc
        assert items[disc].files == ()
        expected -= {"/data/scenes/disc"}
    assert files == expected - extras
    linked = [item for item in server.item_ids() if "/mnt/pool" in str(server.world.store.items[item].files[0].target)]
    assert linked
    assert all(items[one].files[0].path.startswith("/data/") for one in linked)  # the path, not what it points at


def test_a_page_that_does_not_join_says_that_the_list_has_moved(start, monkeypatch):
    monkeypatch.setattr(reader, "PAGE_SIZE", 10)
    server, made = start("jellyfin-12", 45)
    oldest = server.item_ids()[::-1]
    library = scenes(made)
    server.after("list", lambda: server.delete(oldest[0]))
    pages = list(made.walk(library))
    assert [page.is_joined for page in pages] == [True, False, True, True, True]


def test_a_server_that_ignores_paging_is_noticed(start, monkeypatch):
    monkeypatch.setattr(reader, "PAGE_SIZE", 2)
    server, made = start("jellyfin-12")
    library = scenes(made)
    whole = {"Items": [{"Id": str(number)} for number in range(5)], "TotalRecordCount": 5}
    server.faults.add(answering(whole), kind="list", times=1)
    with pytest.raises(FilterIgnored):
        list(made.walk(library))
    server.faults.add(answering({**whole, "StartIndex": 7}), kind="list", times=1)
    with pytest.raises(AnswerGarbled, match="another page"):
        list(made.walk(library))
    monkeypatch.setattr(reader, "MOST_PAGES", 3)
    page = {"Items": [{"Id": "a", "ServerId": server.server_id}] * 2, "TotalRecordCount": 99}
    server.faults.add(answering(page), kind="list")
    with pytest.raises(AnswerGarbled, match="does not come to an end"):
        list(made.walk(library))


def test_an_empty_library_is_one_page(start, flavour):
    _, made = start(flavour, 0)
    (page,) = made.walk(scenes(made))
    assert (page.items, page.total) == ((), 0)


@pytest.mark.parametrize("scenes_type", ["homevideos", "movies"])
def test_changes_are_what_was_saved_since(start, flavour, scenes_type):
    clock = Clock()
    server, made = start(flavour, 20, clock=clock, scenes_type=scenes_type)
    clock.wait(100)
    moment = clock.now
    edited, pictured, *_ = server.item_ids()
    server.edit_by_person(edited, Name="New")
    server.put_picture_by_person(pictured, "Primary", png())
    clock.wait(1)
    changes = made.changes_since(scenes(made), moment)
    assert {item.item_id for item in changes.items} == {edited, pictured}
    assert changes.server_time == clock.now


def test_no_change_slips_between_two_pages_of_items_that_sort_alike(start, monkeypatch, flavour):
    monkeypatch.setattr(reader, "PAGE_SIZE", 10)
    server, made = start(flavour, 40)
    for item in server.item_ids():
        server.edit_by_person(item, Name="Alike", DateCreated="2024-05-01T00:00:00.0000000Z", ForcedSortName="Alike")
    found = made.changes_since(scenes(made), 0.0).items
    assert {one.item_id for one in found} == set(server.item_ids())


def test_changes_come_in_pages(start, monkeypatch):
    monkeypatch.setattr(reader, "PAGE_SIZE", 3)
    server, made = start("jellyfin-12", 10)
    assert len(made.changes_since(scenes(made), 0.0).items) == 10
    monkeypatch.setattr(reader, "MOST_PAGES", 2)
    with pytest.raises(AnswerGarbled):
        made.changes_since(scenes(made), 0.0)
    assert server.count("changes") == 6


def test_a_file_can_be_asked_for_on_emby_only(start):
    server, made = start("emby-4.9")
    path, library = server.item_json(server.item_ids()[0])["Path"], scenes(made)
    assert [item.item_id for item in made.find_file(library, path)] == [server.item_ids()[0]]
    assert made.find_file(library, "/nowhere") == []
    server.faults.add(answering({"Items": [{"Id": "1", "Path": "/other"}], "TotalRecordCount": 1}))
    with pytest.raises(FilterIgnored):
        made.find_file(library, path)
    _, jellyfin = start("jellyfin-12")
    with pytest.raises(ValueError, match="cannot be asked"):
        jellyfin.find_file(library, path)


@pytest.mark.parametrize("heeds", [True, False])
@pytest.mark.parametrize("flavour", EMBY)
def test_a_file_of_another_library_is_not_found(start, flavour, heeds):
    server, made = start(flavour, quirks=Quirks(heeds_parent_beside_path=heeds))
    server.add_item("/data/movies/film.mp4", library="Movies")
    assert made.find_file(scenes(made), "/data/movies/film.mp4") == []
    (call,) = [one for one in server.requests if "Path" in one.params]
    assert call.params["ParentId"] == server.library("Scenes").item_id
    assert call.params["IncludeItemTypes"]


@pytest.mark.parametrize("flavour", EMBY)
def test_a_file_is_listed_once_whatever_the_ids_of_media_sources_look_like(start, flavour):
    server, made = start(flavour, quirks=Quirks(source_ids="guid"))
    (page,) = made.walk(scenes(made))
    assert all(len(item.files) == 1 and item.files[0].size for item in page.items)
    assert len(page.items) == len(server.item_ids())


def test_an_item_that_does_not_name_its_server_is_taken(start, flavour):
    server, made = start(flavour, quirks=Quirks(names_server=False))
    (page,) = made.walk(scenes(made))
    assert {item.item_id for item in page.items} == set(server.item_ids())


@pytest.mark.parametrize("flavour", JELLYFIN)
def test_libraries_know_their_folders_as_the_server_shows_them(start, flavour):
    server, made = start(flavour, quirks=Quirks(path_substitution=("/data/scenes", "//nas/scenes")))
    library = scenes(made)
    assert library.locations == ("/data/scenes", "/data/archive", "//nas/scenes")
    shown = {made.details([one])[one].path for one in server.item_ids()}
    assert any(path.startswith("//nas/") for path in shown)
    assert all(library.holds(path) for path in shown)
    assert library.holds("//NAS/Scenes/x.mp4")
    assert not library.holds("/data/scenes2/x.mp4")


@pytest.mark.parametrize("habit", ["everything", "nothing"])
def test_of_a_library_that_is_gone_nothing_is_listed(start, flavour, habit):
    server, made = start(flavour, quirks=Quirks(unknown_parent=habit))
    server.add_library("Gone", ["/data/gone"])
    (gone,) = [one for one in made.libraries() if one.name == "Gone"]
    server.remove_library("Gone")
    for ask in (lambda: list(made.walk(gone)), lambda: made.changes_since(gone, 0.0)):
        if habit == "everything":
            with pytest.raises(LibraryNotFound, match="'Gone' is not there any more"):
                ask()
        else:
            ask()


def test_changes_that_do_not_all_come_are_no_answer(start, monkeypatch):
    monkeypatch.setattr(reader, "PAGE_SIZE", 3)
    server, made = start("jellyfin-12", 10)
    library = scenes(made)
    page = {"Items": [{"Id": "a", "ServerId": server.server_id}] * 3, "TotalRecordCount": 3}
    server.faults.add(answering(page), kind="changes")
    with pytest.raises(FilterIgnored, match="1 came of 3 changed items"):
        made.changes_since(library, 0.0)


# Items.


def test_details_are_a_hundred_a_request_and_what_is_gone_is_missing(start, flavour):
    server, made = start(flavour, 230, shape=Shape(two_versions=1000))
    ids = server.item_ids()[:230]
    server.delete(ids[7])
    found = made.details(ids)
    assert set(found) == set(ids) - {ids[7]}
    assert server.count("details") == 3
    assert made.details([]) == {}
    assert all(document.is_whole == (flavour not in EMBY) for document in found.values())


@pytest.mark.parametrize("habit", ["missing", "empty", "filled"])
def test_a_document_reads_alike_in_both_dialects(start, flavour, habit):
    server, made = start(flavour, quirks=Quirks(tags_beside_tag_items=habit))
    item = server.item_ids()[0]
    server.edit_by_person(item, **SCALARS, **LISTS, People=["Ann", ("Bo", "Guest", "Director")], LockData=True)
    server.put_picture_by_person(item, "Primary", png())
    server.put_picture_by_person(item, "Backdrop", png())
    for document in (made.document(item), made.details([item])[item]):
        assert (document.name, document.overview, document.tagline) == (SCALARS["Name"], "Words.", "A line.")
        assert (document.date, document.year, document.rating) == ("2020-02-03", 2020, 8.5)
        assert (document.genres, document.tags, document.studios) == (("Drama",), ("kept",), ("House",))
        assert document.people == (Person("Ann"), Person("Bo", "Guest", "Director"))
        assert (document.provider_ids, document.official_rating) == ({"Imdb": "tt1"}, "PG")
        assert (document.type, document.path) == ("Video", server.item_json(item)["Path"])
        assert set(document.image_tags) == {"Primary"}
        assert len(document.backdrop_tags) == 1
        assert document.is_probed
        assert document.etag
    whole = made.document(item)
    assert whole.is_whole
    assert (whole.forced_sort_name, whole.is_locked, "Name" in whole.locks) == ("Sort me", True, True)
    assert made.document(item, people=False).people == (() if flavour not in EMBY else whole.people)


def test_an_item_that_is_gone_is_gone(start, flavour):
    server, made = start(flavour)
    item = server.item_ids()[0]
    server.delete(item)
    with pytest.raises(ItemGone):
        made.document(item)


@pytest.mark.parametrize(
    "value",
    [{"Items": [{"Id": "stranger", "ServerId": "x"}]}, {"Items": ["x"]}, {"Items": [{}]}],
)
def test_items_that_nobody_asked_for_are_not_believed(start, value):
    server, made = start("jellyfin-12")
    made.server()
    server.faults.add(answering(value), kind="details")
    with pytest.raises(FilterIgnored):
        made.details([server.item_ids()[0]])


def test_an_id_that_is_none_brings_the_libraries_and_is_noticed(start):
    server, made = start("jellyfin-12", held=False)
    with pytest.raises(FilterIgnored):
        made.details(["not-an-id"])
    assert server.count("details") == 1


@pytest.mark.parametrize("value", [[], {"Items": 7}, None])
def test_what_is_no_list_of_items_is_garbled(start, value):
    server, made = start("jellyfin-12")
    library = scenes(made)
    server.faults.add(answering(value))
    for ask in (lambda: made.details(["a" * 32]), lambda: list(made.walk(library)), made.collections.list):
        with pytest.raises(AnswerGarbled):
            ask()


def test_another_item_than_the_one_asked_for_is_noticed(start):
    server, made = start("emby-4.9")
    one, other, *_ = server.item_ids()
    document = json.loads(json.dumps(dict(made.document(other).raw)))
    server.faults.add(answering(document), kind="single")
    with pytest.raises(FilterIgnored):
        made.document(one)


def test_a_server_without_an_administrator_cannot_be_read_on_emby(start):
    server, made = start("emby-4.9")
    server.user("admin").is_administrator = False
    with pytest.raises(AccessDenied):
        made.document(server.item_ids()[0])
