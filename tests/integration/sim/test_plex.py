"""The simulated Plex has the quirks of the real one, the bad ones before all."""

import contextlib
import hashlib
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest
import requests
from plexapi.exceptions import BadRequest, NotFound, Unauthorized
from plexapi.server import PlexServer

from sim.plex import faults
from sim.plex.quirks import Quirks
from sim.plex.server import LibraryRuined, SimPlex
from tests.integration.sim.plex_http import Clock, Http, connected, keys

ALL = "/library/sections/2/all?type=1"
MOVIES = "/library/sections/1/all?type=1"
CAST = "actor[0].tag.tag=Ann&actor[0].tagging.text=Guest&actor[0].tag.thumb=http://x/{}.jpg"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def plex(clock):
    with SimPlex(30, clock=clock) as server:
        yield server


@pytest.fixture
def web(plex):
    with connected(plex) as client:
        yield client


@pytest.fixture
def api(plex):
    """A session that plexapi does not close by itself."""
    with requests.Session() as session:
        yield PlexServer(plex.url, plex.token, session=session, timeout=20)


@pytest.fixture
def key(plex):
    """The first item of the library of personal videos."""
    return plex.item_ids()[0]


# Who is there, and who may come in.


def test_identity_needs_no_token_and_everything_else_does(plex):
    with connected(plex, token="wrong") as stranger:
        assert stranger.xml("/identity").attrib["machineIdentifier"] == plex.server_id
        refused = stranger.get("/library/sections")
    assert refused.status_code == 401
    assert refused.headers["Content-Type"] == "text/html"
    assert "<h1>401 Unauthorized</h1>" in refused.text


def test_the_token_may_come_in_the_query(plex):
    with connected(plex, token="") as web:
        assert web.get(f"/?X-Plex-Token={plex.token}").status_code == 200
    assert plex.requests[-1].token_in_url


def test_a_guest_may_read_and_change_nothing(plex, key):
    with connected(plex, token=plex.guest_token) as guest:
        assert guest.xml("/library/sections")[0].attrib["allowSync"] == "0"
        assert guest.edit(key, query="title.value=Mine") == 403
        assert guest.get("/library/sections/2/refresh").status_code == 403
        assert guest.get("/activities").status_code == 403


def test_json_is_for_those_who_ask_and_has_real_types(web, key):
    answer = web.get(f"/library/metadata/{key}", headers={"Accept": "application/json"})
    item = answer.json()["MediaContainer"]["Metadata"][0]
    assert answer.headers["Content-Type"] == "application/json"
    assert item["ratingKey"] == str(key)
    assert isinstance(item["addedAt"], int)
    assert isinstance(item["Media"][0]["Part"][0]["size"], int)
    assert web.get("/").headers["Content-Type"].startswith("text/xml")


def test_libraries_of_every_kind_are_there_with_their_folders(web):
    sections = {entry.attrib["title"]: entry for entry in web.xml("/library/sections")}
    kinds = {title: entry.attrib["type"] for title, entry in sections.items()}
    assert kinds == {
        "Movies": "movie",
        "Scenes": "movie",
        "TV Shows": "show",
        "Music": "artist",
        "Photos": "photo",
        "Clips": "movie",
    }
    assert sections["Scenes"].attrib["agent"] == "com.plexapp.agents.none"
    assert sections["Clips"].attrib["agent"] == "tv.plex.agents.none"
    assert [place.attrib["path"] for place in sections["Scenes"]] == ["/data/scenes", "/data/archive"]


def test_a_library_can_be_added_while_the_server_runs(plex, web):
    section = plex.add_section("Late", ["P:\\late"])
    item = plex.add_item("P:\\late\\one.mp4", section="Late")
    assert web.xml("/library/sections")[-1].attrib["title"] == "Late"
    assert keys(web.page(f"/library/sections/{section.id}/all?type=1")) == [item]


def test_many_requests_share_a_connection_until_it_has_idled_too_long():
    with SimPlex(1, quirks=Quirks(keep_alive_seconds=0.1)) as plex:
        connection = socket.create_connection(("127.0.0.1", int(plex.url.rpartition(":")[2])), timeout=20)
        with connection, connection.makefile("rb") as answers:
            for _ in range(2):
                connection.sendall(b"HEAD /identity HTTP/1.1\r\nHost: plex\r\n\r\n")
                while answers.readline().strip():
                    pass
            assert answers.read() == b""  # the server hung up, not we


def test_answers_are_compressed_for_those_who_can_read_it(web):
    answer = web.get(ALL)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert int(answer.headers["X-Plex-Content-Original-Length"]) == len(answer.content)
    plain = web.get(ALL, headers={"Accept-Encoding": "identity"})
    assert plain.content == answer.content


# Lists lie.


def test_a_list_cuts_tags_short_and_hides_labels_producers_and_locks(plex, web):
    movie = plex.item_ids("Movies")[0]
    plex.edit_by_person(movie, label=["Kept"], title="Mine")
    short = next(item for item in web.page(MOVIES) if item.attrib["ratingKey"] == str(movie))
    full = web.details(movie)[0]
    counts = {name: (len(short.findall(name)), len(full.findall(name))) for name in ("Genre", "Role", "Writer")}
    assert counts == {"Genre": (2, 4), "Role": (3, 6), "Writer": (2, 3)}
    assert all(role.attrib.keys() == {"tag"} for role in short.findall("Role"))
    assert {"id", "filter", "tag", "role"} <= full.find("Role").attrib.keys()
    for hidden in ("Label", "Producer", "Field", "Media/Part/Stream"):
        assert short.find(hidden) is None, hidden
        assert full.find(hidden) is not None, hidden


def test_details_show_at_most_200_actors(plex, web, key):
    plex.edit_by_person(key, actor=[f"Extra {number}" for number in range(230)])
    assert len(web.details(key)[0].findall("Role")) == 200


def test_the_total_is_told_only_to_those_who_page(web):
    assert "totalSize" not in web.xml(ALL).attrib
    paged = web.get(f"{ALL}&X-Plex-Container-Start=25&X-Plex-Container-Size=10")
    container = ET.fromstring(paged.content)
    assert (container.attrib["size"], container.attrib["totalSize"], container.attrib["offset"]) == ("5", "30", "25")
    assert paged.headers["X-Plex-Container-Total-Size"] == "30"


def test_a_count_costs_no_items(web):
    bounds = {"X-Plex-Container-Start": "0", "X-Plex-Container-Size": "0"}
    assert web.send("HEAD", ALL, headers=bounds).headers["X-Plex-Container-Total-Size"] == "30"
    assert len(web.page(ALL, size=0)) == 0


def test_a_page_is_never_longer_than_the_server_likes(plex, web):
    plex.quirks.page_cap = 10
    assert len(web.page(ALL, size=25)) == 10


def test_a_strict_server_refuses_those_who_do_not_page(plex, web):
    plex.quirks.demands_paging = True
    assert web.get(ALL).status_code == 400
    assert len(web.page(ALL)) == 30


def test_pages_are_stable_and_together_are_the_library(plex, web):
    walked = [key for start in range(0, 30, 7) for key in keys(web.page(ALL, start, 7))]
    assert walked == plex.item_ids()


def test_an_item_removed_during_a_walk_makes_another_one_slip_through(plex, web):
    before = plex.item_ids()
    plex.after("list", lambda: plex.delete(before[0]))
    walked = [key for start in range(0, 30, 10) for key in keys(web.page(ALL, start, 10))]
    assert before[10] not in walked
    assert web.page(ALL).attrib["totalSize"] == "29"


def test_sorted_by_id_an_item_added_during_a_walk_shifts_nothing(plex, web):
    before = sorted(plex.item_ids())
    plex.after("list", lambda: plex.add_item("/data/scenes/aaa.mp4"))
    walked = [key for start in range(0, 30, 10) for key in keys(web.page(f"{ALL}&sort=id", start, 10))]
    assert walked == before


def test_a_server_may_ignore_the_sort_by_id(plex, web):
    plex.quirks.honours_sort_id = False
    assert keys(web.page(f"{ALL}&sort=id")) == plex.item_ids()


def test_some_items_have_never_been_updated_and_no_sort_title_of_their_own(web):
    items = list(web.page(ALL))
    assert sum("updatedAt" not in item.attrib for item in items) == 2
    assert not any("titleSort" in item.attrib for item in items)


def test_a_list_leaves_out_what_it_is_asked_to(web):
    item = web.page(f"{MOVIES}&excludeElements=Genre,Role&excludeFields=summary&includeGuids=1")[0]
    assert item.find("Genre") is None
    assert "summary" not in item.attrib
    assert item.find("Guid") is not None
    assert web.page(MOVIES)[0].find("Guid") is None


def test_include_fields_turns_its_meaning_for_those_who_name_an_api_version(web, key):
    path = f"/library/metadata/{key}?skipRefresh=1&includeFields=title"
    assert "guid" in web.xml(path)[0].attrib
    assert web.xml(path, **{"X-Plex-Pms-Api-Version": "1.0"})[0].attrib.keys() == {"title"}


# Filters.


def test_file_means_contains_whatever_the_case(plex, web):
    wanted = plex.add_item("/data/scenes/Deep/Some Name 77.mp4")
    assert keys(web.page(f"{ALL}&file=some%20name%2077")) == [wanted]
    assert keys(web.page(f"{ALL}&file=nowhere.mp4")) == []


def test_a_comma_in_file_means_or_and_one_at_the_end_means_everything(plex, web):
    one, two = plex.add_item("/data/scenes/first.mp4"), plex.add_item("/data/scenes/second.mp4")
    assert sorted(keys(web.page(f"{ALL}&file=first.mp4%2Csecond.mp4"))) == [one, two]
    assert len(web.page(f"{ALL}&file=first.mp4,")) == 32


def test_file_without_a_type_is_a_server_error(web):
    assert web.get("/library/sections/2/all?file=x").status_code == 500


@pytest.mark.parametrize("query", ["nonsense=1", "FILE=first", "addedat>>=9999999999"])
def test_an_unknown_or_misspelt_filter_returns_everything(web, query):
    assert len(web.page(f"{ALL}&{query}")) == 30


def test_one_day_file_may_be_unknown_too(plex, web):
    plex.quirks.knows_file_filter = False
    assert len(web.page(f"{ALL}&file=nowhere.mp4")) == 30


def test_dates_filter_by_epoch_and_by_age(plex, web, clock):
    clock.wait(5000)
    new = plex.add_item("/data/scenes/new.mp4")
    now = int(clock.now)
    assert keys(web.page(f"{ALL}&addedAt>>={now - 1}")) == [new]
    assert keys(web.page(f"{ALL}&addedAt>>=-1h")) == [new]
    assert keys(web.page(f"{ALL}&updatedAt>={now}")) == [new]
    assert keys(web.page(f"{ALL}&updatedAt>>={now}")) == []
    assert len(web.page(f"{ALL}&addedAt<<={now}")) == 30


def test_title_filters_and_sorts(plex, web, key):
    plex.edit_by_person(key, title="Zebra crossing")
    assert keys(web.page(f"{ALL}&title=zebra")) == [key]
    assert keys(web.page(f"{ALL}&title==zebra")) == []
    assert keys(web.page(f"{ALL}&sort=titleSort:desc"))[0] == key
    assert plex.item_ids()[-1] == key


# Details.


def test_details_of_many_come_in_one_answer_and_leave_out_what_is_gone(plex, web):
    one, two, three = plex.item_ids()[:3]
    plex.delete(two)
    assert keys(web.details(one, two, three)) == [one, three]
    assert web.get(f"/library/metadata/{two}").status_code == 404
    plex.quirks.mixed_details = "404"
    assert web.get(f"/library/metadata/{one},{two}").status_code == 404


def test_details_make_plex_work_unless_told_not_to(web, key):
    web.details(key)
    assert len(web.xml("/activities")) == 0
    web.get(f"/library/metadata/{key}")
    activity = web.xml("/activities")[0]
    assert activity.attrib["type"] == "library.refresh.items"


def test_an_item_may_have_several_files_as_media_or_as_parts(plex, web):
    files = ("/data/scenes/a.mp4", 1, 2), [("/data/scenes/b.mp4", 3, 4)]
    versions = plex.add_item(*files[0], more=files[1])
    stacked = plex.add_item("/data/scenes/c.mp4", 1, 2, more=[("/data/scenes/d.mp4", 3, 4)], is_one_media=True)
    shapes = [
        [len(media.findall("Part")) for media in item.findall("Media")] for item in web.details(versions, stacked)
    ]
    assert shapes == [[1, 1], [2]]


# Edits.


@pytest.mark.parametrize(("mode", "after"), [("add", ("A", "B", "X")), ("replace", ("X",))])
@pytest.mark.parametrize("path", ["/library/sections/2/all?type=1&id={}", "/library/metadata/{}?"])
def test_a_lone_tag_is_added_or_replaces_the_list(plex, web, key, *, mode, after, path):
    plex.quirks.tag_mode = mode
    plex.edit_by_person(key, genre=["A", "B"])
    answer = web.put(path.format(key) + "&genre[0].tag.tag=X")
    assert (answer.status_code, answer.content) == (200, b"")
    assert plex.item(key).genres == after


@pytest.mark.parametrize("mode", ["add", "replace"])
def test_the_full_list_with_explicit_removals_comes_out_right_either_way(plex, web, key, mode):
    plex.quirks.tag_mode = mode
    plex.edit_by_person(key, genre=["A", "Old, one"])
    gone = quote(quote("Old, one"))
    assert web.edit(key, query=f"genre[0].tag.tag=A&genre[1].tag.tag=X&genre[].tag.tag-={gone}") == 200
    assert plex.item(key).genres == ("A", "X")


def test_a_comma_encoded_only_once_removes_the_wrong_thing(plex, web, key):
    plex.edit_by_person(key, genre=["Old, one", "Old"])
    web.edit(key, query=f"genre[].tag.tag-={quote('Old, one')}")
    assert plex.item(key).genres == ("Old, one",)


def test_clearing_a_kind_after_the_list_leaves_nothing(plex, web, key):
    web.edit(key, query="genre[].tag=&genre[0].tag.tag=A")
    assert plex.item(key).genres == ("A",)
    web.edit(key, query="genre[0].tag.tag=A&genre[].tag=")
    assert plex.item(key).genres == ()


@pytest.mark.parametrize(
    ("habit", "value", "stored"),
    [
        ("text_limit", 5, "It's "),
        ("quotes", "curly", "It\N{RIGHT SINGLE QUOTATION MARK}s é 🎬"),
        ("quotes", "straight", "It's é 🎬"),
        ("keeps_emoji", False, "It's é "),
        ("unicode_form", "NFD", "It's e\N{COMBINING ACUTE ACCENT} 🎬"),
    ],
)
def test_a_server_may_store_texts_and_names_otherwise_than_they_were_sent(plex, web, key, habit, value, stored):
    setattr(plex.quirks, habit, value)
    sent = quote("It's é 🎬")
    web.edit(key, query=f"summary.value={sent}&genre[0].tag.tag={sent}")
    plex.edit_by_person(key, tagline="It's é 🎬", label=["It's é 🎬"])
    item = plex.item(key)
    assert (item.values["summary"], item.values["tagline"]) == (stored, stored)
    assert (item.genres, item.tags["label"]) == ((stored,), (stored,))


def test_a_server_may_round_ratings(plex, web, key):
    plex.quirks.rating_step = 0.5
    web.edit(key, query="userRating.value=7.3")
    assert plex.item(key).values["userRating"] == 7.5


def test_a_tag_is_one_for_all_spellings_unless_the_server_is_exact(plex, web, key):
    other = plex.item_ids()[1]
    plex.edit_by_person(other, genre=["Solo"])
    web.edit(key, query="genre[0].tag.tag=SOLO")
    assert plex.item(key).genres == ("Solo",)
    plex.quirks.tag_case = "exact"
    web.edit(key, query="label[0].tag.tag=solo&label[1].tag.tag=Solo")
    assert plex.item(key).tags["label"] == ("solo", "Solo")


def test_an_actor_has_one_photo_on_the_whole_server_and_the_last_writer_wins(plex, web):
    one, two = plex.item_ids()[:2]
    web.edit(one, query=CAST.format("one"))
    web.edit(two, query=CAST.format("two"))
    roles = [item.find("Role").attrib for item in web.details(one, two)]
    assert [role["thumb"] for role in roles] == ["http://x/two.jpg"] * 2
    assert roles[0]["id"] == roles[1]["id"]
    assert plex.item(one).roles == {"Ann": "Guest"}


@pytest.mark.parametrize("query", ["type=1", "type=1&id="])
def test_a_put_without_id_edits_the_whole_library_and_is_written_down(plex, web, query):
    assert web.put(f"/library/sections/2/all?{query}&title.value=Oops").status_code == 200
    assert {plex.item(key).title for key in plex.item_ids()} == {"Oops"}
    assert len(plex.disasters) == 1
    plex.disasters.clear()


def test_a_ruined_library_fails_the_test_by_itself():
    with pytest.raises(LibraryRuined), SimPlex(2) as plex, connected(plex) as web:
        web.put("/library/sections/2/all?type=1&title.value=Oops")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("addedAt.value=2024-05-01", 500),
        ("originallyAvailableAt.value=May", 500),
        ("userRating.value=lots", 500),
        ("userRating.value=11", 400),
    ],
)
def test_a_bad_value_is_refused_and_nothing_of_the_edit_happens(plex, web, key, query, status):
    before = plex.item(key)
    assert web.edit(key, query=f"title.value=New&{query}") == status
    assert plex.item(key) == before


def test_an_edit_needs_a_type_that_fits_and_an_item_that_exists(web, key):
    assert web.put(f"/library/sections/2/all?id={key}&title.value=x").status_code == 400
    assert web.edit(key, query="title.value=x", kind=4) == 400
    assert web.edit(key, query="title.value=x", section=1) == 400
    assert web.edit(999_999, query="title.value=x") == 404


def test_a_request_line_beyond_the_limit_is_a_414(plex, web, key):
    assert web.edit(key, query="summary.value=" + "x" * 7900) == 200
    assert web.edit(key, query="summary.value=" + "x" * 8300) == 414
    assert web.edit(key, query="summary.value=" + "x" * 70_000) == 414
    assert len(str(plex.item(key).values["summary"])) == 7900


def test_scalars_move_updated_at_and_tags_do_not(plex, web, key, clock):
    before = plex.item(key).updated_at
    clock.wait(100)
    web.edit(key, query="genre[0].tag.tag=A&collection[0].tag.tag=B")
    assert plex.item(key).updated_at == before
    web.edit(key, query="title.value=New")
    assert plex.item(key).updated_at == int(clock.now)


def test_the_sort_title_shows_only_where_it_differs(plex, web, key):
    web.edit(key, query="title.value=The Tide&titleSort.value=")
    assert web.details(key)[0].attrib["titleSort"] == "Tide"
    web.edit(key, query="titleSort.value=The Tide")
    assert "titleSort" not in web.details(key)[0].attrib


def test_the_year_follows_the_date_and_an_empty_value_clears(web, key):
    web.edit(key, query="originallyAvailableAt.value=1999-12-31&studio.value=S")
    item = web.details(key)[0].attrib
    assert (item["originallyAvailableAt"], item["year"], item["studio"]) == ("1999-12-31", "1999", "S")
    web.edit(key, query="originallyAvailableAt.value=&studio.value=")
    assert web.details(key)[0].attrib.keys().isdisjoint({"originallyAvailableAt", "year", "studio"})


def test_characters_that_xml_forbids_go_out_as_they_are_and_plexapi_copes(plex, web, api, key):
    plex.edit_by_person(key, summary="a\x0bb")
    with pytest.raises(ET.ParseError):
        web.details(key)
    assert api.fetchItem(int(key)).summary == "ab"


def test_text_survives_the_journey_through_a_query_and_xml(plex, web, key):
    text = 'Line one\nline "two" & <three>\t100% 日本 \U0001f3ac'
    web.edit(key, query=f"summary.value={quote(text)}")
    assert web.details(key)[0].attrib["summary"] == text
    assert plex.item(key).values["summary"] == text


def test_a_refresh_reverts_what_is_not_locked(plex, web, key):
    original = plex.item(key).title
    web.edit(
        key,
        query="title.value=Mine&studio.value=S&studio.locked=1&genre[0].tag.tag=A&label[0].tag.tag=L&label.locked=1",
    )
    web.put(f"/library/metadata/{key}/refresh")
    after = plex.item(key)
    assert (after.title, after.values["studio"]) == (original, "S")
    assert after.tags == {"label": ("L",)}
    assert after.locks == {"studio", "label"}


def test_what_a_person_unlocks_reverts_too(plex, key):
    plex.edit_by_person(key, title="Mine", studio="S")
    plex.lock(key, "title", locked=False)
    plex.refresh(key)
    assert plex.item(key).title != "Mine"
    assert plex.item(key).values["studio"] == "S"


def test_a_lock_alone_changes_nothing_and_holds_the_agents_value(plex, web, key):
    original = plex.item(key).title
    web.edit(key, query="title.locked=1&genre.locked=1")
    plex.agent_says(key, title="Agent's new idea", summary="Told")
    plex.refresh(key)
    after = plex.item(key)
    assert (after.title, after.values["summary"]) == (original, "Told")
    assert [field.attrib for field in web.details(key)[0].findall("Field")] == [
        {"locked": "1", "name": "genre"},
        {"locked": "1", "name": "title"},
    ]


def test_a_wiped_item_keeps_its_key_and_a_rebuilt_one_does_not(plex, web, key):
    file = plex.item(key).files[0]
    plex.edit_by_person(key, title="Mine", genre=["A"], collection=["Box"])
    plex.wipe(key)
    assert len(web.page("/library/sections/2/collections")) == 0
    assert (plex.item(key).title != "Mine", plex.item(key).genres, plex.item(key).locks) == (True, (), frozenset())
    new = plex.rebuild(key)
    assert web.get(f"/library/metadata/{key}").status_code == 404
    assert plex.find(file) == new > key


def test_stars_are_given_and_taken_and_survive_a_refresh(plex, web, key, clock):
    rate = f"/:/rate?key={key}&identifier=com.plexapp.plugins.library&rating="
    assert web.put(rate + "6.5").status_code == 200
    plex.refresh(key)
    assert web.details(key)[0].attrib["userRating"] == "6.5"
    assert web.put(f"{rate}5&ratedAt={int(clock.now) + 60}").status_code == 400
    assert web.put(rate + "-1").status_code == 200
    assert "userRating" not in web.details(key)[0].attrib
    web.edit(key, query="userRating.value=0")
    assert web.details(key)[0].attrib["userRating"] == "0.0"


def test_a_collection_tag_is_an_item_too_and_goes_with_its_last_member(plex, web):
    one, two = plex.item_ids()[:2]
    web.edit(one, two, query="collection[0].tag.tag=Best&collection[1].tag.tag=Rest")
    best, rest = web.page("/library/sections/2/collections")
    assert (best.attrib["title"], best.attrib["childCount"]) == ("Best", "2")
    assert keys(web.page(best.attrib["key"])) == [one, two]
    collection = best.attrib["ratingKey"]
    assert web.edit(collection, query="title.value=Rest", kind=18) == 409
    assert web.edit(collection, query="title.value=Top", kind=18) == 200
    assert plex.item(one).collections == ("Top", "Rest")
    web.edit(one, two, query="collection[].tag.tag-=Top")
    assert [entry.attrib["title"] for entry in web.page("/library/sections/2/collections")] == ["Rest"]
    assert keys(web.page(f"{ALL.replace('type=1', 'type=18')}")) == [rest.attrib["ratingKey"]]


# Pictures.


def posters(web: Http, key: int) -> dict[str, bool]:
    return {
        photo.attrib["ratingKey"]: photo.attrib["selected"] == "1"
        for photo in web.xml(f"/library/metadata/{key}/posters")
    }


def upload_key(content: bytes) -> str:
    return f"upload://posters/{hashlib.sha1(content).hexdigest()}"


def test_an_upload_is_kept_under_its_sha1_and_selected(plex, web, key, clock):
    clock.wait(100)
    before = web.details(key)[0].attrib["thumb"]
    for _ in range(2):
        web.send("POST", f"/library/metadata/{key}/posters", data=b"one")
    assert posters(web, key)[upload_key(b"one")]
    assert len(posters(web, key)) == 2  # the agent's own, and one for both uploads
    after = web.details(key)[0].attrib
    assert after["thumb"] != before
    assert after["updatedAt"] == str(int(clock.now))
    assert web.get(after["thumb"]).content == b"one"


def test_uploads_stay_for_ever(plex, web, key):
    for content in (b"one", b"two", b"three"):
        web.send("POST", f"/library/metadata/{key}/posters", data=content)
    address = quote(upload_key(b"one"), safe="")
    assert web.send("DELETE", f"/library/metadata/{key}/posters?url={address}").status_code == 404
    assert web.send("DELETE", f"/library/metadata/{key}/thumb").status_code == 200
    assert "thumb" not in web.details(key)[0].attrib
    assert list(plex.uploads(key).values()) == [b"one", b"two", b"three"]


def test_an_unset_picture_is_locked_and_only_a_poster_comes_back_with_a_refresh(plex, web, key):
    own = plex.item(key).poster
    for kind, name in (("posters", "thumb"), ("arts", "art")):
        web.send("POST", f"/library/metadata/{key}/{kind}", data=b"mine")
        assert web.send("DELETE", f"/library/metadata/{key}/{name}").status_code == 200
    item = plex.item(key)
    assert (item.poster, item.art, item.locks) == ("", "", {"thumb", "art"})
    plex.refresh(key)
    assert (plex.item(key).poster, plex.item(key).art) == (own, "")
    assert web.xml(f"/library/metadata/{key}/arts").findall("Photo[@selected='1']") == []


def test_a_server_may_not_know_how_to_unset(plex, web, key):
    plex.quirks.unsets_pictures = False
    web.send("POST", f"/library/metadata/{key}/arts", data=b"mine")
    assert web.send("DELETE", f"/library/metadata/{key}/art").status_code == 404
    assert plex.item(key).art.startswith("upload://")


def test_nothing_offers_a_background_for_a_home_video(plex, web, key):
    film = plex.item_ids("Movies")[0]
    assert "art" not in web.details(key)[0].attrib
    assert list(web.xml(f"/library/metadata/{key}/arts")) == []
    assert "art" in web.details(film)[0].attrib


def test_a_second_upload_may_leave_the_first_selected_until_told(plex, web, key):
    plex.quirks.upload_selects = "first"
    for content in (b"one", b"two"):
        web.send("POST", f"/library/metadata/{key}/posters", data=content)
    assert plex.item(key).poster == upload_key(b"one")
    answer = web.put(f"/library/metadata/{key}/poster?url={quote(upload_key(b'two'), safe='')}")
    assert answer.text.startswith(f"/library/metadata/{key}/thumb/")
    assert plex.item(key).poster == upload_key(b"two")


def test_a_picture_reverts_on_refresh_unless_it_is_locked(plex, web, key):
    for kind in ("posters", "arts"):
        web.send("POST", f"/library/metadata/{key}/{kind}", data=b"mine")
    web.edit(key, query="thumb.locked=1")
    plex.refresh(key)
    assert plex.item(key).poster == upload_key(b"mine")
    assert plex.item(key).art == ""
    assert plex.uploads(key, "arts")


def test_what_is_too_big_or_out_of_reach_is_refused(plex, web, key):
    plex.quirks.max_picture_bytes = 10
    path = f"/library/metadata/{key}/posters"
    assert web.send("POST", path, data=b"x" * 11).status_code == 500
    assert web.send("POST", f"{path}?url={quote('http://127.0.0.1:1/x.jpg')}").status_code == 406
    assert web.send("POST", f"{path}?url={quote('https://example.org/x.jpg')}").status_code == 406
    assert web.send("POST", path).status_code == 400
    assert plex.uploads(key) == {}


def test_the_server_fetches_an_address_itself_and_takes_junk_for_a_picture(plex, web, key):
    class Junk(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>")

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Junk) as source:
        threading.Thread(target=source.handle_request).start()
        url = quote(f"http://127.0.0.1:{source.server_port}/cover.jpg")
        assert web.send("POST", f"/library/metadata/{key}/posters?url={url}").status_code == 200
    assert list(plex.uploads(key).values()) == [b"<html>"]


def test_an_episodes_upload_key_names_its_season(plex, web):
    episode = plex.item_ids("TV Shows", "episode")[0]
    web.send("POST", f"/library/metadata/{episode}/posters", data=b"one")
    digest = hashlib.sha1(b"one").hexdigest()
    assert list(plex.uploads(episode)) == [f"upload://posters/seasons/1/episodes/1/{digest}"]


# Scans.


def scan(web: Http, folder: str) -> requests.Response:
    return web.get(f"/library/sections/2/refresh?path={quote(folder)}")


def scenes(web: Http) -> dict[str, str]:
    return web.xml("/library/sections")[1].attrib


def test_a_scan_takes_its_time_and_shows_that_it_runs(plex, web, clock):
    plex.add_file("/data/scenes/new/one.mp4", 123, 456)
    scanned_at = scenes(web)["scannedAt"]
    answer = scan(web, "/data/scenes/new")
    assert (answer.status_code, answer.content) == (200, b"")
    activity = web.xml("/activities")[0]
    assert (activity.attrib["type"], activity[0].attrib) == ("library.update.section", {"librarySectionID": "2"})
    assert scenes(web)["refreshing"] == "1"
    assert plex.find("/data/scenes/new/one.mp4") is None

    clock.wait(1)
    found = plex.find("/data/scenes/new/one.mp4")
    assert found is not None
    assert len(web.xml("/activities")) == 0
    assert (scenes(web)["refreshing"], scenes(web)["scannedAt"] > scanned_at) == ("0", True)


def test_a_new_item_is_worked_on_after_the_scan_and_loses_unlocked_edits(plex, web, clock):
    plex.quirks.process_seconds = 10
    plex.add_file("/data/scenes/one.mp4", 123, 456)
    scan(web, "/data/scenes")
    clock.wait(1)
    item = plex.find("/data/scenes/one.mp4")
    assert web.xml("/library/sections/2/timeline").attrib["updateQueueSize"] == "1"
    assert web.xml(f"/library/metadata/{item}/tree").find(".//MediaPart").attrib["duration"] == "-1"
    web.edit(item, query="title.value=Too early&studio.value=S&studio.locked=1")
    clock.wait(10)
    assert (plex.item(item).title, plex.item(item).values["studio"]) == ("one", "S")
    assert web.xml("/library/sections/2/timeline").attrib["updateQueueSize"] == "0"
    assert web.xml(f"/library/metadata/{item}/tree").find(".//MediaPart").attrib["duration"] == "456"


def test_analyzing_during_a_scan_is_a_disaster(plex, web, key, clock):
    web.put(f"/library/metadata/{key}/analyze")
    assert plex.disasters == []
    scan(web, "/data/scenes")
    web.put(f"/library/metadata/{key}/analyze")
    assert len(plex.disasters) == 1
    plex.disasters.clear()


@pytest.mark.parametrize("folder", ["/data/scenes/new/one.mp4", "/elsewhere", "/data/scenes/ne", "/data"])
def test_a_scan_of_a_file_or_of_a_strange_folder_finds_nothing(plex, web, clock, folder):
    plex.add_file("/data/scenes/new/one.mp4")
    scan(web, folder)
    clock.wait(1)
    assert plex.find("/data/scenes/new/one.mp4") is None


def test_a_moved_file_becomes_a_new_item_without_the_edits(plex, web, key, clock):
    old = plex.item(key).files[0]
    plex.edit_by_person(key, title="Mine")
    plex.move_file(old, "/data/scenes/moved.mp4")
    scan(web, "/data/scenes")
    clock.wait(1)
    moved = plex.find("/data/scenes/moved.mp4")
    assert plex.find(old) is None
    assert moved != key
    assert plex.item(moved).title == "moved"


def test_a_replaced_file_keeps_its_item_and_does_not_show_in_updated_at(plex, web, key, clock):
    before = plex.item(key)
    plex.add_file(before.files[0], size=42)
    scan(web, "/data/scenes")
    clock.wait(1)
    assert web.details(key)[0].find("Media/Part").attrib["size"] == "42"
    assert plex.item(key).updated_at == before.updated_at


def test_with_a_trash_items_without_files_stay_marked_until_it_is_emptied(plex, web, key, clock):
    plex.quirks.empties_trash = False
    plex.remove_file(plex.item(key).files[0])
    scan(web, "/data/scenes")
    clock.wait(1)
    assert "deletedAt" in web.details(key)[0].attrib
    web.put("/library/sections/2/emptyTrash")
    assert web.get(f"/library/metadata/{key}").status_code == 404


def test_a_forced_refresh_reverts_the_whole_library_and_counts_as_a_disaster(plex, web, key):
    plex.edit_by_person(key, title="Mine", lock=False)
    web.get("/library/sections/2/refresh?force=1")
    assert plex.item(key).title != "Mine"
    assert len(plex.disasters) == 1
    plex.disasters.clear()


# Faults.


@pytest.mark.parametrize(
    ("fault", "status", "text"),
    [
        (faults.MAINTENANCE, 503, 'title="Maintenance" status="Plex Media Server is currently running startup'),
        (faults.MIGRATIONS, 503, "is currently running database migrations."),
        (faults.UNAUTHORIZED, 401, "<h1>401 Unauthorized</h1>"),
        (faults.FORBIDDEN, 403, "<h1>403 Forbidden</h1>"),
        (faults.NOT_FOUND, 404, "<h1>404 Not Found</h1>"),
        (faults.TOO_MANY, 429, "Too Many Requests"),
        (faults.SERVER_ERROR, 500, "<h1>500 Internal Server Error</h1>"),
        (faults.BAD_GATEWAY, 502, "Bad Gateway"),
        (faults.GATEWAY_TIMEOUT, 504, "Gateway Time-out"),
        (faults.LOGIN_PAGE, 200, "<!DOCTYPE html>"),
        (faults.status(520), 520, "520"),
    ],
)
def test_a_refusal_has_its_real_body_and_changes_nothing(plex, web, key, *, fault, status, text):
    before = plex.item(key)
    plex.faults.add(fault)
    answer = web.put(f"{ALL}&id={key}&title.value=New")
    assert (answer.status_code, text in answer.text) == (status, True)
    assert web.get("/identity").status_code == status
    plex.faults.clear()
    assert plex.item(key) == before


def test_cut_xml_is_a_200_that_cannot_be_parsed(plex, web):
    plex.faults.add(faults.CUT_XML, times=1)
    answer = web.get(ALL)
    assert answer.status_code == 200
    with pytest.raises(ET.ParseError):
        ET.fromstring(answer.content)


@pytest.mark.parametrize("fault", [faults.SHORT_BODY, faults.RESET_MIDWAY])
def test_a_body_can_break_off(plex, web, fault):
    plex.faults.add(fault, times=1)
    with pytest.raises((requests.exceptions.ChunkedEncodingError, requests.exceptions.ConnectionError)):
        web.get(ALL)
    assert web.get(ALL).status_code == 200


@pytest.mark.parametrize(
    ("fault", "error", "is_applied"),
    [
        (faults.RESET, requests.exceptions.ConnectionError, False),
        (faults.HANG, requests.exceptions.ReadTimeout, False),
        (faults.LOST_BY_RESET, requests.exceptions.ConnectionError, True),
        (faults.LOST_BY_HANG, requests.exceptions.ReadTimeout, True),
    ],
)
def test_a_write_without_an_answer_may_or_may_not_have_happened(plex, web, key, *, fault, error, is_applied):
    plex.faults.add(fault, times=1, method="PUT")
    with pytest.raises(error):
        web.put(f"{ALL}&id={key}&title.value=New", timeout=0.2)
    assert (plex.item(key).title == "New") is is_applied
    assert plex.requests[-1].status == 0


def test_a_stopped_server_refuses_connections_and_comes_back_on_its_port(plex, web, key):
    plex.edit_by_person(key, title="Mine")
    url = plex.url
    plex.stop()
    with pytest.raises(requests.exceptions.ConnectionError, match="refused"):
        web.get("/identity")
    plex.start()
    assert plex.url == url
    assert web.details(key)[0].attrib["title"] == "Mine"


def test_a_server_that_goes_away_comes_back_by_itself(plex, web):
    plex.go_away(0.1)
    time.sleep(0.1)
    for _ in range(100):
        try:
            assert web.get("/identity").status_code == 200
            break
        except requests.exceptions.ConnectionError:
            time.sleep(0.02)
    else:
        pytest.fail("still away")


def test_a_dropped_connection_is_gone_but_the_server_is_not(plex, web):
    web.get("/identity")
    plex.drop_connections()
    assert web.get("/identity").status_code == 200


def test_a_fault_can_be_aimed(plex, web, key):
    rule = plex.faults.add(faults.SERVER_ERROR, times=2, skip=1, kind="list")
    answers = [web.get(path).status_code for path in (ALL, "/identity", ALL, ALL, ALL)]
    assert answers == [200, 200, 500, 500, 200]
    assert rule.hits == 2
    aimed = plex.faults.add(faults.NOT_FOUND, method="GET", path=f"/library/metadata/{key}/*")
    assert web.get(f"/library/metadata/{key}/posters").status_code == 404
    assert web.get(f"/library/metadata/{key}").status_code == 200
    plex.faults.remove(aimed)
    assert web.get(f"/library/metadata/{key}/posters").status_code == 200


def test_slowness_adds_up(plex, web):
    plex.quirks.latency_seconds = 0.05
    plex.faults.add(faults.slow(0.1), kind="identity")
    began = time.perf_counter()
    web.get("/identity")
    assert time.perf_counter() - began >= 0.15


def test_another_server_can_answer_at_the_same_address(plex, web):
    before = web.xml("/identity").attrib["machineIdentifier"]
    plex.become_another_server()
    assert web.xml("/identity").attrib["machineIdentifier"] != before
    assert web.xml("/").attrib["machineIdentifier"] == plex.server_id


# The journal.


def test_every_request_is_written_down_and_counted_by_kind(plex, web, key):
    web.page(ALL, size=7)
    web.edit(key, query="title.value=x")
    web.get("/nowhere", headers={"X-Plex-Client-Identifier": "me"})
    listed, edited, lost = plex.requests
    assert (listed.kind, listed.page_size, listed.status) == ("list", 7, 200)
    assert (edited.method, edited.path, edited.params["id"]) == ("PUT", "/library/sections/2/all", str(key))
    assert (lost.kind, lost.status, lost.client_identifier) == ("unknown", 404, "me")
    assert plex.journal.counts() == {"list": 1, "edit": 1, "unknown": 1}
    assert plex.journal.writes() == [edited]
    assert plex.count("edit") == 1


# plexapi.


def test_plexapi_connects_lists_and_searches(plex, api, clock):
    assert api.machineIdentifier == plex.server_id
    assert [section.title for section in api.library.sections()][:2] == ["Movies", "Scenes"]
    section = api.library.section("Scenes")
    assert [str(item.ratingKey) for item in section.all(container_size=7)] == plex.item_ids()
    assert section.totalSize == 30
    wanted = plex.item(plex.item_ids()[3])
    assert [str(item.ratingKey) for item in section.search(title=wanted.title)] == [wanted.item_id]
    recent = {"updatedAt>>": datetime.fromtimestamp(wanted.updated_at - 1, UTC)}
    assert wanted.item_id in [str(item.ratingKey) for item in section.search(filters=recent)]
    assert section.search(filters={"addedAt>>": datetime.fromtimestamp(clock.now, UTC)}) == []
    assert api.library.section("Movies").search(genre="Drama", maxresults=2)
    assert len(api.library.section("TV Shows").search(libtype="episode")) == 9
    assert api.library.section("Music").all()[0].title == "Band 0"
    assert api.library.section("Photos").all()[0].title == "Album 0"


def test_plexapi_fetches_one_and_many_and_reloads(plex, api):
    several = plex.item_ids()[:3]
    assert [str(item.ratingKey) for item in api.fetchItems([int(one) for one in several])] == several
    item = api.fetchItem(int(several[0]))
    assert item.media[0].parts[0].file == plex.item(several[0]).files[0]
    plex.edit_by_person(several[0], title="Mine")
    assert item.reload(skipRefresh=True).title == "Mine"
    assert item.isLocked("title")
    assert item.section().title == "Scenes"


def test_plexapi_edits_in_one_request(plex, api, key):
    item = api.fetchItem(int(key))
    plex.edit_by_person(key, genre=["Old, one", "Kept"])
    item.reload()
    before = plex.count("edit")
    item.batchEdits()
    item.editTitle("New").editSummary("Long").editStudio("S").editOriginallyAvailable("2020-02-02").editUserRating(7.5)
    item.addGenre("Added").addCollection("Box").addLabel("L").addDirector("D")
    item.saveEdits()
    item.removeGenre("Old, one")
    assert plex.count("edit") - before == 2
    after = plex.item(key)
    assert after.title == "New"
    assert after.values["userRating"] == 7.5
    assert after.genres == ("Kept", "Added")
    assert {"title", "summary", "studio", "genre", "collection", "label", "director"} <= after.locks
    assert plex.disasters == []


def test_plexapi_edits_many_items_at_once(plex, api):
    section = api.library.section("Scenes")
    items = section.all()[:3]
    section.batchMultiEdits(items).addLabel("Batch").editStudio("S").saveMultiEdits()
    assert plex.count("edit") == 1
    assert [plex.item(str(item.ratingKey)).tags["label"] for item in items] == [("Batch",)] * 3


def test_plexapi_locks_and_unlocks(plex, api, key):
    item = api.fetchItem(int(key))
    item.edit(**{"title.locked": 1}).lockPoster()
    assert plex.item(key).locks == {"title", "thumb"}
    item.edit(**{"title.locked": 0})
    item.unlockPoster()
    assert plex.item(key).locks == frozenset()


def test_plexapi_uploads_and_selects_pictures(plex, api, key, tmp_path):
    picture = tmp_path / "cover.jpg"
    picture.write_bytes(b"jpeg bytes")
    item = api.fetchItem(int(key))
    item.uploadPoster(filepath=str(picture)).uploadArt(filepath=b"art bytes")
    uploaded, own = item.posters()
    assert (uploaded.ratingKey, uploaded.selected) == (upload_key(b"jpeg bytes"), True)
    own.select()
    assert plex.item(key).poster == own.ratingKey
    assert plex.item(key).art == item.arts()[0].ratingKey


def test_plexapi_scans_and_sees_the_activity(plex, api, clock):
    plex.add_file("/data/scenes/new.mp4")
    api.library.section("Scenes").update(path="/data/scenes")
    assert [activity.type for activity in api.activities] == ["library.update.section"]
    clock.wait(1)
    assert api.activities == []
    assert api.library.section("Scenes").timeline().updateQueueSize == 0
    assert plex.find("/data/scenes/new.mp4") in plex.item_ids()


def test_plexapi_reads_collections(plex, api):
    one, two = plex.item_ids()[:2]
    for key in (one, two):
        plex.edit_by_person(key, collection=["Box"])
    (box,) = api.library.section("Scenes").collections()
    assert box.title == "Box"
    assert [str(item.ratingKey) for item in box.items()] == [one, two]
    assert [tag.tag for tag in api.fetchItem(int(one)).collections] == ["Box"]


def test_plexapi_meets_its_own_errors(plex, api):
    with pytest.raises(NotFound):
        api.fetchItem(999_999)
    plex.faults.add(faults.UNAUTHORIZED, times=1)
    with pytest.raises(Unauthorized):
        api.query("/library/sections")
    plex.faults.add(faults.MAINTENANCE, times=1)
    with pytest.raises(BadRequest, match=r"^\(503\)"):
        api.query("/library/sections")


# Scale, and the program.


def test_a_page_of_a_hundred_thousand_items_is_no_walk_over_all_of_them():
    with SimPlex(100_000) as plex, connected(plex) as web:
        web.page(ALL, 0, 1)  # the shelf is sorted once
        began = time.perf_counter()
        page = web.page(ALL, 50_000, 1000)
        by_key = web.page(f"{ALL}&sort=id", 90_000, 1000)
        took = time.perf_counter() - began
        assert (len(page), len(by_key), page.attrib["totalSize"]) == (1000, 1000, "100000")
        assert took < 15  # building all items takes minutes
        assert len(web.page(f"{ALL}&file=nowhere")) == 0


@pytest.fixture
def program():
    command = [sys.executable, "-m", "sim.plex", "--items", "20", "--port", "0"]
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, cwd=root, env={**os.environ, "PYTHONWARNINGS": "error"}
    ) as process:
        yield process
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0


def test_the_program_says_where_it_is_and_can_be_steered(program):
    where = json.loads(program.stdout.readline())
    with requests.Session() as session:
        session.headers["X-Plex-Token"] = where["token"]

        def ask(method: str, path: str) -> requests.Response:
            return session.request(method, where["url"] + path, timeout=20)

        assert ask("GET", ALL).status_code == 200
        ask("POST", "/sim/faults?fault=maintenance&times=1&kind=list")
        assert [ask("GET", ALL).status_code for _ in range(2)] == [503, 200]
        ask("POST", "/sim/quirks?tag_mode=replace&scan_seconds=0")
        ask("POST", "/sim/file?path=/data/scenes/new.mp4&size=5")
        ask("GET", "/library/sections/2/refresh?path=/data/scenes")
        found = ask("GET", "/sim/item?path=/data/scenes/new.mp4").json()
        assert (found["section_id"], found["files"]) == (2, ["/data/scenes/new.mp4"])
        assert ask("GET", "/sim/requests").json()["counts"] == {"list": 3, "scan": 1}
        assert ask("POST", "/sim/faults?fault=unheard-of").status_code == 400


# The server stands whatever its library does under a reader.


def asked_in_every_way(web, section, key, tag):
    """Make every request that is about a library or an item of it; give the statuses."""
    paths = [
        f"/library/sections/{section}",
        f"/library/sections/{section}/all?type=1",
        f"/library/sections/{section}/collections",
        f"/library/sections/{section}/timeline",
        f"/library/sections/{section}/genre",
        f"/library/metadata/{key}?skipRefresh=1",
        f"/library/metadata/{key}/posters",
        f"/library/metadata/{key}/thumb",
        f"/library/metadata/{key}/tree",
        f"/library/collections/{tag}/children",
    ]
    read = [web.get(path).status_code for path in paths]
    written = [web.put(f"/library/metadata/{key}/{act}").status_code for act in ("refresh", "analyze")]
    return {*read, *written, web.edit(key, query="title.value=New", section=section)}


def test_a_library_is_gone_with_all_that_is_in_it_and_comes_back_whole(plex, web, clock, key):
    plex.edit_by_person(key, collection=["Together"])
    section, before = plex.section("Scenes"), plex.item(key)
    (together,) = plex.item_ids(kind="collection")
    plex.add_file("/data/scenes/new.mp4")
    web.get(f"/library/sections/{section.id}/refresh")
    with plex.without_section("Scenes"):
        clock.wait(60)  # the scan would end now
        assert asked_in_every_way(web, section.id, key, together) == {404}
        assert "Scenes" not in [entry.attrib["title"] for entry in web.xml("/library/sections")]
    assert plex.item(key) == before
    assert asked_in_every_way(web, section.id, key, together) == {200}


def test_readers_do_not_bring_the_server_down_while_a_library_comes_and_goes(plex, key):
    plex.edit_by_person(key, collection=["Together"])
    section, (together,) = plex.section("Scenes"), plex.item_ids(kind="collection")
    has_ended = threading.Event()

    def read():
        with connected(plex) as web:
            while not has_ended.is_set():
                asked_in_every_way(web, section.id, key, together)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(30):
        with plex.without_section("Scenes"):
            time.sleep(0.005)
    has_ended.set()
    for reader in readers:
        reader.join()
    assert plex.crashes == []


def test_an_item_may_be_deleted_while_it_is_still_being_taken_in(plex, web, clock):
    plex.add_file("/data/scenes/new.mp4")
    web.get("/library/sections/2/refresh")
    clock.wait(plex.quirks.scan_seconds)
    web.send("DELETE", f"/library/metadata/{plex.find('/data/scenes/new.mp4')}")
    assert web.xml("/library/sections/2/timeline").attrib["updateQueueSize"] == "0"


def test_what_follows_the_nth_request_happens_once_however_many_come_at_once(plex):
    happened = []
    plex.after("identity", lambda: happened.append(time.sleep(0.05)), nth=10)

    def ask():
        with connected(plex) as web:
            for _ in range(20):
                web.get("/identity")

    askers = [threading.Thread(target=ask) for _ in range(5)]
    for one in askers:
        one.start()
    for one in askers:
        one.join()
    assert len(happened) == 1
    assert plex.count("identity") == 100


def test_a_server_that_is_started_while_it_still_stops_is_there_afterwards(plex, key):
    def ask():
        with connected(plex) as web, contextlib.suppress(requests.ConnectionError):
            web.get(f"/library/metadata/{key}")

    with plex.world.lock:  # so that one request is still being answered
        asker, stopping = threading.Thread(target=ask), threading.Thread(target=plex.stop)
        asker.start()
        while not plex._listener._connections:
            time.sleep(0.01)
        stopping.start()
        plex._listener._loop.join()
        plex.start()
    for one in (asker, stopping):
        one.join()
    with connected(plex) as web:
        assert web.get("/identity").status_code == 200
