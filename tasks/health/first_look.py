"""A first look at the servers, before the packages are there: do they answer, and do they take the key? Nothing more.

Standard library only. Every answer is bounded, no redirect is followed, and a key goes nowhere but into a header.
"""

import json
import os
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

from model.targets import EMBY, PLEX, TITLES
from runtime.state_file import read_text
from sync_queue.session import Session
from tasks.answers import Finding
from tasks.context import TaskContext
from tasks.health.check import failed, passed
from validation.json_shapes import as_object, as_text
from validation.settings_file import parse_settings_file

PATIENCE_SECONDS = 10.0
MOST_BYTES = 1024 * 1024
OK, REFUSALS = 200, frozenset({401, 403})
SETTINGS = {"query": '{ configuration { plugins(include: ["Stash2Plex"]) } }'}
KEYS = {PLEX: "plex_token"}
PLACES = {PLEX: ("/identity", "/")}
OTHERS = ("/System/Info/Public", "/System/Info")
IDS = {PLEX: b"machineIdentifier"}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        """Have a redirect be an answer like any other: nobody else is shown the key."""


def look_without_packages(context: TaskContext, session: Session, targets: tuple[str, ...]) -> Iterator[Finding]:
    """Ask Stash for the settings, and each target that they name whether it is there."""
    in_stash = _settings(session)
    if in_stash is None:
        yield failed("Stash", f"It does not answer at {session.url} as it should.")
        return
    yield passed("Stash", f"at {session.url}.")
    in_file, _ = parse_settings_file(read_text(context.folder.settings_file))
    for target in targets:
        yield from _target(target, partial(_value, in_stash=in_stash, in_file=in_file))
    yield Finding(None, "Libraries", ok=True, sentence="Not asked yet: that needs the packages.")


def _settings(session: Session) -> Mapping[str, Any] | None:
    headers = {"Content-Type": "application/json", "Cookie": f"session={session.cookie}"}
    if session.api_key:
        headers["ApiKey"] = session.api_key
    # Stash's certificate is mostly its own, and it runs on this machine.
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    status, body = _ask(f"{session.base_url}/graphql", headers, json.dumps(SETTINGS).encode(), context)
    try:
        answer = as_object(json.loads(body)) if status == OK else None
    except ValueError:
        return None
    configuration = as_object((as_object((answer or {}).get("data")) or {}).get("configuration")) or {}
    plugins = as_object(configuration.get("plugins"))
    return None if plugins is None else as_object(plugins.get("Stash2Plex")) or {}


def _value(key: str, in_stash: Mapping[str, Any], in_file: Mapping[str, Any]) -> str:
    places = (in_stash.get(key), in_file.get(key), os.environ.get(f"STASH2PLEX_{key.upper()}"))
    return next((text for value in places if (text := as_text(value).strip())), "")


def _target(target: str, value: Callable[[str], str]) -> Iterator[Finding]:
    name, key_name = TITLES[target], KEYS.get(target, f"{target}_api_key")
    url, key = value(f"{target}_url").rstrip("/"), value(key_name)
    missing = [f"{setting} is not set." for setting, text in ((f"{target}_url", url), (key_name, key)) if not text]
    if missing:
        yield failed("Settings", " ".join(missing), target)
    if not url:
        return
    if not _is_address(url):
        yield failed("Settings", f"{target}_url must be an address such as http://192.168.1.10:32400.", target)
        return
    public, private = PLACES.get(target, OTHERS)
    status, body = _ask(f"{url}{public}", {})
    if status != OK or IDS.get(target, b'"Id"') not in body:
        said = "nothing answers" if status is None else f"what answers is not {name}, or is not ready"
        yield failed(name, f"At {url} {said}.", target)
        return
    yield passed(name, f"it answers at {url}.", target)
    if key:
        yield _key(target, _ask(f"{url}{private}", _header(target, key))[0])


def _key(target: str, status: int | None) -> Finding:
    part = "Token" if target == PLEX else "Key"
    if status in REFUSALS:
        return failed(part, f"{TITLES[target]} does not accept it; copy it again.", target)
    if status != OK:
        return failed(part, f"{TITLES[target]} gave no answer to it; look again in a minute.", target)
    return passed(part, f"{TITLES[target]} accepts it. Whether it may edit is asked with the packages.", target)


def _header(target: str, key: str) -> dict[str, str]:
    if not (key.isascii() and key.isprintable()):
        return {}  # it would be no header; without one it is refused
    if target == PLEX:
        return {"X-Plex-Token": key}
    return {"X-Emby-Token": key} if target == EMBY else {"Authorization": f'MediaBrowser Token="{key}"'}


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc and parts.port != 0
        )
    except ValueError:
        return False


def _ask(
    url: str, headers: Mapping[str, str], data: bytes | None = None, context: ssl.SSLContext | None = None
) -> tuple[int | None, bytes]:
    """Ask once; give the status, None if nothing answered, and as much of the answer as anybody needs."""
    handlers = [urllib.request.ProxyHandler({}), _NoRedirects(), urllib.request.HTTPSHandler(context=context)]
    try:
        request = urllib.request.Request(url, data, dict(headers))  # noqa: S310 - only http and https come here
        with urllib.request.build_opener(*handlers).open(request, timeout=PATIENCE_SECONDS) as answer:
            return answer.status, _read(answer)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code, b""
    except (OSError, HTTPException, ValueError):
        return None, b""


def _read(answer: HTTPResponse) -> bytes:
    """Read until it ends, is too much, or has kept coming bit by bit for too long."""
    until, body = time.monotonic() + PATIENCE_SECONDS, b""
    while len(body) < MOST_BYTES and time.monotonic() < until and (piece := answer.read1(MOST_BYTES)):
        body += piece
    return body
