"""The first look at the servers, with nothing but the standard library: who answers, who takes the key."""

import pytest

from runtime.folder import DataFolder
from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.server import SimMediaBrowser
from sim.plex import faults
from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from sync_queue.session import Session
from tasks.context import open_context
from tasks.health.first_look import look_without_packages
from tests.support.actions import RecordingReporter, opening


@pytest.fixture
def stash():
    with SimStash(scenes=1) as running:
        yield running


@pytest.fixture
def plex():
    with SimPlex(items=1) as running:
        yield running


def look(stash, folder, *targets):
    session = Session("http", "0.0.0.0", stash.port, stash.login().removeprefix("session="), 1.0)
    with open_context(DataFolder(str(folder)), None, RecordingReporter(), opening) as context:
        found = list(look_without_packages(context, session, targets or ("plex",)))
    return {one.part: (one.ok, one.sentence) for one in found}


def test_a_plex_that_is_well_takes_the_token_in_a_header_alone(stash, plex, tmp_path):
    stash.configure_plugin("Stash2Plex", {"plex_url": plex.url, "plex_token": plex.token})
    found = look(stash, tmp_path)
    assert found["Plex"] == (True, f"OK, it answers at {plex.url}.")
    assert found["Token"] == (True, "OK, Plex accepts it. Whether it may edit is asked with the packages.")
    assert [entry.path for entry in plex.requests] == ["/identity", "/"]
    assert plex.token not in str(found)
    assert not any("Token" in name for entry in plex.requests for name in entry.query)


@pytest.mark.parametrize(
    ("changes", "part", "says"),
    [
        ({"plex_token": "wrong"}, "Token", "Plex does not accept it; copy it again."),
        ({"plex_token": "wröng"}, "Token", "Plex does not accept it; copy it again."),
        ({"plex_token": ""}, "Settings", "plex_token is not set."),
        ({"plex_url": ""}, "Settings", "plex_url is not set."),
        ({"plex_url": "ftp://plex"}, "Settings", "plex_url must be an address such as"),
        ({"plex_url": "http://127.0.0.1:9"}, "Plex", "At http://127.0.0.1:9 nothing answers."),
    ],
)
def test_what_is_wrong_is_said(stash, plex, tmp_path, changes, part, says):
    stash.configure_plugin("Stash2Plex", {"plex_url": plex.url, "plex_token": plex.token, **changes})
    ok, sentence = look(stash, tmp_path)[part]
    assert not ok
    assert says in sentence


def test_a_plex_that_is_not_ready_is_asked_for_nothing_more(stash, plex, tmp_path):
    stash.configure_plugin("Stash2Plex", {"plex_url": plex.url, "plex_token": plex.token})
    plex.faults.add(faults.MAINTENANCE)
    found = look(stash, tmp_path)
    assert found["Plex"][0] is False
    assert "Token" not in found


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_emby_and_jellyfin_are_looked_at_alike(stash, tmp_path, flavour):
    with SimMediaBrowser(flavour, 1) as server:
        name = "emby" if server.flavour.is_emby else "jellyfin"
        for key, is_good in ((server.api_key, True), ("wrong", False)):
            stash.configure_plugin("Stash2Plex", {f"{name}_url": server.url, f"{name}_api_key": key})
            found = look(stash, tmp_path, name)
            assert found[name.capitalize()][0], found
            assert found["Key"][0] is is_good


def test_a_stash_that_does_not_answer_is_named(tmp_path):
    session = Session("http", "127.0.0.1", 9, "", 1.0)
    with open_context(DataFolder(str(tmp_path)), None, RecordingReporter(), opening) as context:
        (found,) = look_without_packages(context, session, ("plex",))
    assert (found.part, found.ok) == ("Stash", False)
