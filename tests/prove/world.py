"""The world of a proof: Stash, Plex and the installed plugin, all of them real processes or real sockets.

Nothing of the product is replaced. Only waits of a minute are made waits of a second.
"""

import hashlib
import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from sim.plex.faults import slow
from sim.plex.quirks import Quirks
from sim.plex.server import SimPlex
from sim.stash.library.pictures import png
from sim.stash.simulator import SimStash
from tests.support.plugin.plugin import InstalledPlugin, copy_source

PLEX_ROOT = "/data/scenes/clips"
STASH_ROOT = "/data/clips"
THEIRS = "Somebody's own"
NOT_ON_SERVER = 8  # every eighth scene
PATIENCE_SECONDS = 120.0

LOOK_SECONDS = 2.0

QUICKER = {
    "sync.outage.circuit.PROBE_EVERY_SECONDS": 1.0,
    "sync.outage.circuit.SLOW_PROBE_EVERY_SECONDS": 2.0,
    "sync.outage.circuit.FIRST_RATE": 100.0,
    "sync.outage.circuit.LAST_RATE": 400.0,
    "worker.stash.watch.LOOK_EVERY_SECONDS": LOOK_SECONDS,
}


class Installation:
    """Stash and the installed plugin, and what people do in Stash. `settings` are those of the plugin."""

    def __init__(self, folder, scenes, settings, fill=copy_source, quicker=QUICKER):
        self.plugin = InstalledPlugin(folder, fill=fill)
        for name, value in quicker.items():
            self.plugin.adjust(name, value)
        self.stash = SimStash(scenes=scenes, config_dir=folder)
        self.keys = {}  # by scene: its item on the server
        for scene in self.stash.library.scenes.values():
            # What nobody has filled in wipes nothing, and a cover that is not there is waited for: neither proves much.
            scene.title, scene.cover_version = scene.title or f"Scene {scene.id}", max(scene.cover_version, 1)
        self.expected_dead = 0
        self.edits = 0
        self._settings = {"connect_timeout": 2, "read_timeout": 2, "reconcile_interval": 0} | (settings or {})
        self.keeps_edits = self._settings.get("preserve_plex_edits", True)
        self.syncs_rating = self._settings.get("sync_rating", False)

    def begin(self, **addresses):
        """Start Stash with the plugin in it, told where its servers are."""
        self.stash.start()
        self.stash.configure_plugin("Stash2Plex", {**addresses, **self._settings})
        self.stash.install_plugin(self.plugin.plugin_dir, python=self.plugin.python)

    # --- what people do -------------------------------------------------------------------------------------------

    @property
    def ids(self):
        return list(self.keys)

    @property
    def lacking(self):
        """The scenes that Plex does not have."""
        return [one for one in self.stash.library.scenes if one not in self.keys]

    def save(self, scene_id, **fields):
        """Press Save; the hook is a real process, and the Save waits for it."""
        self.edits += 1
        self.stash.save_scene(scene_id, **fields)

    def save_new_title(self, scene_id):
        self.save(scene_id, title=f"Edit {self.edits} of {scene_id}", details=f"Summary {self.edits}, 夜, “quoted”")

    def save_all(self, at_once=1):
        """Edit every scene, also those that Plex does not have."""
        with ThreadPoolExecutor(at_once) as pool:
            list(pool.map(self.save_new_title, list(self.stash.library.scenes)))

    def new_cover(self, scene_id):
        with self.stash.library.lock:
            self.stash.library.scenes[scene_id].cover_version += 1
        self.save_new_title(scene_id)  # as Stash does it: the cover comes with a Save

    def run_job(self, act, description="Auto-tagging..."):
        """Let Stash do something as a job of its own, which begins and ends while nobody looks."""
        self.edits += 1
        self.stash.jobs.add(description, lambda _job: act()).done.wait()

    def undo_everything(self):
        return self.ask({"mode": "undo_last_run", "all": True})

    def bulk(self, **fields):
        """One bulk edit of everything: Stash fires a hook for each scene."""
        self.edits += 1
        ids = ", ".join(f'"{one}"' for one in self.ids)
        given = ", ".join(f"{name}: {json.dumps(value)}" for name, value in fields.items())
        self.stash.graphql(f"mutation {{ bulkSceneUpdate(input: {{ ids: [{ids}], {given} }}) {{ id }} }}")

    def wake(self):
        """What a person does who wonders: look at the status. It revives a worker that was killed."""
        return self.ask({"mode": "queue_status"})

    def ask(self, args):
        return self.plugin.run(self.plugin.request(args, self.stash.port, self.cookie()))

    def start_hook(self, scene_id):
        """Start a hook as a Save does, and do not wait for it."""
        context = {"id": scene_id, "type": "Scene.Update.Post", "input": {"id": str(scene_id)}, "inputFields": ["id"]}
        args = {"mode": "hook", "hookContext": context}
        return self.plugin.start(self.plugin.request(args, self.stash.port, self.cookie()))

    def cookie(self):
        return self.stash.login().removeprefix("session=")

    def scenes_in_plex(self):
        return [scene for scene in list(self.stash.library.scenes.values()) if scene.id in self.keys]

    @staticmethod
    def cover(scene):
        return hashlib.sha1(png(f"scene {scene.id} {scene.cover_version}"), usedforsecurity=False).hexdigest()

    # --- waiting -------------------------------------------------------------------------------------------------

    def until(self, claim):
        """Wait for what must come, however slow the machine is."""
        assert self.wait(claim), "it never came true"

    @staticmethod
    def wait(claim, seconds=PATIENCE_SECONDS):
        """Wait for what may come; say whether it did."""
        deadline = time.monotonic() + seconds
        while not claim():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True


class World(Installation):
    """A library of scenes, most with their items in Plex, on which people have worked, beside items of nobody's."""

    def __init__(
        self, folder, scenes=40, *, tag_mode="add", settings=None, fill=copy_source, quicker=QUICKER, stores=None
    ):
        super().__init__(folder, scenes, settings, fill, quicker)
        self.plex = SimPlex(30, tag_mode=tag_mode, quirks=Quirks(**(stores or {})))
        self.typed = {}  # by scene and field: what a person typed in Plex since, and when
        self.taken_out = {}  # by scene and list: the names that a person took out in Plex since
        self.left = {}  # by item that its scene has left: what it showed before us
        self.former = Counter()  # by item: the covers of scenes that had it before
        self.write_seconds = 0.0
        for scene in self.stash.library.scenes.values():
            if scene.files and scene.id % NOT_ON_SERVER:
                self.keys[scene.id] = self._add_item(scene)
        self.let_people_edit()
        self.strangers = self.stranger_states()

    @property
    def server(self):
        """The server whose requests are counted."""
        return self.plex

    def let_people_edit(self):
        """Have people put tags, names, collections and words of their own on some items; remember all as it was."""
        keys = list(self.keys.values())
        for key in keys[::3]:
            self.plex.edit_by_person(key, lock=False, genre=[THEIRS], actor=[THEIRS], collection=[THEIRS])
        for key in keys[::4]:
            self.plex.edit_by_person(key, tagline=THEIRS, contentRating="Ours")
        self.originals = {scene_id: self.plex.item(key) for scene_id, key in self.keys.items()}

    def _add_item(self, scene):
        file = scene.files[0]
        return self.plex.add_item(self.target_path(file.path), file.size, int(file.duration * 1000))

    @staticmethod
    def target_path(path):
        return PLEX_ROOT + path.removeprefix(STASH_ROOT)

    def __enter__(self):
        self.plex.start()
        self.begin(plex_url=self.plex.url, plex_token=self.plex.token)
        return self

    def __exit__(self, kind, *_):
        self.plugin.kill_workers()
        try:
            self.stash.__exit__(kind)
        finally:
            self.plex.__exit__(kind)

    # --- what people do in Plex -------------------------------------------------------------------------------------

    def type_in_plex(self, scene_id, **values):
        """A person types into Plex, and it is to stay."""
        typed = {name: (value, time.time()) for name, value in values.items()}
        self.plex.edit_by_person(self.keys[scene_id], **values)
        self.typed.setdefault(scene_id, {}).update(typed)

    def take_out(self, scene_id, kind, name):
        """A person takes a name out of a list in Plex, and it is to stay out."""
        left = [one for one in self.plex.item(self.keys[scene_id]).tags[kind] if one != name]
        self.plex.edit_by_person(self.keys[scene_id], **{kind: left})
        self.taken_out.setdefault(scene_id, {}).setdefault(kind, set()).add(name)

    def slow_down(self, seconds):
        """Have Plex take so long for every edit from now on."""
        self.write_seconds = seconds
        self.plex.faults.add(slow(seconds), kind="edit")

    # --- what is in the world -------------------------------------------------------------------------------------

    def stranger_states(self):
        ours = set(self.keys.values())
        sections = [section.title for section in self.plex.world.library.sections.values()]
        keys = [key for title in sections for key in self.plex.item_ids(title)]
        return {key: self.plex.item(key) for key in keys if key not in ours}

    def writes(self):
        return [entry for entry in self.plex.requests if entry.is_write]


def in_background(act):
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    return thread
