"""SimWordPress: listens on loopback, answers the search as the real one does, and has its bad days."""

import json
import struct
import threading
import time
import zlib
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self, cast
from urllib.parse import parse_qs, urlsplit

from sim.wordpress.works import Work, make_work

Mood = Literal["well", "plug-in off", "html", "slow", "cut", "busy", "jpeg with 404", "redirect", "list", "endless"]
Answer = tuple[int, str, bytes]

SEARCHES = ("missav", "javguru")
REFRESH_PATH = "/wp-json/api-bearer-auth/v1/tokens/refresh"
JSON, HTML = "application/json; charset=UTF-8", "text/html; charset=UTF-8"


class SimWordPress:
    """`with SimWordPress() as site:` answers at `site.base_url` until the block ends."""

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._listener: _Listener | None = None
        self.token, self.refresh_token = "sim-wordpress-token", "sim-wordpress-refresh"
        self.mood: Mood = "well"
        self.slow_seconds = 5.0
        self.knows_all = False
        self.picture_height = 600
        self.works: dict[str, dict[str, list[Work]]] = {search: {} for search in SEARCHES}
        self.asked: list[tuple[str, str]] = []
        self.headers: list[tuple[str, Mapping[str, str]]] = []
        self.refreshes = 0

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        return f"{self.origin}/wp-json/emby/v1"

    def add(self, code: str, *works: Work, search: str = "missav") -> None:
        """Let a search answer a code: with a work of its own, or with those given, be they of another code."""
        self.works[search][code.casefold()] = list(works) or [make_work(code, len(self.works[search]))]

    def add_pictured(self, code: str, **changes: Any) -> None:
        picture = f"{self.origin}/wp-content/{code}.jpg?horizontal=1"
        self.add(code, make_work(code, image_cropped=picture, raw_image_url=picture, **changes))

    def expire_token(self) -> None:
        """Let the token in use run out, as it does after a day."""
        self.token += "-renewed"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        if self._listener is None:
            self._listener = _Listener(self._port, self)
            self._port = self._listener.port

    def stop(self) -> None:
        """Refuse connections; what the site knows stays."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    # --- answering ----------------------------------------------------------------------------------------------

    def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        path = urlsplit(target).path
        self.headers.append((path, headers))
        if path.startswith("/wp-content/"):
            return self._picture(target)
        if path == REFRESH_PATH:
            return self._refresh(body)
        if self.mood in _MOODS:
            return _MOODS[self.mood]
        if self.mood == "slow":
            time.sleep(self.slow_seconds)
        search = path.removeprefix("/wp-json/emby/v1/").removesuffix("/search")
        if self.mood == "plug-in off" or search not in SEARCHES or method != "POST":
            return _error(404, "rest_no_route", "No route was found matching the URL and request method.")
        if headers.get("Authorization") != f"Bearer {self.token}":
            return _error(401, "api_bearer_auth_invalid_token", "Invalid token.")
        return self._search(search, body)

    def _search(self, search: str, body: bytes) -> Answer:
        code = str(json.loads(body).get("moviecode", ""))
        self.asked.append((search, code))
        found = self.works[search].get(code.casefold())
        if self.knows_all:
            found = [make_work(code, len(self.asked))]
        if not found:
            return _json(200, {"success": False, "data": None, "message": "No results."})
        is_list = len(found) > 1 or self.mood == "list"
        return _json(200, {"success": True, "data": found if is_list else found[0]})

    def _refresh(self, body: bytes) -> Answer:
        if json.loads(body).get("refresh_token") != self.refresh_token:
            return _error(401, "api_bearer_auth_invalid_refresh_token", "Invalid refresh token.")
        self.refreshes += 1
        return _json(200, {"access_token": self.token, "expires_in": 86400})

    def _picture(self, target: str) -> Answer:
        """Send a picture, narrower where `w` asks for it; some sites send it with the wrong status."""
        width = int((parse_qs(urlsplit(target).query).get("w") or ["1200"])[0])
        if self.mood == "html":
            return 200, HTML, b"<!DOCTYPE html><title>Sign in</title>"
        return (404 if self.mood == "jpeg with 404" else 200), "image/jpeg", make_jpeg(width, self.picture_height)


_LOGIN = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body><form>Password <input></form></body></html>"


def _json(status: int, value: object) -> Answer:
    return status, JSON, json.dumps(value).encode()


def _error(status: int, code: str, message: str) -> Answer:
    return _json(status, {"code": code, "message": message, "data": {"status": status}})


def make_jpeg(width: int, height: int = 600) -> bytes:
    """Make bytes that begin as a JPEG does, tell its size and differ by it."""
    frame = struct.pack(">BBHBHHB", 0xFF, 0xC0, 17, 8, height, width, 3) + bytes(9)
    filling = struct.pack(">I", zlib.crc32(f"{width} {height}".encode())) * 64
    return b"\xff\xd8" + frame + filling + b"\xff\xd9"


_MOODS: Mapping[str, Answer] = {
    "html": (200, HTML, _LOGIN),
    "cut": (200, JSON, b'{"success": true, "data": {"movie_code": "SONE-7'),
    "busy": (503, HTML, b"<html><body>Briefly unavailable for scheduled maintenance.</body></html>"),
    "jpeg with 404": (404, "image/jpeg", make_jpeg(10)),
    "redirect": (302, HTML, b""),
    "endless": (200, JSON, b'{"success": true, "data": "' + b"x" * 6_000_000),
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        site = cast("_Listener", self.server).site
        status, kind, content = site.answer(self.command, self.path, dict(self.headers.items()), body)
        self.send_response_only(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if status == 302:
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
        self.end_headers()
        try:
            self.wfile.write(content)
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing; requests are kept instead."""


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, site: SimWordPress) -> None:
        self.site = site
        self._connections: set[Any] = set()
        super().__init__(("127.0.0.1", port), _Handler)
        self._loop = threading.Thread(target=self.serve_forever, args=(0.01,), name="sim-wordpress", daemon=True)
        self._loop.start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def close(self) -> None:
        self.shutdown()
        for connection in list(self._connections):
            super().shutdown_request(connection)
        self.server_close()
        self._loop.join()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Leave clients that hang up alone."""
