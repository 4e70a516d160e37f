"""A request as it came in, the answer it gets, and the ways to refuse."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote

from sim.plex.web.exchange import HTML, JSON, TEXT, Answer

__all__ = ["HTML", "JSON", "TEXT", "Answer", "Json", "Refused", "Request", "empty", "json_answer", "problem"]

Json = dict[str, Any]
PROBLEM = "application/problem+json"
_TITLES = {400: "One or more validation errors occurred.", 404: "Not Found"}


class Refused(Exception):
    """Ends a request.

    `problem` is what the server says of a request it cannot read or of an item that is not there, `error` what it
    says when something failed inside, `bare` is a status and nothing else.
    """

    def __init__(self, status: int, form: Literal["problem", "error", "bare"] = "error", text: str = "") -> None:
        super().__init__(status, text)
        self.status = status
        self.form = form
        self.text = text


@dataclass(frozen=True)
class Request:
    """`headers` has lower-case names, `path` is without the server's base."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes = b""
    base: str = ""

    @cached_property
    def whole_path(self) -> str:
        return unquote(self.target.partition("?")[0])

    @cached_property
    def path(self) -> str:
        path = self.whole_path[len(self.base) :]
        return path.rstrip("/") or "/"

    @cached_property
    def args(self) -> dict[str, str]:
        """The query; names are the same in any case, of two alike the first counts."""
        pairs = parse_qsl(self.target.partition("?")[2], keep_blank_values=True, errors="replace")
        return {name.lower(): value for name, value in reversed(pairs)}

    def text(self, name: str) -> str | None:
        return self.args.get(name.lower())

    def words(self, name: str) -> list[str]:
        return [word.strip() for word in (self.text(name) or "").split(",") if word.strip()]

    def number(self, name: str) -> int | None:
        text = self.text(name)
        if not text:
            return None
        if not re.fullmatch(r"-?\d+", text):
            raise Refused(400, "problem", f"The value '{text}' is not valid.")
        return int(text)

    def flag(self, name: str) -> bool | None:
        text = (self.text(name) or "").lower()
        if text not in ("", "true", "false"):
            raise Refused(400, "problem", f"The value '{text}' is not valid.")
        return text == "true" if text else None

    def json(self) -> Any:
        media_type = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type not in ("application/json", "text/json"):
            raise Refused(415, "problem", "Unsupported Media Type")
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise Refused(400, "problem", "The JSON value could not be converted.") from error


def json_answer(value: object, status: int = 200, *, work_seconds: float = 0.0) -> Answer:
    content = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return Answer(content, status, f"{JSON}; charset=utf-8", work_seconds=work_seconds)


def problem(status: int, detail: str) -> Answer:
    """Write the document that ASP.NET sends by itself."""
    document: Json = {"type": f"https://example.org/rfc9110#{status}", "title": _TITLES.get(status, "Error")}
    document["status"] = status
    if detail:
        document["errors"] = {"": [detail]}
    document["traceId"] = "00-00000000000000000000000000000000-0000000000000000-00"
    content = json.dumps(document).encode()
    return Answer(content, status, f"{PROBLEM}; charset=utf-8")


def empty(status: int = 204) -> Answer:
    return Answer(b"", status, "")
