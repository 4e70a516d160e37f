"""The simulated Stash, whole."""

import json
import secrets
import shutil
import ssl
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, Self

from sim.stash.clock import ServerClock
from sim.stash.errors import ResolverError
from sim.stash.faults import Fault, Faults
from sim.stash.graphql.call import Backend
from sim.stash.jobs import Job, JobQueue
from sim.stash.library.events import LibraryEvents
from sim.stash.library.library import Library
from sim.stash.library.populate import populate
from sim.stash.logs import LogEntry
from sim.stash.plugins.command import Plugin
from sim.stash.plugins.installed import HookRun, PluginHost
from sim.stash.settings import JsonMap, Settings
from sim.stash.web.certificate import self_signed
from sim.stash.web.http_server import HttpServer
from sim.stash.web.sessions import COOKIE, Session, SessionStore
from sim.stash.web.settings_page import SettingsPage
from sim.stash.web.site import Site


class SimStash:
    """A Stash on loopback, running between `start` and `stop` or inside a with block."""

    def __init__(
        self,
        scenes: int = 0,
        *,
        port: int = 0,
        config_dir: Path | None = None,
        seed: int = 1,
        media_root: str = "/data/clips",
        now: Callable[[], float] = time.time,
        zone: tzinfo = UTC,
        tls: bool = False,
    ) -> None:
        self._own_folder = config_dir is None
        folder = config_dir or Path(tempfile.mkdtemp(prefix="sim-stash-"))
        self.clock = ServerClock(now, zone)
        self.settings = Settings(folder)
        self.library = Library(self.clock)
        populate(self.library, scenes, seed=seed, root=media_root)
        self.sessions = SessionStore(self.settings, self.clock)
        self.plugins = PluginHost(self.settings, self.sessions)
        self.faults = Faults()
        self._backend = Backend(self.settings, self.library, self.plugins, JobQueue(self.clock))
        self.events = LibraryEvents(self._backend)
        self._site = Site(self._backend, self.sessions, self.faults)
        self._http = HttpServer(self._site, port, self_signed(folder) if tls else None)
        self.settings.scheme = "https" if tls else "http"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End, and scream if the server itself made a mistake."""
        self.stop()
        if kind is None and self.crashes:
            raise ExceptionGroup("the simulated Stash itself is broken", self.crashes)

    def start(self) -> None:
        self._http.start()
        self.settings.port = self._http.port

    def stop(self) -> None:
        self._http.stop()
        self.jobs.close()
        self.plugins.close()
        if self._own_folder:
            shutil.rmtree(self.settings.config_dir, ignore_errors=True)

    @property
    def port(self) -> int:
        return self._http.port

    @property
    def url(self) -> str:
        return f"{self.settings.scheme}://127.0.0.1:{self.port}"

    @property
    def jobs(self) -> JobQueue:
        return self._backend.jobs

    @property
    def requests(self) -> Counter[str]:
        """How often each operation was asked (its name, else its root fields), and each other path."""
        return self._site.requests

    @property
    def crashes(self) -> list[Exception]:
        return self._site.crashes

    @property
    def logs(self) -> list[LogEntry]:
        return self.plugins.logs

    @property
    def hook_runs(self) -> list[HookRun]:
        return self.plugins.hook_runs

    def install_plugin(self, plugin_dir: Path, plugin_id: str = "Stash2Plex", python: str = sys.executable) -> Plugin:
        return self.plugins.install(plugin_dir, plugin_id, python)

    def configure_plugin(self, plugin_id: str, values: JsonMap) -> None:
        self.settings.plugins[plugin_id] = dict(values)

    def open_settings_page(self) -> SettingsPage:
        return SettingsPage(self)

    def set_credentials(self, username: str, password: str = "secret") -> None:  # noqa: S107 - nobody's password
        """From now on requests need a session or a key; an empty name lifts that again."""
        self.settings.username, self.settings.password = username, password

    def generate_api_key(self) -> str:
        self.settings.api_key = secrets.token_urlsafe(24)
        return self.settings.api_key

    def login(self) -> str:
        """A fresh session as a Cookie header."""
        return f"{COOKIE}={self.sessions.encode(Session(self.settings.username))}"

    def graphql(self, query: str, variables: JsonMap | None = None) -> Any:
        """Ask over HTTP as the web app would, and return `data`; an answer with errors raises ResolverError."""
        body = json.dumps({"query": query, "variables": variables or {}}).encode()
        headers = {"Content-Type": "application/json", "Cookie": self.login()}
        request = urllib.request.Request(f"{self.url}/graphql", body, headers)  # noqa: S310 - our own address
        with _opener().open(request) as response:
            answer = json.load(response)
        if "errors" in answer:
            raise ResolverError(answer["errors"][0]["message"])
        return answer["data"]

    def save_scene(self, scene_id: int, **fields: Any) -> None:
        """What a person does who presses Save: sceneUpdate over HTTP, hooks and all."""
        query = "mutation Save($input:SceneUpdateInput!){sceneUpdate(input:$input){id}}"
        self.graphql(query, {"input": {"id": str(scene_id), **fields}})

    def running_job(self, description: str = "Scanning...") -> AbstractContextManager[Job]:
        return self.jobs.running(description)

    def fail_with(self, fault: Fault, times: int | None = None, under: str = "/") -> None:
        """The next `times` requests below the path, or all of them until `heal`, meet the fault."""
        self.faults.begin(fault, times, under)

    def heal(self) -> None:
        self.faults.heal()
        self.faults.latency_seconds = 0.0

    def go_away(self) -> None:
        """Connection refused from now on."""
        self._http.stop()

    def come_back(self) -> None:
        self._http.start()

    def restart(self, *, with_new_session_key: bool = False) -> None:
        """The job queue is lost; a plugin task runs on, alone. A new session key makes old cookies worthless."""
        self.plugins.abandon()
        self._http.stop()
        self.jobs.close()
        self._backend.jobs = JobQueue(self.clock)
        if with_new_session_key:
            self.sessions.forget_all()
        self._http.start()


def _opener() -> urllib.request.OpenerDirector:
    """Neither proxies nor proofs: the server is our own, and so is its certificate."""
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    return urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trusting))
