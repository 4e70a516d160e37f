"""Whatever comes on stdin is an event, no event of ours, or refused in a sentence."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks import handlers
from model.user_error import UserError
from stash import wire
from tests.support.damage import JSON, damaged
from validation.events import MAX_ID, BadEvent, Event, parse_event

EVENT = {
    "id": 5,
    "type": "Scene.Update.Post",
    "input": {"id": "5", "ids": ["5", 6], "title": "x"},
    "inputFields": ["id", "title"],
}
REQUEST = {
    "server_connection": {
        "Scheme": "http",
        "Host": "0.0.0.0",
        "Port": 9999,
        "SessionCookie": {"Name": "session", "Value": "abc"},
        "Dir": "/config",
        "PluginDir": "/config/plugins",
    },
    "args": {"mode": "hook", "hookContext": EVENT},
}


@given(damaged(EVENT) | JSON)
def test_an_event_is_understood_or_refused(context):
    try:
        event = parse_event(context)
    except BadEvent as refused:
        assert str(refused).endswith(".")
        return
    if event is not None:
        assert isinstance(event, Event)
        assert event.ids
        assert all(type(one) is int and 0 < one <= MAX_ID for one in event.ids)
        assert len(set(event.ids)) == len(event.ids)


def reader(raw):
    left = [raw]
    return lambda size: left.pop() if left else b""


@given(damaged(REQUEST))
def test_a_request_is_understood_or_refused(document):
    try:
        request = wire.read_request(reader(json.dumps(document).encode()))
    except UserError:
        return
    assert 0 < request.port < 65536
    assert "\0" not in request.directory


@given(
    st.binary() | st.builds(lambda text, end: text[:end], st.just(json.dumps(REQUEST).encode()), st.integers(0, 400))
)
def test_bytes_that_are_no_request_are_refused(raw):
    try:
        wire.read_request(reader(raw))
    except UserError as refused:
        assert str(refused).endswith(".")


@pytest.fixture(scope="module")
def config_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("config")


@given(document=damaged(REQUEST))
def test_a_hook_queues_or_refuses(document, config_dir):
    woken = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(handlers, "ensure_worker", woken.append)
        patch.setenv("STASH2PLEX_DATA_DIR", str(config_dir / "data"))
        try:
            request = wire.read_request(reader(json.dumps(document).encode()))
            said = handlers.handle(request) if "hookContext" in request.args else "ok"
        except UserError:
            return
    assert said.startswith("ok")
    assert bool(woken) == said.endswith("queued")
