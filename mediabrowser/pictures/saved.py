"""Pictures that ours took the place of: kept as files, because neither server keeps what is replaced."""

import contextlib
import os
from pathlib import Path
from urllib.parse import quote, unquote

from mediabrowser.connection import FileAnswer

MOST = 10  # of one picture of one item: the first, which was there before us, and the last ones


class SavedPictures:
    """A folder with a folder for each item. What is in it is its owner's alone."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def tags(self, item_id: str, kind: str) -> list[str]:
        """List the tags of what was saved of a picture of an item, the oldest first."""
        return [unquote(path.name.partition("-")[2]) for path in self._files(item_id, kind)]

    def save(self, item_id: str, kind: str, tag: str, content: FileAnswer) -> None:
        """Keep a picture, with its type, under the tag that it had, whole or not at all."""
        place = self._folder / quote(item_id, safe="")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.mkdir(mode=0o700, exist_ok=True)
        path = self._path(item_id, kind, tag)
        self._write(_type_of(path), content.media_type.encode())
        self._write(path, content.data)
        for surplus in self._files(item_id, kind)[1 : -MOST + 1]:
            surplus.unlink(missing_ok=True)
            _type_of(surplus).unlink(missing_ok=True)

    def _write(self, path: Path, content: bytes) -> None:
        beside = path.parent / f".{path.name}.{os.getpid()}"
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except BaseException:  # a full disk, or whatever else: half a file helps nobody
            with contextlib.suppress(OSError):
                beside.unlink()
            raise

    def load(self, item_id: str, kind: str, tag: str) -> FileAnswer | None:
        """Read what was saved; None if it was not, or is gone."""
        path, media_type = self._path(item_id, kind, tag), "image/*"
        with contextlib.suppress(FileNotFoundError):
            media_type = _type_of(path).read_text() or media_type
        with contextlib.suppress(FileNotFoundError):
            return FileAnswer(path.read_bytes(), media_type)
        return None

    def _path(self, item_id: str, kind: str, tag: str) -> Path:
        return self._folder / quote(item_id, safe="") / f"{kind}-{quote(tag, safe='')}"

    def _files(self, item_id: str, kind: str) -> list[Path]:
        found = (self._folder / quote(item_id, safe="")).glob(f"{kind}-*")
        return sorted(found, key=lambda path: path.stat().st_mtime_ns)


def _type_of(path: Path) -> Path:
    """Name the file that holds the type of a picture, beside it and out of sight."""
    return path.with_name(f".{path.name}.type")
