"""A bare client for the simulated Emby and Jellyfin: a test must see what a good client hides."""

import base64
import struct
import zlib
from contextlib import contextmanager
from dataclasses import dataclass

import requests

from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.server import SimMediaBrowser
from tests.support.openapi import held_to_documents

JELLYFIN = [name for name in FLAVOURS if name.startswith("jellyfin")]
EMBY = [name for name in FLAVOURS if name.startswith("emby")]
BEFORE_12 = ["jellyfin-10.10", "jellyfin-10.11"]
EVERYTHING = (
    "Settings,Overview,OriginalTitle,CustomRating,Genres,Tags,Studios,Taglines,ProviderIds,ProductionLocations,People,"
    "SortName,Etag,DateCreated,Path"
)
SCALARS = {
    "Name": "Typed by a person",
    "ForcedSortName": "Sort me",
    "OriginalTitle": "Original",
    "Overview": "Words.",
    "CriticRating": 71.0,
    "CommunityRating": 8.5,
    "PremiereDate": "2020-02-03T00:00:00.0000000Z",
    "EndDate": "2020-02-04T00:00:00.0000000Z",
    "ProductionYear": 2020,
    "OfficialRating": "PG",
    "CustomRating": "R",
    "PreferredMetadataLanguage": "en",
    "PreferredMetadataCountryCode": "GB",
}
LISTS = {
    "Genres": ["Drama"],
    "Tags": ["kept"],
    "Studios": ["House"],
    "Taglines": ["A line."],
    "ProductionLocations": ["Oslo"],
    "ProviderIds": {"Imdb": "tt1"},
}


@dataclass
class Clock:
    """Moves only when told to."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


class Api:
    """One session with a token in the form that the server likes best."""

    def __init__(self, server: SimMediaBrowser, session: requests.Session, token: str | None = None) -> None:
        self.session = session
        self.server = server
        token = server.api_key if token is None else token
        known = server.world.identity.user_with_token(token)
        self.user_id = known.id if known else server.user("admin").id
        if server.flavour.is_emby:
            session.headers["X-Emby-Token"] = token
        else:
            session.headers["Authorization"] = f'MediaBrowser Token="{token}"'

    def send(self, method: str, path: str, **more) -> requests.Response:
        more.setdefault("allow_redirects", False)
        return self.session.request(method, self.server.url + path, timeout=20, **more)

    def get(self, path: str, **query) -> requests.Response:
        return self.send("GET", path, params=query)

    def post(self, path: str, json=None, **query) -> requests.Response:
        return self.send("POST", path, params=query, json=json)

    def delete(self, path: str, **query) -> requests.Response:
        return self.send("DELETE", path, params=query)

    def json(self, path: str, **query):
        answer = self.get(path, **query)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return answer.json()

    def items(self, **query) -> list[dict]:
        return self.json("/Items", **query)["Items"]

    def item(self, item_id: str, fields: str = EVERYTHING) -> dict:
        return self.items(Ids=item_id, Fields=fields)[0]

    def whole(self, item_id: str) -> dict:
        """The item as a good client reads it before a write."""
        if self.server.flavour.is_emby:
            return self.json(f"/Users/{self.user_id}/Items/{item_id}")
        return self.item(item_id)

    def update(self, item_id: str, **values) -> requests.Response:
        """Read whole, change, send whole."""
        return self.post(f"/Items/{item_id}", {**self.whole(item_id), **values})

    def upload(self, item_id: str, kind: str, content: bytes, *, media_type: str | None = "image/png", place: str = ""):
        headers = {"Content-Type": media_type} if media_type else {}
        return self.send(
            "POST", f"/Items/{item_id}/Images/{kind}{place}", data=base64.b64encode(content), headers=headers
        )


@contextmanager
def connected(server: SimMediaBrowser, *, token: str | None = None):
    with requests.Session() as session:
        yield Api(server, session, token)


@contextmanager
def serving(flavour: str, items: int = 5, **more):
    """A server whose answers are held to its document."""
    with SimMediaBrowser(flavour, items, **more) as server, held_to_documents(server, requests=False):
        yield server


def png(number: int = 0, size: tuple[int, int] = (1, 1)) -> bytes:
    """Make a small picture, each number another."""
    rows = b"".join(b"\0" + bytes([number % 256]) * size[0] for _ in range(size[1]))
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", *size, 8, 0, 0, 0, 0)),
        (b"tEXt", f"n\0{number}".encode()),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
