"""The health check on Emby and Jellyfin: what in a library's options works against us, and what to do about it."""

import pytest

from runtime.folder import DataFolder
from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.server import SimMediaBrowser
from sim.stash.simulator import SimStash
from sync_queue.session import Session
from tasks.context import open_context
from tasks.health.servers import check_servers
from tests.support.actions import RecordingReporter, opening
from tests.support.openapi import held_to_documents


@pytest.fixture(params=list(FLAVOURS))
def flavour(request):
    return request.param


@pytest.fixture
def stash():
    with SimStash(scenes=1) as running:
        yield running


@pytest.fixture
def server(flavour):
    quirks = Quirks(groups_into_collections=False)
    with SimMediaBrowser(flavour, 1, quirks=quirks) as running, held_to_documents(running):
        yield running


def health(stash, server, folder, *, thorough=True, **settings):
    name = "emby" if server.flavour.is_emby else "jellyfin"
    own = {f"{name}_url": server.url, f"{name}_api_key": server.api_key, f"{name}_library": "Scenes", **settings}
    stash.configure_plugin("Stash2Plex", own)
    session = Session("http", "0.0.0.0", stash.port, stash.login().removeprefix("session="), 1.0)
    with open_context(DataFolder(str(folder)), None, RecordingReporter(), opening) as context:
        found = list(check_servers(context, session, (name,), thorough=thorough))
    return [(one.ok, one.sentence) for one in found if one.part == "Library options"]


def test_plain_options_are_well(stash, server, tmp_path):
    assert health(stash, server, tmp_path) == [(True, "OK.")]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"SaveLocalMetadata": True}, ["saves pictures into the folders of your videos", "Save artwork into media"]),
        ({"MetadataSavers": ["Nfo"]}, ["writes an NFO file beside the video", "switch off the metadata saver 'Nfo'"]),
        ({"AutomaticRefreshIntervalDays": 30}, ["every 30 days", "Automatically refresh metadata", "'Never'"]),
    ],
)
def test_what_will_undo_or_spill_our_work_is_said_with_what_to_do(stash, server, tmp_path, options, words):
    server.library("Scenes").options.update(options)
    ((ok, sentence),) = health(stash, server, tmp_path)
    assert not ok
    assert all(word in sentence for word in ["'Scenes'", *words])
    monitored = "looks at its folders again each time" in sentence
    assert monitored == ("AutomaticRefreshIntervalDays" not in options)
    server.library("Scenes").options["EnableRealtimeMonitor"] = False
    ((_, sentence),) = health(stash, server, tmp_path)
    assert "looks at its folders" not in sentence
    assert health(stash, server, tmp_path, thorough=False) == []  # nothing of it keeps us from sending


def test_each_is_said_and_only_of_libraries_that_we_write_to(stash, server, tmp_path):
    everything = {"SaveLocalMetadata": True, "MetadataSavers": ["Nfo"], "AutomaticRefreshIntervalDays": 7}
    server.add_library("Others", ["/data/others"], **everything)
    assert health(stash, server, tmp_path) == [(True, "OK.")]
    server.library("Scenes").options.update(everything)
    found = health(stash, server, tmp_path)
    assert [ok for ok, _ in found] == [False] * 3


def test_films_that_hide_behind_their_collections_are_said_where_we_make_some(stash, server, tmp_path, flavour):
    server.quirks.groups_into_collections = True
    assert health(stash, server, tmp_path) == [(True, "OK.")]  # home videos never hide
    server.library("Scenes").collection_type = "movies"
    found = health(stash, server, tmp_path)
    if flavour.startswith("emby"):
        assert found == [(True, "OK.")]  # every user says so for himself
    else:
        ((ok, sentence),) = found
        assert not ok
        assert "'Scenes'" in sentence
        assert "Group movies into collections" in sentence
    assert health(stash, server, tmp_path, sync_collection=False) == [(True, "OK.")]


def test_a_version_with_known_trouble_is_said(stash, tmp_path):
    with SimMediaBrowser("jellyfin-10.11", 1, version="10.11.3", quirks=Quirks(groups_into_collections=False)) as old:
        ((ok, sentence),) = health(stash, old, tmp_path)
    assert not ok
    assert "10.11.5" in sentence
