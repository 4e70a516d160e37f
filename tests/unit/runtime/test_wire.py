"""Stash's wire protocol: one document out, prefixed lines, nothing that breaks either."""

import io
import json
import sys
import types

import pytest

from model.user_error import UserError
from stash import wire

CONNECTION = {"Scheme": "https", "Host": "0.0.0.0", "Port": 9998, "SessionCookie": {"Value": "c"}, "Dir": "/config"}


@pytest.fixture
def pipes(monkeypatch):
    """Stand in for the three pipes that Stash holds the other ends of."""
    out, err = io.StringIO(), io.BytesIO()
    monkeypatch.setattr(sys, "__stdout__", out)
    monkeypatch.setattr(sys, "__stderr__", types.SimpleNamespace(buffer=err))
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    return out, err


def serve(document, handle):
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    return wire.serve(io.BytesIO(raw).read, handle)


def test_a_request_is_typed():
    request = wire.parse_request({"server_connection": CONNECTION, "args": {"mode": "all"}})
    assert (request.scheme, request.host, request.port, request.cookie) == ("https", "0.0.0.0", 9998, "c")
    assert (request.directory, request.args) == ("/config", {"mode": "all"})


@pytest.mark.parametrize("cookie", [None, [], {"Value": None}, {}])
def test_a_session_without_a_cookie_is_still_a_session(cookie):
    assert wire.parse_request({"server_connection": {**CONNECTION, "SessionCookie": cookie}}).cookie == ""


def test_an_output_is_one_document(pipes):
    assert serve({"server_connection": CONNECTION, "args": {}}, lambda request: "ok") == 0
    assert json.loads(pipes[0].getvalue()) == {"output": "ok"}


def test_a_structured_output_is_one_document(pipes):
    serve({"server_connection": CONNECTION, "args": {}}, lambda request: {"n": [1, None]})
    assert json.loads(pipes[0].getvalue()) == {"output": {"n": [1, None]}}


def test_a_refusal_is_a_sentence(pipes):
    def refuse(request):
        raise UserError('no "such" thing')

    assert serve({"server_connection": CONNECTION}, refuse) == 0
    assert json.loads(pipes[0].getvalue()) == {"error": 'Stash2Plex: no "such" thing'}


def test_a_bug_is_a_sentence_without_its_text(pipes):
    def fail(request):
        raise KeyError("secret-cookie")

    assert serve({"server_connection": CONNECTION}, fail) == 0
    error = json.loads(pipes[0].getvalue())["error"]
    assert "KeyError in test_wire.py, line" in error
    assert "secret-cookie" not in error


def test_what_somebody_prints_becomes_a_log_line_and_never_spoils_the_answer(pipes):
    def chatty(request):
        print("hello\nworld")
        sys.stderr.write("warning: x\n")
        return "ok"

    serve({"server_connection": CONNECTION}, chatty)
    assert json.loads(pipes[0].getvalue()) == {"output": "ok"}
    assert pipes[1].getvalue() == b"\x01d\x02hello\n\x01d\x02world\n\x01d\x02warning: x\n"


def test_every_line_of_a_log_has_its_prefix_and_no_control_character(pipes):
    wire.log(wire.ERROR, "one\ntwo\x01i\x02forged\x85three\u2028four\ttab")
    lines = pipes[1].getvalue().splitlines()
    assert all(line.startswith(b"\x01e\x02") for line in lines)
    assert b"\x01i" not in pipes[1].getvalue()
    assert b"forged" in pipes[1].getvalue()


def test_a_line_of_megabytes_is_cut_below_stashs_limit(pipes):
    wire.log(wire.INFO, "ü" * 1_000_000)
    assert len(pipes[1].getvalue()) < 64 * 1024


def test_progress_stays_between_nothing_and_all(pipes):
    for fraction in (-1, 0.5, 7):
        wire.progress(fraction)
    assert pipes[1].getvalue() == b"\x01p\x020.0000\n\x01p\x020.5000\n\x01p\x021.0000\n"


def test_stdin_is_drained_even_when_it_is_too_much(monkeypatch):
    monkeypatch.setattr(wire, "MAX_REQUEST_BYTES", 1000)
    stdin = io.BytesIO(b"x" * 5_000_000)
    with pytest.raises(UserError, match="64 MiB"):
        wire.read_request(stdin.read)
    assert stdin.read() == b""


def test_nobody_listening_is_no_reason_to_die(monkeypatch):
    class Closed:
        def write(self, text):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "__stdout__", Closed())
    monkeypatch.setattr(sys, "__stderr__", types.SimpleNamespace(buffer=Closed()))
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    wire.log(wire.INFO, "hello")
    assert serve({"server_connection": CONNECTION}, lambda request: "ok") == 0
