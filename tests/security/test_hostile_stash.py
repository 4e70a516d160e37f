"""Whoever answers where Stash should: it may fail us, it may not fill our memory or have the key sent elsewhere."""

import gzip
import json
import time

import pytest

from stash import graphql
from stash.client import StashClient
from stash.cover import CoverRefused
from stash.exceptions import StashError, StashUnintelligible, StashUnreachable
from sync_queue.session import Session
from tests.support.hostile_server import hostile_server

KEY, COOKIE = "the-api-key-1234", "the-cookie-1234"
JSON = {"Content-Type": "application/json"}


def client_of(server):
    return StashClient(Session("http", "127.0.0.1", server.server_port, COOKIE, 0.0, KEY))


def endless():
    while True:
        yield b"10000\r\n%s\r\n" % (b" " * 65536)


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_without_measure_is_given_up(monkeypatch, packed):
    monkeypatch.setattr(graphql, "MAX_ANSWER_BYTES", 5_000_000)
    bomb = gzip.compress(bytes(20_000_000))
    answer = (200, {**JSON, "Content-Encoding": "gzip"}, bomb) if packed else None
    with hostile_server(lambda path: answer or (200, {"Transfer-Encoding": "chunked"}, endless())) as server:
        client = client_of(server)
        with pytest.raises(StashUnintelligible, match="sends more than Stash would"):
            client.plugin_state()
        client.close()


def test_an_answer_that_drips_is_ended_in_time_and_called_so(monkeypatch):
    monkeypatch.setattr(graphql, "READ_TIMEOUT_SECONDS", 0.4)

    def drips():
        for _ in range(200):
            yield b" "
            time.sleep(0.05)

    with hostile_server(lambda path: (200, {**JSON, "Content-Length": "1000"}, drips())) as server:
        client, start = client_of(server), time.monotonic()
        with pytest.raises(StashUnreachable, match="keeps coming, bit by bit"):
            client.plugin_state()
        assert time.monotonic() - start < 8
        client.close()


@pytest.mark.parametrize("packed", [False, True])
def test_a_cover_without_measure_is_no_cover(packed):
    bomb = gzip.compress(bytes(50_000_000))
    answer = (200, {"Content-Encoding": "gzip"}, bomb) if packed else None
    with hostile_server(lambda path: answer or (200, {"Transfer-Encoding": "chunked"}, endless())) as server:
        client = client_of(server)
        with pytest.raises(CoverRefused, match="larger than 10 MB"):
            client.cover(f"{server.url}/scene/1/screenshot")
        client.close()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_takes_key_and_cookie_nowhere(status):
    with hostile_server(lambda path: (200, JSON, b"{}")) as elsewhere:
        with hostile_server(lambda path: (status, {"Location": elsewhere.url + "/x"}, b"")) as server:
            client = client_of(server)
            for call in (client.plugin_state, lambda: client.cover("/scene/1/screenshot")):
                with pytest.raises(StashError) as caught:
                    call()
                assert KEY not in str(caught.value)
                assert COOKIE not in str(caught.value)
            client.close()
        assert elsewhere.asked == []


@pytest.mark.parametrize("prefix", ["@", "//", "http://", "x@", "http://u@", "\\\\", "/\\", "?@", "/..//"])
def test_a_cover_is_fetched_from_stash_whatever_host_its_address_names(prefix):
    with hostile_server(lambda path: (200, {}, b"\xff\xd8\xff")) as elsewhere:
        with hostile_server(lambda path: (200, {}, b"\xff\xd8\xff")) as server:
            client = client_of(server)
            client.cover(f"{prefix}127.0.0.1:{elsewhere.server_port}/scene/1/screenshot")
            client.close()
            assert len(server.asked) == 1
        assert elsewhere.asked == []


def test_the_environment_does_not_change_where_key_and_cookie_go(monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("default login a password b\n")
    monkeypatch.setenv("NETRC", str(netrc))
    content = {"data": {"configuration": {"general": {"apiKey": KEY}, "plugins": {}}, "plugins": []}}
    with hostile_server(lambda path: (500, {}, b"")) as proxy:
        for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        with hostile_server(lambda path: (200, JSON, json.dumps(content).encode())) as server:
            client = client_of(server)
            client.plugin_state()
            client.close()
            ((_, _, headers, _),) = server.asked
        assert proxy.asked == []
    assert headers["ApiKey"] == KEY
    assert "Authorization" not in headers


@pytest.mark.parametrize(
    "body", [b"[" * 200_000, b'{"a":' * 200_000, b"9" * 100_000, b"\xff\xfe", b'"\\ud800"', b"null"]
)
def test_json_that_is_none_of_stashs_is_told_so(body):
    with hostile_server(lambda path: (200, JSON, body)) as server:
        client = client_of(server)
        with pytest.raises(StashError):
            client.plugin_state()
        client.close()
