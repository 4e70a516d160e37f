"""The HTTP session under plexapi and under our own requests: what it lets through is a good answer from our server.

It adds the token and our identity to every request, follows no redirect, asks no proxy of the environment, and turns
everything but success into our errors, so that plexapi never sees an answer it would trip over.
"""

import re
from typing import Any
from urllib.parse import SplitResult, urlsplit

import requests

from model.errors import AccessDenied, AnswerGarbled, Kind, TargetUnreachable
from plex.device_identity import DeviceIdentity
from plex.exceptions import from_status, translated
from runtime.net.bounded_answer import hold_bounded
from runtime.net.retry_after import retry_after_seconds
from runtime.net.timed_answer import TimedAdapter

Timeouts = tuple[float, float]

_SUCCESS = frozenset({200, 201, 204})
# Plex declares no document type. Whoever does sends a web page, or markup that grows as it is read.
_NOT_PLEX = re.compile(rb"(?:\s|<\?.*?\?>|<!--.*?-->)*+(?:<!doctype|<html)", re.IGNORECASE | re.DOTALL)
_WIDE = re.compile(rb"\xff\xfe|\xfe\xff|\x00|.\x00", re.DOTALL)  # UTF-16 or -32, which Plex never uses, would hide one
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SMALL_ANSWER_BYTES = 16_000_000  # fifty items in full are a tenth of it; as a tree it takes many times its size
BIG_ANSWER_BYTES = 100_000_000  # a page of a thousand items; a server that ignores paging sends its whole library
# Plex warns that it will refuse a read without a size; whoever wants another page says so.
_PAGING = {"X-Plex-Container-Start": "0", "X-Plex-Container-Size": "1000"}
_SHOWABLE_TOKEN = re.compile(r"[!-~]*")
_IDS = re.compile(r"(?:^|&)id=([^&]*)")
_ITEMS = re.compile(r"[0-9]+(?:(?:,|%2C)[0-9]+)*")
_EDITS_A_LIBRARY = re.compile(r"/library/sections/[^/]+/all/?")

_CHOICE_OF_A_PICTURE = re.compile(r"/library/metadata/[0-9]+/(?:thumb|art)$")


class PlexSession(requests.Session):
    """Requests to one Plex server. Safe to share between threads, as far as requests is."""

    def __init__(
        self, base_url: str, token: str, identity: DeviceIdentity, timeouts: Timeouts, *, verify: bool | str = True
    ) -> None:
        super().__init__()
        self.trust_env = False
        self.verify = verify
        address = _checked_address(base_url)
        if address.username:
            self.auth = (address.username, address.password or "")
        host = address.netloc.rpartition("@")[2]
        self.base_url = f"{address.scheme}://{host}{address.path}".rstrip("/")
        self._own_headers = {**identity.headers, "X-Plex-Token": _checked(token)}
        self._timeouts = timeouts
        adapter = TimedAdapter(pool_connections=1, pool_maxsize=8, max_retries=0)
        self.mount("http://", adapter)
        self.mount("https://", adapter)

    def request(  # pyright: ignore[reportIncompatibleMethodOverride] - plexapi and we use no more of it
        self,
        method: str,
        url: str,
        *,
        headers: dict[str, str] | None = None,
        timeout: Any = None,
        data: bytes | None = None,
        params: None = None,  # noqa: ARG002 - plexapi passes it; a query is part of the address
        allow_redirects: bool = False,  # noqa: ARG002 - requests' own get() passes it
        max_bytes: int = SMALL_ANSWER_BYTES,
    ) -> requests.Response:
        """Send one request, its address encoded already; raise TargetError unless Plex answers with success."""
        path = self._own_path(url)
        _refuse_edit_without_item(method, url)
        _refuse_removal(method, path)
        with translated(f"{method.upper()} {path}"):
            paging = _PAGING if method.upper() == "GET" else {}
            prepared = self._prepared(method, url, {**paging, **(headers or {}), **self._own_headers}, data)
            # A redirect could carry the token to another host.
            response = self.send(prepared, timeout=timeout or self._timeouts, allow_redirects=False, stream=True)
            hold_bounded(response, max_bytes)
        _check(response, method.upper(), path)
        response.encoding = "utf-8"  # requests would take text/xml without a charset for Latin-1
        return response

    def _prepared(self, method: str, url: str, headers: dict[str, str], data: bytes | None) -> requests.PreparedRequest:
        """Prepare a request. Only its base is taken apart and quoted anew: that is most of the work."""
        prepared = self.prepare_request(requests.Request(method, self.base_url + "/", headers, data=data))
        prepared.url = f"{prepared.url}{url[len(self.base_url) + 1 :]}"
        return prepared

    def _own_path(self, url: str) -> str:
        """Refuse to send the token anywhere but to our server."""
        if not url.startswith(self.base_url + "/"):
            raise ValueError("a request to a server that is not ours")
        return urlsplit(url).path


def _checked_address(url: str) -> SplitResult:
    try:
        return urlsplit(url.strip())
    except ValueError as error:
        raise TargetUnreachable("plex_url is no usable address", kind=Kind.BAD_URL) from error


def _checked(token: str) -> str:
    """Stop a token that cannot be sent here; requests would quote it in its complaint."""
    if not _SHOWABLE_TOKEN.fullmatch(token.strip()):
        raise AccessDenied("plex_token holds characters that no Plex token has", kind=Kind.TOKEN)
    return token.strip()


def _refuse_edit_without_item(method: str, url: str) -> None:
    """Stop a PUT without `id`, which would edit every item of the library."""
    path, _, query = url.partition("?")
    if method.upper() == "PUT" and _EDITS_A_LIBRARY.search(path):
        ids = _IDS.findall(query)
        if not ids or not all(_ITEMS.fullmatch(one) for one in ids):
            raise ValueError("an edit of a library must name its item")


def _refuse_removal(method: str, path: str) -> None:
    """Stop a DELETE of anything but the choice of a picture: that of an item takes its files along."""
    if method.upper() == "DELETE" and not _CHOICE_OF_A_PICTURE.search(path):
        raise ValueError("nothing is deleted in Plex")


def _check(response: requests.Response, method: str, path: str) -> None:
    status = response.status_code
    if status not in _SUCCESS:
        target = urlsplit(response.headers.get("Location", ""))
        # Not its path: whoever sends us on may have put the token there.
        location = f"{target.scheme}://{target.netloc.rpartition('@')[2]}" if target.netloc else ""
        asked = retry_after_seconds(response.headers)
        raise from_status(status, method, path, response.content, location, asked)
    body = response.content.removeprefix(_BYTE_ORDER_MARK)
    if _NOT_PLEX.match(body) or _WIDE.match(body):
        text = "a web page came instead of Plex's answer"
        raise AnswerGarbled(text, kind=Kind.HTML_PAGE, status=status).at(f"{method} {path}")
