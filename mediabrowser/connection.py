"""The connection to one server: what it lets through is a good answer from the server we mean.

It adds the key only to requests to the server's own address, and only after the server has said who it is; follows no
redirect, asks no proxy of the environment, reads no answer without bounds. Reads are repeated, writes are not.
"""

import email.utils
import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import requests
from requests.adapters import HTTPAdapter
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from mediabrowser.dialect import Dialect, Product, told_product
from mediabrowser.exceptions import from_status, translated
from model.errors import (
    AccessDenied,
    AnswerGarbled,
    ItemGone,
    Kind,
    TargetStarting,
    TargetUnreachable,
    WrongAddress,
    WrongServer,
)
from runtime.net.bounded_answer import hold_bounded
from runtime.net.retry_after import retry_after_seconds
from validation.json_shapes import as_object, as_text

Query = Sequence[tuple[str, str | int]]
T = TypeVar("T")

ANSWER_BYTES = 100_000_000  # a page of five hundred items is a hundredth of it
TOTAL_SECONDS = 300.0  # a Jellyfin that scans takes tens of seconds; no answer takes minutes
_ATTEMPTS = 4
_FIRST_WAIT_SECONDS = 0.1  # then 0.2, 0.4
_SHOWABLE_KEY = re.compile(r"[!#-+\--~]*")  # no blank, quote or comma: none is in a key, and a header ends at them
_CLIENT = "Stash2Plex"


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """Which server this is, and how it wants to be spoken to."""

    server_id: str
    name: str
    dialect: Dialect

    @property
    def version(self) -> str:
        return self.dialect.version


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """`server_time` is when the server answered, by its own clock."""

    value: object
    server_time: float | None


@dataclass(frozen=True, slots=True)
class FileAnswer:
    """A file as it was served; `media_type` is what the server says it is."""

    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Timeouts:
    connect_seconds: float = 5.0
    read_seconds: float = 30.0


class Connection:
    """All requests to one server. Connects when first asked; may be shared between threads."""

    def __init__(
        self,
        url: str,
        key: str,
        product: Product,
        *,
        device_id: str,
        version: str = "",
        timeouts: Timeouts | None = None,
        expected_server: str | None = None,
        verify: bool | str = True,
        wait: Callable[[float], None] | None = None,
    ) -> None:
        self.url = _checked_address(url)
        self._key = _checked_key(key)
        self._product = product
        self._device = (device_id, version)
        self._timeouts = timeouts or Timeouts()
        self._expected_server = expected_server
        self._session = _session(verify)
        self._server: ServerInfo | None = None
        self._connecting = threading.RLock()
        self._reads = _repeating(frozenset({Kind.REFUSED, Kind.RESET}), wait)
        self._writes = _repeating(frozenset({Kind.REFUSED}), wait)  # nobody has seen it

    def close(self) -> None:
        self._session.close()

    # --- who is there ---------------------------------------------------------------------------------------------

    def server(self) -> ServerInfo:
        """Say which server this is, asking only if it is not known or there was an outage."""
        known = self._server
        if known is not None:
            return known
        with self._connecting:
            return self._server or self.identify()

    @property
    def dialect(self) -> Dialect:
        return self.server().dialect

    def identify(self) -> ServerInfo:
        """Ask the server who it is, and then with the key whether it is up and lets us in.

        The name alone is no proof of health: a Jellyfin that moves its data for an hour tells it as well.
        """
        with self._connecting:
            self._server = None
            found = self._repeated(self._reads, self._ask_name)
            self.check_server(found.server_id)
            found.dialect.check_version()
            self._expected_server = found.server_id
            self._repeated(self._reads, lambda: self._ask_health(found))
            self._server = found
            return found

    def probe(self) -> None:
        """Ask whether our server is there, up, and lets us in."""
        self.identify()

    def check_server(self, server_id: str) -> None:
        """Hold whoever answered to the server we know. Items name their server; that one does not proves nothing."""
        if server_id and self._expected_server is not None and server_id != self._expected_server:
            self._server = None
            raise WrongServer(self._expected_server, server_id, self._product)

    def _ask_name(self) -> ServerInfo:
        try:
            response = self._send("GET", "/System/Info/Public", (), None)
        except (ItemGone, AccessDenied) as error:
            text = f"what answers here is not {self._product}; is this its own address?"
            raise WrongAddress(text, kind=Kind.OTHER_PRODUCT, status=error.status) from error
        # While it starts, Jellyfin spells the names with small letters.
        document = {name.lower(): value for name, value in (as_object(_parsed(response, "who are you")) or {}).items()}
        product = told_product(document)
        if product is not self._product:
            text = f"this is the address of {product}, not of {self._product}"
            raise WrongAddress(text, kind=Kind.OTHER_PRODUCT)
        dialect = Dialect(product, as_text(document.get("version")))
        return ServerInfo(as_text(document.get("id")), as_text(document.get("servername")), dialect)

    def _ask_health(self, found: ServerInfo) -> None:
        document = as_object(_parsed(self._send("GET", "/System/Info", (), found.dialect), "GET /System/Info")) or {}
        self.check_server(as_text(document.get("Id")))
        if document.get("IsInMaintenanceMode") is True:
            raise TargetStarting("the server is in maintenance mode").at("GET /System/Info")

    # --- requests -------------------------------------------------------------------------------------------------

    def read(self, path: str, query: Query = ()) -> JsonAnswer:
        """Read a JSON document."""

        def ask() -> JsonAnswer:
            response = self._send("GET", path, query, self.dialect)
            return JsonAnswer(_parsed(response, f"GET {path}"), _moment(response.headers.get("Date")))

        return self._repeated(self._reads, ask)

    def read_file(self, path: str, accept: str, max_bytes: int) -> "FileAnswer":
        """Read a file, in one of the types that are accepted."""

        def ask() -> FileAnswer:
            response = self._send("GET", path, (), self.dialect, accept=accept, max_bytes=max_bytes)
            return FileAnswer(response.content, _media_type(response))

        return self._repeated(self._reads, ask)

    def write(
        self, method: str, path: str, query: Query = (), body: bytes = b"", media_type: str = "application/json"
    ) -> object:
        """Send a change, once; again only if no connection came about: nobody has seen it. Give the JSON that came."""

        def send() -> object:
            response = self._send(method, path, query, self.dialect, body=body, media_type=media_type)
            return _parsed(response, f"{method} {path}") if response.content else None

        return self._repeated(self._writes, send)

    def _send(
        self,
        method: str,
        path: str,
        query: Query,
        dialect: Dialect | None,
        *,
        body: bytes = b"",
        media_type: str = "",
        accept: str = "",
        max_bytes: int | None = None,
    ) -> requests.Response:
        """Send one request; raise TargetError unless it succeeds. Without a dialect no key goes along."""
        headers = {"Accept": "application/json"} if dialect is None else self._headers(dialect)
        if body:
            headers["Content-Type"] = media_type
        if accept:
            headers["Accept"] = accept
        address = f"{self.url}{path}{_query_string(query)}"
        timeouts = (self._timeouts.connect_seconds, self._timeouts.read_seconds)
        with translated(f"{method} {path}"):
            response = self._session.request(
                method,
                address,
                headers=headers,
                data=body or None,
                timeout=timeouts,
                allow_redirects=False,
                stream=True,
            )
            hold_bounded(response, max_bytes or ANSWER_BYTES, TOTAL_SECONDS)
        _check(response, method, path)
        return response

    def _headers(self, dialect: Dialect) -> dict[str, str]:
        """Say who we are in the one form that each dialect will keep."""
        device_id, version = self._device
        names = {"Client": _CLIENT, "Device": _CLIENT, "DeviceId": device_id, "Version": version or "0"}
        if dialect.is_emby:
            own = {f"X-Emby-{name}": quote(value) for name, value in _emby_names(names).items()}
            return {"Accept": "application/json", "X-Emby-Token": self._key, **own}
        pairs = ", ".join(f'{name}="{quote(value)}"' for name, value in names.items())
        return {"Accept": "application/json", "Authorization": f'MediaBrowser Token="{self._key}", {pairs}'}

    def _repeated(self, retrying: Retrying, act: Callable[[], T]) -> T:
        try:
            return retrying(act)
        except TargetUnreachable:
            self._server = None  # whoever answers next must say who it is
            raise


def _emby_names(names: Mapping[str, str]) -> dict[str, str]:
    spelled = {"Client": "Client", "Device": "Device-Name", "DeviceId": "Device-Id", "Version": "Client-Version"}
    return {spelled[name]: value for name, value in names.items()}


def _session(verify: bool | str) -> requests.Session:  # noqa: FBT001 - requests' own parameter
    session = requests.Session()
    session.trust_env = False
    session.verify = verify
    adapter = HTTPAdapter(pool_connections=1, pool_maxsize=8, max_retries=0)
    session.mount("http://", adapter)
    session.mount("https://", adapter)
    return session


def _checked_address(url: str) -> str:
    """Read the address a person typed: scheme, host, port and base path; a password in it has no place here."""
    try:
        parts = urlsplit(url.strip())
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise TargetUnreachable("this is no usable address", kind=Kind.BAD_URL) from error
    if not is_usable:
        text = "this is no usable address; it must begin with http:// or https://"
        raise TargetUnreachable(text, kind=Kind.BAD_URL)
    if parts.username is not None:
        raise TargetUnreachable("an address must hold no user and no password", kind=Kind.BAD_URL)
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


def _checked_key(key: str) -> str:
    """Stop a key that cannot be sent here; requests would quote it in its complaint."""
    if not key.strip() or not _SHOWABLE_KEY.fullmatch(key.strip()):
        raise AccessDenied("the API key is empty or holds characters that no key has")
    return key.strip()


def _check(response: requests.Response, method: str, path: str) -> None:
    status = response.status_code
    if "X-Plex-Protocol" in response.headers:
        raise WrongAddress("a Plex server answers at this address", kind=Kind.PLEX, status=status)
    if 300 <= status < 400:  # noqa: PLR2004 - the redirects
        # Not where to: whoever sends us on may have put the key there.
        text = "this address sends us elsewhere; is the server's base path missing in it?"
        raise WrongAddress(text, kind=Kind.REDIRECT, status=status).at(f"{method} {path}")
    if not 200 <= status < 300:  # noqa: PLR2004 - success
        raise from_status(status, method, path, retry_after_seconds(response.headers))


def _media_type(response: requests.Response) -> str:
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def _parsed(response: requests.Response, what: str) -> object:
    if _media_type(response) == "text/html":
        text = "a web page came instead of the server's answer; is this its own address?"
        raise AnswerGarbled(text, kind=Kind.HTML_PAGE, status=response.status_code).at(what)
    try:
        value: Any = json.loads(response.content.decode("utf-8-sig"))
    except ValueError as error:
        raise AnswerGarbled("the answer is cut or is no JSON", kind=Kind.CUT_JSON).at(what) from error
    return value


def _moment(text: str | None) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(text or "").timestamp()
    except (ValueError, OverflowError):
        return None


def _query_string(query: Query) -> str:
    """Encode a query: `%20` for a space; commas separate ids and stay."""
    pairs = (f"{name}={quote(str(value), safe=',')}" for name, value in query)
    return f"?{'&'.join(pairs)}" if query else ""


def _repeating(faults: frozenset[Kind], wait: Callable[[float], None] | None) -> Retrying:
    def is_worth_repeating(error: BaseException) -> bool:
        return isinstance(error, TargetUnreachable) and error.kind in faults

    options: dict[str, Any] = {"sleep": wait} if wait else {}
    return Retrying(
        stop=stop_after_attempt(_ATTEMPTS),
        wait=wait_exponential(multiplier=_FIRST_WAIT_SECONDS),
        retry=retry_if_exception(is_worth_repeating),
        reraise=True,
        **options,
    )
