"""A WordPress search as a source: asked by code, with a bearer token that is refreshed by itself.

Address, paths and field names are settings, so that any search that takes a code and answers with JSON fits. The token
goes to that address alone: no redirect is followed, no proxy of the environment is asked.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import requests

from intake.naming.codes import Code, read_code
from intake.sources.port import Offer, Question, SourceAway, SourceRefuses
from intake.sources.work import JSON_NAMES, Work, parse_json, read_work
from runtime.net.bounded_answer import read_bounded
from runtime.state_file import read_state, text_in, write_state
from validation.json_shapes import as_list, as_object, as_text

MAX_BYTES = 5_000_000
TIMEOUTS = (5.0, 30.0)
LONGEST_ANSWER_SECONDS = 60.0
PATHS = ("/missav/search", "/javguru/search")
REFRESH = "/api-bearer-auth/v1/tokens/refresh"  # below wp-json
_MOST_CODES = 3
_SUCCESS = range(200, 300)


@dataclass(frozen=True, slots=True)
class WordPressSettings:
    """Where to ask, with what, and what the answer's fields are called."""

    base_url: str
    token: str = field(repr=False, default="")
    refresh_token: str = field(repr=False, default="")
    refresh_path: str = ""
    paths: tuple[str, ...] = PATHS
    code_name: str = "moviecode"
    fields: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def refresh_url(self) -> str:
        """The refresh belongs to another plug-in of the same WordPress."""
        parts = urlsplit(self.base_url)
        site = self.base_url.partition("/wp-json")[0]
        return (
            f"{parts.scheme}://{parts.netloc}{self.refresh_path}" if self.refresh_path else f"{site}/wp-json{REFRESH}"
        )


class WordPressSource:
    """One WordPress. `token_file` keeps a refreshed token over a restart, until another is set."""

    name = "wordpress"

    def __init__(self, settings: WordPressSettings, token_file: str) -> None:
        self._settings = settings
        self._token_file = token_file
        self._session = requests.Session()
        self._session.trust_env = False
        self._names = {**JSON_NAMES, **settings.fields}
        self._token = self._kept_token() or settings.token

    def find(self, question: Question) -> Sequence[Offer]:
        """Ask each path for each code, certain ones first, until one has it."""
        offers: list[Offer] = []
        for code, spelling, path in self._requests(question):
            found = self._search(path, spelling)
            offers += [Offer(work) for work in found]
            if any(read_code(work.code).is_same(code) for work in found):
                break
        return offers

    def _requests(self, question: Question) -> Iterator[tuple[Code, str, str]]:
        for candidate in question.candidates[:_MOST_CODES]:
            for spelling in candidate.code.spellings:
                for path in self._settings.paths:
                    yield candidate.code, spelling, path

    def check(self) -> str:
        self._search(self._settings.paths[0], "AAA-000")
        return f"The search at {self._settings.base_url} answers."

    def close(self) -> None:
        self._session.close()

    def _search(self, path: str, code: str) -> list[Work]:
        answer = self._post(self._settings.base_url + path, {self._settings.code_name: code})
        if answer.get("success") is False:
            return []
        data = answer.get("data")
        works = [read_work(raw, self._names, "WordPress") for raw in map(as_object, as_list(data) or [data]) if raw]
        return [work for work in works if work.code or work.title]

    # --- the conversation ---------------------------------------------------------------------------------------

    def _post(self, url: str, body: Mapping[str, Any]) -> dict[str, object]:
        """Ask, and once more with a fresh token where the old one has run out."""
        status, content = self._send(url, body, self._token)
        if status == HTTPStatus.UNAUTHORIZED and self._settings.refresh_token:
            self._refresh()
            status, content = self._send(url, body, self._token)
        return _understood(status, content, url)

    def _refresh(self) -> None:
        url = self._settings.refresh_url
        status, content = self._send(url, {"refresh_token": self._settings.refresh_token}, "")
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.BAD_REQUEST):
            raise SourceRefuses(
                f"WordPress accepts neither the token nor the refresh token ({status} at {url}). "
                "Log in there anew and set API_TOKEN and API_REFRESH_TOKEN."
            )
        token = as_text(_understood(status, content, url).get("access_token"))
        if not token:
            raise SourceAway(f"WordPress sent no access_token at {url}.")
        self._token = token
        write_state(self._token_file, {"token": token, "instead_of": self._fingerprint()})

    def _kept_token(self) -> str:
        state = read_state(self._token_file)
        return text_in(state, "token") if text_in(state, "instead_of") == self._fingerprint() else ""

    def _fingerprint(self) -> str:
        """Stand for the settings that a token was got with: another address or token makes it void."""
        told = (self._settings.base_url, self._settings.token, self._settings.refresh_token)
        return hashlib.sha256("\n".join(told).encode()).hexdigest()

    def _send(self, url: str, body: Mapping[str, Any], token: str) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            with self._session.post(
                url, json=body, headers=headers, timeout=TIMEOUTS, allow_redirects=False, stream=True
            ) as response:
                return response.status_code, read_bounded(response, MAX_BYTES, LONGEST_ANSWER_SECONDS)
        except requests.Timeout as error:
            raise SourceAway(f"WordPress does not answer in time at {url}.") from error
        except requests.ConnectionError as error:
            raise SourceAway(f"Nothing answers at {url}.") from error
        except requests.RequestException as error:
            raise SourceAway(f"WordPress cannot be asked at {url} ({type(error).__name__}).") from error


def _understood(status: int, content: bytes, url: str) -> dict[str, object]:
    """Read an answer, or say what came instead."""
    answer = as_object(parse_json(content))
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise SourceRefuses(f"WordPress does not accept API_TOKEN ({status} at {url}). Set a new one.")
    if status == HTTPStatus.NOT_FOUND and answer is not None:
        raise SourceRefuses(
            f"WordPress knows no search at {url} ({as_text(answer.get('code')) or status}). Is its plug-in on, and "
            "API_BASE_URL right?"
        )
    if status not in _SUCCESS:
        raise SourceAway(f"WordPress answered {status} at {url}.")
    if answer is None:
        raise SourceAway(f"What answers at {url} is not WordPress's search: status {status} and no JSON object.")
    return answer


def token_file(folder: str) -> str:
    return os.path.join(folder, "wordpress_token.json")
