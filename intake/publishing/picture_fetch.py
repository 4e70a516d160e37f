"""Fetching a work's picture from where its source says it lies: an address that anybody may have written there."""

import logging
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import requests

from intake.publishing.port import PicturesFailed
from runtime.net.bounded_answer import read_bounded

log = logging.getLogger(__name__)

MAX_BYTES = 10_000_000
TIMEOUTS = (5.0, 30.0)
LONGEST_SECONDS = 60.0
MOST_REDIRECTS = 3
WIDTH = "800"
_KEPT = 2  # the picture of one work in both sizes, for every server that wants them
_SIGNATURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")
_OK = 200


class PictureFetcher:
    """Fetches without any credential. What counts is what the bytes are, not the status that they came with."""

    def __init__(self) -> None:
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.max_redirects = MOST_REDIRECTS
        self._kept: dict[str, bytes] = {}

    def fetch(self, url: str) -> bytes:
        """Return a picture's bytes; raises PicturesFailed."""
        if url not in self._kept:
            while len(self._kept) >= _KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[url] = self._fetch(url)
        return self._kept[url]

    def close(self) -> None:
        self._session.close()

    def _fetch(self, url: str) -> bytes:
        shown = _shown(url)
        try:
            with self._session.get(url, timeout=TIMEOUTS, stream=True) as response:
                status, content = response.status_code, read_bounded(response, MAX_BYTES, LONGEST_SECONDS)
        except (requests.RequestException, ValueError) as error:  # an address may be one that cannot even be asked
            raise PicturesFailed(f"The picture at {shown} cannot be fetched ({type(error).__name__}).") from error
        if not is_picture(content):
            what = "nothing" if not content else "no JPEG, PNG or WebP"
            raise PicturesFailed(f"What lies at {shown} is {what} (status {status}).")
        if status != _OK:
            log.info("The picture at %s came with status %d; it is taken for what it is.", shown, status)
        return content


def is_picture(content: bytes) -> bool:
    is_webp = content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    return is_webp or content.startswith(_SIGNATURES)


def narrow(url: str) -> str:
    """Ask the site for its narrower variant, the whole width of it: `w=800`, no `horizontal`."""
    parts = urlsplit(url)
    query = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True)]
    kept = [(name, value) for name, value in query if name not in {"w", "horizontal"}]
    return urlunsplit(parts._replace(query=urlencode([*kept, ("w", WIDTH)])))


def _shown(url: str) -> str:
    """Name an address without what may be secret in it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}{parts.path}"
