"""Who is asking: API keys and signed session cookies that nobody has to remember."""

import base64
import hashlib
import hmac
import json
import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any

from sim.stash.clock import ServerClock
from sim.stash.settings import Settings

COOKIE = "session"


@dataclass(frozen=True)
class Session:
    """A user and how often each plugin hook was already run on the way here."""

    user: str = ""
    visited: Counter[str] = field(default_factory=Counter[str])
    from_cookie: bool = False


class WrongApiKey(Exception):
    """A wrong key is refused even beside a good cookie."""


class SessionStore:
    """Cookies carry everything and are signed, so only a new key can make them worthless before their time."""

    def __init__(self, settings: Settings, clock: ServerClock) -> None:
        self._settings = settings
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self.signatures: set[str] = set()
        """Of every cookie that was given out, to browsers and to plugins."""

    def forget_all(self) -> None:
        self._key = secrets.token_bytes(32)

    def identify(self, api_key: str, cookie_header: str) -> Session:
        """The session of a request; raises WrongApiKey. A key authenticates, the cookie still counts hooks."""
        carried = self.decode(_cookie_value(cookie_header))
        if api_key:
            if api_key != self._settings.api_key:
                raise WrongApiKey
            visited = carried.visited if carried else Counter[str]()
            return Session(self._settings.username, visited)
        return carried or Session()

    def encode(self, session: Session) -> str:
        body = {"user": session.user, "visited": session.visited, "at": self._clock.now()}
        payload = base64.urlsafe_b64encode(json.dumps(body).encode()).decode()
        signature = self._sign(payload)
        self.signatures.add(signature)
        return f"{payload}.{signature}"

    def decode(self, value: str) -> Session | None:
        """None for a cookie that is forged, expired, or older than the key."""
        payload, _, signature = value.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign(payload).encode()):
            return None
        body: Mapping[str, Any] = json.loads(base64.urlsafe_b64decode(payload))
        if self._clock.now() - body["at"] > self._settings.max_session_age_seconds:
            return None
        return Session(body["user"], Counter[str](body["visited"]), from_cookie=True)

    def set_cookie(self, session: Session) -> str:
        """The Set-Cookie header that renews a session for another idle period."""
        age = int(self._settings.max_session_age_seconds)
        return f"{COOKIE}={self.encode(session)}; Path=/; Max-Age={age}"

    def _sign(self, payload: str) -> str:
        return hmac.new(self._key, payload.encode(), hashlib.sha256).hexdigest()


def _cookie_value(header: str) -> str:
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


def go_cookie(value: str) -> dict[str, Any]:
    """The cookie as Go prints an http.Cookie on a plugin's stdin."""
    return {
        "Name": COOKIE,
        "Value": value,
        "Quoted": False,
        "Path": "",
        "Domain": "",
        "Expires": "0001-01-01T00:00:00Z",
        "RawExpires": "",
        "MaxAge": 0,
        "Secure": False,
        "HttpOnly": False,
        "SameSite": 0,
        "Partitioned": False,
        "Raw": "",
        "Unparsed": None,
    }
