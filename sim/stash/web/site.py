"""The site behind the socket: who may see what, and what each path answers."""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from sim.stash.caller import Caller
from sim.stash.errors import OperationCancelled
from sim.stash.faults import Fault, Faults
from sim.stash.graphql.call import Backend, Call
from sim.stash.graphql.endpoint import GraphqlEndpoint, Reply
from sim.stash.library.pictures import PLACEHOLDER, media_type, png
from sim.stash.web.sessions import Session, SessionStore, WrongApiKey

PAGE = b"<!DOCTYPE html><html><head><title>Stash</title></head><body></body></html>"
PICTURE = re.compile(r"/(scene|performer|studio|tag|group)/(\d+)/(?:screenshot|image|frontimage)")
POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    gone: Callable[[], bool]

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def api_key(self) -> str:
        in_query = parse_qs(urlsplit(self.target).query).get("apikey", [""])
        return self.headers.get("ApiKey") or in_query[0]


@dataclass(frozen=True)
class Response:
    status: int
    media_type: str = "text/plain; charset=utf-8"
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict[str, str])


class Site:
    def __init__(self, backend: Backend, sessions: SessionStore, faults: Faults) -> None:
        self._backend = backend
        self._sessions = sessions
        self._faults = faults
        self._graphql = GraphqlEndpoint()
        self._counting = threading.Lock()
        self.requests: Counter[str] = Counter()
        self.crashes: list[Exception] = []

    def answer(self, request: Request) -> Response:
        """Raises OperationCancelled when the client leaves first."""
        fault = self._stumble(request)
        if fault is Fault.SERVER_ERROR:
            return self._counted(request.path, Response(500, body=b"Internal Server Error\n"))
        if fault is Fault.HTML:
            return self._counted(request.path, Response(200, "text/html; charset=utf-8", PAGE))
        try:
            session = self._sessions.identify(request.api_key, request.headers.get("Cookie", ""))
        except WrongApiKey:
            return self._counted(request.path, Response(401, body=b"unauthorized\n"))
        refusal = self._refusal(request, session)
        if refusal:
            return self._counted(request.path, refusal)
        is_locked = fault is Fault.DATABASE_LOCKED
        return self._renewed(self._route(request, session, is_locked=is_locked), session)

    def _stumble(self, request: Request) -> Fault | None:
        time.sleep(self._faults.latency_seconds)
        fault = self._faults.next(request.path)
        while fault is Fault.HANG:
            if request.gone():
                self._count(request.path)
                raise OperationCancelled
            if self._faults.wait_for_change(POLL_SECONDS):
                fault = self._faults.next(request.path)
        return fault

    def _refusal(self, request: Request, session: Session) -> Response | None:
        if not self._backend.settings.needs_login or session.user or request.path == "/login":
            return None
        if request.path == "/graphql":
            return Response(401, headers={"WWW-Authenticate": "FormBased"})
        return Response(302, headers={"Location": "/login?" + urlencode({"returnURL": request.path})})

    def _renewed(self, response: Response, session: Session) -> Response:
        if not session.from_cookie:
            return response
        return replace(response, headers={**response.headers, "Set-Cookie": self._sessions.set_cookie(session)})

    def _route(self, request: Request, session: Session, *, is_locked: bool) -> Response:
        if request.path == "/graphql":
            return self._answer_graphql(request, session, is_locked=is_locked)
        self._count(request.path)
        if picture := PICTURE.fullmatch(request.path):
            return self._picture(picture[1], int(picture[2]))
        # Whatever the server does not know is the web app's business, which always exists.
        return Response(200, "text/html; charset=utf-8", PAGE)

    def _answer_graphql(self, request: Request, session: Session, *, is_locked: bool) -> Response:
        if not request.headers.get("Content-Type", "").startswith("application/json"):
            self._count("invalid")
            return _json(Reply(400, {"errors": [{"message": "transport not supported"}], "data": None}))
        caller = Caller(session.user, session.visited, request.gone)
        call = Call(self._backend, self._base_url(request), caller)
        reply = self._graphql.answer(request.body, call, self._count, is_locked=is_locked)
        return _json(reply)

    def _base_url(self, request: Request) -> str:
        settings = self._backend.settings
        return settings.external_host or f"{settings.scheme}://{request.headers.get('Host', '')}"

    def _picture(self, kind: str, record_id: int) -> Response:
        library = self._backend.library
        record: Any = getattr(library, f"{kind}s").get(record_id)
        if record is None:
            return Response(404, body=b"Not Found\n")
        version = record.cover_version if kind == "scene" else record.image_version
        if version == 0:
            return Response(200, "image/svg+xml", PLACEHOLDER)
        data = library.uploaded.get((kind, record_id, version)) or png(f"{kind} {record_id} {version}")
        return Response(200, media_type(data), data)

    def _counted(self, name: str, response: Response) -> Response:
        self._count(name)
        return response

    def _count(self, name: str) -> None:
        with self._counting:
            self.requests[name] += 1


def _json(reply: Reply) -> Response:
    body = json.dumps(reply.body, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(reply.status, "application/json", body)
