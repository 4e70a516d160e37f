"""Whatever Stash answers is understood or a StashError; no walk is endless; nothing passes for gone that is not."""

import json

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from model.scene import Scene
from stash import queries
from stash.client import PLUGIN_ID, StashClient
from stash.exceptions import StashError
from stash.graphql import GraphQLCall
from sync_queue.session import Session
from tests.support.damage import JSON, damaged
from validation.metadata import InvalidMetadata, SyncMetadata

SCENE = {
    "id": "7",
    "title": "A title",
    "code": "X-1",
    "details": "Some\nlines",
    "director": "D",
    "date": "2024-05-06",
    "rating100": 80,
    "organized": True,
    "updated_at": "2024-05-06T07:08:09Z",
    "files": [{"path": "/data/a.mp4", "size": 1234, "duration": 60.5}],
    "paths": {"screenshot": "http://x/scene/7/screenshot?t=1"},
    "studio": {"name": "S"},
    "performers": [{"name": "P"}, {"name": "Q"}],
    "tags": [{"name": "T"}],
    "groups": [{"group": {"name": "G"}}],
}
STATE = {
    "configuration": {"general": {"apiKey": "key"}, "plugins": {PLUGIN_ID: {"plex_url": "http://x"}}},
    "plugins": [{"id": PLUGIN_ID, "enabled": True}, {"id": "other", "enabled": False}],
}
PAGE = {"findScenes": {"scenes": [SCENE, {**SCENE, "id": "8"}]}}
JOBS = {"jobQueue": [{"id": "1", "status": "RUNNING", "description": "Scanning"}]}
MOST_REQUESTS = 20


class FakeCall:
    """Answers each question with the next document, the last one again and again."""

    def __init__(self, *documents):
        self.documents = list(documents)
        self.api_key = self.cookie = ""
        self.asked = []

    def ask(self, query, variables=None):
        self.asked.append((query, variables))
        assert len(self.asked) <= MOST_REQUESTS, "it asks for ever"
        return self.documents.pop(0) if len(self.documents) > 1 else self.documents[0]


def client_of(*documents):
    client = StashClient(Session("http", "127.0.0.1", 1, "", 0.0))
    client.close()
    client._call = FakeCall(*documents)
    return client


def objects(strategy):
    return strategy.filter(lambda one: isinstance(one, dict))  # the call itself lets nothing else through


def check(scene):
    assert isinstance(scene, Scene)
    try:
        metadata = SyncMetadata.of(scene)
    except InvalidMetadata as refused:
        assert str(refused)
        return
    metadata.fingerprint().encode()
    json.dumps(metadata.title).encode()
    assert metadata.title


@given(objects(damaged({"scene7": SCENE, "scene8": {**SCENE, "id": "8"}})))
def test_scenes_are_understood_or_refused_and_only_null_is_gone(data):
    try:
        found = client_of(data).scenes([7, 8])
    except StashError as refused:
        assert str(refused).endswith((".", "?"))
        return
    for one in (7, 8):
        assert (one in found) == (data[f"scene{one}"] is not None)
    for one, scene in found.items():
        assert scene.id == one
        check(scene)


@given(st.lists(objects(damaged(PAGE)), min_size=1, max_size=3), st.booleans())
def test_walks_end_and_give_only_what_was_understood(pages, full):
    walks = ("all_scenes", "scene_changes", "scene_ids", "scene_files")
    for walk in walks:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("stash.client.PAGE_SIZE", 1 if full else 1000)
            try:
                rows = [row for page in getattr(client_of(*pages), walk)() for row in page]
            except StashError:
                continue
            for row in rows:
                if walk == "all_scenes":
                    check(row)
                elif walk == "scene_files":
                    assert (type(row[0]), type(row[1])) == (str, int)


@given(objects(damaged(STATE)))
def test_settings_are_never_written_back_from_an_answer_that_was_not_understood(data):
    client = client_of(data)
    try:
        client.add_settings({"max_tags": 50})
    except StashError:
        assert [query for query, _ in client._call.asked] == [queries.PLUGIN_STATE]
        return
    (_, variables) = client._call.asked[-1]
    present = data["configuration"]["plugins"].get(PLUGIN_ID) or {}
    assert {key: value for key, value in present.items() if value is not None}.items() <= variables["settings"].items()


@given(objects(damaged(JOBS)), objects(damaged({"found": {"id": "1"}})))
def test_small_answers_are_understood_or_refused(jobs, found):
    for act in (lambda: client_of(jobs).running_jobs(), lambda: client_of(found).exists("tag", 1)):
        try:
            act()
        except StashError as refused:
            assert str(refused)


BODIES = st.one_of(
    damaged({"data": STATE}).map(json.dumps),
    damaged({"errors": [{"message": "no"}], "data": None}).map(json.dumps),
    JSON.map(json.dumps),
    st.text(max_size=50),
)


@given(BODIES, st.sampled_from([200, 201, 301, 400, 401, 403, 404, 422, 500, 502, 520]), st.text(max_size=20))
def test_any_http_answer_is_understood_or_a_stash_error(body, status, cookie):
    response = requests.Response()
    response.status_code = status
    response._content = body.encode("utf-8", "surrogatepass")
    response.headers["Set-Cookie"] = cookie
    call = GraphQLCall(Session("http", "127.0.0.1", 1, "", 0.0))
    call.close()
    try:
        data = call._handle_GQL_response(response)
    except StashError as refused:
        assert str(refused)
        return
    assert isinstance(data, dict)
