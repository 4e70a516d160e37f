"""A scan of the watched folder: every file that lies there now. It is the truth; events only say that it is time."""

import os
from collections.abc import Collection
from dataclasses import dataclass

from intake.naming.shown import quoted
from intake.watching.gate import Refusal, is_ignored_folder
from intake.watching.identity import FileIdentity
from intake.watching.root import Root, empty_sentence
from intake.watching.seen import FileKind, SeenFile


@dataclass(frozen=True, slots=True)
class Scan:
    """What was seen. With a trouble, nothing may be concluded from what was not: a drive may not be mounted."""

    files: tuple[SeenFile, ...]
    troubles: tuple[Refusal, ...] = ()


def scan(root: Root, ignored_folders: Collection[str] = ()) -> Scan:
    """List all files below a root, folders that are passed over left out, in no order."""
    if trouble := root.trouble():
        return Scan((), (Refusal("folder_gone", trouble),))
    files: list[SeenFile] = []
    troubles: list[Refusal] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            entries = list(os.scandir(os.path.join(root.path, folder)))
        except OSError as error:
            troubles.append(_unreadable(os.path.join(root.path, folder), error))
            continue
        for entry in entries:
            relative = f"{folder}/{entry.name}" if folder else entry.name
            if not entry.is_dir(follow_symlinks=False):
                files += _seen(entry, relative)
            elif not is_ignored_folder(entry.name, ignored_folders):
                folders.append(relative)
        if not entries and not folder and not root.anchor:
            troubles.append(Refusal("empty", empty_sentence(root)))
    return Scan(tuple(files), tuple(troubles))


def _seen(entry: os.DirEntry[str], relative: str) -> list[SeenFile]:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:  # gone again
        return []
    is_file = entry.is_file(follow_symlinks=False)
    kind = FileKind.FILE if is_file else FileKind.LINK if entry.is_symlink() else FileKind.OTHER
    return [SeenFile(entry.path, relative, FileIdentity.of(status), kind)]


def _unreadable(folder: str, error: OSError) -> Refusal:
    reason = os.strerror(error.errno) if error.errno else str(error)
    return Refusal("unreadable", f"The folder {quoted(folder)} cannot be read: {reason}.")
