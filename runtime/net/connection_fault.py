"""What became of a request that got no answer, told by the type of requests' error alone."""

from enum import StrEnum

import requests
import urllib3.exceptions

from runtime.net.bounded_answer import AnswerTooLarge, AnswerTooSlow

FOREIGN: tuple[type[Exception], ...] = (requests.RequestException, urllib3.exceptions.HTTPError)


class ConnectionFault(StrEnum):
    REFUSED = "refused"
    DNS = "dns"
    TLS = "tls"
    CONNECT_TIMEOUT = "connect_timeout"
    READ_TIMEOUT = "read_timeout"
    RESET = "reset"
    BAD_URL = "bad_url"
    TOO_LARGE = "too_large"
    OTHER = "other"

    @property
    def never_sent(self) -> bool:
        """The server has not seen the request: even a write may be repeated."""
        return self in _NEVER_SENT

    @property
    def words(self) -> str:
        return _WORDS[self]


_NEVER_SENT = frozenset(
    {
        ConnectionFault.REFUSED,
        ConnectionFault.DNS,
        ConnectionFault.TLS,
        ConnectionFault.CONNECT_TIMEOUT,
        ConnectionFault.BAD_URL,
    }
)
_WORDS = {
    ConnectionFault.REFUSED: "nothing answers at this address",
    ConnectionFault.DNS: "the host name cannot be resolved",
    ConnectionFault.TLS: "no trusted TLS connection; its certificate is not good",
    ConnectionFault.CONNECT_TIMEOUT: "no connection in time",
    ConnectionFault.READ_TIMEOUT: "no answer in time",
    ConnectionFault.RESET: "the connection broke",
    ConnectionFault.BAD_URL: "this is no usable address; it must begin with http:// or https://",
    ConnectionFault.TOO_LARGE: "the answer is larger than any may be",
    ConnectionFault.OTHER: "the request failed",
}
# Order matters: ConnectTimeout, SSLError and ProxyError are ConnectionErrors too.
_BY_TYPE: tuple[tuple[type[Exception], ConnectionFault], ...] = (
    (AnswerTooLarge, ConnectionFault.TOO_LARGE),
    (AnswerTooSlow, ConnectionFault.READ_TIMEOUT),
    (requests.exceptions.SSLError, ConnectionFault.TLS),
    (requests.exceptions.ConnectTimeout, ConnectionFault.CONNECT_TIMEOUT),
    (requests.exceptions.ReadTimeout, ConnectionFault.READ_TIMEOUT),
    (requests.exceptions.ChunkedEncodingError, ConnectionFault.RESET),
    (requests.exceptions.ContentDecodingError, ConnectionFault.RESET),
    (requests.exceptions.InvalidURL, ConnectionFault.BAD_URL),
    (requests.exceptions.MissingSchema, ConnectionFault.BAD_URL),
    (requests.exceptions.InvalidSchema, ConnectionFault.BAD_URL),
    (urllib3.exceptions.LocationParseError, ConnectionFault.BAD_URL),
    (urllib3.exceptions.SSLError, ConnectionFault.TLS),
    (urllib3.exceptions.ConnectTimeoutError, ConnectionFault.CONNECT_TIMEOUT),
    (urllib3.exceptions.ReadTimeoutError, ConnectionFault.READ_TIMEOUT),
    (urllib3.exceptions.HTTPError, ConnectionFault.RESET),
)


def fault_of(error: Exception) -> ConnectionFault:
    for foreign, fault in _BY_TYPE:
        if isinstance(error, foreign):
            return fault
    return _of_connection_error(error) if isinstance(error, requests.ConnectionError) else ConnectionFault.OTHER


def _of_connection_error(error: requests.ConnectionError) -> ConnectionFault:
    """Ask urllib3's error, which requests wraps, whether a connection ever came about."""
    cause: object = error.args[0] if error.args else None
    reason: object = getattr(cause, "reason", cause)
    if isinstance(reason, urllib3.exceptions.NameResolutionError):
        return ConnectionFault.DNS
    if isinstance(reason, urllib3.exceptions.ReadTimeoutError):
        return ConnectionFault.READ_TIMEOUT  # requests calls a time-out in the middle of the body a ConnectionError
    if isinstance(reason, urllib3.exceptions.NewConnectionError):
        return ConnectionFault.REFUSED
    return ConnectionFault.RESET
