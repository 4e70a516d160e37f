"""The one place where errors of Plex and of the network become ours: by type or status, never by their text."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from http import HTTPStatus
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import ExpatError

import requests
import urllib3.exceptions

from model.errors import (
    AccessDenied,
    AnswerGarbled,
    ChangeRejected,
    ItemGone,
    Kind,
    LibraryNotFound,
    RequestTooLong,
    TargetBusy,
    TargetError,
    TargetStarting,
    TargetUnreachable,
)
from runtime.net.bounded_answer import AnswerTooLarge, AnswerTooSlow

FOREIGN: tuple[type[Exception], ...] = (requests.RequestException, urllib3.exceptions.HTTPError, ParseError, ExpatError)


@contextmanager
def translated(what: str, *also: type[Exception]) -> Generator[None, None, None]:
    """Let only TargetError out of the block; `what` names the request without its query."""
    try:
        yield
    except (*FOREIGN, *also) as error:
        raise translate(error).at(what) from error


def translate(error: Exception) -> TargetError:
    """Our error for a foreign one, told by its type alone."""
    if isinstance(error, (ParseError, ExpatError)):
        return AnswerGarbled("the answer is cut or is no XML", kind=Kind.CUT_XML)
    if isinstance(error, AnswerTooLarge):
        return AnswerGarbled("the answer is larger than any of Plex's", kind=Kind.TOO_LARGE)
    for foreign, kind, words in _BY_TYPE:
        if isinstance(error, foreign):
            return TargetUnreachable(words, kind=kind)
    if isinstance(error, requests.ConnectionError):
        kind = _kind_of_connection_error(error)
        return TargetUnreachable(_WORDS[kind], kind=kind)
    return TargetBusy(f"it answered in a way that is not understood ({type(error).__name__})", kind=Kind.UNKNOWN_STATUS)


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
    (AnswerTooSlow, Kind.DRIPPING, "the answer keeps coming, bit by bit, and does not end"),
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


def from_status(
    status: int, method: str, path: str, body: bytes = b"", location: str = "", retry_after: float | None = None
) -> TargetError:
    """Our error for an HTTP answer other than success. `path` comes without its query."""
    error = _from_status(status, method, path, body, location)
    error.retry_after = retry_after
    return error.at(f"{method} {path}: {status}")


def _from_status(status: int, method: str, path: str, body: bytes, location: str) -> TargetError:
    if status == HTTPStatus.NOT_FOUND:
        return _not_found(method, path)
    if status in _UNAUTHORIZED:
        return AccessDenied("Plex does not accept the token", kind=Kind.TOKEN, status=status)
    if status == HTTPStatus.FORBIDDEN:
        text = "the token may not do this; it must be the owner's"
        return AccessDenied(text, kind=Kind.PERMISSION, status=status)
    if status in _REJECTED | _TOO_LONG:
        return _refused(status, method)
    return _server_trouble(status, body, location)


def _refused(status: int, method: str) -> TargetError:
    if method in _READS:
        # Nothing of a job's is in a read: whoever refuses one refuses all of its kind, and is mended for all at once.
        text = "Plex refuses to be read; is plex_url its own address?"
        return TargetBusy(text, kind=Kind.BAD_REQUEST, status=status)
    if status in _TOO_LONG:
        return RequestTooLong("the request is too long", status=status)
    return ChangeRejected("Plex does not take it", status=status)


def _not_found(method: str, path: str) -> TargetError:
    if _OF_AN_ITEM.search(path) or (method == "PUT" and _OF_A_LIBRARY.search(path)):
        return ItemGone("the item is not there any more", status=404)
    if _OF_A_LIBRARY.search(path):
        return LibraryNotFound("the library is not there any more", status=404)
    return AnswerGarbled("this does not look like a Plex server", kind=Kind.NOT_PLEX, status=404)


def _server_trouble(status: int, body: bytes, location: str) -> TargetError:
    if status == HTTPStatus.SERVICE_UNAVAILABLE and _MAINTENANCE.search(body):
        return TargetStarting("Plex is in maintenance", status=status)
    if status in _GATEWAY:
        return TargetUnreachable("Plex does not answer", kind=Kind.GATEWAY, status=status)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return TargetBusy("it gets too many requests", kind=Kind.RATE_LIMIT, status=status)
    if status in _REDIRECTS:
        text = f"this address sends us on to {location or 'elsewhere'}; set plex_url to Plex itself"
        return TargetBusy(text, kind=Kind.REDIRECT, status=status)
    if status in _FAILURES:
        return TargetBusy("Plex failed inside", kind=Kind.SERVER_ERROR, status=status)
    return TargetBusy("Plex answered in a way that nobody documented", kind=Kind.UNKNOWN_STATUS, status=status)
