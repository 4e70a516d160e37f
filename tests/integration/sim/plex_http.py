"""A bare client for the simulated Plex: what plexapi hides, a test must see."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import requests

from sim.plex.server import SimPlex

XML = ET.Element


@dataclass
class Clock:
    """Moves only when told to."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


class Http:
    """One session with the owner's token; `timeout` is short because some servers here hang on purpose."""

    def __init__(self, plex: SimPlex, session: requests.Session, *, token: str | None = None) -> None:
        self.session = session
        self._plex = plex
        session.headers["X-Plex-Token"] = plex.token if token is None else token

    def send(self, method: str, path: str, *, timeout: float = 5.0, **more) -> requests.Response:
        return self.session.request(method, self._plex.url + path, timeout=timeout, **more)

    def get(self, path: str, **more) -> requests.Response:
        return self.send("GET", path, **more)

    def put(self, path: str, **more) -> requests.Response:
        return self.send("PUT", path, **more)

    def xml(self, path: str, **headers: str) -> XML:
        answer = self.get(path, headers=headers)
        assert answer.status_code == 200, answer.text
        return ET.fromstring(answer.content)

    def page(self, path: str, start: int = 0, size: int = 100) -> XML:
        bounds = {"X-Plex-Container-Start": str(start), "X-Plex-Container-Size": str(size)}
        return self.xml(path, **bounds)

    def details(self, *keys: int) -> XML:
        return self.xml(f"/library/metadata/{','.join(map(str, keys))}?skipRefresh=1")

    def edit(self, *keys: int, query: str, kind: int = 1, section: int = 2) -> int:
        ids = ",".join(map(str, keys))
        return self.put(f"/library/sections/{section}/all?type={kind}&id={ids}&{query}").status_code


@contextmanager
def connected(plex: SimPlex, *, token: str | None = None) -> Iterator[Http]:
    with requests.Session() as session:
        yield Http(plex, session, token=token)


def keys(container: XML) -> list[int]:
    return [item.attrib["ratingKey"] for item in container]
