"""Which names a folder has, also in another spelling: a server, or the next file system, takes them for one."""

import os
import unicodedata
from itertools import islice

_MOST_FOLDERS = 20


class FolderNames:
    """Reads a folder once as long as it stays as it is; it is asked for every file that is planned into it."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[int, dict[str, str]]] = {}

    def find(self, path: str) -> str | None:
        """Return what has this name: the very path, or one that differs by case or by how letters are composed."""
        if os.path.lexists(path):
            return path
        folder, name = os.path.split(path)
        other = self._names(folder).get(_folded(name))
        return os.path.join(folder, other) if other is not None else None

    def _names(self, folder: str) -> dict[str, str]:
        if not os.path.isdir(folder):
            return {}
        changed_at = os.stat(folder).st_mtime_ns
        known = self._read.get(folder)
        if known is None or known[0] != changed_at:
            known = (changed_at, {_folded(name): name for name in os.listdir(folder)})
            others = ((name, read) for name, read in self._read.items() if name != folder)
            self._read = {folder: known, **dict(islice(others, _MOST_FOLDERS))}
        return known[1]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
