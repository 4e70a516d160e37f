"""The connection: who answers is made sure of before the key is shown, and what answers is not believed unseen."""

import socket
import threading

import pytest

from mediabrowser.client import MediaBrowserClient
from mediabrowser.connection import Timeouts
from mediabrowser.dialect import Product
from model.errors import (
    AccessDenied,
    AnswerGarbled,
    ChangeRejected,
    ItemGone,
    Kind,
    TargetBusy,
    TargetStarting,
    TargetUnreachable,
    WrongAddress,
    WrongServer,
)
from sim.mediabrowser import faults
from sim.mediabrowser.quirks import Quirks
from sim.plex.server import SimPlex
from tests.integration.mediabrowser.conftest import client_of

KEY = "0123456789abcdef0123456789abcdef"


def client(url, product=Product.JELLYFIN, key=KEY, **more):
    return MediaBrowserClient(
        url, key, product, device_id="test", timeouts=Timeouts(20.0, 20.0), wait=lambda _: None, **more
    )


def test_the_dialect_is_found_out_by_asking(start, flavour):
    server, made = start(flavour)
    found = made.identify()
    assert (found.server_id, found.version) == (server.server_id, server.flavour.version)
    assert found.dialect.is_emby == server.flavour.is_emby
    assert found.name.startswith("Simulated")
    assert server.journal.counts() == {"public info": 1, "info": 1}
    made.server()
    assert server.count() == 2  # known: not asked again
    made.probe()
    assert server.count("info") == 2


def test_the_key_goes_in_one_header_and_not_before_the_server_has_said_who_it_is(start, flavour):
    server, made = start(flavour)
    made.libraries()
    first, *others = server.requests
    assert KEY not in str(first.headers)
    for call in others:
        assert [name for name, value in call.headers.items() if KEY in value] == [
            "x-emby-token" if server.flavour.is_emby else "authorization"
        ]
        assert not call.token_in_url
    assert KEY not in repr(made)


def test_a_key_never_goes_to_another_product_or_another_server(start):
    server, made = start("emby-4.9", client={"expected_server": "somebody"}, held=False)
    with pytest.raises(WrongServer) as wrong:
        made.identify()
    assert (wrong.value.expected, wrong.value.found) == ("somebody", server.server_id)
    with pytest.raises(WrongAddress, match="this is the address of Emby, not of Jellyfin") as other:
        client(server.url).libraries()
    assert other.value.kind is Kind.OTHER_PRODUCT
    assert not any(KEY in str(call.headers) for call in server.requests)


def test_the_address_of_plex_is_told_as_such():
    with SimPlex(0) as plex, pytest.raises(WrongAddress, match="Plex") as error:
        client(plex.url).identify()
    assert error.value.kind is Kind.PLEX


def test_an_address_without_its_base_path_or_of_the_web_page_is_told_as_such(start):
    server, made = start("jellyfin-12", quirks=Quirks(base_url="/jellyfin"), held=False)
    made.identify()
    with pytest.raises(WrongAddress, match="base path") as error:
        client(server.url.removesuffix("/jellyfin")).identify()
    assert error.value.kind is Kind.REDIRECT
    with pytest.raises(WrongAddress, match="is this its own address"):
        client(f"{server.url}/web/index.html").identify()
    server.faults.add(faults.LOGIN_PAGE)
    with pytest.raises(AnswerGarbled) as page:
        client(server.url).identify()
    assert page.value.kind is Kind.HTML_PAGE


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8096", "ftp://localhost", "http://", "http://[", "http://localhost:port", "http://u:p@localhost"],
)
def test_what_is_no_address_is_told_at_once(url):
    with pytest.raises(TargetUnreachable) as error:
        client(url)
    assert error.value.kind is Kind.BAD_URL
    assert "p@" not in str(error.value)


@pytest.mark.parametrize("key", ["", " ", "with blank", 'with"quote', "with,comma", "schlüssel", "line\nbreak"])
def test_a_key_that_cannot_be_sent_is_told_without_being_shown(key):
    with pytest.raises(AccessDenied) as error:
        client("http://localhost", key=key)
    assert not key.strip() or key not in str(error.value)


def test_a_wrong_or_revoked_key_and_one_without_rights(start, flavour):
    server, made = start(flavour, client={"key": "wrong"})
    with pytest.raises(AccessDenied) as error:
        made.identify()
    assert error.value.kind is Kind.TOKEN
    viewer = client_of(server, key=server.user("viewer").token)
    viewer.identify()
    with pytest.raises(AccessDenied) as error:
        viewer.libraries()
    assert error.value.kind is Kind.PERMISSION
    good = client_of(server)
    good.libraries()
    server.revoke_key()
    with pytest.raises(AccessDenied):
        good.libraries()


@pytest.mark.parametrize(
    ("flavour", "version"), [("jellyfin-12", "13.0.0"), ("jellyfin-10.10", "10.8.13"), ("emby-4.9", "4.10.0.1")]
)
def test_nothing_is_asked_of_a_version_that_we_do_not_know(start, flavour, version):
    server, made = start(flavour, version=version)
    with pytest.raises(WrongAddress, match=version.replace(".", r"\.")):
        made.libraries()
    assert server.count() == 1


def test_versions_with_known_trouble_say_so(start):
    _, made = start("jellyfin-10.11", version="10.11.3")
    assert "10.11.5" in made.identify().dialect.trouble
    _, made = start("jellyfin-10.11")
    assert made.identify().dialect.trouble == ""


def test_a_server_that_starts_is_an_outage_though_it_tells_its_name(start, flavour):
    server, made = start(flavour, held=False)
    server.set_phase("starting")
    with pytest.raises(TargetStarting) as error:
        made.identify()
    if server.flavour.has_startup_server:
        assert error.value.retry_after == 5.0
        assert server.journal.counts() == {"public info": 1, "info": 1}
    server.set_phase("running")
    assert made.libraries()


def test_another_server_at_our_address_is_noticed_after_an_outage_and_before_a_write(start, flavour):
    server, made = start(flavour)
    item = server.item_ids()[0]
    made.document(item)
    server.become_another_server()
    with pytest.raises(WrongServer):
        made.document(item)  # the item names its server
    server.stop()
    server.start()
    with pytest.raises(WrongServer):
        made.libraries()


def test_an_upgrade_in_the_middle_is_noticed_after_the_outage(start):
    server, made = start("jellyfin-10.11")
    assert made.server().version.startswith("10.11")
    server.upgrade("jellyfin-12", starting_seconds=3600)
    with pytest.raises(TargetStarting):
        made.libraries()
    server.set_phase("running")
    assert made.libraries()
    assert made.server().version.startswith("12.")


def test_reads_are_repeated_and_writes_are_not(start):
    server, made = start("jellyfin-12")
    made.server()
    server.faults.add(faults.RESET, kind="libraries", times=2)
    assert made.libraries()
    assert server.count("libraries") == 3
    server.faults.add(faults.RESET, kind="media updated", times=1)
    with pytest.raises(TargetUnreachable) as error:
        made.scans.report(["/data/scenes/x.mp4"])
    assert error.value.kind is Kind.RESET
    assert server.count("media updated") == 1


def test_a_write_is_repeated_only_if_nobody_has_seen_it(start):
    waits = []
    server, made = start("jellyfin-12", client={"wait": waits.append})
    made.server()
    server.stop()

    def start_again(seconds):
        waits.append(seconds)
        if len(waits) == 2:
            server.start()

    made.connection._writes.sleep = start_again
    made.scans.report(["/data/scenes/x.mp4"])
    assert waits == [0.1, 0.2]
    assert server.count("media updated") == 1


@pytest.mark.parametrize(
    ("fault", "error", "kind"),
    [
        (faults.BAD_GATEWAY, TargetUnreachable, Kind.GATEWAY),
        (faults.STARTING, TargetStarting, Kind.MAINTENANCE),
        (faults.TOO_MANY, TargetBusy, Kind.RATE_LIMIT),
        (faults.DATABASE_LOCKED, TargetBusy, Kind.SERVER_ERROR),
        (faults.status(520), TargetBusy, Kind.UNKNOWN_STATUS),
        (faults.status(400), TargetBusy, Kind.READ_REFUSED),
        (faults.NOT_FOUND, ItemGone, Kind.GONE),
        (faults.FORBIDDEN, AccessDenied, Kind.PERMISSION),
        (faults.CUT_JSON, AnswerGarbled, Kind.CUT_JSON),
        (faults.LOGIN_PAGE, AnswerGarbled, Kind.HTML_PAGE),
        (faults.SHORT_BODY, TargetUnreachable, Kind.RESET),
        (faults.hanging(3), TargetUnreachable, Kind.READ_TIMEOUT),
    ],
)
def test_every_fault_is_told_apart(start, fault, error, kind):
    server, made = start("jellyfin-12", client={"timeouts": Timeouts(20.0, 1.0)})
    made.server()
    server.faults.add(fault, kind="libraries")
    with pytest.raises(error) as raised:
        made.libraries()
    assert (type(raised.value), raised.value.kind) == (error, kind)


def test_a_refused_write_is_rejected(start):
    server, made = start("jellyfin-12")
    server.faults.add(faults.status(413), kind="media updated")
    with pytest.raises(ChangeRejected) as error:
        made.scans.report(["/data/scenes/x.mp4"])
    assert error.value.status == 413


def test_nothing_at_the_address_is_refused():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(TargetUnreachable) as error:
        client(f"http://127.0.0.1:{port}").identify()
    assert error.value.kind is Kind.REFUSED


def test_an_answer_without_end_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr("mediabrowser.connection.ANSWER_BYTES", 100_000)
    body = b'{"Version": "' + b"1" * 10_000_000

    def serve(listener):
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
            try:
                connection.sendall(body)
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        made = client(f"http://127.0.0.1:{listener.getsockname()[1]}")
        with pytest.raises(AnswerGarbled) as error:
            made.identify()
        made.close()
        thread.join(5)
    assert error.value.kind is Kind.TOO_LARGE


def test_a_certificate_that_is_not_good_is_told(tmp_path):
    """A server that speaks no TLS at all has no good certificate either."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(TargetUnreachable) as error:
            client(f"https://127.0.0.1:{listener.getsockname()[1]}").identify()
        thread.join(5)
    assert error.value.kind is Kind.TLS


def test_proxies_of_the_environment_are_not_asked(start, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    _, made = start("jellyfin-12")
    assert made.identify()
