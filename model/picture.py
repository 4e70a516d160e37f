"""The pictures of an item."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from model.item import Item

_UPLOADED = "upload://"


class PictureKind(StrEnum):
    """The pictures of an item, by the name of their lock."""

    POSTER = "thumb"
    BACKGROUND = "art"
    LANDSCAPE = "landscape"
    BANNER = "banner"

    @property
    def endpoint(self) -> str:
        return f"{self.place}s"

    @property
    def place(self) -> str:
        return "poster" if self is PictureKind.POSTER else self.value

    def is_shown_by(self, item: Item) -> bool:
        """Say whether the item shows one at all."""
        return bool(item.pictures.get(self.value))


class Standing(StrEnum):
    """Why a picture is not put up, though nothing of ours is there."""

    SAME = "same"
    """What is shown is made of the same bytes; somebody else put it there, and it stays theirs."""
    LOCAL_FILE = "local file"
    """What is shown is a file in the folder of the video, which an upload would overwrite."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture an item could show; `key` is what `select` takes, empty if the server tells it only later."""

    key: str
    selected: bool
    provider: str = ""

    @property
    def is_upload(self) -> bool:
        return self.key.startswith(_UPLOADED)

    def is_upload_of(self, digest: str) -> bool:
        """Tell an upload by the end of its key: the SHA-1 of its bytes, as far as anyone has seen."""
        return self.is_upload and self.key.rpartition("/")[2].lower() == digest


def upload_digest(data: bytes) -> str:
    """Name bytes as Plex names what was uploaded."""
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()
