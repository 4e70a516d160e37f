"""The way of one scene's job through the house: which modules it enters, and how often it changes the room.

    python bench/rooms.py [--list]

One Save, worked on by one step of the worker, is traced call by call and return by return. A module is a file of the
product; a room is its first folder. Ends with 1 if a promise is broken.
"""

import argparse
import collections
import os
import sys
import tempfile
import time
from types import FrameType
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from bench.support.promises import Promise, judge  # noqa: E402 - a script finds its packages first
from runtime.folder import DataFolder  # noqa: E402
from runtime.privacy.redaction import Redactor  # noqa: E402
from sim.plex.server import SimPlex  # noqa: E402
from sim.stash.simulator import SimStash  # noqa: E402
from sync_queue.session import Session  # noqa: E402
from validation.config import Stash2PlexConfig  # noqa: E402
from worker.conditions import Conditions  # noqa: E402
from worker.wiring import build_worker  # noqa: E402

MOST_MODULES, MOST_CHANGES = 82, 250  # as it is today, so that it does not grow; the aim for modules is 35
SCENE = 7
OUTSIDE = ("bench", "sim", "tests", ".venv")


class Tracer:
    """Notes every module of the product that is entered, and every step from one room into another."""

    def __init__(self) -> None:
        self.calls: collections.Counter[str] = collections.Counter()
        self.ways: collections.Counter[tuple[str, str]] = collections.Counter()
        self._room = ""

    @property
    def changes(self) -> int:
        return sum(self.ways.values())

    def note(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call":
            self._enter(frame, counts=True)
        elif event == "return" and frame.f_back is not None:
            self._enter(frame.f_back, counts=False)

    def _enter(self, frame: FrameType, *, counts: bool) -> None:
        name = os.path.relpath(frame.f_code.co_filename, ROOT) if frame.f_code.co_filename.startswith(ROOT) else ""
        room = name.split(os.sep)[0]
        if not name or room in OUTSIDE:
            return
        if counts:
            self.calls[name] += 1
        if self._room and room != self._room:
            self.ways[self._room, room] += 1
        self._room = room


def trace() -> Tracer:
    """Work on one job of a scene that Plex has and that was edited since it was synced."""
    with SimStash(scenes=20) as stash, SimPlex(3) as plex, tempfile.TemporaryDirectory() as root:
        for scene in stash.library.scenes.values():
            for file in scene.files[:1]:
                plex.add_item(scene.path, file.size, int(file.duration * 1000))
        folder = DataFolder(root)
        folder.make()
        parts = build_worker(folder, Redactor(folder))
        cookie = stash.login().removeprefix("session=")
        parts.queue.keep_session(Session("http", "127.0.0.1", stash.port, cookie, time.time()))
        settings: dict[str, Any] = {"plex_url": plex.url, "plex_token": plex.token, "plex_library": "Scenes"}
        config = Stash2PlexConfig(**settings)
        parts.conditions.set(Conditions(config, None))
        lane = parts.lanes[0]
        _enqueue(parts)
        lane.step()  # connects, indexes, derives the path map
        with stash.library.lock:
            stash.library.scenes[SCENE].title = "Another title"
            stash.library.touch(stash.library.scenes[SCENE])
        tracer = Tracer()
        _enqueue(parts)
        sys.setprofile(tracer.note)
        lane.step()
        sys.setprofile(None)
        parts.close()
    return tracer


def _enqueue(parts: Any) -> None:
    now = time.time()
    parts.queue.enqueue("scene", [SCENE], "bench", now, due_at=now)


def _promise(what: str, count: int, most: int) -> Promise:
    return Promise(f"{what}: {count}", f"at most {most}", count <= most)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name the modules and the ways")
    options = parser.parse_args()
    tracer = trace()
    if options.list:
        for name, calls in sorted(tracer.calls.items()):
            print(f"{calls:6d} {name}")
        for (left, entered), times in tracer.ways.most_common():
            print(f"{times:6d} {left} -> {entered}")
    return judge(
        [
            _promise("modules that a scene's job enters", len(tracer.calls), MOST_MODULES),
            _promise("changes of room", tracer.changes, MOST_CHANGES),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
