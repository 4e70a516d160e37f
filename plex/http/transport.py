"""Reading from and writing to one Plex server: lazily connected, reads repeated, writes never.

plexapi's `PlexServer` connects and reads XML, on our session. Its objects are not fit for sharing, so each thread has
its own. After an outage whoever answers must identify itself anew before anything is read or written.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol, TypeVar, cast
from urllib.parse import quote
from xml.etree.ElementTree import Element

from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from model.errors import AnswerGarbled, Kind, TargetError, TargetUnreachable, WrongServer
from model.server import ServerIdentity
from plex.device_identity import DeviceIdentity, prepare_plexapi
from plex.exceptions import translated
from plex.http.answers import checked_root, parse_xml
from plex.http.session import BIG_ANSWER_BYTES, PlexSession, Timeouts

Parameter = tuple[str, str | int]
Query = Sequence[Parameter]
T = TypeVar("T")

_SHORT = 64
_ATTEMPTS = 4
_FIRST_WAIT_SECONDS = 0.1  # then 0.2, 0.4


class _PlexServer(Protocol):
    """What we use of plexapi's class."""

    machineIdentifier: str | None  # noqa: N815 - plexapi's spelling
    friendlyName: str | None  # noqa: N815 - as above
    version: str | None
    platform: str | None

    def query(self, key: str, *, headers: Mapping[str, str] | None = None) -> Element | None: ...


class _Connection(threading.local):
    """This thread's plexapi object, and the outage it was made after."""

    server: _PlexServer | None = None
    outages: int = -1


class Transport:
    """All requests of one client."""

    def __init__(
        self,
        url: str,
        token: str,
        identity: DeviceIdentity,
        timeouts: Timeouts,
        *,
        expected_server: str | None = None,
        verify: bool | str = True,
        wait: Callable[[float], None] | None = None,
    ) -> None:
        self._identity = identity
        self._token = token.strip()
        self._timeouts = timeouts
        self._session = PlexSession(url, token, identity, timeouts, verify=verify)
        self._expected_machine = expected_server
        self._connection = _Connection()
        self._outages = 0
        self._repeated_reads = _repeating(frozenset({Kind.REFUSED, Kind.RESET}), wait)
        self._repeated_writes = _repeating(frozenset({Kind.REFUSED}), wait)  # nobody has seen it

    @property
    def url(self) -> str:
        """The server's address, without user or password."""
        return self._session.base_url

    def close(self) -> None:
        self._session.close()

    def identify(self) -> ServerIdentity:
        """Ask the server with the token who it is."""
        self._connection.server = None
        return self.server()

    def server(self) -> ServerIdentity:
        """Say which server this thread is connected to."""
        server = self._connected()
        return ServerIdentity(
            server.machineIdentifier or "", server.friendlyName or "", server.version or "", server.platform or ""
        )

    def probe(self) -> str:
        """Ask the cheapest question, which needs no token: is our server there? Give its machine identifier."""
        answer = self._session.get(f"{self.url}/identity")
        return self._checked_machine(parse_xml(answer.content, "GET /identity").get("machineIdentifier") or "")

    def read_xml(self, path: str, query: Query = (), headers: Mapping[str, str] | None = None) -> Element:
        """Read a small answer as a tree."""
        server = self._connected()

        def read() -> Element:
            with translated(f"GET {path}"):
                root = server.query(path + query_string(query), headers=headers)
            return checked_root(root, f"GET {path}")

        return self._repeated(self._repeated_reads, read)

    def read_page(self, path: str, query: Query, headers: Mapping[str, str]) -> tuple[bytes, Mapping[str, str]]:
        """Read a big answer as it came."""
        self._connected()

        def read() -> tuple[bytes, Mapping[str, str]]:
            url = self.url + path + query_string(query)
            response = self._session.request("GET", url, headers=dict(headers), max_bytes=BIG_ANSWER_BYTES)
            return response.content, cast("Mapping[str, str]", response.headers)

        return self._repeated(self._repeated_reads, read)

    def write(self, method: str, target: str, *, body: bytes | None = None, timeouts: Timeouts | None = None) -> bytes:
        """Send a change to a path with its query, once; again only if no connection came about: nobody has seen it."""
        self._connected()

        def send() -> bytes:
            return self._session.request(method, self.url + target, data=body, timeout=timeouts).content

        return self._repeated(self._repeated_writes, send)

    # --- connecting ---------------------------------------------------------------------------------------------

    def _connected(self) -> _PlexServer:
        mine = self._connection
        if mine.server is None or mine.outages != self._outages:
            mine.server = None  # should this fail, nobody may go on with the old one
            outages = self._outages
            mine.server = self._connect()
            mine.outages = outages
        return mine.server

    def _connect(self) -> _PlexServer:
        prepare_plexapi(self._identity)
        from plexapi.exceptions import PlexApiException  # noqa: PLC0415 - the identity must be set before
        from plexapi.server import PlexServer  # noqa: PLC0415 - as above

        def connect() -> _PlexServer:
            with translated("GET /", PlexApiException):
                made: Any = PlexServer(self.url, self._token, session=self._session, timeout=self._timeouts)
            return cast("_PlexServer", made)

        server = self._repeated(self._repeated_reads, connect)
        self._checked_machine(getattr(server, "machineIdentifier", None) or "")
        return server

    def _checked_machine(self, found: str) -> str:
        """Hold on to the first server seen, if we were not told which one to expect."""
        if not found:
            raise AnswerGarbled("this does not look like a Plex server", kind=Kind.NOT_PLEX, status=200).at("GET /")
        self._expected_machine = self._expected_machine or found
        if found != self._expected_machine:
            self._connection.server = None
            raise WrongServer(self._expected_machine, found)
        return found

    def _repeated(self, retrying: Retrying, act: Callable[[], T]) -> T:
        try:
            return retrying(act)
        except TargetUnreachable:
            self._outages += 1  # whoever answers next must say who it is
            raise


def _repeating(kinds: frozenset[Kind], wait: Callable[[float], None] | None) -> Retrying:
    def is_worth_repeating(error: BaseException) -> bool:
        return isinstance(error, TargetError) and error.kind in kinds

    options: dict[str, Any] = {"sleep": wait} if wait else {}
    return Retrying(
        stop=stop_after_attempt(_ATTEMPTS),
        wait=wait_exponential(multiplier=_FIRST_WAIT_SECONDS),
        retry=retry_if_exception(is_worth_repeating),
        reraise=True,
        **options,
    )


def query_string(query: Query) -> str:
    return f"?{encoded(query)}" if query else ""


def encoded(query: Iterable[Parameter]) -> str:
    """Encode a query our way: `%20` for a space, nothing left as it is."""
    return "&".join(f"{_quoted(name)}={_quoted(str(value))}" for name, value in query)


@lru_cache(maxsize=4096)
def _short_quoted(text: str) -> str:
    return quote(text, safe="")


def _quoted(text: str) -> str:
    """Encode a text; parameter names and tags come again and again."""
    return _short_quoted(text) if len(text) < _SHORT else quote(text, safe="")
