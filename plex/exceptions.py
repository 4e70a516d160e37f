"""What can go wrong when talking to Plex.

PlexError
├── PlexUnreachable        nothing answered: refused, reset, DNS, timeout, TLS; 502 to 504
│   ├── PlexMaintenance    503 with Plex's own words: it starts up or migrates its database
│   └── OutcomeUnknown     a write whose answer was lost, and reading back did not show it done
├── PlexBusy               429, other 5xx, redirects, codes nobody documented
│   └── PlexGarbled        an answer that is no answer: cut XML, an HTML page where XML belongs
│       └── FilterIgnored  everything came where a choice was asked for: the server does not know the filter
├── PlexUnauthorized       401, 403, 498: the token, or what it may do
├── WrongServer            somebody else's machine identifier at our address
├── LibraryNotFound        no library of that name; carries the names there are
├── PlexRejected           400, 414 and their kin: this very request is wrong; carries its fields
│   └── RequestTooLong     414, or too long to be sent at all
└── ItemNotFound           not in Plex, perhaps not yet
    └── ItemGone           404 on an item we knew: look its path up again

Every error carries `kind` (what happened, for machines) and `status` (the HTTP code, if one came). No decision anywhere
is taken by an error's text. Foreign errors become ours in `translate` and `from_status`, nowhere else.
"""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from http import HTTPStatus
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import ExpatError

import requests
import urllib3.exceptions

from runtime.bounded_answer import AnswerTooLarge, AnswerTooSlow


class Kind(StrEnum):
    """What happened, finer than the class that says what it is."""

    REFUSED = "refused"  # no connection came about: the request never left
    DNS = "dns"
    TLS = "tls"
    CONNECT_TIMEOUT = "connect_timeout"
    READ_TIMEOUT = "read_timeout"
    RESET = "reset"  # the connection broke after the request may have left
    BAD_URL = "bad_url"
    GATEWAY = "gateway"
    MAINTENANCE = "maintenance"
    NOT_CONFIRMED = "not_confirmed"
    RATE_LIMIT = "rate_limit"
    SERVER_ERROR = "server_error"
    REDIRECT = "redirect"
    UNKNOWN_STATUS = "unknown_status"
    CUT_XML = "cut_xml"
    HTML_PAGE = "html_page"
    TOO_LARGE = "too_large"
    NOT_PLEX = "not_plex"
    FILTER_IGNORED = "filter_ignored"
    TOKEN = "token"  # noqa: S105 - a name, not a secret
    PERMISSION = "permission"
    WRONG_SERVER = "wrong_server"
    NO_LIBRARY = "no_library"
    BAD_REQUEST = "bad_request"
    TOO_LONG = "too_long"
    NOT_IN_PLEX = "not_in_plex"
    GONE = "gone"


NEVER_SENT = frozenset({Kind.REFUSED, Kind.DNS, Kind.TLS, Kind.CONNECT_TIMEOUT, Kind.BAD_URL})
"""Faults after which even a write may be repeated: the server has not seen it."""


class PlexError(Exception):
    """Whatever keeps us from reading or writing Plex."""

    default_kind: Kind = Kind.UNKNOWN_STATUS

    def __init__(self, message: str, *, kind: Kind | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind or self.default_kind
        self.status = status


class PlexUnreachable(PlexError):
    default_kind = Kind.REFUSED


class PlexMaintenance(PlexUnreachable):
    default_kind = Kind.MAINTENANCE


class OutcomeUnknown(PlexUnreachable):
    """`applied` is False when we read back and it was not there (yet), None when reading back failed too."""

    default_kind = Kind.NOT_CONFIRMED

    def __init__(self, message: str, *, applied: bool | None, status: int | None = None) -> None:
        super().__init__(message, status=status)
        self.applied = applied


class PlexBusy(PlexError):
    default_kind = Kind.SERVER_ERROR


class PlexGarbled(PlexBusy):
    default_kind = Kind.CUT_XML


class FilterIgnored(PlexGarbled):
    default_kind = Kind.FILTER_IGNORED


class PlexUnauthorized(PlexError):
    default_kind = Kind.TOKEN


class WrongServer(PlexError):
    """Another machine answers at our address; nothing may be written to it."""

    default_kind = Kind.WRONG_SERVER

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(
            f"another Plex server answers at this address: expected machine {expected}, found {found or 'none'}; "
            "if that is right, run the task Clear Match Cache"
        )
        self.expected = expected
        self.found = found


class LibraryNotFound(PlexError):
    """A name in the settings fits no library; `existing` are the names that would."""

    default_kind = Kind.NO_LIBRARY

    def __init__(
        self, message: str, *, missing: Sequence[str] = (), existing: Sequence[str] = (), status: int | None = None
    ) -> None:
        super().__init__(message, status=status)
        self.missing = tuple(missing)
        self.existing = tuple(existing)


class PlexRejected(PlexError):
    """The request itself is at fault; `fields` names what it tried to write."""

    default_kind = Kind.BAD_REQUEST

    def __init__(
        self, message: str, *, kind: Kind | None = None, status: int | None = None, fields: Sequence[str] = ()
    ) -> None:
        super().__init__(message, kind=kind, status=status)
        self.fields = tuple(fields)


class RequestTooLong(PlexRejected):
    default_kind = Kind.TOO_LONG


class ItemNotFound(PlexError):
    default_kind = Kind.NOT_IN_PLEX


class ItemGone(ItemNotFound):
    default_kind = Kind.GONE


def may_be_applied(error: PlexError) -> bool:
    """Tell of a write that failed so: was only its answer lost? Then it must be read back, never repeated."""
    if isinstance(error, PlexMaintenance):
        return False
    return isinstance(error, (PlexUnreachable, PlexGarbled)) and error.kind not in NEVER_SENT


# --- the one place where foreign errors become ours -------------------------------------------------------------

FOREIGN: tuple[type[Exception], ...] = (requests.RequestException, urllib3.exceptions.HTTPError, ParseError, ExpatError)


@contextmanager
def translated(what: str, *also: type[Exception]) -> Generator[None, None, None]:
    """Let only PlexError out of the block; `what` names the request without its query."""
    try:
        yield
    except (*FOREIGN, *also) as error:
        raise translate(error, what) from error


def translate(error: Exception, what: str) -> PlexError:
    """Our error for a foreign one, told by its type alone."""
    if isinstance(error, (ParseError, ExpatError)):
        return PlexGarbled(f"{what}: the answer is cut or is no XML", kind=Kind.CUT_XML)
    if isinstance(error, AnswerTooLarge):
        return PlexGarbled(f"{what}: the answer is larger than any of Plex's", kind=Kind.TOO_LARGE)
    for foreign, kind, words in _BY_TYPE:
        if isinstance(error, foreign):
            return PlexUnreachable(f"{what}: {words}", kind=kind)
    if isinstance(error, requests.ConnectionError):
        kind = _kind_of_connection_error(error)
        return PlexUnreachable(f"{what}: {_WORDS[kind]}", kind=kind)
    return PlexBusy(f"{what}: {type(error).__name__}", kind=Kind.UNKNOWN_STATUS)


_WORDS = {
    Kind.REFUSED: "nothing answers at this address",
    Kind.DNS: "the host name cannot be resolved",
    Kind.RESET: "the connection broke",
    Kind.READ_TIMEOUT: "no answer in time",
}

# Order matters: ConnectTimeout, SSLError and ProxyError are ConnectionErrors too.
_BY_TYPE: tuple[tuple[type[Exception], Kind, str], ...] = (
    (requests.exceptions.SSLError, Kind.TLS, "no trusted TLS connection"),
    (requests.exceptions.ConnectTimeout, Kind.CONNECT_TIMEOUT, "no connection in time"),
    (requests.exceptions.ReadTimeout, Kind.READ_TIMEOUT, "no answer in time"),
    (AnswerTooSlow, Kind.READ_TIMEOUT, "the answer does not come to an end"),
    (requests.exceptions.ChunkedEncodingError, Kind.RESET, "the connection broke in the middle of the answer"),
    (requests.exceptions.ContentDecodingError, Kind.RESET, "the answer arrived damaged"),
    (requests.exceptions.InvalidURL, Kind.BAD_URL, "this is no usable address"),
    (requests.exceptions.MissingSchema, Kind.BAD_URL, "the address lacks http:// or https://"),
    (requests.exceptions.InvalidSchema, Kind.BAD_URL, "the address must begin with http:// or https://"),
    (urllib3.exceptions.LocationParseError, Kind.BAD_URL, "this is no usable address"),
    (urllib3.exceptions.SSLError, Kind.TLS, "no trusted TLS connection"),
    (urllib3.exceptions.ConnectTimeoutError, Kind.CONNECT_TIMEOUT, "no connection in time"),
    (urllib3.exceptions.ReadTimeoutError, Kind.READ_TIMEOUT, "no answer in time"),
    (urllib3.exceptions.HTTPError, Kind.RESET, "the connection broke"),
)


def _kind_of_connection_error(error: requests.ConnectionError) -> Kind:
    """Ask urllib3's error, which requests wraps, whether a connection ever came about."""
    cause: object = error.args[0] if error.args else None
    reason: object = getattr(cause, "reason", cause)
    if isinstance(reason, urllib3.exceptions.NameResolutionError):
        return Kind.DNS
    if isinstance(reason, urllib3.exceptions.ReadTimeoutError):
        return Kind.READ_TIMEOUT  # requests calls a time-out in the middle of the body a ConnectionError
    if isinstance(reason, urllib3.exceptions.NewConnectionError):
        return Kind.REFUSED
    return Kind.RESET


_MAINTENANCE = re.compile(rb"<Response\b[^>]*\btitle=\"Maintenance\"")
_OF_AN_ITEM = re.compile(r"/library/metadata/\d")
_OF_A_LIBRARY = re.compile(r"/library/sections/\d")

_REJECTED = frozenset({400, 405, 406, 409, 411, 413, 415, 416, 417, 422})
_TOO_LONG = frozenset({414, 431})
_READS = frozenset({"GET", "HEAD"})
_UNAUTHORIZED = frozenset({401, 498})  # 498: a token that has run out
_GATEWAY = frozenset({502, 503, 504})
_REDIRECTS = range(300, 400)
_FAILURES = range(500, 512)  # above it are the inventions of proxies


def from_status(status: int, method: str, path: str, body: bytes = b"", location: str = "") -> PlexError:
    """Our error for an HTTP answer other than success. `path` comes without its query."""
    what = f"{method} {path}: {status}"
    if status == HTTPStatus.NOT_FOUND:
        return _not_found(method, path, what)
    if status in _UNAUTHORIZED:
        return PlexUnauthorized(f"{what}: Plex does not accept the token", kind=Kind.TOKEN, status=status)
    if status == HTTPStatus.FORBIDDEN:
        text = f"{what}: the token may not do this; it must be the owner's"
        return PlexUnauthorized(text, kind=Kind.PERMISSION, status=status)
    if status in _REJECTED | _TOO_LONG:
        return _refused(status, method, what)
    return _server_trouble(status, what, body, location)


def _refused(status: int, method: str, what: str) -> PlexError:
    if method in _READS:
        # Nothing of a job's is in a read: whoever refuses one refuses all of its kind, and is mended for all at once.
        text = f"{what}: Plex refuses to be read; is plex_url its own address?"
        return PlexBusy(text, kind=Kind.BAD_REQUEST, status=status)
    if status in _TOO_LONG:
        return RequestTooLong(f"{what}: the request is too long", status=status)
    return PlexRejected(f"{what}: Plex refuses this request", status=status)


def _not_found(method: str, path: str, what: str) -> PlexError:
    if _OF_AN_ITEM.search(path) or (method == "PUT" and _OF_A_LIBRARY.search(path)):
        return ItemGone(f"{what}: the item is not there any more", status=404)
    if _OF_A_LIBRARY.search(path):
        return LibraryNotFound(f"{what}: the library is not there any more", status=404)
    return PlexGarbled(f"{what}: this does not look like a Plex server", kind=Kind.NOT_PLEX, status=404)


def _server_trouble(status: int, what: str, body: bytes, location: str) -> PlexError:
    if status == HTTPStatus.SERVICE_UNAVAILABLE and _MAINTENANCE.search(body):
        return PlexMaintenance(f"{what}: Plex is in maintenance", status=status)
    if status in _GATEWAY:
        return PlexUnreachable(f"{what}: Plex does not answer", kind=Kind.GATEWAY, status=status)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return PlexBusy(f"{what}: too many requests", kind=Kind.RATE_LIMIT, status=status)
    if status in _REDIRECTS:
        text = f"{what}: sent on to {location or 'elsewhere'}; set plex_url to Plex itself"
        return PlexBusy(text, kind=Kind.REDIRECT, status=status)
    if status in _FAILURES:
        return PlexBusy(f"{what}: Plex failed inside", kind=Kind.SERVER_ERROR, status=status)
    return PlexBusy(f"{what}: an answer nobody documented", kind=Kind.UNKNOWN_STATUS, status=status)
