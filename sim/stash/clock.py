"""Time as the server writes it: whole seconds, RFC 3339 text, in the server's own zone."""

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo


class ServerClock:
    """Turns moments into the text Stash stores; text written under another zone keeps its offset."""

    def __init__(self, now: Callable[[], float], zone: tzinfo = UTC) -> None:
        self.now = now
        self.zone = zone

    def stamp(self) -> str:
        return self.text(self.now())

    def text(self, moment: float) -> str:
        return rfc3339(datetime.fromtimestamp(int(moment), self.zone))


def rfc3339(moment: datetime) -> str:
    """Like Go's time.RFC3339: a zero offset is written as Z."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def unix(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())
