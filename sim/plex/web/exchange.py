"""A request as it came in, and the answer it gets."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import parse_qsl, unquote, urlsplit

from sim.plex.web.markup import Node, to_json, to_xml

XML = "text/xml;charset=utf-8"
JSON = "application/json"
HTML = "text/html"
TEXT = "text/plain"

_REASONS = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    406: "Not Acceptable",
    409: "Conflict",
    414: "Request-URI Too Long",
    429: "Too Many Requests",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
}


@dataclass(frozen=True)
class Request:
    """`headers` has lower-case names."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes = b""

    @cached_property
    def path(self) -> str:
        path = unquote(urlsplit(self.target).path)
        return path.rstrip("/") or "/"

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    @cached_property
    def params(self) -> list[tuple[str, str]]:
        """In the order they were sent; the order of tag edits matters."""
        return parse_qsl(self.query, keep_blank_values=True, errors="replace")

    @cached_property
    def args(self) -> dict[str, str]:
        return dict(self.params)

    @property
    def token(self) -> str | None:
        return self.either("X-Plex-Token")

    @property
    def wants_json(self) -> bool:
        return "application/json" in self.headers.get("accept", "")

    def either(self, name: str) -> str | None:
        """Read what Plex takes as a header or in the query alike."""
        return self.headers.get(name.lower()) or self.args.get(name)

    def number(self, name: str) -> int | None:
        text = self.either(name)
        return int(text) if text is not None and re.fullmatch(r"\d+", text) else None

    def is_on(self, name: str) -> bool:
        return self.args.get(name) == "1"

    def names(self, argument: str) -> frozenset[str]:
        return frozenset(filter(None, self.args.get(argument, "").split(",")))


@dataclass(frozen=True)
class Answer:
    """`content` is a tree to be written as XML or JSON, or bytes that go out as they are."""

    content: Node | bytes = b""
    status: int = 200
    content_type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    work_seconds: float = 0.0

    def rendered(self, *, as_json: bool) -> tuple[bytes, str]:
        if not isinstance(self.content, Node):
            return self.content, self.content_type
        return (to_json(self.content), JSON) if as_json else (to_xml(self.content), XML)


EMPTY = Answer()


def page(status: int) -> Answer:
    """Write the little HTML page Plex sends with every refusal."""
    reason = _REASONS.get(status, "Error")
    html = f"<html><head><title>{reason}</title></head><body><h1>{status} {reason}</h1></body></html>"
    return Answer(html.encode(), status)


class Refused(Exception):
    """Raised anywhere below the routes to end the request with this status and nothing changed."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status
