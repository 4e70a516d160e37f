"""What we ask of Stash, over real sockets, with Stash's worst quirks."""

import logging
from pathlib import Path

import graphql
import pytest

from sim.stash.faults import Fault
from sim.stash.simulator import SimStash
from stash import client as client_module
from stash import graphql as graphql_module
from stash import queries
from stash.client import StashClient
from stash.exceptions import StashRefused, StashUnauthorized, StashUnintelligible, StashUnreachable
from sync_queue.session import Session
from tests.support.stash_schema import schemas

QUERIES = {
    **{name: text for name, text in vars(queries).items() if str(text).strip().startswith(("query", "mutation"))},
    **{f"exists {kind}": text for kind, text in queries.OBJECT_EXISTS.items()},
    "scenes_by_ids": queries.scenes_by_ids([1, 2]),
    "snapshot": queries.snapshot([1, 2]),
    "known_jobs": queries.known_jobs([1, 2]),
    "scenes_of_file": queries.scenes_of_file(2),
    "scenes_with_files": queries.scenes_with_files(2),
}


@pytest.fixture
def stash():
    with SimStash(scenes=30) as running:
        yield running


@pytest.fixture
def connect(stash):
    opened = []

    def connect_with(cookie=None, api_key="", **changes):
        cookie = stash.login().removeprefix("session=") if cookie is None else cookie
        session = {"scheme": "http", "host": "0.0.0.0", "port": stash.port, **changes}
        opened.append(StashClient(Session(cookie=cookie, api_key=api_key, seen_at=1.0, **session)))
        return opened[-1]

    yield connect_with
    for one in opened:
        one.close()


@pytest.mark.parametrize("name", QUERIES)
def test_every_query_is_valid_for_stash(name):
    for schema in schemas():
        assert graphql.validate(schema, graphql.parse(QUERIES[name])) == []


@pytest.mark.parametrize(
    ("host", "url"),
    [("0.0.0.0", "http://127.0.0.1:9"), ("", "http://127.0.0.1:9"), ("::", "http://[::1]:9"), ("nas", "http://nas:9")],
)
def test_the_address_stash_binds_to_becomes_one_that_can_be_reached(host, url):
    assert Session("http", host, 9, "", 0.0).base_url == url


def test_scenes_are_read_in_one_request_that_survives_deleted_and_duplicate_ids(stash, connect):
    scenes = connect().scenes([1, 2, 999, 2, 1])
    assert sorted(scenes) == [1, 2]
    assert stash.requests["ScenesByIds"] == 1


def test_more_than_a_hundred_scenes_take_a_request_for_each_hundred(stash, connect):
    assert len(connect().scenes(list(range(1, 251)))) == 30
    assert stash.requests["ScenesByIds"] == 3


def test_a_scene_carries_all_that_can_matter_to_plex(connect):
    scene = connect().scenes([1])[1]
    assert scene.title
    assert scene.files[0].path.startswith("/data/clips/")
    assert scene.files[0].size > 0
    assert scene.performers
    assert scene.tags
    assert scene.studio
    assert f"/scene/{scene.id}/screenshot" in scene.screenshot


def test_untitled_fileless_and_partly_dated_scenes_are_read(connect):
    scenes = connect().scenes([7, 13, 29])
    assert scenes[7].title == ""
    assert len(scenes[13].date) < 10
    assert scenes[29].files == ()


def test_all_scenes_are_walked_in_stable_pages_while_some_vanish(stash, connect, monkeypatch):
    monkeypatch.setattr(client_module, "PAGE_SIZE", 10)
    seen = []
    for page in connect().all_scenes():
        seen += [scene.id for scene in page]
        if len(seen) == 10:
            stash.graphql('mutation{scenesDestroy(input:{ids:["1","2","3"]})}')
    assert seen == list(range(1, 31))


@pytest.mark.parametrize("kind", ["performer", "studio", "tag", "group"])
def test_scenes_of_an_object_are_found(stash, connect, kind):
    client = connect()
    found = [one for page in client.scene_ids((kind, 1)) for one in page]
    assert sorted(found) == sorted(scene.id for scene in stash.library.scenes_with(kind, 1))
    assert client.exists(kind, 1)
    assert not client.exists(kind, 4711)


def test_an_empty_job_queue_is_no_jobs(stash, connect):
    client = connect()
    assert client.running_jobs() == []
    with stash.running_job("Scanning..."):
        assert [job.description for job in client.running_jobs()] == ["Scanning..."]


def test_settings_that_may_be_replaced_are(stash, connect):
    stash.configure_plugin("Stash2Plex", {"max_tags": 3, "max_retries": 4})
    connect().add_settings({"max_tags": 50, "max_retries": 9}, lambda _key, value: value == 3)
    assert stash.settings.plugins["Stash2Plex"] == {"max_tags": 50, "max_retries": 4}


def test_settings_are_added_and_never_taken_away(stash, connect):
    stash.configure_plugin("Stash2Plex", {"max_tags": 3, "unknown": [1]})
    connect().add_settings({"max_tags": 50, "enabled": True})
    assert stash.settings.plugins["Stash2Plex"] == {"max_tags": 3, "unknown": [1], "enabled": True}


def test_a_disabled_plugin_is_seen(stash, connect, tmp_path):
    stash.install_plugin(Path(__file__).parents[2])
    assert connect().plugin_state().enabled
    stash.graphql("mutation{setPluginsEnabled(enabledMap:{Stash2Plex:false})}")
    assert not connect().plugin_state().enabled


# Getting in


def test_without_cookie_and_key_stash_refuses_and_we_say_what_to_do(stash, connect):
    stash.set_credentials("me")
    with pytest.raises(StashUnauthorized, match="Generate an API key"):
        connect(cookie="").plugin_state()


def test_the_key_is_learnt_and_opens_stash_when_the_cookie_is_dead(stash, connect):
    stash.set_credentials("me")
    key = stash.generate_api_key()
    client = connect()
    assert client.plugin_state().api_key == key
    stash.sessions.forget_all()
    assert client.scenes([1])
    assert connect(cookie="dead", api_key=key).scenes([1])


def test_a_key_that_was_changed_is_dropped_for_the_cookie(stash, connect):
    stash.set_credentials("me")
    stash.generate_api_key()
    client = connect(api_key="old-key")
    assert client.scenes([1])
    assert client.plugin_state().api_key == stash.settings.api_key


def test_the_cookie_is_renewed_with_every_answer(stash, connect):
    stash.set_credentials("me")
    client = connect()
    before = client.cookie
    client.running_jobs()
    assert client.cookie != before
    assert client.running_jobs() == []


def test_https_with_a_self_signed_certificate_works(connect):
    with SimStash(scenes=1, tls=True) as secure:
        session = Session("https", "0.0.0.0", secure.port, secure.login().removeprefix("session="), 1.0)
        client = StashClient(session)
        assert client.scenes([1])
        client.close()


def test_proxies_of_the_environment_are_not_used(connect, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert connect().running_jobs() == []


# Trouble


def test_nobody_there_is_unreachable(stash, connect):
    client = connect()
    stash.go_away()
    with pytest.raises(StashUnreachable, match="does not answer"):
        client.running_jobs()
    stash.come_back()
    assert client.running_jobs() == []


def test_a_stash_that_hangs_is_not_waited_for_for_ever(stash, connect, monkeypatch):
    monkeypatch.setattr(graphql_module, "READ_TIMEOUT_SECONDS", 0.2)
    stash.fail_with(Fault.HANG)
    with pytest.raises(StashUnreachable):
        connect().running_jobs()
    stash.heal()


@pytest.mark.parametrize("fault", [Fault.SERVER_ERROR, Fault.HTML])
def test_what_is_no_graphql_is_unintelligible(stash, connect, fault):
    stash.fail_with(fault)
    with pytest.raises(StashUnintelligible):
        connect().running_jobs()


def test_a_locked_database_is_a_refusal_in_stashs_words(stash, connect):
    stash.fail_with(Fault.DATABASE_LOCKED)
    with pytest.raises(StashRefused, match="locked"):
        connect().running_jobs()


@pytest.mark.parametrize("status", [422, 400])
def test_a_field_that_an_older_stash_does_not_know_is_named(stash, connect, status):
    stash.settings.validation_status = status
    with pytest.raises(StashRefused, match="nope"):
        connect()._ask("{ findScene(id: 1) { nope } }")


def test_no_secret_is_logged_whatever_fails(stash, connect, caplog):
    caplog.set_level(logging.DEBUG)
    stash.set_credentials("me")
    client = connect(api_key="the-api-key")
    stash.fail_with(Fault.SERVER_ERROR)
    with pytest.raises(StashUnintelligible) as failure:
        client._ask(queries.CONFIGURE_PLUGIN, {"id": "Stash2Plex", "settings": {"plex_token": "the-token"}})
    for secret in ("the-api-key", "the-token", client.cookie):
        assert secret not in caplog.text
        assert secret not in str(failure.value)
