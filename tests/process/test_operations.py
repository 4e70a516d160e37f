"""Operations through the real script: JSON in on stdin, one JSON document out."""

import re
import subprocess

import pytest

HEAVY = {"plexapi", "pydantic", "requests", "urllib3", "tenacity", "stashapi", "persistqueue", "rich"}


@pytest.mark.parametrize("mode", ["status", "scenes", "dead_letters", "journal", "queue_status"])
def test_what_needs_no_plex_imports_no_package(plugin, mode):
    done = subprocess.run(
        [plugin.python, "-X", "importtime", str(plugin.script)],
        input=plugin.request({"mode": mode}),
        capture_output=True,
        check=True,
    )
    imported = {name.partition(".")[0] for name in re.findall(r"\|\s+([\w.]+)$", done.stderr.decode(), re.MULTILINE)}
    assert "sqlite3" in imported
    assert imported & HEAVY == set()


def test_an_operation_answers_in_one_document_that_names_its_api(plugin):
    done = plugin.run(plugin.request({"mode": "status"}))
    done.assert_protocol()
    assert (done.output["api"], done.output["queue"]["due"]) == (1, 0)
    assert done.stderr == b""
    plugin.wait_for_worker()  # whoever looks at a page wants the work to go on


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({"mode": "explode"}, "There is no task or operation 'explode'. There are: all, recent, "),
        ({}, "No task was named (args.mode)."),
        ({"mode": "scenes", "state": "lost"}, "state is 'lost'; there are: synced, waiting, "),
        ({"mode": "retry", "ids": ["x"]}, "ids must be a list of whole numbers above 0; one of them is 'x'."),
        ({"mode": "retry", "id": 3}, "retry has no argument 'id'; it takes: ids, all."),
    ],
)
def test_bad_arguments_get_a_sentence(plugin, args, sentence):
    done = plugin.run(plugin.request(args))
    done.assert_protocol()
    assert sentence in done.error


def test_an_operation_comes_through_stash(plugin, stash):
    asked = '{ mode: "scenes", state: "waiting" }'
    answer = stash.graphql(f'mutation {{ runPluginOperation(plugin_id: "Stash2Plex", args: {asked}) }}')
    assert answer["runPluginOperation"] == {"api": 1, "scenes": [], "next": None}


def test_explain_tells_what_it_can_where_plex_is_away(plugin, stash):
    cookie = stash.login().removeprefix("session=")
    done = plugin.run(plugin.request({"mode": "explain", "scene_id": "7"}, stash.port, cookie))
    done.assert_protocol()
    assert (done.output["state"], done.output["scene_id"]) == ("synced", 7)
    assert done.output["files"][0]["path"] == stash.library.scenes[7].path
    assert [one.partition(":")[0] for one in done.output["not_asked"]] == ["Plex"]
    unknown = plugin.run(plugin.request({"mode": "explain", "scene_id": 7777}, stash.port, cookie))
    assert "Stash has no scene 7777" in unknown.error
    refused = plugin.run(plugin.request({"mode": "preview_scene", "scene_id": 7}, stash.port, cookie))
    assert "nothing answers" in refused.error
