"""A proxy with a path prefix before the simulated Stash, that also serves the web app's shell and the plugins' files.

GraphQL goes through to the simulated Stash. `operations`, where it is given, answers the plugin's operations and tasks
instead of a plugin process, so that a test can say what the page is told.
"""

import http.client
import json
import select
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol, Self, cast
from urllib.parse import parse_qs, quote, urlsplit

from sim.stash.shell.plugin_files import PluginFiles, etag
from sim.stash.shell.site_policy import HTML_HEADERS
from sim.stash.simulator import SimStash
from sim.stash.web.http_server import has_hung_up
from sim.stash.web.sessions import Session

POLL_SECONDS = 0.02
GRAPHQL_RESPONSE = "application/graphql-response+json"
"""How Stash answers since v0.29 who says that it understands it."""
OPERATION = "Stash2PlexOperation"
TASK = "Stash2PlexTask"
JsonMap = dict[str, Any]


class Operations(Protocol):
    """What stands in for a plugin process. Both may raise PluginError, and may look whether the browser has left."""

    def answer(self, args: JsonMap, has_left: Callable[[], bool]) -> Any: ...

    def queue(self, args: JsonMap) -> str: ...


class PluginError(Exception):
    """A GraphQL error with this sentence."""


@dataclass(frozen=True)
class Traffic:
    """One request of the browser; `answer` is None until it was answered, and for files."""

    method: str
    path: str
    operation: str
    variables: JsonMap
    answer: JsonMap | None


@dataclass
class ShellOptions:
    """`variant` names the set of libraries, `theme` the style sheet; both are files of the built shell."""

    folder: Path
    variant: str = "v0.30"
    theme: str = "dark"
    prefix: str = "/behind/a-proxy"
    plugins: list[PluginFiles] = field(default_factory=list[PluginFiles])


class ShellFront:
    """Listens on loopback between `start` and `stop`, or inside a with block."""

    def __init__(self, stash: SimStash, options: ShellOptions, operations: Operations | None = None) -> None:
        self.stash = stash
        self.options = options
        self.operations = operations
        self.traffic: list[Traffic] = []
        self.crashes: list[Exception] = []
        self._listener = _Listener(self)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown()
        self._thread.join()
        self._listener.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.server_address[1]}{self.options.prefix}"

    def asked(self, operation: str = OPERATION) -> list[Traffic]:
        return [one for one in self.traffic if one.operation == operation]

    def modes(self) -> list[str]:
        """Which operations the page asked, in order."""
        return [one.variables["args"]["mode"] for one in self.asked()]

    def shell_page(self) -> bytes:
        prefix, plugins = self.options.prefix, self.options.plugins
        listed = [
            {
                "id": plugin.id,
                "javascript": f"{prefix}/plugin/{plugin.id}/javascript" if plugin.javascript else None,
                "css": f"{prefix}/plugin/{plugin.id}/css" if plugin.css else None,
            }
            for plugin in plugins
            if self.stash.plugins.is_enabled(plugin.id)
        ]
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><base href="{prefix}/"><title>Stash</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1, maximum-scale=1">'
            f'<link rel="stylesheet" href="shell/{self.options.theme}.css"></head><body><div id="root"></div>'
            f"<script>window.stashPlugins={json.dumps(listed)}</script>"
            f'<script src="shell/{self.options.variant}.js"></script></body></html>'
        ).encode()


LOGIN_PAGE = (
    '<!DOCTYPE html><html lang="en"><head><title>Login</title></head><body><form method="post">'
    '<input name="returnURL" type="hidden" value="{address}"><button>Login</button></form></body></html>'
)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def _front(self) -> ShellFront:
        return cast("_Listener", self.server).front

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        prefix = self._front.options.prefix
        if not path.startswith(f"{prefix}/"):
            self._send(404, b"outside of the prefix\n")
            return
        self._get(path[len(prefix) :])

    def _get(self, path: str) -> None:
        if not path.startswith("/shell/"):
            self._front.traffic.append(Traffic("GET", path, "", {}, None))
        if path.startswith("/shell/"):
            self._send_shell_file(path.removeprefix("/shell/"))
        elif path == "/login":
            address = parse_qs(urlsplit(self.path).query).get("returnURL", ["/"])[0]
            self._send(200, LOGIN_PAGE.format(address=quote(address, safe=":/?=&")).encode(), "text/html", HTML_HEADERS)
        elif not self._is_let_in():
            self._send(302, headers={"Location": f"{self._front.options.prefix}/login?returnURL={quote(self.path)}"})
        elif path.startswith("/plugin/"):
            self._send_plugin_file(*path.removeprefix("/plugin/").partition("/")[::2])
        else:
            self._send(200, self._front.shell_page(), "text/html; charset=utf-8", HTML_HEADERS)

    def _is_let_in(self) -> bool:
        stash = self._front.stash
        return not stash.settings.needs_login or bool(stash.sessions.identify("", self.headers.get("Cookie", "")).user)

    def _send_shell_file(self, name: str) -> None:
        content = (self._front.options.folder / name).read_bytes()
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        self._send(200, content, kind, {"Cache-Control": "max-age=3600"})

    def _send_plugin_file(self, plugin_id: str, rest: str) -> None:
        plugin = next((one for one in self._front.options.plugins if one.id == plugin_id), None)
        if plugin is None:
            self._send(404, b"404 page not found\n")
        elif not self._front.stash.plugins.is_enabled(plugin_id):
            self._send(400, b"plugin disabled\n")
        elif rest in ("javascript", "css"):
            content = plugin.joined(plugin.javascript if rest == "javascript" else plugin.css)
            kind = "text/javascript" if rest == "javascript" else "text/css"
            self._send(200, content, kind, {"Cache-Control": "no-cache", "ETag": etag(content)})
        elif found := plugin.asset(rest.removeprefix("assets")):
            self._send(200, *found)
        else:
            self._send(404, b"404 page not found\n")

    def do_POST(self) -> None:
        path = urlsplit(self.path).path.removeprefix(self._front.options.prefix)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if path == "/login":
            address = parse_qs(body.decode()).get("returnURL", ["/"])[0]
            cookie = self._front.stash.sessions.set_cookie(Session(self._front.stash.settings.username))
            self._send(302, headers={"Location": address, "Set-Cookie": cookie})
        else:
            self._answer_graphql(json.loads(body), body)

    def _answer_graphql(self, request: JsonMap, body: bytes) -> None:
        name, variables = str(request.get("operationName")), cast("JsonMap", request.get("variables") or {})
        place = len(self._front.traffic)
        self._front.traffic.append(Traffic("POST", "/graphql", name, variables, None))
        operations = self._front.operations
        if operations is None or name not in (OPERATION, TASK) or not self._is_let_in():
            answer = self._pass_on(body)
        else:
            answer = self._scripted(operations, name, variables)
        if answer is None:
            self.close_connection = True
            return
        status, content = answer
        told = cast("JsonMap", json.loads(content)) if status == 200 else {}
        self._front.traffic[place] = Traffic("POST", "/graphql", name, variables, told)
        wants_new = GRAPHQL_RESPONSE in (self.headers.get("Accept") or "")
        self._send(status, content, GRAPHQL_RESPONSE if wants_new else "application/json")

    def _scripted(self, operations: Operations, name: str, variables: JsonMap) -> tuple[int, bytes] | None:
        """None when the browser left first."""
        field_name = "runPluginOperation" if name == OPERATION else "runPluginTask"
        args: JsonMap = variables.get("args") or {}
        try:
            if not self._front.stash.plugins.is_enabled("Stash2Plex"):
                raise PluginError("plugin Stash2Plex is disabled")  # noqa: TRY301 - as the plugin host does
            value = operations.answer(args, self._has_left) if name == OPERATION else operations.queue(args)
        except PluginError as error:
            told: JsonMap = {"errors": [{"message": str(error), "path": [field_name]}], "data": None}
        else:
            told = {"data": {field_name: value}}
        return None if self._has_left() else (200, json.dumps(told).encode())

    def _has_left(self) -> bool:
        return has_hung_up(self.connection)

    def _pass_on(self, body: bytes) -> tuple[int, bytes] | None:
        """What the simulated Stash says; None when the browser left first, and then Stash loses its caller, too."""
        upstream = http.client.HTTPConnection("127.0.0.1", self._front.stash.port)
        headers = {"Content-Type": "application/json", "Cookie": self.headers.get("Cookie", "")}
        try:
            upstream.request("POST", "/graphql", body, headers)
            while not select.select([upstream.sock], [], [], POLL_SECONDS)[0]:
                if self._has_left():
                    return None
            response = upstream.getresponse()
            return response.status, response.read()
        except OSError:
            return 502, b"{}"
        finally:
            upstream.close()

    def _send(
        self, status: int, body: bytes = b"", kind: str = "text/plain", headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing; requests are recorded instead."""


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, front: ShellFront) -> None:
        self.front = front
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the standard library's
        """A browser that leaves is no news; anything else is a bug of ours."""
        error = sys.exception()
        if isinstance(error, Exception) and not isinstance(error, OSError):
            self.front.crashes.append(error)
