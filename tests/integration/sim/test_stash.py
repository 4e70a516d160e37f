"""The simulated Stash is as awkward as the real one."""

import base64
import contextlib
import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from zoneinfo import ZoneInfo

import graphql
import pytest

from sim.stash.errors import PluginNotLoaded, ResolverError
from sim.stash.faults import Fault
from sim.stash.graphql.schema import load_schema
from sim.stash.simulator import SimStash
from tests.integration.sim.stash_probe import MANIFEST, Probe, ask, fetch
from tests.support.stash_schema import schemas

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data" / "stash"
VERSION = "{version{version}}"


class Clock:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def stash(clock):
    with SimStash(scenes=40, now=clock) as running:
        yield running


@pytest.fixture
def probe(tmp_path, stash):
    plugin = Probe(tmp_path)
    stash.install_plugin(plugin.folder, "probe")
    return plugin


@pytest.fixture
def locked(stash):
    """A server that wants to know who is asking."""
    stash.set_credentials("owner")
    stash.generate_api_key()
    return stash


def wait_until(condition, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)


# The schema


def test_every_type_field_and_argument_is_as_in_the_real_schema():
    ours = load_schema()
    names = [name for name in ours.type_map if not name.startswith("__")]
    for real in schemas():
        assert [one for name in names for one in differences(ours.type_map[name], real.type_map.get(name))] == []


def differences(ours, real):
    if real is None or type(ours) is not type(real):
        return [ours.name]
    if isinstance(ours, graphql.GraphQLEnumType):
        return [] if set(ours.values) == set(real.values) else [ours.name]
    found = []
    for name, field in getattr(ours, "fields", {}).items():
        theirs = real.fields.get(name)
        if theirs is None or str(field.type) != str(theirs.type):
            found.append(f"{ours.name}.{name}")
            continue
        for argument, value in getattr(field, "args", {}).items():
            if argument not in theirs.args or str(value.type) != str(theirs.args[argument].type):
                found.append(f"{ours.name}.{name}({argument})")
    return found


def test_a_whole_page_can_be_asked_and_has_the_shape_that_stash_gives_it(stash):
    page = json.loads((DATA / "scene-page.json").read_text())

    found = stash.graphql(page["query"], page["variables"])["findScenes"]["scenes"][0]
    assert list(found) == page["scene_keys"]
    assert (list(found["paths"]), list(found["studio"])) == (page["paths_keys"], page["studio_keys"])
    assert [list(file) for file in found["files"]] == [page["file_keys"]]


def test_introspection_is_answered(stash):
    assert stash.graphql("{__schema{queryType{name}}}") == {"__schema": {"queryType": {"name": "Query"}}}


# Queries


def test_one_missing_id_fails_the_whole_query(stash):
    answer = ask(stash.port, '{findScenes(ids:["1","999"]){scenes{id}}}')

    assert answer.status == 200
    assert answer.json == {
        "errors": [{"message": "scene with id 999 not found", "path": ["findScenes"]}],
        "data": None,
    }


def test_a_duplicate_id_fails_the_whole_query_too(stash):
    assert ask(stash.port, '{findScenes(ids:["1","2","1"]){count}}').json["data"] is None


def test_an_empty_list_of_ids_means_everything(stash):
    found = stash.graphql("{findScenes(ids:[]){count scenes{id}}}")["findScenes"]

    assert (found["count"], len(found["scenes"])) == (40, 25)


def test_ids_come_back_in_the_order_they_were_asked(stash):
    found = stash.graphql('{findScenes(ids:["3","1"]){scenes{id}}}')["findScenes"]["scenes"]

    assert found == [{"id": "3"}, {"id": "1"}]


def test_a_scene_that_is_gone_is_null(stash):
    assert stash.graphql('{a:findScene(id:"1"){id} b:findScene(id:"999"){id}}') == {"a": {"id": "1"}, "b": None}


def test_fragments_aliases_and_directives_work(stash):
    query = """
        query($with: Boolean!) {
          findScene(id: "1") { ...F code @include(if: $with) name: title __typename }
        }
        fragment F on Scene { id tags { ... on Tag { id } } }
    """
    found = stash.graphql(query, {"with": False})["findScene"]

    assert list(found) == ["id", "tags", "name", "__typename"]
    assert found["__typename"] == "Scene"


def test_untitled_fileless_and_vaguely_dated_scenes_exist(stash):
    scenes = stash.graphql("{findScenes(filter:{per_page:-1}){scenes{title date files{path}}}}")["findScenes"]["scenes"]

    assert "" in {scene["title"] for scene in scenes}
    assert [] in [scene["files"] for scene in scenes]
    assert {len(scene["date"] or "") for scene in scenes} == {0, 4, 7, 10}


def test_the_job_queue_is_null_when_empty(stash):
    assert stash.graphql("{jobQueue{id}}") == {"jobQueue": None}


def test_a_running_job_shows(stash):
    with stash.running_job("Scanning..."):
        (job,) = stash.graphql("{jobQueue{status description}}")["jobQueue"]
    assert job == {"status": "RUNNING", "description": "Scanning..."}
    assert stash.graphql("{jobQueue{id}}") == {"jobQueue": None}


def test_an_unknown_field_is_refused_with_422(stash):
    answer = ask(stash.port, "{findScenes{count nope}}")

    assert answer.status == 422
    assert answer.json["data"] is None
    assert answer.json["errors"][0]["extensions"] == {"code": "GRAPHQL_VALIDATION_FAILED"}
    assert answer.json["errors"][0]["message"].startswith('Cannot query field "nope"')


@pytest.mark.parametrize(
    ("query", "variables"),
    [
        ("{findScenes{", {}),
        ("", {}),
        ("query($i:ID!){findStudio(id:$i){id}}", {}),
        ("query($i:[ID!]){findScenes(ids:$i){count}}", {"i": {"a": 1}}),
    ],
    ids=["cut off", "empty", "missing variable", "wrong variable"],
)
def test_what_cannot_be_understood_is_refused_with_422(stash, query, variables):
    assert ask(stash.port, query, variables).status == 422


def test_the_status_of_a_refusal_can_be_switched(stash):
    stash.settings.validation_status = 400

    assert ask(stash.port, "{nope}").status == 400


def test_a_body_that_is_not_json_is_a_bad_request(stash):
    assert fetch(stash.port, "/graphql", b"{").status == 400
    assert fetch(stash.port, "/graphql", b"{}", Content_Type="text/plain").status == 400


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ({}, range(1, 26)),
        ({"per_page": 10, "page": 4}, range(31, 41)),
        ({"per_page": 10, "page": 5}, []),
        ({"per_page": -1}, range(1, 41)),
        ({"per_page": 0}, []),
        ({"per_page": 3, "sort": "id", "direction": "DESC"}, [40, 39, 38]),
        ({"per_page": 2, "sort": "updated_at", "direction": "DESC"}, [40, 39]),
    ],
)
def test_pages(stash, page, expected):
    query = "query($f:FindFilterType){findScenes(filter:$f){count scenes{id}}}"
    found = stash.graphql(query, {"f": page})["findScenes"]

    assert found["count"] == 40
    assert [int(scene["id"]) for scene in found["scenes"]] == list(expected)


def test_an_unknown_sort_is_an_error(stash):
    with pytest.raises(ResolverError, match="invalid sort"):
        stash.graphql('{findScenes(filter:{sort:"nope"}){count}}')


def matching(stash, scene_filter):
    query = "query($f:SceneFilterType){findScenes(scene_filter:$f,filter:{per_page:-1}){scenes{id}}}"
    return [int(scene["id"]) for scene in stash.graphql(query, {"f": scene_filter})["findScenes"]["scenes"]]


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        ({"modifier": "EQUALS", "value": 7}, [7]),
        ({"modifier": "GREATER_THAN", "value": 38}, [39, 40]),
        ({"modifier": "LESS_THAN", "value": 3}, [1, 2]),
        ({"modifier": "BETWEEN", "value": 3, "value2": 5}, [3, 4, 5]),
        ({"modifier": "NOT_BETWEEN", "value": 3, "value2": 40}, [1, 2]),
    ],
)
def test_scenes_by_id(stash, criterion, expected):
    assert matching(stash, {"id": criterion}) == expected


@pytest.mark.parametrize("kind", ["performers", "studios", "tags", "groups"])
def test_scenes_by_what_they_refer_to(stash, kind):
    found = matching(stash, {kind: {"modifier": "INCLUDES", "value": ["1"]}})

    assert found == [scene.id for scene in stash.library.scenes_with(kind[:-1], 1)]
    assert found


def test_scenes_without_cover(stash):
    assert matching(stash, {"is_missing": "cover"}) == [11, 22, 33]


def test_filters_combine(stash):
    first_ten = {"id": {"modifier": "LESS_THAN", "value": 5}}

    assert matching(stash, {**first_ten, "organized": True}) == [1, 3]
    assert matching(stash, {**first_ten, "NOT": {"organized": True}}) == [2, 4]
    assert matching(stash, {**first_ten, "OR": {"id": {"modifier": "EQUALS", "value": 9}}}) == [1, 2, 3, 4, 9]


def test_updated_at_is_compared_as_text_in_the_servers_zone(clock):
    with SimStash(scenes=3, now=clock, zone=ZoneInfo("America/New_York")) as stash:
        stash.save_scene(1, title="just now")
        stored = stash.graphql('{findScene(id:"1"){updated_at}}')["findScene"]["updated_at"]
        minute_ago = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(clock.now - 60))
        found = matching(stash, {"updated_at": {"modifier": "GREATER_THAN", "value": minute_ago}})

    assert stored == "2027-01-15T03:00:00-05:00"
    assert found == []  # though scene 1 was saved this very second


def test_rows_written_before_a_change_of_zone_sort_wrongly(stash):
    stash.clock.zone = ZoneInfo("America/New_York")
    stash.save_scene(1, title="newest")
    newest = '{findScenes(filter:{sort:"updated_at",direction:DESC,per_page:1}){scenes{id}}}'

    assert stash.graphql(newest)["findScenes"]["scenes"] != [{"id": "1"}]


# Who is asking


def test_without_key_or_cookie_graphql_is_401_with_nothing_in_it(locked):
    answer = ask(locked.port, VERSION)

    assert (answer.status, answer.body) == (401, b"")


def test_key_header_key_parameter_and_cookie_open_the_door(locked):
    key = locked.settings.api_key

    assert ask(locked.port, VERSION, ApiKey=key).status == 200
    assert fetch(locked.port, f"/graphql?apikey={key}", {"query": VERSION}).status == 200
    assert ask(locked.port, VERSION, Cookie=locked.login()).status == 200


def test_a_wrong_key_is_refused_even_beside_a_good_cookie(locked):
    assert ask(locked.port, VERSION, Cookie=locked.login(), ApiKey="wrong").status == 401


def test_a_cookie_dies_of_idleness_and_every_answer_renews_it(locked, clock):
    cookie = locked.login()
    clock.now += 3000
    renewed = ask(locked.port, VERSION, Cookie=cookie).headers["Set-Cookie"].partition(";")[0]
    clock.now += 3000

    assert ask(locked.port, VERSION, Cookie=cookie).status == 401
    assert ask(locked.port, VERSION, Cookie=renewed).status == 200


def test_a_restart_with_a_new_session_key_makes_cookies_worthless(locked):
    cookie = locked.login()
    locked.restart()
    assert ask(locked.port, VERSION, Cookie=cookie).status == 200
    locked.restart(with_new_session_key=True)

    assert ask(locked.port, VERSION, Cookie=cookie).status == 401
    assert ask(locked.port, VERSION, Cookie="session=forged.nonsense").status == 401


def test_the_api_key_can_be_read_and_is_empty_when_there_is_none(stash):
    query = "{configuration{general{apiKey username}}}"
    assert stash.graphql(query)["configuration"]["general"] == {"apiKey": "", "username": ""}
    key = stash.generate_api_key()

    assert stash.graphql(query)["configuration"]["general"]["apiKey"] == key


# Pictures


def test_a_cover_is_a_picture_of_its_own_for_every_version(stash):
    first = fetch(stash.port, "/scene/1/screenshot")
    stash.events.generate_cover(1)
    second = fetch(stash.port, "/scene/1/screenshot")

    assert first.headers["Content-Type"] == "image/png"
    assert first.body.startswith(b"\x89PNG\r\n\x1a\n")
    assert len({first.body, second.body, fetch(stash.port, "/scene/2/screenshot").body}) == 3


def test_an_uploaded_cover_comes_back_as_it_was(stash):
    picture = b"\xff\xd8 pretend this is a jpeg"
    stash.save_scene(1, cover_image="data:image/jpeg;base64," + base64.b64encode(picture).decode())
    answer = fetch(stash.port, "/scene/1/screenshot")

    assert (answer.body, answer.headers["Content-Type"]) == (picture, "image/jpeg")


def test_a_missing_cover_is_an_svg_with_status_200(stash):
    answer = fetch(stash.port, "/scene/11/screenshot")

    assert (answer.status, answer.headers["Content-Type"]) == (200, "image/svg+xml")


def test_pictures_of_a_scene_that_is_gone_are_404(stash):
    assert fetch(stash.port, "/scene/999/screenshot").status == 404


def test_an_image_without_login_redirects_to_a_page_that_answers_200(locked):
    answer = fetch(locked.port, "/scene/1/screenshot")
    login = fetch(locked.port, answer.headers["Location"])

    assert answer.status == 302
    assert answer.headers["Location"].startswith("/login")
    assert (login.status, login.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert fetch(locked.port, f"/scene/1/screenshot?apikey={locked.settings.api_key}").status == 200
    assert fetch(locked.port, "/scene/1/screenshot", ApiKey=locked.settings.api_key).status == 200
    assert fetch(locked.port, "/scene/1/screenshot", Cookie=locked.login()).status == 200


def test_screenshot_urls_name_the_host_that_was_asked(stash, clock):
    query = '{findScene(id:"40"){paths{screenshot}}}'
    asked = ask(stash.port, query, Host="nas.lan:1234").json["data"]["findScene"]["paths"]
    stash.settings.external_host = "https://stash.example"
    outside = stash.graphql(query)["findScene"]["paths"]

    assert asked == {"screenshot": f"http://nas.lan:1234/scene/40/screenshot?t={int(clock.now) - 60}"}
    assert outside["screenshot"].startswith("https://stash.example/scene/40/screenshot")


def test_stream_urls_give_the_api_key_away(locked):
    answer = ask(locked.port, '{findScene(id:"1"){paths{stream}}}', ApiKey=locked.settings.api_key)

    assert answer.json["data"]["findScene"]["paths"]["stream"].endswith(f"?apikey={locked.settings.api_key}")


# What moves updated_at, and what fires


def bulk(stash):
    stash.graphql('mutation{bulkSceneUpdate(input:{ids:["1"],rating100:60}){id}}')


def update_list(stash):
    stash.graphql('mutation{scenesUpdate(input:[{id:"1",title:"x"}]){id}}')


def merge(stash):
    stash.graphql('mutation{sceneMerge(input:{source:["2"],destination:"1"}){id}}')


def rename_tag(stash):
    stash.graphql('mutation{tagUpdate(input:{id:"1",name:"Renamed"}){id}}')


def merge_tags(stash):
    stash.graphql('mutation{tagsMerge(input:{source:["2"],destination:"1"}){id}}')


def merge_performers(stash):
    stash.graphql('mutation{performerMerge(input:{source:["2"],destination:"1"}){id}}')


def play(stash):
    stash.graphql('mutation{sceneAddPlay(id:"1"){count}}')


def screenshot(stash):
    stash.graphql('mutation{sceneGenerateScreenshot(id:"1")}')
    wait_until(lambda: stash.jobs.listed() is None)


@pytest.mark.parametrize(
    ("act", "moves", "fired"),
    [
        (lambda stash: stash.save_scene(1, title="x"), True, ["Scene.Update.Post"]),
        (bulk, True, ["Scene.Update.Post"]),
        (update_list, True, ["Scene.Update.Post"]),
        (merge, True, []),
        (screenshot, True, []),
        (lambda stash: stash.events.generate_cover(1), True, []),
        (lambda stash: stash.events.auto_tag(1, (3,)), True, []),
        (lambda stash: stash.events.identify(1, title="x"), True, ["Scene.Update.Post"]),
        (lambda stash: stash.events.scan_second_file(1, "/data/copy.mp4"), True, ["Scene.Update.Post"]),
        (lambda stash: stash.events.move_file(1, "/data/moved.mp4"), False, ["Scene.Update.Post"]),
        (lambda stash: stash.events.rename_folder("/data/clips", "/data/films"), False, []),
        (rename_tag, False, ["Tag.Update.Post"]),
        (merge_tags, False, ["Tag.Merge.Post"]),
        (merge_performers, False, []),
        (play, False, []),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_moves_updated_at_and_what_fires(stash, probe, clock, act, moves, fired):
    clock.now += 100
    before = stash.library.scenes[1].updated_at
    act(stash)

    assert (stash.library.scenes[1].updated_at != before) == moves
    assert [context["type"] for context in probe.contexts] == fired


def test_a_renamed_folder_changes_paths_and_nothing_else(stash):
    file = stash.library.scenes[1].files[0]
    before = file.updated_at
    stash.events.rename_folder("/data/clips", "/data/films")

    assert file.path.startswith("/data/films/0/")
    assert file.updated_at == before


def test_merged_tags_and_performers_move_to_the_destination(stash):
    stash.save_scene(1, tag_ids=["2", "3"], performer_ids=["2"])
    merge_tags(stash)
    merge_performers(stash)
    scene = stash.library.scenes[1]

    assert (scene.tag_ids, scene.performer_ids) == ((1, 3), (1,))


def test_a_merged_scene_is_gone_and_leaves_its_files(stash):
    files = stash.library.scenes[2].files
    merge(stash)

    assert 2 not in stash.library.scenes
    assert files
    assert all(file in stash.library.scenes[1].files for file in files)


def test_playing_twice_at_the_same_time_counts_twice(stash):
    play(stash)
    play(stash)

    assert stash.graphql('{findScene(id:"1"){play_count}}')["findScene"]["play_count"] == 2


def test_null_clears_absent_keeps_and_counters_are_ignored(stash):
    before = stash.library.scenes[1].details
    stash.save_scene(1, title=None, rating100=None, play_count=7, o_counter=7, resume_time=3.0)
    found = stash.graphql('{findScene(id:"1"){title details rating100 play_count o_counter}}')["findScene"]

    assert found == {"title": "", "details": before, "rating100": None, "play_count": 0, "o_counter": 0}


def test_a_refused_edit_changes_nothing_and_fires_nothing(stash, probe):
    for bad in ({"date": "2020-13-01"}, {"tag_ids": ["999"]}):
        with pytest.raises(ResolverError):
            stash.save_scene(1, title="half done", **bad)

    assert stash.library.scenes[1].title == "Scene Number 1"
    assert probe.heard == []


def test_lists_in_a_bulk_edit_are_added_to_removed_from_or_set(stash):
    stash.save_scene(1, tag_ids=["1", "2"])
    for mode, expected in (("ADD", (1, 2, 3)), ("REMOVE", (1, 2)), ("SET", (3,))):
        stash.graphql(f'mutation{{bulkSceneUpdate(input:{{ids:["1"],tag_ids:{{ids:["3"],mode:{mode}}}}}){{id}}}}')
        assert stash.library.scenes[1].tag_ids == expected


def test_destroying_a_performer_takes_it_from_its_scenes(stash, probe):
    stash.save_scene(1, performer_ids=["1", "2"])
    probe.forget()
    stash.graphql('mutation{performerDestroy(input:{id:"1"})}')

    assert stash.library.scenes[1].performer_ids == (2,)
    assert probe.contexts == [{"id": 1, "type": "Performer.Destroy.Post", "input": {"id": "1"}}]


def test_several_destroyed_at_once_are_all_gone_before_their_hooks_which_are_told_a_bare_list(stash, probe):
    tagged = [scene for scene in stash.library.scenes.values() if {1, 2} & set(scene.tag_ids)]
    stash.graphql('mutation{tagsDestroy(ids:["1","2"])}')
    assert tagged
    assert not any({1, 2} & set(scene.tag_ids) for scene in tagged)
    assert probe.contexts == [{"id": one, "type": "Tag.Destroy.Post", "input": ["1", "2"]} for one in (1, 2)]


# Settings


def test_configuring_a_plugin_overwrites_the_whole_map(stash):
    read = '{configuration{plugins(include:["P"])}}'
    write = 'mutation($m:Map!){configurePlugin(plugin_id:"P",input:$m)}'
    assert stash.graphql(read) == {"configuration": {"plugins": {}}}
    stash.graphql(write, {"m": {"a": 1, "b": {"nested": [1.5, None]}}})
    assert stash.graphql(read)["configuration"]["plugins"] == {"P": {"a": 1, "b": {"nested": [1.5, None]}}}
    stash.graphql(write, {"m": {"c": True}})

    assert stash.graphql(read)["configuration"]["plugins"] == {"P": {"c": True}}


# Plugins: what they are told


def test_a_hook_is_told_where_the_server_is_in_gos_words(stash, probe):
    stash.save_scene(1, title="x")
    (heard,) = probe.heard
    connection = heard["server_connection"]

    assert (connection["Scheme"], connection["Host"], connection["Port"]) == ("http", "0.0.0.0", stash.port)
    assert connection["Dir"] == str(stash.settings.config_dir)
    assert connection["PluginDir"] == str(probe.folder)
    assert connection["SessionCookie"]["Name"] == "session"
    assert {key: heard["args"][key] for key in ("mode", "number", "flag")} == {
        "mode": "hook",
        "number": "5",
        "flag": "true",
    }
    assert heard["env"]["PYTHONPATH"].endswith(str(probe.folder.parent))
    assert heard["cwd"] == os.getcwd()


def test_what_a_hook_is_told_has_the_recorded_keys(stash, probe):
    recorded = json.loads((DATA / "hook-stdin.json").read_text())
    stash.events.scan_new_file("/data/new.mp4")
    (heard,) = probe.heard

    assert list(heard["server_connection"]) == list(recorded["server_connection"])
    cookie, expected = heard["server_connection"]["SessionCookie"], recorded["server_connection"]["SessionCookie"]
    assert {**cookie, "Value": ""} == {**expected, "Value": ""}
    assert heard["args"]["hookContext"] == {**recorded["args"]["hookContext"], "id": 41}


@pytest.mark.parametrize(
    ("number", "mutation"),
    [
        (0, 'sceneUpdate(input:{id:"5",title:"A quiet morning",tag_ids:["1"]}){id}'),
        (1, 'bulkSceneUpdate(input:{ids:["6","7"],rating100:40}){id}'),
        (2, 'scenesUpdate(input:[{id:"8",title:"North"},{id:"9",title:"South"}]){id}'),
        (4, 'performerUpdate(input:{id:"1",name:"Ada Lane"}){id}'),
        (5, 'studioUpdate(input:{id:"1",name:"Harbour Films"}){id}'),
        (6, 'tagUpdate(input:{id:"1",name:"Sunset"}){id}'),
    ],
)
def test_hook_contexts_equal_the_recorded_ones(stash, probe, number, mutation):
    recorded = json.loads((DATA / "hook-contexts.json").read_text())[number]["hookContext"]
    stash.graphql(f"mutation{{{mutation}}}")
    told = probe.contexts[0]

    assert sorted(told.pop("inputFields")) == sorted(recorded.pop("inputFields"))
    assert json.dumps(told) == json.dumps(recorded)


def test_a_bulk_edit_tells_each_hook_of_all_ids(stash, probe):
    stash.graphql('mutation{bulkSceneUpdate(input:{ids:["6","7"],rating100:60}){id}}')

    assert [context["id"] for context in probe.contexts] == [6, 7]
    assert all(context["input"] == {"ids": ["6", "7"], "rating100": 60} for context in probe.contexts)


def test_a_list_of_updates_tells_each_hook_of_every_input(stash, probe):
    stash.graphql('mutation{scenesUpdate(input:[{id:"8",title:"a"},{id:"9",code:"b"}]){id}}')

    assert [[entry["id"] for entry in context["input"]] for context in probe.contexts] == [["8", "9"]] * 2


def test_creating_tells_nothing_but_the_id(stash, probe):
    made = stash.graphql('mutation{sceneCreate(input:{title:"New"}){id}}')["sceneCreate"]

    assert probe.contexts == [{"id": int(made["id"]), "type": "Scene.Create.Post", "input": None}]


def test_destroying_tells_what_is_left_of_each_scene(stash, probe):
    scenes = [stash.library.scenes[number] for number in (12, 13)]
    stash.graphql('mutation{scenesDestroy(input:{ids:["12","13"],delete_file:true})}')

    assert [context["input"] for context in probe.contexts] == [
        {
            "ids": ["12", "13"],
            "delete_file": True,
            "delete_generated": None,
            "checksum": "",
            "oshash": scene.files[0].oshash,
            "path": scene.path,
        }
        for scene in scenes
    ]
    assert all("inputFields" not in context for context in probe.contexts)


def test_a_clean_tells_an_empty_id_in_its_input(stash, probe):
    stash.events.clean_away(12)
    (context,) = probe.contexts

    assert (context["id"], context["input"]["id"], context["input"]["delete_file"]) == (12, "", None)
    assert stash.graphql('{findScene(id:"12"){id}}') == {"findScene": None}


def test_a_group_fires_its_deprecated_twin_as_well(stash, probe):
    stash.graphql('mutation{groupUpdate(input:{id:"1",name:"G"}){id}}')
    stash.graphql('mutation{groupDestroy(input:{id:"1"})}')

    assert [context["type"] for context in probe.contexts] == [
        "Group.Update.Post",
        "Movie.Update.Post",
        "Group.Destroy.Post",
        "Movie.Destroy.Post",
    ]


def test_a_rescan_fires_for_every_scene_with_a_file_and_changes_nothing(probe, clock):
    with SimStash(scenes=3, now=clock) as stash:
        stash.install_plugin(probe.folder, "probe")
        stash.events.rescan()

    assert [(context["id"], context["input"]) for context in probe.contexts] == [(1, None), (2, None), (3, None)]


def test_a_stray_hook_may_name_a_scene_that_does_not_exist(stash, probe):
    stash.events.fire("Scene.Update.Post", 999)

    assert probe.contexts == [{"id": 999, "type": "Scene.Update.Post", "input": None}]


def test_the_proxy_setting_reaches_the_plugin_and_the_cookie_may_be_null(stash, probe):
    stash.settings.proxy = "http://proxy:3128"
    stash.settings.gives_cookie = False
    stash.save_scene(1, title="x")

    assert probe.heard[0]["env"]["HTTP_PROXY"] == "http://proxy:3128"
    assert probe.heard[0]["server_connection"]["SessionCookie"] is None


def test_the_hooks_cookie_lets_the_plugin_in(locked, probe):
    locked.save_scene(1, title="x")
    value = probe.heard[0]["server_connection"]["SessionCookie"]["Value"]

    assert ask(locked.port, VERSION, Cookie=f"session={value}").status == 200


# Plugins: how they are waited for


def test_a_child_that_keeps_stdout_holds_up_the_save(stash, probe):
    probe.becomes("""
        import subprocess, sys
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.6)"], start_new_session=True)
        print("{}")
    """)
    stash.save_scene(1, title="x")

    assert stash.hook_runs[0].seconds > 0.6


def test_a_child_with_pipes_of_its_own_costs_nothing(stash, probe):
    probe.becomes("""
        import subprocess, sys
        null = subprocess.DEVNULL
        child = [sys.executable, "-c", "import time; time.sleep(20)"]
        subprocess.Popen(child, stdin=null, stdout=null, stderr=null, start_new_session=True)
        print("{}")
    """)
    stash.save_scene(1, title="x")

    assert stash.hook_runs[0].seconds < 15


def test_hooks_of_a_bulk_edit_run_one_after_another(stash, probe):
    probe.becomes("import time; time.sleep(0.2)")
    begun = time.monotonic()
    stash.graphql('mutation{bulkSceneUpdate(input:{ids:["1","2","3"],rating100:1}){id}}')

    assert time.monotonic() - begun > 0.6


def test_a_client_that_hangs_up_kills_the_hook_and_loses_the_rest(stash, probe):
    probe.becomes("""
        import os, sys, time
        open(os.path.join(os.path.dirname(__file__), "started"), "a").write("x")
        time.sleep(30)
    """)
    connection = http.client.HTTPConnection("127.0.0.1", stash.port)
    query = 'mutation{bulkSceneUpdate(input:{ids:["1","2","3"],rating100:77}){id}}'
    connection.request("POST", "/graphql", json.dumps({"query": query}), {"Content-Type": "application/json"})
    wait_until((probe.folder / "started").exists)
    connection.close()
    wait_until(lambda: stash.hook_runs)

    assert [(run.id, run.exit_code) for run in stash.hook_runs] == [(1, -9)]
    assert ("error", "error executing post hooks: operation cancelled") in stash.logs
    assert (probe.folder / "started").read_text() == "x"
    assert [stash.library.scenes[number].rating100 for number in (1, 2, 3)] == [77, 77, 77]


def test_a_plugin_that_never_reads_stdin_does_not_block_the_server(stash, probe):
    probe.becomes("print('{}')")
    stash.save_scene(1, title="x" * 1_000_000)

    assert stash.hook_runs[0].exit_code == 0


def test_a_hook_that_edits_scenes_is_stopped_after_ten_rounds(stash, probe):
    probe.becomes("""
        import http.client, json, sys
        heard = json.load(sys.stdin)
        where = heard["server_connection"]
        link = http.client.HTTPConnection("127.0.0.1", where["Port"])
        headers = {"Content-Type": "application/json", "Cookie": "session=" + where["SessionCookie"]["Value"]}
        query = 'mutation{sceneUpdate(input:{id:"1",code:"again"}){id}}'
        link.request("POST", "/graphql", json.dumps({"query": query}), headers)
        link.getresponse().read()
    """)
    stash.save_scene(1, title="x")

    assert len(stash.hook_runs) == 10


def test_a_plugin_that_cannot_start_costs_the_next_one_its_hook(stash, probe, tmp_path):
    broken = Probe(tmp_path / "other", manifest=MANIFEST)
    stash.plugins.installed.clear()
    stash.install_plugin(broken.folder, "probe", python="/nowhere/python3")
    (probe.folder / "second.yml").write_text(MANIFEST)
    stash.install_plugin(probe.folder, "second")
    stash.save_scene(1, title="x")

    assert probe.heard == []
    assert stash.library.scenes[1].title == "x"


def test_a_disabled_plugin_runs_nothing(stash, probe):
    stash.graphql("mutation($m:BoolMap!){setPluginsEnabled(enabledMap:$m)}", {"m": {"probe": False}})
    stash.save_scene(1, title="x")
    with pytest.raises(ResolverError, match="disabled"):
        operate(stash)

    assert probe.heard == []
    assert stash.graphql("{plugins{id enabled}}") == {"plugins": [{"id": "probe", "enabled": False}]}


@pytest.mark.parametrize("extra", ["author: me", "hooks: [{name: a, when: b}]", "settings: {a: {type: ENUM}}"])
def test_a_manifest_with_an_unknown_key_is_not_loaded(stash, tmp_path, extra):
    plugin = Probe(tmp_path, manifest=f"name: P\nexec: [python3, x.py]\n{extra}\n")
    with pytest.raises(PluginNotLoaded):
        stash.install_plugin(plugin.folder, "probe")

    assert stash.logs[-1].text.startswith("Error loading plugin")
    assert stash.graphql("{plugins{id}}") == {"plugins": []}


def test_reloading_reads_the_manifest_anew(stash, probe):
    (probe.folder / "probe.yml").write_text("name: Renamed\nexec: [python3, x.py]\n")
    stash.graphql("mutation{reloadPlugins}")
    assert stash.graphql("{plugins{name}}") == {"plugins": [{"name": "Renamed"}]}
    (probe.folder / "probe.yml").write_text("nonsense: yes\n")
    stash.graphql("mutation{reloadPlugins}")

    assert stash.graphql("{plugins{name}}") == {"plugins": []}


def test_requests_do_not_wait_for_each_others_hooks(stash, probe):
    probe.becomes("import time; time.sleep(2)")
    savers = [threading.Thread(target=stash.save_scene, args=(n,), kwargs={"title": "x"}) for n in range(1, 6)]
    begun = time.monotonic()
    for saver in savers:
        saver.start()
    for saver in savers:
        saver.join()

    assert len(stash.hook_runs) == 5
    assert time.monotonic() - begun < 8


# Plugins: what they say


def operate(stash, **args):
    query = 'mutation($a:Map){runPluginOperation(plugin_id:"probe",args:$a)}'
    return stash.graphql(query, {"a": args})["runPluginOperation"]


@pytest.mark.parametrize(
    ("stdout", "returned"),
    [
        ('{"output": {"a": 1}}', {"a": 1}),
        ("hello", "hello"),
        ('stray\n{"output": 1}', 'stray\n{"output": 1}'),
        ("", ""),
        ('{"foo": 1}', None),
        ("[1]", "[1]"),
        ("null", None),
    ],
)
def test_what_an_operation_returns(stash, probe, stdout, returned):
    probe.becomes(f"print({stdout!r}, end='')")

    assert operate(stash) == returned


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ('print(\'{"error": "no luck", "output": 1}\')', "no luck"),
        ("print('{\"output\": 1}'); raise SystemExit(3)", "exit status 3"),
    ],
)
def test_an_operation_that_fails_is_a_graphql_error_with_null_data(stash, probe, script, message):
    probe.becomes(script)
    answer = ask(stash.port, 'mutation{runPluginOperation(plugin_id:"probe",args:{})}').json

    assert answer["errors"][0]["message"] == message
    assert answer["data"] == {"runPluginOperation": None}


def test_an_operation_gets_its_arguments_as_given_and_nothing_else(stash, probe):
    assert operate(stash, mode="op", x=1) == "ok"
    assert probe.heard[0]["args"] == {"mode": "op", "x": 1}


def test_an_operation_of_no_plugin_is_an_internal_error(stash):
    with pytest.raises(ResolverError, match="Internal system error"):
        operate(stash)


def test_a_failing_hook_is_logged_and_the_save_succeeds(stash, probe):
    probe.becomes('print(\'{"error": "no luck"}\')')
    stash.save_scene(1, title="x")

    assert ("error", "Scene.Update.Post [Probe]: returned error: no luck") in stash.logs


def test_log_lines_have_the_level_of_their_prefix_else_error(stash, probe):
    probe.becomes(r"""
        import sys
        sys.stderr.write("\x01i\x02fine\n\x01w\x02careful\n\x01t\x02\nbare\n")
    """)
    stash.save_scene(1, title="x")

    assert [(level, text.removeprefix("[Plugin / Probe] ")) for level, text in stash.logs[:4]] == [
        ("info", "fine"),
        ("warning", "careful"),
        ("error", "\x01t\x02"),
        ("error", "bare"),
    ]


def test_a_log_line_of_64_kib_closes_the_pipe(stash, probe):
    probe.becomes(r"""
        import os, time
        def say(text): os.write(2, b"\x01i\x02" + text + b"\n")
        say(b"a" * 65_000)
        say(b"b" * 65_536)
        time.sleep(0.3)
        try:
            say(b"more")
        except BrokenPipeError:
            print("broken")
    """)

    assert operate(stash) == "broken\n"
    assert [len(text) for _, text in stash.logs] == [65_000 + len("[Plugin / Probe] ")]


# Jobs


def run_task(stash, name="Work", **args):
    query = 'mutation($n:String,$a:Map){runPluginTask(plugin_id:"probe",task_name:$n,args_map:$a)}'
    return stash.graphql(query, {"n": name, "a": args})["runPluginTask"]


def job(stash, job_id):
    query = "query($i:ID!){findJob(input:{id:$i}){status error description progress}}"
    return stash.graphql(query, {"i": job_id})["findJob"]


def test_a_task_gets_its_default_arguments_and_those_given(stash, probe):
    job_id = run_task(stash, extra=7)
    wait_until(lambda: job(stash, job_id)["status"] == "FINISHED")

    assert probe.heard[0]["args"] == {"mode": "work", "extra": 7}
    assert job(stash, job_id)["description"] == "Running plugin task: Work"


def test_one_job_runs_at_a_time_and_operations_pass_them_by(stash, probe):
    with stash.running_job("Generating..."):
        first = run_task(stash)
        assert job(stash, first)["status"] == "READY"
        assert operate(stash) == "ok"
    wait_until(lambda: job(stash, first)["status"] == "FINISHED")


def test_a_screenshot_is_a_job_of_its_own(stash):
    stash.graphql('mutation{sceneGenerateScreenshot(id:"1")}')
    wait_until(lambda: job(stash, 1)["status"] == "FINISHED")
    assert job(stash, 1)["description"] == "Generating screenshot for scene id 1"


def test_ids_of_jobs_grow_and_the_last_ten_that_finished_are_known(stash):
    for _ in range(12):
        stash.jobs.add("Cleaning...", lambda _job: None).done.wait()
    known = [number for number in range(1, 15) if job(stash, number)]
    assert known == list(range(3, 13))
    stash.restart()
    assert job(stash, 12) is None


def test_performers_are_counted_and_the_newest_come_first(stash):
    query = '{findPerformers(filter:{sort:"updated_at",direction:DESC,per_page:1}){count performers{id}}}'
    stash.clock.now = lambda: 4e9
    stash.graphql('mutation{performerMerge(input:{source:["2"],destination:"3"}){id}}')
    found = stash.graphql(query)["findPerformers"]
    assert found == {"count": len(stash.library.performers), "performers": [{"id": "3"}]}


def test_a_job_finishes_whatever_the_plugin_says(stash, probe):
    probe.becomes("raise SystemExit(3)")
    job_id = run_task(stash)
    wait_until(lambda: job(stash, job_id)["status"] == "FINISHED")

    assert job(stash, job_id)["error"] is None
    assert ("error", "Plugin returned error: exit status 3") in stash.logs


def test_a_job_without_such_a_task_fails(stash, probe):
    job_id = run_task(stash, "Nonsense")
    wait_until(lambda: job(stash, job_id)["status"] == "FAILED")

    assert "no task with name Nonsense" in job(stash, job_id)["error"]


def test_progress_shows_and_stopping_a_job_kills_the_plugin(stash, probe):
    probe.becomes(r"""
        import sys, time
        sys.stderr.write("\x01p\x020.25\n")
        sys.stderr.flush()
        time.sleep(30)
    """)
    job_id = run_task(stash)
    wait_until(lambda: job(stash, job_id)["progress"] == 0.25)
    stash.graphql("mutation($i:ID!){stopJob(job_id:$i)}", {"i": job_id})
    wait_until(lambda: job(stash, job_id)["status"] == "CANCELLED")

    assert stash.graphql("{jobQueue{id}}") == {"jobQueue": None}


def test_a_restart_loses_the_queue_while_the_running_plugin_lives_on(stash, probe):
    probe.becomes("""
        import os, time
        place = os.path.join(os.path.dirname(__file__), "done")
        open(place + ".started", "w").close()
        time.sleep(0.5)
        open(place, "w").close()
    """)
    run_task(stash)
    waiting = run_task(stash)
    wait_until((probe.folder / "done.started").exists)
    stash.restart()

    assert job(stash, waiting) is None
    wait_until((probe.folder / "done").exists)


# Faults


def test_a_server_that_went_away_refuses_and_comes_back_on_its_port(stash):
    port = stash.port
    stash.go_away()
    with pytest.raises(urllib.error.URLError, match="refused"):
        stash.graphql(VERSION)
    stash.come_back()

    assert stash.graphql(VERSION)
    assert stash.port == port


def test_going_away_cuts_connections_that_are_open(stash):
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", stash.port, timeout=20)) as connection:
        connection.request("GET", "/login")
        connection.getresponse().read()
        stash.go_away()
        assert connection.sock.recv(1) == b""


def test_the_next_requests_can_be_made_to_fail(stash):
    stash.fail_with(Fault.SERVER_ERROR, times=2)

    assert [ask(stash.port, VERSION).status for _ in range(3)] == [500, 500, 200]


def test_a_fault_can_be_kept_to_one_path(stash):
    stash.fail_with(Fault.SERVER_ERROR, under="/scene/")

    assert fetch(stash.port, "/scene/1/screenshot").status == 500
    assert ask(stash.port, VERSION).status == 200


def test_a_web_page_can_stand_where_json_belongs(stash):
    stash.fail_with(Fault.HTML)
    answer = ask(stash.port, VERSION)

    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")


def test_a_locked_database_is_a_graphql_error(stash):
    stash.fail_with(Fault.DATABASE_LOCKED)
    answer = ask(stash.port, VERSION)

    assert answer.status == 200
    assert answer.json["errors"][0]["message"] == "database is locked"


def test_a_hanging_server_answers_once_it_is_healed(stash):
    stash.fail_with(Fault.HANG)
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", stash.port, timeout=0.3)) as connection:
        connection.request("GET", "/login")
        with pytest.raises(socket.timeout):
            connection.getresponse()
    stash.heal()

    assert ask(stash.port, VERSION).status == 200


def test_latency_delays_every_answer(stash):
    stash.faults.latency_seconds = 0.2
    begun = time.monotonic()
    stash.graphql(VERSION)

    assert time.monotonic() - begun > 0.2


def test_requests_are_counted_by_name_root_field_or_path(stash):
    stash.graphql("query Named{version{version}}")
    stash.graphql("{version{version} jobQueue{id}}")
    fetch(stash.port, "/scene/1/screenshot")
    ask(stash.port, "{nope}")

    assert dict(stash.requests) == {"Named": 1, "version,jobQueue": 1, "/scene/1/screenshot": 1, "invalid": 1}


def test_tls_has_a_certificate_that_nobody_trusts(probe):
    with SimStash(scenes=1, tls=True) as stash:
        stash.install_plugin(probe.folder, "probe")
        stash.save_scene(1, title="x")
        with pytest.raises(urllib.error.URLError) as refusal:
            urllib.request.urlopen(f"{stash.url}/login")

    assert isinstance(refusal.value.reason, ssl.SSLCertVerificationError)
    assert probe.heard[0]["server_connection"]["Scheme"] == "https"


# Size, and the program


def test_a_page_of_a_thousand_full_scenes_comes_quickly():
    query = """{findScenes(filter:{per_page:1000,page:2,sort:"id"}){count scenes{
        id title details date rating100 organized updated_at urls files{id path size duration fingerprints{type value}}
        paths{screenshot stream} studio{id name parent_studio{id name}} performers{id name image_path}
        tags{id name parents{id}} groups{group{id name} scene_index} stash_ids{endpoint stash_id}}}}"""
    with SimStash(scenes=3000) as stash:
        begun = time.monotonic()
        found = stash.graphql(query)["findScenes"]

    assert len(found["scenes"]) == 1000
    assert time.monotonic() - begun < 3  # measured: a fifth of a second


def test_the_program_prints_where_it_is_and_stops_when_told():
    command = [sys.executable, "-m", "sim.stash", "--scenes", "3", "--user", "owner"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout
        about = json.loads(process.stdout.readline())
        port = int(about["url"].rpartition(":")[2])
        answer = ask(port, "{findScenes{count}}", ApiKey=about["api_key"])
        process.send_signal(signal.SIGTERM)

    assert answer.json == {"data": {"findScenes": {"count": 3}}}
    assert process.returncode == 0
    assert not Path(about["config_dir"]).exists()


# The server stands whatever is edited under a reader.

EVERYTHING = """{ findScenes(filter: {per_page: -1}) { scenes {
    id performers { name scene_count } tags { name scene_count parents { name } }
    groups { group { name } } studio { name }
} } }"""


def test_readers_do_not_bring_the_server_down_while_records_come_and_go(stash):
    has_ended, interval = threading.Event(), sys.getswitchinterval()

    def read():
        while not has_ended.is_set():
            stash.graphql(EVERYTHING)

    def merge_and_destroy():
        for number in range(2, 5):
            stash.graphql(f'mutation {{ groupDestroy(input: {{ id: "{number - 1}" }}) }}')
            stash.graphql(f'mutation {{ tagDestroy(input: {{ id: "{number}" }}) }}')
            merge = f'source: ["{number}"], destination: "1", values: {{ id: "1" }}'
            stash.graphql(f"mutation {{ sceneMerge(input: {{ {merge} }}) {{ id }} }}")

    readers = [threading.Thread(target=read) for _ in range(3)]
    sys.setswitchinterval(1e-6)
    try:
        for reader in readers:
            reader.start()
        merge_and_destroy()
    finally:
        has_ended.set()
        for reader in readers:
            reader.join()
        sys.setswitchinterval(interval)
    assert stash.crashes == []


def test_a_mistake_of_the_servers_own_is_not_passed_over(monkeypatch):
    monkeypatch.setattr("sim.stash.web.site.Site._picture", lambda *_: 1 / 0)
    with pytest.raises(ExceptionGroup, match="the simulated Stash itself is broken"), SimStash(scenes=1) as stash:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{stash.url}/scene/1/screenshot", timeout=20)
        assert len(stash.crashes) == 1


# The settings page


def test_a_settings_page_that_was_open_before_takes_back_what_others_wrote_since(stash):
    stash.configure_plugin("Ours", {"address": "x"})
    stash.configure_plugin("Other", {"on": False})
    page = stash.open_settings_page()
    stash.configure_plugin("Ours", {"address": "x", "tags": True})
    page.change("Other", "on", True)
    assert stash.settings.plugins == {"Ours": {"address": "x"}, "Other": {"on": True}}
    assert not page.shows("Ours", "tags")
    assert stash.open_settings_page().shows("Other", "on")


@pytest.mark.parametrize(("typed", "sent"), [("7", 7), ("0.25", 0), ("12abc", 12), ("", 0)])
def test_a_number_is_read_by_parse_int(stash, typed, sent):
    stash.open_settings_page().type_number("Ours", "many", typed)
    assert stash.settings.plugins["Ours"] == {"many": sent}
