"""The newest Stash session: how to reach Stash, as the last hook or task told. Standard library only."""

from runtime.database import sqlite3

LOOPBACK = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}  # noqa: S104 - Stash names the address it binds to


class Session:
    """Where Stash listens and what opens it. The cookie dies after an hour, the key does not."""

    __slots__ = ("api_key", "cookie", "host", "port", "scheme", "seen_at")

    def __init__(self, scheme: str, host: str, port: int, cookie: str, seen_at: float, api_key: str = "") -> None:
        self.scheme = scheme
        self.host = host
        self.port = port
        self.cookie = cookie
        self.seen_at = seen_at
        self.api_key = api_key

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"

    @property
    def base_url(self) -> str:
        """Where it can be reached from here, whatever address it binds to."""
        host = LOOPBACK.get(self.host, self.host)
        return f"{self.scheme}://[{host}]:{self.port}" if ":" in host else f"{self.scheme}://{host}:{self.port}"

    def __repr__(self) -> str:  # neither cookie nor key may reach a log
        return f"Session({self.url}, seen_at={self.seen_at})"


def is_same_session(one: Session | None, other: Session | None) -> bool:
    """Say whether both lead to the same Stash in the same way; a renewed cookie makes no new session."""
    if one is None or other is None:
        return one is other
    return all(getattr(one, name) == getattr(other, name) for name in ("scheme", "host", "port", "seen_at", "api_key"))


def remember_session(connection: sqlite3.Connection, session: Session) -> None:
    """Keep the session; one without a cookie leaves the old cookie in place.

    The last to come wins, whatever its time says: sessions that overlap are all good, and clocks are set back.
    """
    connection.execute(
        """INSERT INTO session (id, scheme, host, port, cookie, seen_at) VALUES (1, ?, ?, ?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET scheme = excluded.scheme, host = excluded.host, port = excluded.port,
               seen_at = excluded.seen_at, cookie = iif(excluded.cookie = '', cookie, excluded.cookie)""",
        (session.scheme, session.host, session.port, session.cookie, session.seen_at),
    )


def remember_api_key(connection: sqlite3.Connection, api_key: str) -> None:
    connection.execute("UPDATE session SET api_key = ? WHERE id = 1", (api_key,))


def remember_renewed_cookie(connection: sqlite3.Connection, old: str, renewed: str) -> None:
    """Keep the cookie with which Stash answered, unless a hook has brought another meanwhile."""
    connection.execute("UPDATE session SET cookie = ? WHERE id = 1 AND cookie = ?", (renewed, old))


def read_session(connection: sqlite3.Connection) -> Session | None:
    row = connection.execute("SELECT scheme, host, port, cookie, seen_at, api_key FROM session").fetchone()
    return Session(*row) if row else None
