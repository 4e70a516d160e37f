"""The GraphQL call: stashapi's, with timeouts, our authentication and our errors."""

import logging
from http.cookiejar import DefaultCookiePolicy
from http.cookies import CookieError, SimpleCookie
from typing import Any, cast
from urllib.parse import urlsplit

import requests
import urllib3
from stashapi.classes import GQLWrapper

from runtime.net.bounded_answer import AnswerTooLarge, AnswerTooSlow, hold_bounded, read_bounded
from runtime.net.timed_answer import TimedAdapter
from stash.exceptions import FileTooLarge, StashRefused, StashUnauthorized, StashUnintelligible, StashUnreachable
from sync_queue.session import Session
from validation.json_shapes import as_list, as_object

CONNECT_TIMEOUT_SECONDS = 5.0
READ_TIMEOUT_SECONDS = 60.0
MAX_ANSWER_BYTES = 100_000_000  # a thousand scenes, each with a hundred kilobytes of details


class GraphQLCall(GQLWrapper):
    """One connection to one Stash. Not to be shared between threads.

    Built on GQLWrapper and not on StashInterface, whose constructor makes three requests, one of them a whole schema
    introspection, and waits for ever.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._base = session.base_url
        self.url = f"{self._base}/graphql"
        self.fragments: dict[str, str] = {}
        self.log = _silence()
        self.api_key = session.api_key
        self.cookie = session.cookie
        self._set_up(self.s)

    def ask(self, query: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer's data, or raise a StashError."""
        self._authenticate()
        try:
            return cast("dict[str, Any]", self.call_GQL(query, variables or {}))  # pyright: ignore[reportUnknownMemberType]
        except AnswerTooSlow as error:
            raise StashUnreachable(f"What comes from {self.url} keeps coming, bit by bit, and does not end.") from error
        except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as error:
            raise StashUnreachable(f"Stash does not answer at {self.url}.") from error
        except AnswerTooLarge as error:
            raise StashUnintelligible(f"What answers at {self.url} sends more than Stash would.") from error
        except requests.RequestException as error:
            raise StashUnintelligible(f"What answers at {self.url} is not Stash ({type(error).__name__}).") from error

    def fetch(self, address: str, max_bytes: int) -> tuple[bytes, str]:
        """Get a file from Stash's own host, whatever host the address names; raise FileTooLarge beyond its bounds."""
        parts = urlsplit(address)
        path = "/" + parts.path.lstrip("/")  # "@elsewhere" right after the port would be another host
        url = f"{self._base}{path}" + (f"?{parts.query}" if parts.query else "")
        self._authenticate()
        try:
            with self.s.get(url, stream=True, allow_redirects=False) as response:
                _check_file(response)
                return read_bounded(response, max_bytes), response.headers.get("Content-Type", "")
        except AnswerTooLarge as error:
            raise FileTooLarge(f"What Stash sends as {path} is larger than {max_bytes // 1_000_000} MB.") from error
        except requests.RequestException as error:
            raise StashUnreachable(f"Stash broke off while sending {path}.") from error

    def close(self) -> None:
        self.s.close()

    def _set_up(self, session: requests.Session) -> None:
        session.trust_env = False  # Stash's own proxy setting would be inherited, and must not meet loopback
        session.max_redirects = 0
        session.cookies.set_policy(_NoCookies())  # the one cookie is a header of ours, so that no stale twin is sent
        session.mount("http://", _WithTimeouts())
        session.mount("https://", _WithTimeouts())
        # Stash's certificate is self-signed as a rule; the address is the one that Stash itself gave us.
        session.verify = False
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)

    def _authenticate(self) -> None:
        """Send the key, which does not expire, and the cookie, which carries Stash's guard against endless hooks."""
        headers = {"ApiKey": self.api_key or None, "Cookie": None}
        if self.cookie:
            headers["Cookie"] = f"session={self.cookie}"
        self.s.headers.update(headers)  # pyright: ignore[reportArgumentType, reportCallIssue] - None takes a header out

    def _handle_GQL_response(self, response: requests.Response) -> Any:  # noqa: N802 - stashapi's name
        if response.status_code in (401, 403):
            raise StashUnauthorized(
                "Stash does not accept our session any more. Generate an API key in Stash (Settings > Security), "
                "or edit any scene in Stash: that brings a new session."
            )
        self._follow_renewal(response)
        try:
            content = response.json()
        except (ValueError, RecursionError) as error:
            text = f"What answers at {self.url} is not Stash: status {response.status_code} and no JSON."
            raise StashUnintelligible(text) from error
        return _data_of(content, response.status_code)

    def _follow_renewal(self, response: requests.Response) -> None:
        """Each answer renews the session for another hour."""
        try:
            renewed = SimpleCookie(response.headers.get("Set-Cookie", "")).get("session")
        except CookieError:
            return
        if renewed is not None and renewed.value:
            self.cookie = renewed.value


def _check_file(response: requests.Response) -> None:
    if response.status_code in (301, 302, 303, 307, 401, 403):  # without a session it leads to the login page
        raise StashUnauthorized("Stash does not show us its pictures; its session is over.")
    if response.status_code != 200:  # noqa: PLR2004 - OK
        raise StashRefused(f"Stash answered {response.status_code} instead of a picture.")


def _data_of(content: object, status: int) -> dict[str, Any]:
    known = as_object(content) or {}
    if errors := known.get("errors"):
        messages = "; ".join(map(_message_of, as_list(errors) or [errors]))
        raise StashRefused(f"Stash refused a query: {messages[:500]}")
    data = as_object(known.get("data"))
    if data is None:
        raise StashUnintelligible(f"Stash answered with status {status} and without data.")
    return data


def _message_of(error: object) -> str:
    known = as_object(error)
    return str(known.get("message", known) if known else error)


class _WithTimeouts(TimedAdapter):
    """stashapi asks without a timeout and reads without an end; so every request that passes here gets both."""

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:  # pyright: ignore[reportIncompatibleMethodOverride]
        options["timeout"] = (CONNECT_TIMEOUT_SECONDS, READ_TIMEOUT_SECONDS)
        is_streamed, options["stream"] = options.get("stream"), True
        response = super().send(request, **options)
        return response if is_streamed else hold_bounded(response, MAX_ANSWER_BYTES)


class _NoCookies(DefaultCookiePolicy):
    """A jar that takes nothing and gives nothing."""

    def set_ok(self, cookie: Any, request: Any) -> bool:  # noqa: ARG002
        return False

    def return_ok(self, cookie: Any, request: Any) -> bool:  # noqa: ARG002
        return False


def _silence() -> logging.Logger:
    """A logger that says nothing: on an error stashapi would log a query with its variables, the token among them."""
    quiet = logging.getLogger("stash.graphql.stashapi")
    quiet.propagate = False
    quiet.disabled = True
    return quiet
