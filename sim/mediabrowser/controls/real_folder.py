"""A folder of this machine as a part of the simulated server's disk: what lies there is found by its scans."""

import os
from collections.abc import Iterator

from sim.mediabrowser.flavours import Flavour
from sim.mediabrowser.server import SimMediaBrowser
from sim.mediabrowser.web.exchange import Answer, Request

_VIDEOS = (".mp4", ".mkv", ".avi", ".wmv")


class RealFolder:
    """`RealFolder(server, "/tmp/library", "/media")`: each scan that a client asks for sees the folder as it is."""

    def __init__(self, server: SimMediaBrowser, folder: str, seen_as: str = "") -> None:
        self._server = server
        self._folder = folder
        self._seen_as = seen_as or folder
        self._known: dict[str, int] = {}
        server.add_library("Intake", [self._seen_as])
        server.observers.append(self._observe)

    def path_there(self, path: str) -> str:
        return self._seen_as + path[len(self._folder) :]

    def look(self) -> None:
        """Tell the server's disk what has come and gone."""
        now = dict(self._files())
        for path, size in now.items():
            if self._known.get(path) != size:
                self._server.add_file(path, size)
        for path in self._known.keys() - now.keys():
            self._server.remove_file(path)
        self._known = now

    def _observe(self, _flavour: Flavour, request: Request, _answer: Answer) -> None:
        if request.method == "POST" and request.path.endswith(("/Refresh", "/Media/Updated")):
            self.look()

    def _files(self) -> Iterator[tuple[str, int]]:
        for folder, _, names in os.walk(self._folder):
            for name in names:
                path = os.path.join(folder, name)
                if name.lower().endswith(_VIDEOS) and not name.startswith("."):
                    yield self.path_there(path), os.path.getsize(path)
