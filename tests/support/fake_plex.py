"""A Plex without a socket: real client, real session, real parsers, and answers that a test makes up."""

import io
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import quoteattr

import urllib3
from requests.adapters import HTTPAdapter

from plex.client import PlexClient
from plex.device_identity import DeviceIdentity

SERVER = b'<MediaContainer machineIdentifier="m1" friendlyName="x" version="1" platform="Linux" size="0"/>'
MOST_REQUESTS = 60


class FakePlex(HTTPAdapter):
    """Answers "/" as a Plex does, and everything else with `answer(method, path, query) -> (status, headers, body)`."""

    def __init__(self, answer):
        super().__init__()
        self._answer = answer
        self.writes = []
        self.asked = 0

    def send(self, request, **_):
        self.asked += 1
        assert self.asked <= MOST_REQUESTS, "it asks for ever"
        parts = urlsplit(request.url)
        query = parse_qs(parts.query, keep_blank_values=True)
        if request.method != "GET":
            self.writes.append((request.method, parts.path, query))
        is_root = parts.path == "/"
        status, headers, body = (200, {}, SERVER) if is_root else self._answer(request.method, parts.path, query)
        raw = urllib3.HTTPResponse(io.BytesIO(body), headers=headers, status=status, preload_content=False)
        return self.build_response(request, raw)

    def client(self):
        identity = DeviceIdentity("1b4e28ba-2fa1-11d2-883f-0016d3cca427")
        client = PlexClient("http://plex.invalid:32400", "token", identity, wait=lambda _: None)
        client._transport._session.mount("http://", self)
        return client


def markup(node):
    """Write `[tag, attributes, children]` as XML, and anything else as it happens to look."""
    if not (isinstance(node, list) and len(node) == 3):
        return "" if node is None else str(node)
    tag, attributes, children = node
    pairs = attributes.items() if isinstance(attributes, dict) else ()
    told = "".join(f" {name}={quoteattr(str(value))}" for name, value in pairs if value is not None)
    inner = "".join(map(markup, children)) if isinstance(children, list) else markup(children)
    return f"<{tag}{told}>{inner}</{tag}>"
