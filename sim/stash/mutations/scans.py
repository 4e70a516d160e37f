"""A scan that somebody asks for: real files below the library's folders become scenes, as a job of its own."""

import os
import struct
from collections.abc import Iterator

from sim.stash.graphql.call import Call
from sim.stash.graphql.execution import Args, RootResolver
from sim.stash.jobs import Job
from sim.stash.library.records import Scene, VideoFile
from sim.stash.plugins.hook_event import HookEvent

_VIDEOS = (".mp4", ".mkv", ".avi", ".wmv")
_HASHED_BYTES = 65536


def _scan(call: Call, args: Args) -> str:
    fields = args["input"]
    wanted = list(fields.get("paths") or call.backend.settings.stashes)
    covers = bool(fields.get("scanGenerateCovers"))

    def work(_: Job) -> None:
        for path in _videos(call, wanted):
            _take_in(call, path, covers=covers)

    return str(call.backend.jobs.add("Scanning...", work).id)


def _videos(call: Call, wanted: list[str]) -> Iterator[str]:
    """Walk files and folders; what lies in no folder of the library is passed over."""
    roots = call.backend.settings.stashes
    for place in wanted:
        walked = (os.path.join(folder, name) for folder, _, names in os.walk(place) for name in sorted(names))
        for path in [place] if os.path.isfile(place) else walked:
            is_inside = any(path.startswith(root.rstrip("/") + "/") for root in roots)
            if is_inside and path.lower().endswith(_VIDEOS):
                yield path


def _take_in(call: Call, path: str, *, covers: bool) -> None:
    """A new file makes a scene; one whose hash is known was moved if the old one is gone, else it is a second file."""
    library = call.library
    with library.lock:
        if any(file.path == path for scene in library.scenes.values() for file in scene.files):
            return
        oshash = _oshash(path)
        known = next(
            ((one, file) for one in library.scenes.values() for file in one.files if file.oshash == oshash), None
        )
        if known is None:
            trigger, scene = "Scene.Create.Post", library.new_scene()
            scene.files = (_file(call, path, oshash),)
            scene.cover_version = int(covers)
        else:
            trigger, scene = "Scene.Update.Post", _found_again(call, *known, path, oshash)
    call.fire(HookEvent(trigger, scene.id))


def _found_again(call: Call, scene: Scene, file: VideoFile, path: str, oshash: str) -> Scene:
    if os.path.exists(file.path):
        scene.files += (_file(call, path, oshash),)
        call.library.touch(scene)
    else:
        file.path = path
        call.library.touch(file)
    return scene


def _file(call: Call, path: str, oshash: str) -> VideoFile:
    file = call.library.new_file(path, os.path.getsize(path))
    file.oshash = oshash
    return file


def _oshash(path: str) -> str:
    """The size, and the first and the last 64 kB as sums of 64-bit words."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(_HASHED_BYTES)
        file.seek(max(0, size - _HASHED_BYTES))
        return f"{(size + _sum(head) + _sum(file.read(_HASHED_BYTES))) & 0xFFFFFFFFFFFFFFFF:016x}"


def _sum(data: bytes) -> int:
    padded = data + b"\x00" * (-len(data) % 8)
    return sum(struct.unpack(f"<{len(padded) // 8}Q", padded))


SCAN_MUTATIONS: dict[str, RootResolver[Call]] = {"metadataScan": _scan}
