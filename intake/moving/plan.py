"""A plan: which files go where, and how. It is whole before the first of them is touched, and can be kept as JSON."""

import json
import os
import secrets
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from intake.moving import disk
from intake.moving.beside import Beside
from intake.moving.errors import (
    DiskTrouble,
    FolderGone,
    NotAFile,
    SameName,
    SourceChanged,
    SourceGone,
    TargetExists,
    TargetTaken,
    translate,
)
from intake.moving.folder_names import FolderNames
from intake.naming.names import (
    FOLDER_TEMPLATE,
    NAME_TEMPLATE,
    NameFields,
    file_stem,
    folder_parts,
    part_suffix,
    same_folder,
    sanitise,
)
from intake.naming.shown import quoted
from intake.watching.identity import FileIdentity
from intake.watching.root import Root

_MOST_OF_ONE_NAME = 99
_NUMBER_ROOM = len(" (99)")


class MoveMode(StrEnum):
    """How a file gets to its place. A hard link that cannot be made is an error, unless a copy is allowed instead."""

    MOVE = "move"
    HARDLINK = "hardlink"
    COPY = "copy"
    HARDLINK_OR_COPY = "hardlink_or_copy"


class OnExists(StrEnum):
    """What to do where another file has the name: leave it to a person, or give the new one a number."""

    ASK = "ask"
    KEEP_BOTH = "keep_both"


@dataclass(frozen=True, slots=True)
class Destination:
    """Where works go, and how their folders and files are called there."""

    root: Root
    folder_template: str = FOLDER_TEMPLATE
    name_template: str = NAME_TEMPLATE
    wide: bool = True  # full-width letters for those that Windows forbids, instead of an underscore
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file: where it is, which one it is, where it goes."""

    source: str
    target: str
    identity: FileIdentity


@dataclass(frozen=True, slots=True)
class MovePlan:
    """Sidecars first, then the videos, so that a server that sees a video finds all that belongs to it."""

    id: str
    mode: MoveMode
    source_root: Root
    target_root: Root
    files: tuple[PlannedFile, ...]
    new_folders: tuple[str, ...] = ()  # those that were not there when the plan was made, the outermost first
    emptied: tuple[str, ...] = ()  # those to be removed afterwards if nothing is in them, the outermost first
    joins_equal: bool = False  # a file of the same bytes at a target will do: the original of a copy that is undone

    def to_json(self) -> str:
        return json.dumps(self.as_dict())

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "mode": self.mode.value,
            "source_root": [self.source_root.path, self.source_root.anchor],
            "target_root": [self.target_root.path, self.target_root.anchor],
            "files": [[file.source, file.target, str(file.identity)] for file in self.files],
            "new_folders": list(self.new_folders),
            "emptied": list(self.emptied),
            "joins_equal": self.joins_equal,
        }

    @classmethod
    def from_json(cls, text: str) -> "MovePlan":
        return cls.from_dict(json.loads(text))

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> "MovePlan":
        files = tuple(
            PlannedFile(source, target, FileIdentity.parse(identity)) for source, target, identity in raw["files"]
        )
        roots = Root(*raw["source_root"]), Root(*raw["target_root"])
        folders = tuple(raw["new_folders"]), tuple(raw["emptied"])
        return cls(raw["id"], MoveMode(raw["mode"]), *roots, files, *folders, bool(raw.get("joins_equal")))


def plan_move(
    videos: Mapping[str, int | None],
    fields: NameFields,
    *,
    source_root: Root,
    destination: Destination,
    mode: MoveMode = MoveMode.MOVE,
    on_exists: OnExists = OnExists.ASK,
    beside: Beside | None = None,
    seen: Mapping[str, FileIdentity] | None = None,
    promised: Collection[str] = (),
    library: FolderNames | None = None,
) -> MovePlan:
    """Plan the videos of one work, each with its part, and all their sidecars. Nothing is touched.

    `beside` is what lies in the videos' folder, if that is known; `seen`, which files the gate has let through;
    `promised`, the targets of plans that are about to be carried out; `library`, what was read of its folders before.
    Raises a `MoveError` where the plan cannot be carried out as the disk looks now: a file is gone or another than the
    one that was seen, a root is not there, or another file has, or will have, a name that would be needed.
    """
    require(source_root)
    require(destination.root)
    try:
        plan = _plan(
            videos,
            fields,
            source_root,
            destination,
            mode,
            _Names(on_exists, promised, library or FolderNames()),
            beside,
        )
    except OSError as error:
        raise translate(error, next(iter(videos)), destination.root.path) from error
    for file in plan.files:
        if (seen or {}).get(file.source, file.identity) != file.identity:
            raise SourceChanged(f"{quoted(file.source)} has changed since it was looked at; it stays where it is.")
    return plan


def require(root: Root) -> None:
    """Raise `FolderGone` unless a root and its anchor are there."""
    if trouble := root.trouble():
        raise FolderGone(trouble)


def missing_folders(folder: str) -> tuple[str, ...]:
    """List the folders that would have to be made for this one, the outermost first."""
    missing: list[str] = []
    while not os.path.lexists(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return tuple(missing)


def _plan(
    videos: Mapping[str, int | None],
    fields: NameFields,
    source_root: Root,
    destination: Destination,
    mode: MoveMode,
    names: "_Names",
    beside: Beside | None,
) -> MovePlan:
    suffixes = _suffixes(videos, beside)
    room = max(len(suffix.encode()) for suffix in suffixes.values()) + _NUMBER_ROOM
    folder = _folder(fields, destination)
    stem = file_stem(fields, destination.name_template, room=room, wide=destination.wide)
    targets = names.free_targets(folder, stem, suffixes)
    return MovePlan(
        secrets.token_hex(4),
        mode,
        source_root,
        destination.root,
        tuple(PlannedFile(source, targets[source], _identity(source)) for source in suffixes),
        missing_folders(folder),
    )


def _suffixes(videos: Mapping[str, int | None], beside: Beside | None) -> dict[str, str]:
    """Give each file what its new name has behind the stem, sidecars first."""
    sidecars: dict[str, str] = {}
    films: dict[str, str] = {}
    for path, part in videos.items():
        folder, name = os.path.split(path)
        around = beside or Beside.of_folder(folder)
        films[path] = part_suffix(part) + os.path.splitext(name)[1].lower()
        own = [(sidecar, part_suffix(part) + suffix) for sidecar, suffix in around.sidecars(name)]
        for sidecar, suffix in (*own, *around.sidecars_of_all_parts(name)):
            if os.path.isfile(os.path.join(folder, sidecar)):  # what lies beside was perhaps read a moment ago
                sidecars[os.path.join(folder, sidecar)] = sanitise(f"x{suffix}")[1:]
    return sidecars | films


def _folder(fields: NameFields, destination: Destination) -> str:
    """Choose the folder, one that is there under another spelling before a new one."""
    folder = destination.root.path
    for wanted in folder_parts(fields, destination.folder_template, wide=destination.wide):
        name = wanted
        if not os.path.isdir(os.path.join(folder, wanted)):
            name = same_folder(wanted, _folders_in(folder), destination.aliases)
        folder = os.path.join(folder, name)
    return folder


def _folders_in(folder: str) -> list[str]:
    if not os.path.isdir(folder):
        return []
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries if entry.is_dir()]


class _Names:
    """Which names are free. What is on the disk can be compared; what is promised to another plan, not yet."""

    def __init__(self, on_exists: OnExists, promised: Collection[str], library: FolderNames) -> None:
        self._on_exists = on_exists
        self._promised = promised
        self._library = library

    def free_targets(self, folder: str, stem: str, suffixes: Mapping[str, str]) -> dict[str, str]:
        for number in range(1, _MOST_OF_ONE_NAME + 1):
            numbered = stem if number == 1 else f"{stem} ({number})"
            targets = {source: os.path.join(folder, numbered + suffix) for source, suffix in suffixes.items()}
            _refuse_one_name_twice(targets)
            if (refusal := self._refusal(targets)) is None:
                return targets
            if self._on_exists is OnExists.ASK:
                raise refusal
        raise DiskTrouble(
            f"There are {_MOST_OF_ONE_NAME} files of the name {quoted(stem)} already. Look into that folder."
        )

    def _refusal(self, targets: Mapping[str, str]) -> TargetExists | None:
        for source, target in targets.items():
            if (there := self._library.find(target)) is not None:
                return _exists(source, there)
            if target in self._promised:
                return TargetTaken(
                    f"{quoted(source)} waits for another file that is about to get the name {quoted(target)}.",
                    source,
                    target,
                )
        return None


def _refuse_one_name_twice(targets: Mapping[str, str]) -> None:
    by_name: dict[str, str] = {}
    for source, target in targets.items():
        if (other := by_name.setdefault(target.lower(), source)) != source:
            raise SameName(
                f"{quoted(source)} and {quoted(other)} would both be called {quoted(target)}. Keep the better one, "
                "or rename one of them."
            )


def _exists(source: str, target: str) -> TargetExists:
    return TargetExists(
        f"{quoted(source)} was not moved: {quoted(target)} has that name. Keep the better one, or rename one of them.",
        source,
        target,
    )


def _identity(source: str) -> FileIdentity:
    found = disk.status(source)
    if found is None:
        raise SourceGone(f"{quoted(source)} is not there any more.")
    if not stat.S_ISREG(found.st_mode):
        raise NotAFile(f"{quoted(source)} is a link or a folder, not a file; it stays where it is.")
    return FileIdentity.of(found)
