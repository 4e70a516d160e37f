"""The code's stamp: changes whenever the plugin's own files change on disk."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # collections.abc takes time that only a type checker has
if TYPE_CHECKING:
    from collections.abc import Iterator

NOT_OURS = frozenset({"__pycache__", "tests", "bench", "docs", "sim", "dist"})


def code_stamp(root: str) -> int:
    """Return a number that stands for names, sizes and times of all source files below `root`."""
    return hash(tuple(sorted(_files(root))))


def changed_at(root: str) -> float:
    """Return the moment at which a source file below `root` was changed last."""
    return max((changed for _, _, changed in _files(root)), default=0) / 1e9


def _files(root: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(root) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name in NOT_OURS:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path)
            elif entry.name.endswith((".py", ".yml", ".txt")):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns
