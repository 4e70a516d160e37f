"""Stash as a source: the scene of this very file, by its path or its hash, else the scene of that code."""

import os
import struct
from collections.abc import Callable, Sequence

from intake.publishing.server_paths import THE_SAME, PathMap
from intake.sources.port import Offer, Question, SourceAway, SourceRefuses
from intake.sources.work import Work
from model.scene import Scene
from model.sentences import counted
from stash.client import StashClient
from stash.exceptions import StashError, StashUnauthorized, StashUnreachable
from stash.scenes import FileScene
from validation.sanitizers import distinct_names, one_line, paragraphs

_HASHED_BYTES = 65536
_MOST_CODES = 3


class StashSource:
    """Asks Stash once for all it needs of a file. `connect` opens a connection; a broken one is not used again."""

    name = "stash"

    def __init__(self, connect: Callable[[], StashClient], paths: PathMap = THE_SAME) -> None:
        self._connect = connect
        self._paths = paths
        self._client: StashClient | None = None

    def find(self, question: Question) -> Sequence[Offer]:
        codes = [spelling for one in question.candidates[:_MOST_CODES] for spelling in one.code.spellings]
        try:
            there = self._paths.there(question.path)
            found = self._connected().scenes_of_file(there, oshash(question.path), codes)
        except StashUnauthorized as error:
            self.close()
            raise SourceRefuses(str(error)) from error
        except StashUnreachable as error:
            self.close()
            raise SourceAway(str(error)) from error
        except StashError as error:
            raise SourceAway(str(error)) from error
        return [_offer(one) for one in found]

    def check(self) -> str:
        try:
            return f"Stash answers and has {counted(self._connected().scene_count(), 'scene')}."
        except StashUnauthorized as error:
            raise SourceRefuses(str(error)) from error
        except StashError as error:
            self.close()
            raise SourceAway(str(error)) from error

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _connected(self) -> StashClient:
        if self._client is None:
            self._client = self._connect()
        return self._client


def _offer(found: FileScene) -> Offer:
    return Offer(_work(found), is_of_file=bool(found.file_id) and _says_anything(found.scene))


def _says_anything(scene: Scene) -> bool:
    """Tell whether somebody has described the scene: a scan alone leaves it bare, with the file's name as title."""
    return bool(scene.code or scene.performers or scene.studio)


def _work(found: FileScene) -> Work:
    scene = found.scene
    return Work(
        code=one_line(scene.code),
        title=one_line(scene.title),
        overview=paragraphs(scene.details),
        performers=distinct_names(scene.performers),
        genres=distinct_names(scene.tags),
        release_date=scene.date,
        label=one_line(scene.studio),
        source="Stash",
    )


def oshash(path: str) -> str:
    """Compute the hash by which Stash knows a file: its size and its first and last 64 kB, as sums of 64-bit words."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size == 0:
                return ""
            head = file.read(_HASHED_BYTES)
            file.seek(max(0, size - _HASHED_BYTES))
            return f"{(size + _sum(head) + _sum(file.read(_HASHED_BYTES))) & 0xFFFFFFFFFFFFFFFF:016x}"
    except OSError:
        return ""  # then by its path and its code


def _sum(data: bytes) -> int:
    padded = data + b"\x00" * (-len(data) % 8)
    return sum(struct.unpack(f"<{len(padded) // 8}Q", padded))
