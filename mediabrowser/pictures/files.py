"""Pictures of an item: put up as base64, known by a tag, never deleted unless they are ours.

An upload of a single picture replaces; a backdrop is appended, and one sent twice is there twice. Deleting a picture
deletes its file, be it a person's; an index is a place in a list that closes up.
"""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from mediabrowser.connection import Connection, FileAnswer
from mediabrowser.exceptions import may_have_begun
from mediabrowser.reading.reader import Reader
from model.errors import (
    AnswerGarbled,
    ChangeRejected,
    ItemGone,
    Kind,
    OutcomeUnknown,
    TargetError,
)
from model.sentences import counted
from validation.json_shapes import as_list, as_object, as_text

MAX_BYTES = 22_000_000  # as base64 less than the 30,000,000 that the servers take
_ACCEPT = "image/webp,image/gif,image/*,*/*"  # what is not named the server may serve in another form
_SIGNATURES = ((b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"), (b"RIFF", "image/webp"))
_OTHER_SIGNATURES = ((b"GIF8", "image/gif"), (b"BM", "image/bmp"), (b"<svg", "image/svg+xml"))
_PICTURE = re.compile(r"image/[a-z0-9.+-]+")


class PictureType(StrEnum):
    PRIMARY = "Primary"
    BACKDROP = "Backdrop"
    THUMB = "Thumb"
    BANNER = "Banner"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that an item has. `tag` is empty on Emby, `width` is None where the file is no picture."""

    type: str
    index: int
    size: int
    tag: str = ""
    path: str = ""
    width: int | None = None
    height: int | None = None


class PictureFiles:
    def __init__(self, connection: Connection, reader: Reader) -> None:
        self._connection = connection
        self._reader = reader

    def list(self, item_id: str) -> list[Picture]:
        """List what the item has, backdrops in their order."""
        answer = as_list(self._connection.read(f"/Items/{item_id}/Images").value)
        if answer is None:
            raise AnswerGarbled("no list of pictures came", kind=Kind.OTHER_SHAPE)
        return [_picture(entry) for entry in map(as_object, answer) if entry is not None]

    def download(self, item_id: str, kind: PictureType, index: int = 0) -> FileAnswer:
        """Read a picture's bytes, as far as anyone knows the very ones that were put up, and their type."""
        path = f"/Items/{item_id}/Images/{kind}/{index}" if index else f"/Items/{item_id}/Images/{kind}"
        return self._connection.read_file(path, _ACCEPT, MAX_BYTES * 2)

    def upload(self, item_id: str, kind: PictureType, content: bytes, media_type: str = "") -> None:
        """Put a picture up, once. After a lost answer the item is looked at: OutcomeUnknown says it is not there.

        With a type it is one that the server served before, and may be anything; without one it has to be a picture.
        """
        media_type = _served_type(content, media_type) if media_type else _media_type(content)
        path = f"/Items/{item_id}/Images/{kind}"
        try:
            self._connection.write("POST", path, body=base64.b64encode(content), media_type=media_type)
        except TargetError as error:
            if not may_have_begun(error) or isinstance(error, ChangeRejected):
                raise
            if not self._is_there(item_id, kind, content, error):
                text = f"a {kind} was put up, and it is not there (yet)"
                raise OutcomeUnknown(text, applied=False, status=error.status) from error

    def delete(self, item_id: str, kind: PictureType, tag: str) -> bool:
        """Take away the picture with this tag, which must be ours; False if it is not there any more.

        The place of a backdrop is found right before, because an index means another picture as soon as one goes.
        """
        document = self._reader.document(item_id, people=False)
        tags = (
            document.backdrop_tags
            if kind is PictureType.BACKDROP
            else tuple(filter(None, [document.image_tags.get(kind)]))
        )
        if tags.count(tag) > 1:
            raise ChangeRejected(f"the same tag is on two pictures of item {item_id}; neither is deleted")
        if tag not in tags:
            return False
        self._connection.write("DELETE", f"/Items/{item_id}/Images/{kind}/{tags.index(tag)}")
        return True

    def find(self, listed: Sequence[Picture], item_id: str, kind: PictureType, content: bytes) -> int | None:
        """Look among those listed for these very bytes, and give their index. Only files of the same size are read."""
        for one in listed:
            is_alike = one.type == kind and one.size == len(content)
            if is_alike and self.download(item_id, kind, one.index).data == content:
                return one.index
        return None

    def _is_there(self, item_id: str, kind: PictureType, content: bytes, lost: TargetError) -> bool:
        try:
            return self.find(self.list(item_id), item_id, kind, content) is not None
        except ItemGone:
            raise
        except TargetError as error:
            text = f"a {kind} was put up, and looking for it failed"
            raise OutcomeUnknown(text, applied=None, status=lost.status) from error


def tags_of(pictures: Sequence[Picture], kind: PictureType) -> tuple[str, ...]:
    return tuple(picture.tag for picture in pictures if picture.type == kind)


def _picture(entry: dict[str, object]) -> Picture:
    numbers = {name: value for name, value in entry.items() if isinstance(value, int)}
    return Picture(
        type=as_text(entry.get("ImageType")),
        index=numbers.get("ImageIndex", 0),
        size=numbers.get("Size", 0),
        tag=as_text(entry.get("ImageTag")),
        path=as_text(entry.get("Path")),
        width=numbers.get("Width"),
        height=numbers.get("Height"),
    )


def _served_type(content: bytes, served: str) -> str:
    """Name the type of what the server served: by its bytes, else as it said, else as what most are."""
    known = (*_SIGNATURES, *_OTHER_SIGNATURES)
    found = next((media_type for signature, media_type in known if content.startswith(signature)), "")
    return found or (served if _PICTURE.fullmatch(served) else "image/jpeg")


def _media_type(content: bytes) -> str:
    """Name the type of a picture; the servers store whatever they are given, so what is none stops here."""
    found = next((media_type for signature, media_type in _SIGNATURES if content.startswith(signature)), None)
    if found is None:
        raise ChangeRejected("this is no JPEG, PNG or WebP")
    if len(content) > MAX_BYTES:
        raise ChangeRejected(f"a picture of {counted(len(content), 'byte')}; the servers take up to {MAX_BYTES:,}")
    return found
