"""Everything between a simulated Stash and a simulated Plex, in one process, worked by hand on a clock that stands."""

import time
from contextlib import closing
from pathlib import Path

import pytest

from runtime.folder import DataFolder
from runtime.lock import FileLock
from runtime.privacy.redaction import Redactor
from sim.plex.server import SimPlex
from sim.stash.library.records import Group, Performer, SceneGroup, Studio, Tag
from sim.stash.simulator import SimStash
from sync.outage.text import outage_sentence
from sync_queue.manager import QueueManager
from sync_queue.models import SyncJob
from sync_queue.operations import AT_ONCE, writing
from sync_queue.session import Session, remember_session
from tests.support.actions import ask
from tests.support.clocks import FakeClock
from tests.support.settings import config
from worker.conditions import Conditions
from worker.processor import Why
from worker.wiring import build_worker

STASH_ROOT = "/data/clips"
PLEX_ROOT = "/data/scenes/clips"
MOST_STEPS = 200


class Workshop:
    """The worker's parts as `worker.wiring` joins them, and what a test does on either side of them."""

    def __init__(self, stash, plex, folder, clock, name="plex", settings=None):
        self.stash, self.plex, self.clock, self.name = stash, plex, clock, name
        self._folder = folder
        self.folder = DataFolder(str(folder))
        self._settings = settings or {"plex_url": plex.url, "plex_token": plex.token}
        self.open()

    def open(self):
        """Start as a new process does, on the files the last one left."""
        with closing(QueueManager(self.folder.queue_dir)) as queue:
            queue.keep_targets((self.name,))
        self.parts = build_worker(self.folder, Redactor(), self.clock)
        (parts,) = self.parts.targets
        self.queue, self.conditions = self.parts.queue, self.parts.conditions
        self.own_queue = self.queue.of_target(self.name)
        self.sweeper, self.stash_jobs = self.parts.sweeper, self.parts.stash_jobs
        self.ledger, self.connection, self.target = parts.ledger, parts.connection, parts.pipeline
        self.picture_work, self.recovery, self.picture_recovery = parts.picture_work, parts.recovery, parts.pictures
        self.metadata_lane, self.picture_lane = parts.lanes
        self.configure()
        self._remember_stash()

    def close(self):
        self.parts.close()

    def restart(self, *, without_ledger=False):
        self.close()
        if without_ledger:
            for file in Path(self.folder.target(self.name).root).glob("ledger.db*"):
                file.unlink()
        self.open()

    def configure(self, **changes):
        self._settings |= changes
        self.conditions.set(Conditions(config(**self._settings), None))

    def obstruct(self, sentence):
        self.conditions.set(Conditions(config(**self._settings), sentence))

    def _remember_stash(self):
        cookie = self.stash.login().removeprefix("session=")
        with writing(self.queue._connection):
            remember_session(
                self.queue._connection, Session("http", "0.0.0.0", self.stash.port, cookie, self.clock.now())
            )

    # --- working --------------------------------------------------------------------------------------------------

    def sync(self, *scene_ids, verify=False):
        now = self.clock.now()
        self.own_queue.enqueue("scene", list(scene_ids), "test", now, due_at=now, verify=verify)
        self.work()

    def save(self, *scene_ids):
        """Let a hook tell of the scenes, and do the words at once."""
        self.own_queue.enqueue("scene", list(scene_ids), "test", self.clock.now(), due_at=AT_ONCE)
        self.work()

    def sync_all(self):
        self.own_queue.enqueue("all", [0], "sync all", self.clock.now(), due_at=self.clock.now(), verify=True)
        self.work()

    def sweep(self):
        """Sweep, and give the keys of the jobs that came of it."""
        before = set(self.jobs())
        self.sweeper.sweep("test")
        return set(self.jobs()) - before

    def sweep_and_work(self):
        self.sweep()
        self.work()
        self.pictures()

    def work(self):
        """Do all metadata that is due."""
        _drain(self.metadata_lane)

    def pictures(self):
        """Do all pictures that are due."""
        _drain(self.picture_lane)

    def work_for(self, seconds, every=30.0):
        """Let time pass, working on both lanes as a thread would."""
        for _ in range(int(seconds // every)):
            self.clock.advance(every)
            self.work()
            self.pictures()

    @property
    def trouble(self):
        return outage_sentence(self.recovery.breaker.snapshot(), self.clock.now())

    # --- Stash ----------------------------------------------------------------------------------------------------

    def edit(self, scene_id, *, tags=None, performers=None, studio=None, groups=None, **values):
        """Change a scene in Stash: names for what it refers to, an empty name for no studio."""
        library = self.stash.library
        with library.lock:
            scene = library.scenes[scene_id]
            for name, value in values.items():
                setattr(scene, name, value)
            if tags is not None:
                scene.tag_ids = tuple(self._record(library.tags, Tag, name) for name in tags)
            if performers is not None:
                scene.performer_ids = tuple(self._record(library.performers, Performer, name) for name in performers)
            if studio is not None:
                scene.studio_id = self._record(library.studios, Studio, studio) if studio else None
            if groups is not None:
                scene.groups = tuple(SceneGroup(self._record(library.groups, Group, name)) for name in groups)
            library.touch(scene)

    def _record(self, sorted_items, kind, name):
        known = next((one.id for one in sorted_items.values() if one.name == name), None)
        stamp = self.stash.clock.stamp()
        return known or sorted_items.put(kind(sorted_items.next_id(), name, stamp, stamp)).id

    def upload_cover(self, scene_id, data, *, seconds_later=1.0):
        """Give the scene another cover; its address carries the second of the scene's last change."""
        library = self.stash.library
        self.clock.advance(seconds_later)
        with library.lock:
            scene = library.scenes[scene_id]
            scene.cover_version += 1
            library.uploaded["scene", scene_id, scene.cover_version] = data
            library.touch(scene)

    # --- Plex -----------------------------------------------------------------------------------------------------

    def path(self, scene_id):
        """Where Plex has, or would have, the scene's file."""
        return PLEX_ROOT + self.stash.library.scenes[scene_id].path.removeprefix(STASH_ROOT)

    def add_to_plex(self, scene_id):
        (file, *_) = self.stash.library.scenes[scene_id].files
        return self.plex.add_item(self.path(scene_id), file.size, int(file.duration * 1000))

    def key(self, scene_id):
        return self.plex.find(self.path(scene_id))

    def item(self, scene_id):
        return self.plex.item(self.key(scene_id))

    def others(self, *scene_ids):
        """Show every item of the server but those of these scenes, as a person sees them."""
        known = {self.key(scene_id) for scene_id in scene_ids}
        sections = [section.title for section in self.plex.world.library.sections.values()]
        keys = [key for title in sections for key in self.plex.item_ids(title)]
        return {key: self.plex.item(key) for key in keys if key not in known}

    def writes(self):
        return [entry for entry in self.plex.requests if entry.is_write]

    def reads(self):
        return [entry for entry in self.plex.requests if not entry.is_write]

    def forget_requests(self):
        self.plex.journal.clear()
        self.stash.requests.clear()

    # --- what we know ---------------------------------------------------------------------------------------------

    def record(self, scene_id):
        return self.ledger.scenes.get(scene_id)

    def jobs(self):
        """List the jobs that wait, by key."""
        rows = self.queue._connection.execute("SELECT _id, data, due_at FROM ack_queue_default WHERE status < 2")
        return {job.key: job for job in (SyncJob.from_row(*row) for row in rows)}

    def letters(self):
        return dict(self.queue._connection.execute("SELECT key, sentence FROM dead_letters").fetchall())


def _drain(lane):
    for _ in range(MOST_STEPS):
        if lane.step().why is not Why.WORKED:
            return
    raise AssertionError("the lane does not come to rest")


@pytest.fixture
def clock():
    return FakeClock(float(int(time.time())))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    """Repeat a read at once: the waits before it are less than a second, and add up."""
    monkeypatch.setattr("plex.http.transport._FIRST_WAIT_SECONDS", 0.0)


@pytest.fixture
def tag_mode():
    return "add"


@pytest.fixture
def scene_count():
    return 12


@pytest.fixture
def stash(clock, scene_count):
    with SimStash(scenes=scene_count, now=clock.now) as running:
        yield running


@pytest.fixture
def plex(clock, tag_mode):
    with SimPlex(3, tag_mode=tag_mode, clock=clock.now) as running:
        yield running


@pytest.fixture
def shop(stash, plex, tmp_path, clock):
    """Twelve scenes, all of them in Plex under another prefix, nothing synced yet; no pictures unless asked for."""
    shop = Workshop(stash, plex, tmp_path, clock)
    shop.configure(plex_library="Scenes", sync_poster=False, sync_background=False)
    for scene_id, scene in stash.library.scenes.items():
        if scene.files:
            shop.add_to_plex(scene_id)
    yield shop
    shop.close()


class Counter:
    """A workshop and, beside it, a person who asks. Its worker seems to live, so that none is started."""

    def __init__(self, shop, folder):
        self.shop, self.folder = shop, DataFolder(str(folder))
        self.lock = FileLock(self.folder.worker_lock)
        assert self.lock.acquire()
        self.configure()

    def configure(self, **changes):
        self.shop.configure(**changes)
        self.shop.stash.configure_plugin("Stash2Plex", self.shop._settings)

    def ask(self, mode, **args):
        return ask(self.folder, mode, **args)

    def explain(self, scene_id):
        """Give the story of a scene on the only target, with what is common to all."""
        answer = self.ask("explain", scene_id=scene_id)
        (story,) = answer["targets"]
        return {**answer, **story}

    def preview(self, scene_id):
        """Give what a sync of a scene would do on the only target."""
        (plan,) = self.ask("preview_scene", scene_id=scene_id)["targets"]
        return plan


@pytest.fixture
def counter(shop, tmp_path):
    opened = Counter(shop, tmp_path)
    yield opened
    opened.lock.release()
