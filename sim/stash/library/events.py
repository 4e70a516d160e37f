"""What happens to a library without anybody pressing Save: scans, moves, jobs. Hooks as in the real one."""

from typing import Any

from sim.stash.caller import Caller
from sim.stash.graphql.call import Backend
from sim.stash.library.records import Scene
from sim.stash.mutations.scene_edits import edit_scene
from sim.stash.plugins.hook_event import HookEvent, destroyed, scene_input, sent

CREATED = "Scene.Create.Post"
UPDATED = "Scene.Update.Post"


class LibraryEvents:
    """Each method names what fires and whether `updated_at` moves; hooks are waited for, as a scan waits."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._library = backend.library

    def scan_new_file(self, path: str, size: int = 50_000) -> Scene:
        """Create hook with null input. The cover comes later, see `generate_cover`."""
        with self._library.lock:
            scene = self._library.new_scene()
            scene.files = (self._library.new_file(path, size),)
        self.fire(CREATED, scene.id)
        return scene

    def scan_second_file(self, scene_id: int, path: str) -> None:
        """A file with the same hash: update hook with null input, `updated_at` moves."""
        with self._library.lock:
            scene = self._library.scenes.need(scene_id)
            scene.files += (self._library.new_file(path, 50_000),)
            self._library.touch(scene)
        self.fire(UPDATED, scene_id)

    def move_file(self, scene_id: int, path: str) -> None:
        """Update hook with null input; only the file's own `updated_at` moves."""
        with self._library.lock:
            file = self._library.scenes.need(scene_id).files[0]
            file.path = path
            self._library.touch(file)
        self.fire(UPDATED, scene_id)

    def rename_folder(self, old: str, new: str) -> None:
        """No hook, and no `updated_at` moves anywhere."""
        with self._library.lock:
            for scene in self._library.scenes.values():
                for file in scene.files:
                    if file.path.startswith(f"{old}/"):
                        file.path = new + file.path.removeprefix(old)

    def rescan(self) -> None:
        """Update hook with null input for every scene that has a file; nothing changes."""
        for scene in list(self._library.scenes.values()):
            if scene.files:
                self.fire(UPDATED, scene.id)

    def generate_cover(self, scene_id: int) -> None:
        """No hook; `updated_at` moves."""
        with self._library.lock:
            scene = self._library.scenes.need(scene_id)
            scene.cover_version += 1
            self._library.touch(scene)

    def auto_tag(self, scene_id: int, tag_ids: tuple[int, ...]) -> None:
        """No hook; `updated_at` moves."""
        with self._library.lock:
            scene = self._library.scenes.need(scene_id)
            scene.tag_ids = tuple(dict.fromkeys((*scene.tag_ids, *tag_ids)))
            self._library.touch(scene)

    def identify(self, scene_id: int, **fields: Any) -> None:
        """Update hook with the whole input, a base64 cover included; `updated_at` moves."""
        given = {"id": str(scene_id), **fields}
        with self._library.lock:
            scene = self._library.scenes.need(scene_id).copy()
            edit_scene(self._library, scene, given)
            self._library.scenes.put(scene)
        self._run(HookEvent(UPDATED, scene_id, scene_input(given), sent(given)))

    def clean_away(self, scene_id: int) -> None:
        """The last file is gone: destroy hook that has an empty id in its input. A second file goes without a hook."""
        with self._library.lock:
            scene = self._library.scenes.need(scene_id)
            if len(scene.files) > 1:
                scene.files = scene.files[:-1]
                self._library.touch(scene)
                return
            del self._library.scenes[scene_id]
        self._run(destroyed(scene, {}))

    def fire(self, trigger: str, record_id: int, given: Any = None) -> None:
        """Run a trigger's hooks, also for an id that does not exist: a retried transaction really does that."""
        self._run(HookEvent(trigger, record_id, given))

    def _run(self, event: HookEvent) -> None:
        self._backend.plugins.run_hooks(Caller(self._backend.settings.username), event)
