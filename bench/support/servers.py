"""The two sides of a sync, for benchmarks: simulated servers with the same scenes on all of them, and a worker."""

import json
import os
import threading
from collections.abc import Sequence
from contextlib import closing

from bench.support.processes import Figures
from model.targets import EMBY, JELLYFIN, PLEX
from runtime.folder import DataFolder
from runtime.privacy.redaction import Redactor
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.server import SimMediaBrowser
from sim.plex.faults import HANG
from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from sync_queue.manager import QueueManager
from sync_queue.session import Session
from validation.config import Stash2PlexConfig
from worker.conditions import Conditions
from worker.processor import SyncWorker, Why
from worker.wiring import build_worker

FLAVOURS = {EMBY: "emby-4.9", JELLYFIN: "jellyfin-10.11"}
CHANGED_SHARE = 100
KEYS = {PLEX: "plex_token", EMBY: "emby_api_key", JELLYFIN: "jellyfin_api_key"}
PICTURE = bytes.fromhex("89504e470d0a1a0a") + b"\0" * 64  # what an item shows before us: whatever it is, it is kept


class Servers:
    """Stash with so many scenes, and targets with an item for each, under another prefix."""

    def __init__(self, scenes: int, targets: Sequence[str]) -> None:
        self.stash = SimStash(scenes)
        self.targets: dict[str, SimPlex | SimMediaBrowser] = {name: _server(name) for name in targets}
        library = self.stash.library
        for scene in library.scenes.values():
            if not scene.files:
                scene.files = (library.new_file(f"/data/clips/more/Scene Number {scene.id}.mp4", 50_000 + scene.id),)
            file = scene.files[0]
            path = file.path.replace("/data/clips", "/data/scenes/clips", 1)
            for server in self.targets.values():
                if isinstance(server, SimPlex):
                    server.add_item(path, file.size, int(file.duration * 1000))
                else:
                    server.add_item(path, file.size, file.duration)
        for server in (self.stash, *self.targets.values()):
            server.start()

    def where(self) -> Figures:
        keys = {name: one.token if isinstance(one, SimPlex) else one.api_key for name, one in self.targets.items()}
        return {
            "targets": {name: {"url": one.url, "key": keys[name]} for name, one in self.targets.items()},
            "port": self.stash.port,
            "cookie": self.stash.login().removeprefix("session="),
            "ids": len(self.stash.library.scenes),
        }

    def dress(self, start: str) -> None:
        """Let the items show nothing yet, a frame of the video (as Plex does), or both pictures, as an agent's do."""
        for scene in self.stash.library.scenes.values():
            scene.cover_version = max(scene.cover_version, 1)
        for server in self.targets.values():
            if isinstance(server, SimPlex):
                _dress_plex(server, start)
            else:
                kinds = {"nothing": (), "frame": ("Primary",), "both": ("Primary", "Backdrop")}[start]
                for item_id in server.item_ids():
                    for kind in kinds:
                        server.put_picture_by_provider(item_id, kind, PICTURE)

    def change(self) -> int:
        """Give one scene in a hundred another title."""
        changed = list(self.stash.library.scenes.values())[::CHANGED_SHARE]
        for scene in changed:
            scene.title = f"Changed {scene.id}"
        return len(changed)

    def refuse(self, name: str) -> None:
        """Let a target be gone: nothing answers at its address."""
        self.targets[name].stop()

    def hang(self, name: str) -> None:
        """Let a target take every request and answer none."""
        self.targets[name].faults.add(HANG)

    def take(self, file: str, name: str) -> Figures:
        """Write down what was asked of a target since the last time, and count it all."""
        server = self.targets[name]
        asked = [
            (one.method, one.path, one.query, one.page_size, getattr(one, "body", b"").decode())
            for one in server.requests
        ]
        with open(file, "w", encoding="utf-8") as out:
            json.dump(asked, out)
        uploads = sum(one.method == "POST" and (name == PLEX or one.kind == "upload") for one in server.requests)
        collections = sum("collection" in one.kind and one.method != "GET" for one in server.requests)
        reads = sum(one.method == "GET" for one in server.requests)
        counts = {
            "writes": len(asked) - reads - uploads - collections,
            "collections": collections,
            "reads": reads,
            "uploads": uploads,
            "stash": sum(self.stash.requests.values()),
            "disasters": [str(one) for one in server.disasters],
            "kinds": server.journal.counts(),
        }
        server.journal.clear()
        self.stash.requests.clear()
        return counts


def _server(name: str) -> SimPlex | SimMediaBrowser:
    if name == PLEX:
        return SimPlex(0)
    return SimMediaBrowser(FLAVOURS[name], 0, quirks=Quirks(), scenes_type="movies")


def _dress_plex(plex: SimPlex, start: str) -> None:
    if start == "both":
        plex.section("Scenes").agent = "tv.plex.agents.movie"
    for key in plex.item_ids() if start == "nothing" else ():
        plex.world.pictures.unset(plex.world.library.item(int(key)), "posters")
        plex.lock(key, "thumb", locked=False)


class Sync:
    """The lanes as the worker wires them, each target's in a thread of its own, stepped until nothing is due."""

    def __init__(self, where: Figures, folder: str) -> None:
        data = DataFolder(folder)
        names: dict[str, Figures] = where["targets"]
        with closing(QueueManager(data.queue_dir)) as queue:
            queue.keep_targets(tuple(names))
        self._parts = build_worker(data, Redactor())
        self._clock, self._queue = self._parts.clock, self._parts.queue
        self._ids = list(range(1, where["ids"] + 1))
        self._queue.keep_session(Session("http", "127.0.0.1", where["port"], where["cookie"], self._clock.now()))
        settings: Figures = {"sync_poster": False, "sync_background": False, **where.get("settings", {})}
        for name, one in names.items():
            settings |= {f"{name}_url": one["url"], KEYS[name]: one["key"], f"{name}_library": "Scenes"}
        self._parts.conditions.set(Conditions(Stash2PlexConfig(**settings), None))
        self._ledgers = [data.target(name).ledger for name in names]

    def run(self, phase: str, *only: str) -> Figures:
        """Queue what the phase is about for all targets, and work it off on those that are named, or on all."""
        now = self._clock.now()
        for part in self._parts.targets:
            queue = self._queue.of_target(part.name)
            if phase in {"first", "all"}:
                queue.enqueue("all", [0], "bench", now, due_at=now, verify=True)
            else:
                queue.enqueue("scene", self._ids, "bench", now, due_at=now)
        self._work(only or tuple(part.name for part in self._parts.targets), phase)
        return {"ledger_mb": sum(os.path.getsize(file + end) for file in self._ledgers for end in ("", "-wal")) / 1e6}

    def _work(self, names: Sequence[str], phase: str) -> None:
        """Step the lanes of the named targets until they are through; the others', for as long as that takes."""
        is_over, left = threading.Event(), list[str]()

        def drain(name: str, lanes: Sequence[SyncWorker]) -> None:
            for lane in lanes:
                while (pause := lane.step()).why is Why.WORKED:
                    pass
                if pause.why is not Why.IDLE:
                    left.append(f"{name}: {pause.why.value}")

        def keep_trying(lanes: Sequence[SyncWorker]) -> None:
            while not is_over.is_set():
                is_over.wait(min(lanes[0].step().seconds, 0.25))

        meant = [
            threading.Thread(target=drain, args=(one.name, one.lanes))
            for one in self._parts.targets
            if one.name in names
        ]
        others = [
            threading.Thread(target=keep_trying, args=(one.lanes,), daemon=True)
            for one in self._parts.targets
            if one.name not in names
        ]
        for thread in (*others, *meant):
            thread.start()
        for thread in meant:
            thread.join()
        is_over.set()
        if left:
            raise SystemExit(f"jobs are left after '{phase}': {left}")
