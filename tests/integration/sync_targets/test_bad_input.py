"""What people type wrong, and servers that are not what they were: a sentence everywhere, and nothing is written."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from runtime.state_file import write_state
from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.server import SimMediaBrowser
from sim.plex.server import SimPlex
from sim.stash.web.certificate import self_signed
from sync.known_targets import KnownTarget, KnownTargets, state_of

SCENE = 1


@pytest.fixture(params=list(FLAVOURS))
def flavour(request):
    return request.param


@contextmanager
def certificate_of_nobody(folder):
    """Serve TLS with a certificate that nobody has vouched for."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.socket = self_signed(folder).wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"https://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def told_everywhere(counter, *words):
    """Have a scene be synced, and see that status, health check and explain say why nothing came of it."""
    shop = counter.shop
    name = {"emby": "Emby", "jellyfin": "Jellyfin"}[shop.name]
    known = KnownTargets((KnownTarget(shop.name, is_on=True, url=shop.server.url),))
    write_state(counter.folder.targets_state, state_of(known))
    shop.forget_requests()
    shop.clock.advance(40.0)
    for _ in range(8):
        shop.save(SCENE)
        shop.clock.advance(5.0)
    (status,) = [one for one in counter.ask("status")["targets"] if one["target"] == shop.name]
    health = [one["sentence"] for one in counter.ask("health_check")["findings"] if one["target"] == shop.name]
    explained = counter.explain(SCENE)
    for place, text in {
        "status": status["sentence"],
        "health": " ".join(health),
        "explain": " ".join([explained["sentence"], *explained["not_asked"]]),
    }.items():
        assert all(word in text for word in words), (place, text)
        assert shop.server.api_key not in text
        assert name in text or place == "health"
    assert [call for call in shop.server.requests if call.method != "GET"] == []
    assert status["queue"]["dead"] == 0


def test_a_wrong_key(counter, flavour):
    name = counter.shop.name
    counter.configure(**{f"{name}_api_key": "0" * 32})
    told_everywhere(counter, "does not accept the API key")


@pytest.mark.parametrize("status", [401, 403])
def test_a_user_without_the_right_to_edit(counter, flavour, status):
    shop = counter.shop
    shop.server.quirks.refusal_of_users = status
    counter.configure(**{f"{shop.name}_api_key": shop.server.user("viewer").token})
    told_everywhere(counter, "key")


def test_the_address_of_the_web_page_is_a_setting_that_cannot_be_used(counter, flavour):
    shop = counter.shop
    counter.configure(**{f"{shop.name}_url": f"{shop.server.url}/web/index.html"})
    shop.forget_requests()
    shop.save(SCENE)
    (settings,) = [one for one in counter.ask("health_check")["findings"] if one["part"] == "Settings"]
    assert not settings["ok"]
    assert f"{shop.name}_url" in settings["sentence"]
    assert shop.server.requests == []


def test_the_address_of_a_page_that_lies_elsewhere(counter, flavour):
    with SimMediaBrowser(flavour, 1) as same:
        counter.configure(**{f"{counter.shop.name}_url": f"{same.url}/app/index.html"})
        told_everywhere(counter, "is this its own address")


def test_an_address_without_the_base_path(counter, flavour):
    shop = counter.shop
    bare = shop.server.url
    shop.server.quirks.base_url = "/media"
    counter.configure(**{f"{shop.name}_url": bare})
    told_everywhere(counter, "base path")


def test_the_address_of_plex(counter, flavour):
    with SimPlex(1) as plex:
        counter.configure(**{f"{counter.shop.name}_url": plex.url})
        told_everywhere(counter, "a Plex server answers at this address")
        assert not any(counter.shop.server.api_key in str(call) for call in plex.requests)


def test_the_address_of_the_other_of_the_two(counter, flavour):
    is_emby = flavour.startswith("emby")
    other, words = ("jellyfin-12", "Jellyfin, not of Emby") if is_emby else ("emby-4.9", "Emby, not of Jellyfin")
    with SimMediaBrowser(other, 1) as stranger:
        counter.configure(**{f"{counter.shop.name}_url": stranger.url})
        told_everywhere(counter, f"this is the address of {words}")
        assert not any(counter.shop.server.api_key in str(call.headers) for call in stranger.requests)


def test_a_library_that_is_not_there(counter, flavour):
    counter.configure(**{f"{counter.shop.name}_library": "Nowhere"})
    told_everywhere(counter, "no library with videos is called 'Nowhere'", "'Scenes'")


def test_a_version_that_we_do_not_know(counter, flavour):
    identity = counter.shop.server.world.identity
    identity.flavour = identity.flavour.with_version("99.1")
    told_everywhere(counter, "99.1 is not known to this plugin")


def test_another_server_than_before(counter, flavour):
    shop = counter.shop
    shop.connection.server_id(shop.conditions.get().config)
    shop.server.become_another_server()
    told_everywhere(counter, "another", "server answers at this address", "Clear Match Cache")


def test_a_certificate_that_is_not_good(counter, flavour, tmp_path):
    with certificate_of_nobody(tmp_path) as url:
        counter.configure(**{f"{counter.shop.name}_url": url})
        told_everywhere(counter, "certificate")
