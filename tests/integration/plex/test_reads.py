"""Reading libraries and items: much in one request, nothing that makes Plex work."""

import pytest

from matching.libraries import choose_libraries
from model.errors import LibraryNotFound
from model.item import Field, TagKind
from model.server import Library
from sim.plex.server import SimPlex


@pytest.fixture
def sim(identity):
    with SimPlex(130) as server:
        server.quirks.detail_work_seconds = 0.05  # what each look costs unless Plex is told not to refresh
        yield server
        assert server.disasters == []


def test_the_server_says_who_it_is(sim, client):
    server = client.identify()
    assert (server.server_id, server.name) == (sim.server_id, "Simulated Plex")
    assert server.version.startswith("1.43")
    assert not server.ignores_case
    assert client.server() == server
    assert sim.journal.counts() == {"root": 1}


def test_a_hundred_items_a_request_and_none_of_them_refreshed(sim, client):
    keys = sim.item_ids()
    client.identify()
    found = client.details(keys)
    assert list(found) == keys or set(found) == set(keys)
    assert sim.count("details") == 2
    assert all(entry.params["skipRefresh"] == "1" for entry in sim.requests if entry.kind == "details")


@pytest.mark.parametrize("habit", ["omit", "404"])
def test_items_that_are_gone_are_missing_and_do_not_hide_the_others(sim, client, habit):
    sim.quirks.mixed_details = habit
    keys = sim.item_ids()[:20]
    sim.delete(keys[3])
    sim.delete(keys[11])
    assert set(client.details(keys)) == set(keys) - {keys[3], keys[11]}
    assert client.details([keys[3]]) == {}
    assert client.details([]) == {}


def test_details_have_all_tags_and_locks_where_a_list_has_not(sim, client):
    key = sim.item_ids()[0]
    genres = [f"Genre {number}" for number in range(30)]
    actors = [f"Actor {number}" for number in range(30)]
    sim.edit_by_person(key, title="Mine & yours", genre=genres, actor=actors, studio="S, T")
    item = client.details_of(key)
    assert item.names(TagKind.GENRE) == tuple(genres)
    assert item.names(TagKind.ACTOR) == tuple(actors)
    assert {"title", "genre", "actor", "studio"} <= item.locked
    assert (item.value(Field.TITLE), item.value(Field.STUDIO), item.value(Field.TAGLINE)) == (
        "Mine & yours",
        "S, T",
        "",
    )
    assert [part.path for part in item.parts] == list(sim.item(key).files)
    assert all(part.size and part.duration_seconds for part in item.parts)


def test_basic_authentication_of_a_proxy_is_sent_and_not_shown(sim, make_client):
    client = make_client(url=sim.url.replace("http://", "http://user:secret@"))
    assert client.libraries()
    assert "secret" not in repr(client)
    assert client._transport._session.auth == ("user", "secret")


def test_the_token_goes_to_our_server_only(client):
    with pytest.raises(ValueError, match="not ours"):
        client._transport._session.get("http://evil.example/library/sections")


@pytest.mark.parametrize("base", ["{}/", " {} ", "{}"])
def test_an_address_may_be_written_carelessly(sim, make_client, base):
    assert make_client(url=base.format(sim.url)).libraries()


def test_a_server_without_videos_says_so():
    with pytest.raises(LibraryNotFound, match="no library that holds videos"):
        choose_libraries("", [Library(1, "Music", "artist")])


def test_libraries_of_the_same_title_are_both_meant():
    twins = [Library(1, "Films", "movie"), Library(2, "films ", "movie")]
    assert choose_libraries("FILMS", twins) == twins
