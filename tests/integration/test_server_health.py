"""The health check asks both servers and says what each needs."""

from contextlib import closing

import pytest

from ledger.store import Ledger
from ledger.values import SERVER_AT
from runtime.folder import DataFolder
from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from sync_queue.session import Session
from tasks.context import open_context
from tasks.health.servers import check_servers
from tests.support.actions import RecordingReporter, opening


@pytest.fixture
def stash():
    with SimStash(scenes=1) as running:
        yield running


@pytest.fixture
def plex():
    with SimPlex(items=1) as running:
        yield running


def findings(stash, folder):
    session = Session("http", "0.0.0.0", stash.port, stash.login().removeprefix("session="), 1.0)
    with open_context(DataFolder(str(folder)), None, RecordingReporter(), opening) as context:
        return {one.part: (one.ok, one.sentence) for one in check_servers(context, session, ("plex",))}


def test_all_is_well_with_two_servers_and_complete_settings(stash, plex, tmp_path):
    stash.configure_plugin("Stash2Plex", {"plex_url": plex.url, "plex_token": plex.token, "plex_library": "scenes"})
    found = findings(stash, tmp_path)
    assert all(ok for ok, _ in found.values())
    assert found["Libraries"][1] == "OK, 'Scenes' (movie)."


def test_incomplete_settings_are_named_and_plex_is_not_asked(stash, tmp_path):
    found = findings(stash, tmp_path)
    assert found["Settings"] == (False, "plex_url is not set. plex_token is not set.")
    assert "Plex" not in found


@pytest.mark.parametrize(
    ("changes", "part", "sentence"),
    [
        ({"plex_token": "wrong-token"}, "Plex", "does not accept the token"),
        ({"plex_library": "Scenes, Nowhere"}, "Libraries", "'Scenes' (movie); none is called 'Nowhere'."),
        ({"plex_library": "Nowhere"}, "Libraries", "no library with videos is called 'Nowhere'; there are: 'Movies'"),
        ({"plex_url": "http://127.0.0.1:9"}, "Plex", "nothing answers at this address"),
    ],
)
def test_what_is_wrong_with_plex_is_said_without_the_token(stash, plex, tmp_path, changes, part, sentence):
    settings = {"plex_url": plex.url, "plex_token": plex.token, **changes}
    stash.configure_plugin("Stash2Plex", settings)
    ok, said = findings(stash, tmp_path)[part]
    assert not ok
    assert sentence in said
    assert settings["plex_token"] not in said


def test_another_server_at_the_address_of_ours_is_not_well(stash, plex, tmp_path):
    stash.configure_plugin("Stash2Plex", {"plex_url": plex.url, "plex_token": plex.token})
    with closing(Ledger(DataFolder(str(tmp_path)).target("plex").ledger)) as ledger:
        ledger.values.set(f"{SERVER_AT}{plex.url}", plex.server_id)
    assert findings(stash, tmp_path)["Plex"][0]
    plex.become_another_server()
    ok, said = findings(stash, tmp_path)["Plex"]
    assert not ok
    assert "another Plex server answers at this address" in said
    assert "Clear Match Cache" in said


def test_a_ledger_that_cannot_be_read_is_no_reason_to_say_nothing_of_plex(stash, plex, tmp_path):
    stash.configure_plugin("Stash2Plex", {"plex_url": plex.url, "plex_token": plex.token})
    DataFolder(str(tmp_path)).target("plex").make()
    (tmp_path / "targets" / "plex" / "ledger.db").write_bytes(b"nonsense" * 1000)
    assert findings(stash, tmp_path)["Plex"][0]


def test_a_stash_that_is_away_is_said(stash, tmp_path):
    stash.go_away()
    assert findings(stash, tmp_path)["Stash"][0] is False
