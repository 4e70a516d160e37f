"""Operations through the real script: JSON in on stdin, one JSON document out."""

import re
import subprocess
import sys

import pytest

from runtime.version import VERSION
from tests.support.plugin.plugin import ROOT, wait_until
from tests.support.settings import COMPLETE

HEAVY = {"plexapi", "pydantic", "requests", "urllib3", "tenacity", "stashapi", "persistqueue", "rich"}


SLOW = {"re", "json", "typing", "dataclasses", "contextlib", "enum", "inspect", "logging"}


@pytest.mark.parametrize(
    "mode",
    ["status", "scenes", "dead_letters", "journal", "queue_status", "last_task", "preview_result"],
)
def test_what_needs_no_plex_imports_no_package(plugin, mode):
    done = subprocess.run(
        [plugin.python, "-X", "importtime", str(plugin.own_entry)],
        input=plugin.request({"mode": mode}),
        capture_output=True,
        check=True,
    )
    imported = {name.partition(".")[0] for name in re.findall(r"\|\s+([\w.]+)$", done.stderr.decode(), re.MULTILINE)}
    assert "_sqlite3" in imported
    assert imported & HEAVY == set()


def test_a_status_imports_nothing_that_it_can_do_without(plugin, stash):
    plugin.hook(1, stash.port)
    plugin.wait_for_worker()
    done = subprocess.run(
        [plugin.python, "-E", "-S", "-X", "importtime", str(plugin.own_entry)],
        input=plugin.request({"mode": "status"}),
        capture_output=True,
        check=True,
    )
    imported = set(re.findall(r"\|\s+([\w.]+)$", done.stderr.decode(), re.MULTILINE))
    assert "tasks.status.target_state" in imported
    assert imported & SLOW == set()


def test_an_operation_answers_in_one_document_that_names_its_api(plugin):
    done = plugin.run(plugin.request({"mode": "status"}))
    done.assert_protocol()
    assert (done.output["api"], done.output["queue"]["due"]) == (2, 0)
    assert done.stderr == b""
    plugin.wait_for_worker()  # who looks at a page wants the work to go on


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({"mode": "explode"}, "There is no task or operation 'explode'. There are: health_check, queue_status, "),
        ({}, "No task was named (args.mode)."),
        ({"mode": "scenes", "state": "lost"}, "state is 'lost'; there are: synced, waiting, "),
        ({"mode": "retry", "ids": ["x"]}, "ids must be a list of whole numbers above 0; one of them is 'x'."),
        ({"mode": "retry", "id": 3}, "retry has no argument 'id'; it takes: ids, scene_ids, all, target."),
    ],
)
def test_bad_arguments_get_a_sentence(plugin, args, sentence):
    done = plugin.run(plugin.request(args))
    done.assert_protocol()
    assert sentence in done.error


def test_an_operation_comes_through_stash(plugin, stash):
    asked = '{ mode: "scenes", state: "waiting" }'
    answer = stash.graphql(f'mutation {{ runPluginOperation(plugin_id: "Stash2Plex", args: {asked}) }}')
    assert answer["runPluginOperation"] == {"api": 2, "version": VERSION, "scenes": [], "next": None, "total": 0}


def test_explain_tells_what_it_can_where_plex_is_away(plugin, stash):
    cookie = stash.login().removeprefix("session=")
    done = plugin.run(plugin.request({"mode": "explain", "scene_id": "7"}, stash.port, cookie))
    done.assert_protocol()
    (story,) = done.output["targets"]
    assert (story["state"], done.output["scene_id"]) == ("synced", 7)
    assert done.output["files"][0]["path"] == stash.library.scenes[7].path
    assert [one.partition(":")[0] for one in story["not_asked"]] == ["Plex"]
    unknown = plugin.run(plugin.request({"mode": "explain", "scene_id": 7777}, stash.port, cookie))
    assert "Stash has no scene 7777" in unknown.error
    refused = plugin.run(plugin.request({"mode": "preview_scene", "scene_id": 7}, stash.port, cookie))
    assert "nothing answers" in refused.error


def test_every_action_can_be_loaded_before_a_package_is_installed():
    probe = (
        "import sys; sys.path.insert(0, sys.argv[1]); from tasks.table import OPERATIONS, TASKS; import cli.main;"
        "[action.load() for action in (*TASKS.values(), *OPERATIONS.values())]; print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-E", "-S", "-c", probe, str(ROOT)], capture_output=True, text=True, check=True
    )
    assert {name.partition(".")[0] for name in done.stdout.split()} & HEAVY == set()


def test_the_worker_leaves_word_of_which_servers_are_set_up(plugin, stash):
    plugin.hook(1, stash.port)
    asked = plugin.request({"mode": "status"}, stash.port)
    wait_until(lambda: plugin.run(asked).output["targets"][0]["url"] == COMPLETE["plex_url"])
    status = plugin.run(asked).output
    assert (status["is_set_up"], status["is_enabled"]) == (True, True)
