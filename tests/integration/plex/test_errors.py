"""Every row of the error table, provoked on a server and recognised."""

import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from model.errors import (
    AccessDenied,
    AnswerGarbled,
    ItemGone,
    Kind,
    LibraryNotFound,
    TargetBusy,
    TargetError,
    TargetStarting,
    TargetUnreachable,
    WrongServer,
)
from model.server import Library
from plex.client import PlexClient
from sim.plex import faults
from sim.plex.faults import Fault
from sim.plex.web.exchange import Answer

READ_FAULTS = [
    (faults.RESET, TargetUnreachable, Kind.RESET, None),
    (faults.SHORT_BODY, TargetUnreachable, Kind.RESET, None),
    (faults.RESET_MIDWAY, TargetUnreachable, Kind.RESET, None),
    (faults.HANG, TargetUnreachable, Kind.READ_TIMEOUT, None),
    (faults.BAD_GATEWAY, TargetUnreachable, Kind.GATEWAY, 502),
    (faults.status(503), TargetUnreachable, Kind.GATEWAY, 503),
    (faults.GATEWAY_TIMEOUT, TargetUnreachable, Kind.GATEWAY, 504),
    (faults.MAINTENANCE, TargetStarting, Kind.MAINTENANCE, 503),
    (faults.MIGRATIONS, TargetStarting, Kind.MAINTENANCE, 503),
    (faults.TOO_MANY, TargetBusy, Kind.RATE_LIMIT, 429),
    (faults.SERVER_ERROR, TargetBusy, Kind.SERVER_ERROR, 500),
    (faults.CUT_XML, AnswerGarbled, Kind.CUT_XML, None),
    (faults.LOGIN_PAGE, AnswerGarbled, Kind.HTML_PAGE, 200),
    (faults.status(494), TargetBusy, Kind.UNKNOWN_STATUS, 494),
    (faults.status(520), TargetBusy, Kind.UNKNOWN_STATUS, 520),
    (faults.status(302), TargetBusy, Kind.REDIRECT, 302),
    (faults.UNAUTHORIZED, AccessDenied, Kind.TOKEN, 401),
    (faults.FORBIDDEN, AccessDenied, Kind.PERMISSION, 403),
    (faults.status(498), AccessDenied, Kind.TOKEN, 498),
    (faults.status(400), TargetBusy, Kind.BAD_REQUEST, 400),
    (faults.status(414), TargetBusy, Kind.BAD_REQUEST, 414),
]


@pytest.fixture(params=READ_FAULTS, ids=lambda row: row[0].name)
def row(request):
    return request.param


def recognised(row, act):
    _, family, kind, status = row
    with pytest.raises(family) as caught:
        act()
    assert (caught.value.kind, caught.value.status) == (kind, status)


@pytest.mark.parametrize("code", [429, 503])
def test_a_plex_that_says_how_long_to_wait_is_heard(sim, client, code):
    client.identify()
    sim.faults.add(Fault("wait", Answer(b"", code, "text/html", {"Retry-After": "120"})))
    with pytest.raises(TargetError) as caught:
        client.libraries()
    assert caught.value.retry_after == 120.0


def test_a_tree_that_goes_wrong_is_recognised(sim, client, row):
    client.identify()
    sim.faults.add(row[0], kind="sections")
    recognised(row, client.libraries)


def test_a_page_that_goes_wrong_is_recognised(sim, client, scenes, row):
    sim.faults.add(row[0], kind="list")
    recognised(row, lambda: list(client.walk(scenes)))


def test_a_first_connection_that_goes_wrong_is_recognised(sim, client, row):
    sim.faults.add(row[0], kind="root")
    recognised(row, client.libraries)


def test_nobody_there(sim, client, waits):
    sim.stop()
    with pytest.raises(TargetUnreachable) as caught:
        client.libraries()
    assert caught.value.kind is Kind.REFUSED
    assert waits == pytest.approx([0.1, 0.2, 0.4])


def test_a_name_that_does_not_resolve(make_client):
    with pytest.raises(TargetUnreachable) as caught:
        make_client(url="http://plex.invalid:32400").libraries()
    assert caught.value.kind is Kind.DNS


def test_tls_where_there_is_none(sim, make_client):
    with pytest.raises(TargetUnreachable) as caught:
        make_client(url=sim.url.replace("http:", "https:")).libraries()
    assert caught.value.kind is Kind.TLS
    sim.journal.clear()  # a handshake is no request of ours


@pytest.mark.parametrize(
    "url", ["127.0.0.1:32400", "ftp://x", "http://", "http://a b:1", "http://[::1", "http://x:port"]
)
def test_an_address_that_is_none(make_client, url):
    with pytest.raises(TargetUnreachable) as caught:
        make_client(url=url).libraries()
    assert caught.value.kind is Kind.BAD_URL


def test_a_wrong_token(make_client):
    with pytest.raises(AccessDenied):
        make_client(token="wrong").libraries()


@pytest.mark.parametrize("token", ["with\nnewline", "häßlich-geheim", "two words"])
def test_a_token_that_cannot_be_sent_is_refused_and_not_quoted(make_client, token):
    with pytest.raises(AccessDenied) as caught:
        make_client(token=token)
    assert token not in str(caught.value)


def test_no_token_in_any_message(sim, make_client, row):
    client = make_client()
    sim.faults.add(row[0])
    with pytest.raises(Exception) as caught:
        client.libraries()
    error = caught.value
    while error is not None:
        assert sim.token not in f"{error} {error!r}"
        error = error.__cause__ or error.__context__
    assert sim.token not in repr(client)


def test_a_404_on_an_item_a_library_and_a_server(sim, client, scenes):
    with pytest.raises(ItemGone):
        client.details_of(999_999)
    with pytest.raises(LibraryNotFound):
        list(client.walk(Library(99, "gone", "movie")))
    sim.faults.add(faults.NOT_FOUND, kind="sections")
    with pytest.raises(AnswerGarbled) as caught:
        client.libraries()
    assert caught.value.kind is Kind.NOT_PLEX


def test_another_server_than_the_one_we_know(sim, make_client):
    with pytest.raises(WrongServer) as caught:
        make_client(expected_server="ours").libraries()
    assert (caught.value.expected, caught.value.found) == ("ours", sim.server_id)
    assert sim.journal.counts() == {"root": 1}


def test_a_server_swapped_during_an_outage_is_noticed_before_anything_is_asked_of_it(sim, client):
    client.libraries()
    sim.stop()
    with pytest.raises(TargetUnreachable):
        client.libraries()
    sim.become_another_server()
    sim.start()
    sim.journal.clear()
    for _ in range(2):
        with pytest.raises(WrongServer):
            client.libraries()
    with pytest.raises(WrongServer):
        client.probe()
    assert set(sim.journal.counts()) == {"root", "identity"}


def test_a_reconnection_that_fails_otherwise_does_not_bring_the_old_server_back(sim, client):
    client.libraries()
    sim.stop()
    with pytest.raises(TargetUnreachable):
        client.libraries()
    sim.become_another_server()
    sim.start()
    sim.journal.clear()
    sim.faults.add(faults.UNAUTHORIZED, kind="root", times=1)
    with pytest.raises(AccessDenied):
        client.libraries()
    with pytest.raises(WrongServer):
        client.libraries()
    assert sim.journal.counts() == {"root": 2}


def test_a_redirect_is_not_followed_and_names_where_to(sim, client, identity):
    with socket.create_server(("127.0.0.1", 0)) as other:
        thread = threading.Thread(target=_redirect_once, args=(other, "http://evil.example/login?next=/"))
        thread.start()
        stranger = PlexClient(f"http://127.0.0.1:{other.getsockname()[1]}", sim.token, identity, read_timeout=2)
        with pytest.raises(TargetBusy) as caught:
            stranger.libraries()
        thread.join()
        stranger.close()
    assert caught.value.kind is Kind.REDIRECT
    assert "sends us on to http://evil.example;" in str(caught.value)


def _redirect_once(server, target):
    connection, _ = server.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode())


@pytest.mark.parametrize("fault", [faults.RESET, faults.SHORT_BODY, faults.RESET_MIDWAY])
def test_a_read_is_repeated_after_a_broken_connection(sim, client, waits, fault):
    client.identify()
    sim.faults.add(fault, kind="sections", times=3)
    assert client.libraries()
    assert waits == pytest.approx([0.1, 0.2, 0.4])


@pytest.mark.parametrize("fault", [faults.HANG, faults.SERVER_ERROR, faults.TOO_MANY, faults.MAINTENANCE])
def test_a_read_is_not_repeated_when_the_server_has_spoken_or_has_been_waited_for(sim, client, waits, fault):
    client.identify()
    rule = sim.faults.add(fault, kind="sections")
    with pytest.raises((TargetUnreachable, TargetBusy)):
        client.libraries()
    assert (waits, rule.hits) == ([], 1)


def test_an_environment_with_proxies_is_not_asked(sim, make_client, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "")
    assert make_client().libraries()


def test_the_probe_needs_no_token_and_one_request(sim, make_client):
    make_client(token="wrong").probe()
    assert sim.journal.counts() == {"identity": 1}
    sim.faults.add(faults.MAINTENANCE, kind="identity")
    with pytest.raises(TargetStarting):
        make_client().probe()


def test_threads_share_a_client_but_no_plexapi_object(sim, client):
    client.libraries()
    seen = []

    def work():
        client.libraries()
        seen.append(client._transport._connection.server)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(server) for server in [*seen, client._transport._connection.server]}) == 5
    assert sim.count("root") == 5


class Impostor(BaseHTTPRequestHandler):
    """Answers everything with the document it is given."""

    def do_GET(self):
        body = self.server.document
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("document", [b"", b"<MediaContainer/>", b"<Response code='200'/>", b"hello", b"{}", b"\x00"])
def test_whatever_answers_and_is_not_plex_is_recognised(make_client, document):
    with HTTPServer(("127.0.0.1", 0), Impostor) as server:
        server.document = document
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        client = make_client(url=f"http://127.0.0.1:{server.server_port}")
        try:
            for verb in (client.identify, client.probe, client.libraries):
                with pytest.raises(AnswerGarbled):
                    verb()
        finally:
            client.close()
            server.shutdown()
            thread.join()


def test_connections_are_reused_and_nothing_is_asked_before_the_first_need(sim, make_client):
    client = make_client()
    assert sim.count() == 0
    for _ in range(5):
        client.libraries()
    assert sim.journal.counts() == {"root": 1, "sections": 5}
