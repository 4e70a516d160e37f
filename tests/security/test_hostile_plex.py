"""A hostile or broken Plex: it may fail us, it may not fill our memory, read our files or have our token sent on."""

import contextlib
import gzip
import resource
import time

import pytest

from model.errors import AnswerGarbled, Kind, TargetBusy, TargetError, TargetUnreachable
from model.server import Library
from plex.client import PlexClient
from plex.device_identity import DeviceIdentity
from plex.http.session import SMALL_ANSWER_BYTES
from runtime.net import bounded_answer, timed_answer
from sim.plex.faults import DRIPPING, DRIPPING_HEADERS
from sim.plex.server import SimPlex
from sim.stash.web.certificate import self_signed
from tests.support.hostile_server import hostile_server

TOKEN = "the-secret-token-1234"
IDENTITY = DeviceIdentity("1b4e28ba-2fa1-11d2-883f-0016d3cca427")
SERVER = b'<MediaContainer machineIdentifier="m1" friendlyName="x" version="1" size="0"/>'
LIBRARY = Library(1, "Scenes", "movie")

LAUGHS = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12))
BOMBS = {
    "billion laughs": b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">%s]><MediaContainer title="&l11;"/>'
    % LAUGHS,
    "one big entity": b'<!DOCTYPE x [<!ENTITY a "%s">]><MediaContainer>%s</MediaContainer>'
    % (b"a" * 10**5, b"&a;" * 10**5),
    "external entity": b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><MediaContainer>&a;</MediaContainer>',
    "external type": b'<!-- hello --> <!DOCTYPE x SYSTEM "http://127.0.0.1:1/evil.dtd"><MediaContainer/>',
    "parameter entity": b'\xef\xbb\xbf<!DOCTYPE x [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]><MediaContainer/>',
}
BOMBS["in UTF-16"] = BOMBS["billion laughs"].decode().encode("utf-16")
BOMBS["in UTF-16 without a mark"] = BOMBS["billion laughs"].decode().encode("utf-16-be")


def answering(content, headers=None, status=200):
    """Answer as a Plex when asked who it is, and with this to everything else."""
    return lambda path: (200, {}, SERVER) if path in ("/", "/identity") else (status, headers or {}, content)


@pytest.fixture
def memory_limit():
    """Let this process have half a gigabyte more than it has now; a bomb then fails the test, not the machine."""
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + 512 * 1024 * 1024, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def calls(client):
    return (
        client.libraries,
        lambda: client.details(["1", "2"]),
        lambda: list(client.walk(LIBRARY)),
        lambda: client.find_file(LIBRARY, "/a/b.mp4"),
    )


@pytest.mark.only_on("linux", reason="the limit is Linux's")
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_document_type_is_refused_before_it_is_read(bomb, memory_limit):
    with hostile_server(answering(BOMBS[bomb])) as server:
        client = PlexClient(server.url, TOKEN, IDENTITY)
        for call in calls(client):
            with pytest.raises(AnswerGarbled) as caught:
                call()
            assert "root:" not in str(caught.value)
        client.close()
    with hostile_server(lambda path: (200, {}, BOMBS[bomb])) as server:
        client = PlexClient(server.url, TOKEN, IDENTITY)
        for call in (client.identify, client.probe):
            with pytest.raises(AnswerGarbled):
                call()
        client.close()


def endless(piece=b"<a/>" * 16384):
    while True:
        yield b"%x\r\n%s\r\n" % (len(piece), piece)


CHUNKED = {"Transfer-Encoding": "chunked"}
BOMB = gzip.compress(bytes(3 * SMALL_ANSWER_BYTES))
GZIPPED = {"Content-Encoding": "gzip"}


@pytest.mark.only_on("linux", reason="the limit is Linux's")
@pytest.mark.parametrize(
    ("headers", "content"),
    [
        (CHUNKED, endless),
        ({}, lambda: b"<MediaContainer>" + b" " * 2 * SMALL_ANSWER_BYTES + b"</MediaContainer>"),
        (GZIPPED, lambda: BOMB),
    ],
    ids=["endless", "oversized", "unpacks to too much"],
)
def test_an_answer_without_measure_is_given_up(headers, content, memory_limit, monkeypatch):
    monkeypatch.setattr("plex.http.transport.BIG_ANSWER_BYTES", SMALL_ANSWER_BYTES)  # or this takes long
    with hostile_server(lambda path: (200, {}, SERVER) if path == "/" else (200, headers, content())) as server:
        client = PlexClient(server.url, TOKEN, IDENTITY)
        for call in calls(client):
            with pytest.raises(AnswerGarbled, match="larger than any of Plex's") as caught:
                call()
            assert caught.value.kind is Kind.TOO_LARGE
        client.close()


def test_an_error_page_without_measure_is_given_up():
    with hostile_server(answering(endless(), CHUNKED, 500)) as server:
        client = PlexClient(server.url, TOKEN, IDENTITY)
        with pytest.raises(AnswerGarbled, match="larger"):
            client.libraries()
        client.close()


def test_the_limits_leave_room_for_what_plex_sends():
    item = b'<Video ratingKey="1" type="movie">' + b'<Genre tag="a tag of a person"/>' * 2000 + b"</Video>"
    assert len(item) * 50 < SMALL_ANSWER_BYTES
    body = b'<MediaContainer size="1" librarySectionID="1">' + item + b"</MediaContainer>"
    with hostile_server(answering(body)) as server:
        client = PlexClient(server.url, TOKEN, IDENTITY)
        assert client.details(["1"])["1"].item_id == "1"
        client.close()


@pytest.mark.parametrize("fault", [DRIPPING, DRIPPING_HEADERS], ids=lambda fault: fault.name)
def test_an_answer_that_drips_is_ended_in_time_and_called_so(fault):
    with SimPlex(3) as plex:
        client = PlexClient(plex.url, plex.token, IDENTITY, read_timeout=0.5)
        client.identify()
        plex.faults.add(fault)
        start = time.monotonic()
        with pytest.raises(TargetUnreachable, match="keeps coming, bit by bit") as caught:
            client.libraries()
        assert 0.8 < time.monotonic() - start < 15
        assert caught.value.kind is Kind.DRIPPING
        plex.faults.clear()
        assert client.libraries()
        client.close()


def test_an_answer_that_is_long_in_coming_and_fast_enough_is_waited_for(monkeypatch):
    monkeypatch.setattr(timed_answer, "LEAST_BYTES_A_SECOND", 1000.0)
    body = SERVER + b" " * 4000

    def steady():
        for place in range(0, len(body), 400):
            time.sleep(0.2)
            yield body[place : place + 400]

    with hostile_server(answering(steady(), {"Content-Length": str(len(body))})) as server:
        client = PlexClient(server.url, TOKEN, IDENTITY, read_timeout=0.5)
        start = time.monotonic()
        assert client.libraries() == []
        assert time.monotonic() - start > 1.5
        client.close()


def test_an_answer_that_trickles_for_ever_is_given_up(monkeypatch):
    def trickle():
        yield b"<MediaContainer>"
        for _ in range(200):
            time.sleep(0.05)
            yield b" "

    monkeypatch.setattr(bounded_answer.hold_bounded, "__defaults__", (0.3,))
    with hostile_server(answering(trickle(), {"Content-Length": "1000000"})) as server:
        client = PlexClient(server.url, TOKEN, IDENTITY)
        with pytest.raises(TargetUnreachable) as caught:
            client.libraries()
        assert caught.value.kind is Kind.DRIPPING
        client.close()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_takes_the_token_nowhere(status):
    with hostile_server(lambda path: (200, {}, SERVER)) as elsewhere:
        target = f"{elsewhere.url}/{TOKEN}?X-Plex-Token={TOKEN}"
        with hostile_server(answering(b"", {"Location": target}, status)) as server:
            client = PlexClient(server.url, TOKEN, IDENTITY)
            for call in calls(client):
                with pytest.raises(TargetBusy) as caught:
                    call()
                assert TOKEN not in str(caught.value)
            client.close()
        assert elsewhere.asked == []


def test_the_environment_does_not_change_where_the_token_goes(monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password else\ndefault login a password b\n")
    monkeypatch.setenv("NETRC", str(netrc))
    with hostile_server(lambda path: (200, {}, SERVER)) as proxy, hostile_server(answering(SERVER)) as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        client = PlexClient(server.url, TOKEN, IDENTITY)
        client.identify()
        client.libraries()
        client.close()
        assert proxy.asked == []
        assert all("Authorization" not in headers for _, _, headers, _ in server.asked)
        assert {headers["X-Plex-Token"] for _, _, headers, _ in server.asked} == {TOKEN}
        assert all(TOKEN not in path for _, path, _, _ in server.asked)


def test_a_certificate_nobody_vouches_for_is_refused(tmp_path):
    with hostile_server(answering(SERVER)) as server:
        server.socket = self_signed(tmp_path).wrap_socket(server.socket, server_side=True)
        client = PlexClient(server.url.replace("http:", "https:"), TOKEN, IDENTITY, wait=lambda _: None)
        with pytest.raises(TargetUnreachable) as caught:
            client.identify()
        client.close()
    assert caught.value.kind is Kind.TLS
    assert server.asked == []


def test_deeply_nested_markup_is_read_or_refused():
    body = b"<MediaContainer>" + b"<a>" * 200_000 + b"</a>" * 200_000 + b"</MediaContainer>"
    with hostile_server(answering(body)) as server:
        client = PlexClient(server.url, TOKEN, IDENTITY)
        for call in calls(client):
            with contextlib.suppress(TargetError):
                call()
        client.close()
