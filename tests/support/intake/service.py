"""The parts of intake in one process: a watched folder, a library, a simulated WordPress, lanes that a test steps."""

import threading
from pathlib import Path

from intake.moving.disk import Verify
from intake.moving.plan import Destination, MoveMode, OnExists
from intake.publishing.port import ItemNotIndexed
from intake.service.file_plan import Rules
from intake.service.file_work import FileWork
from intake.service.lane import Lane, Why
from intake.service.lease_keeper import LeaseKeeper
from intake.service.publish_work import PublishWork
from intake.service.sight import sight_of
from intake.sources.sidecar import SidecarSource
from intake.sources.wordpress import WordPressSettings, WordPressSource
from intake.store.row import FoundFile
from intake.store.row import Lane as LaneName
from intake.watching.identity import FileIdentity
from intake.watching.root import Root
from runtime.privacy.redaction import Redactor

PATIENCE = ((1.0, 5.0, 15.0), 3)


class FakePublisher:
    """A server in memory: it shows an item after so many looks, and fails as it is told to."""

    def __init__(self, name="emby", shown_after=0):
        self.name = name
        self.places = ("Primary", "Backdrop")
        self.scans_all = True
        self.shown_after = shown_after
        self.failing = {}
        self.calls = []

    def _note(self, what, *details):
        self.calls.append((what, *details))
        if error := self.failing.get(what):
            raise error

    def did(self, what):
        return [call[1:] for call in self.calls if call[0] == what]

    def scan(self, paths):
        self._note("scan", *paths)
        return frozenset(paths) if self.scans_all else frozenset()

    def find(self, path, *, is_last):
        self._note("find", path, is_last)
        if len(self.did("find")) <= self.shown_after:
            raise ItemNotIndexed(f"{self.name} does not show it.")
        return f"item of {Path(path).name}"

    def write(self, item_id, work, path, wrote):
        self._note("write", item_id, work.title, dict(wrote))
        return {"Name": work.title}

    def show_picture(self, item_id, work, place, shown, *, came_along=False):
        self._note(place, item_id, shown, *(["came along"] if came_along else []))
        return f"mark of {place}"

    def check(self):
        return f"{self.name} answers."

    def close(self):
        pass


class IntakeRig:
    """One machine of intake."""

    def __init__(self, folder, database, site=None, *, host="nas", publishers=(), owner=None, **changes):
        self.watch, self.library = folder / "watch", folder / "library"
        self.watch.mkdir(exist_ok=True)
        self.library.mkdir(exist_ok=True)
        self.stop = threading.Event()
        known = {"mode": MoveMode.MOVE, "on_exists": OnExists.ASK, "verify": Verify.SAMPLES, **changes}
        self.rules = Rules(Root(str(self.watch)), Destination(Root(str(self.library))), **known)
        self.store = database.open("test", host)
        self.keeper = LeaseKeeper(database.open("keeper", host), self.stop)
        self.sources = [SidecarSource()]
        if site is not None:
            settings = WordPressSettings(site.base_url, site.token)
            self.sources.append(WordPressSource(settings, str(folder / "token.json")))
        files = FileWork(self.store, self.sources, self.rules, self.keeper, owner, publishes=bool(publishers))
        publish = PublishWork(self.store, publishers, self.keeper, (2.0, 4.0), *PATIENCE)
        sight = sight_of(self.rules)
        redactor = Redactor()
        self.files = Lane(
            LaneName.FILES, self.store, files, sight[LaneName.FILES], self.keeper, redactor, PATIENCE, self.stop
        )
        self.publish = Lane(
            LaneName.PUBLISH, self.store, publish, sight[LaneName.PUBLISH], self.keeper, redactor, PATIENCE, self.stop
        )

    def drop(self, name, content=b"a film"):
        path = self.watch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def offer(self):
        """Offer all videos, as a scan would that finds them finished."""
        videos = sorted(path for path in self.watch.rglob("*") if path.suffix in {".mp4", ".mkv"})
        found = [FoundFile(str(path), str(FileIdentity.of(path.stat()))) for path in videos]
        return self.store.offer(found)

    def drain(self):
        """Step both lanes until nothing is due."""
        while Why.WORKED in {self.files.step().why, self.publish.step().why}:
            pass

    def take_in(self, *names):
        for name in names:
            self.drop(name)
        self.offer()
        self.drain()
        return {Path(row.file_path).name: row for row in self.store.rows(limit=1000)}

    def placed(self):
        return sorted(path.relative_to(self.library).as_posix() for path in self.library.rglob("*") if path.is_file())

    def left(self):
        return sorted(path.relative_to(self.watch).as_posix() for path in self.watch.rglob("*") if path.is_file())

    def close(self):
        for source in self.sources:
            source.close()
