"""Mutations of scenes, each with exactly the hooks that Stash fires for it."""

import os
from dataclasses import replace

from sim.stash.errors import ResolverError
from sim.stash.graphql.call import Call, number, numbers
from sim.stash.graphql.execution import Args, RootResolver
from sim.stash.jobs import Job
from sim.stash.library.records import Scene
from sim.stash.mutations.scene_edits import bulk_edit_scene, edit_scene
from sim.stash.plugins.hook_event import HookEvent, destroyed, scene_input, sent, set_only

UPDATED = "Scene.Update.Post"


def _commit(call: Call, scenes: list[Scene]) -> None:
    """Put edited copies on the shelf, all or, when an edit was refused before, none."""
    for scene in scenes:
        call.library.scenes.put(scene)


def _create(call: Call, args: Args) -> Scene:
    with call.library.lock:
        scene = call.library.draft_scene()
        edit_scene(call.library, scene, args["input"])
        _commit(call, [scene])
    call.fire(HookEvent("Scene.Create.Post", scene.id))
    return scene


def _update(call: Call, args: Args) -> Scene | None:
    fields = args["input"]
    with call.library.lock:
        scene = call.library.scenes.need(number(fields["id"])).copy()
        edit_scene(call.library, scene, fields)
        _commit(call, [scene])
    call.fire(HookEvent(UPDATED, scene.id, scene_input(fields), sent(fields)))
    return call.library.scenes.get(scene.id)


def _update_many(call: Call, args: Args) -> list[Scene | None]:
    """Every hook is told of all inputs, as a list."""
    inputs = args["input"]
    with call.library.lock:
        scenes = [call.library.scenes.need(number(fields["id"])).copy() for fields in inputs]
        for scene, fields in zip(scenes, inputs, strict=True):
            edit_scene(call.library, scene, fields)
        _commit(call, scenes)
    everything = [scene_input(fields) for fields in inputs]
    for scene, fields in zip(scenes, inputs, strict=True):
        call.fire(HookEvent(UPDATED, scene.id, everything, sent(fields)))
    return [call.library.scenes.get(scene.id) for scene in scenes]


def _bulk_update(call: Call, args: Args) -> list[Scene]:
    """All scenes are saved first; then one hook after another, each told of all ids."""
    fields = args["input"]
    with call.library.lock:
        scenes = [call.library.scenes.need(scene_id).copy() for scene_id in numbers(fields.get("ids"))]
        for scene in scenes:
            bulk_edit_scene(call.library, scene, fields)
        _commit(call, scenes)
    for scene in scenes:
        call.fire(HookEvent(UPDATED, scene.id, set_only(fields), sent(fields)))
    return [scene for scene in scenes if scene.id in call.library.scenes]


def _destroy(call: Call, args: Args) -> bool:
    fields = args["input"]
    with call.library.lock:
        scene = call.library.scenes.need(number(fields["id"]))
        del call.library.scenes[scene.id]
    call.fire(destroyed(scene, fields))
    return True


def _destroy_many(call: Call, args: Args) -> bool:
    fields = args["input"]
    with call.library.lock:
        scenes = [call.library.scenes.need(scene_id) for scene_id in numbers(fields["ids"])]
        for scene in scenes:
            del call.library.scenes[scene.id]
    for scene in scenes:
        call.fire(destroyed(scene, fields))
    return True


def _merge(call: Call, args: Args) -> Scene:
    """No hook at all: neither an update of the destination nor a destroy of the sources."""
    fields = args["input"]
    with call.library.lock:
        target = call.library.scenes.need(number(fields["destination"]))
        sources = [call.library.scenes.need(scene_id) for scene_id in numbers(fields["source"])]
        if target in sources:
            raise ResolverError("cannot merge scene into itself")
        for source in sources:
            target.files += source.files
            del call.library.scenes[source.id]
        edit_scene(call.library, target, fields.get("values") or {})
    return target


class _History:
    def __init__(self, history: tuple[str, ...]) -> None:
        self.count = len(history)
        self.history = sorted(history, reverse=True)


def _add_play(call: Call, args: Args) -> _History:
    """Not idempotent, no hook, and `updated_at` stays."""
    with call.library.lock:
        scene = call.library.scenes.need(number(args["id"]))
        scene.play_history += tuple(args.get("times") or (call.library.clock.stamp(),))
    return _History(scene.play_history)


def _generate_screenshot(call: Call, args: Args) -> str:
    """Only queued here, as a job of its own."""
    scene_id = number(args["id"])

    def work(_: Job) -> None:
        with call.library.lock:
            scene = call.library.scenes.need(scene_id)
            scene.cover_version += 1
            call.library.touch(scene)

    call.backend.jobs.add(f"Generating screenshot for scene id {scene_id}", work)
    return "todo"  # the real server's very word


def _move_files(call: Call, args: Args) -> bool:
    """Move files below the library's folders, on disk too where they are; no hook, and no scene is touched."""
    fields = args["input"]
    folder = str(fields.get("destination_folder") or "")
    if not any(folder == root or folder.startswith(root + "/") for root in call.backend.settings.stashes):
        raise ResolverError(f"folder path {folder} must be within a stash library path")
    with call.library.lock:
        for file_id in numbers(fields["ids"]):
            _move_file(call, file_id, folder, fields.get("destination_basename"))
    return True


def _move_file(call: Call, file_id: int, folder: str, basename: str | None) -> None:
    owner = next((one for one in call.library.scenes.values() if any(file.id == file_id for file in one.files)), None)
    if owner is None:
        raise ResolverError(f"file with id {file_id} not found")
    file = next(file for file in owner.files if file.id == file_id)
    target = os.path.join(folder, basename or os.path.basename(file.path))
    if os.path.lexists(target):
        raise ResolverError(f"file {target} already exists")
    if not os.path.exists(file.path):
        raise ResolverError(f"moving file {file.path}: no such file or directory")
    os.makedirs(folder, exist_ok=True)
    os.rename(file.path, target)
    moved = tuple(replace(one, path=target) if one.id == file_id else one for one in owner.files)
    call.library.scenes.put(replace(owner, files=moved))


SCENE_MUTATIONS: dict[str, RootResolver[Call]] = {
    "sceneCreate": _create,
    "sceneUpdate": _update,
    "scenesUpdate": _update_many,
    "bulkSceneUpdate": _bulk_update,
    "sceneDestroy": _destroy,
    "scenesDestroy": _destroy_many,
    "sceneMerge": _merge,
    "sceneAddPlay": _add_play,
    "sceneGenerateScreenshot": _generate_screenshot,
    "moveFiles": _move_files,
}
