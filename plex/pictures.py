"""Posters and backgrounds of an item.

What is uploaded stays on the server for ever, so nothing is uploaded that is there already, and never twice because an
answer was lost: uploading can take Plex longer than anyone waits.
"""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from plex.exceptions import Kind, OutcomeUnknown, PlexBusy, PlexError, PlexRejected, may_be_applied
from plex.session import Timeouts
from plex.transport import Transport, query_string

MAX_BYTES = 10_000_000
UPLOAD_READ_SECONDS = 120.0
_UPLOADED = "upload://"


class PictureKind(StrEnum):
    """The two pictures of an item, by the name of their lock."""

    POSTER = "thumb"
    BACKGROUND = "art"

    @property
    def shelf(self) -> str:
        return "posters" if self is PictureKind.POSTER else "arts"

    @property
    def place(self) -> str:
        return "poster" if self is PictureKind.POSTER else "art"


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture an item could show; `key` is what `select` takes."""

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


class Pictures:
    """The pictures of all items, one request each way."""

    def __init__(self, transport: Transport, connect_timeout: float) -> None:
        self._transport = transport
        self._upload_timeouts: Timeouts = (connect_timeout, UPLOAD_READ_SECONDS)

    def list(self, rating_key: int, kind: PictureKind) -> list[Picture]:
        """List what the item could show, uploads among them."""
        root = self._transport.read_xml(f"/library/metadata/{rating_key}/{kind.shelf}")
        return [
            Picture(photo.get("ratingKey", ""), photo.get("selected") == "1", photo.get("provider", ""))
            for photo in root
            if photo.tag in {"Photo", "Metadata"} and photo.get("ratingKey")
        ]

    def upload(self, rating_key: int, kind: PictureKind, data: bytes, before: "list[Picture]") -> Picture:
        """Put a picture on the shelf, unless these very bytes lay there; say which it is and whether it is shown."""
        if not 0 < len(data) <= MAX_BYTES:
            raise PlexRejected(
                f"a picture of {len(data):,} bytes; Plex takes up to {MAX_BYTES:,}",
                kind=Kind.TOO_LONG,
                fields=(kind.value,),
            )
        digest = upload_digest(data)
        there = _find(before, digest)
        if there is not None:
            return there
        lost = self._send(rating_key, kind, data)
        fresh = _newest(before, self._list_after(lost, rating_key, kind), digest)
        if fresh is not None:
            return fresh
        text = f"a {kind.place} was uploaded, and none has appeared"
        if lost is None:  # Plex took it; whoever sends it again without end fills its disk
            raise PlexBusy(text, kind=Kind.NOT_CONFIRMED)
        raise OutcomeUnknown(text, applied=False, status=lost.status) from lost

    def _send(self, rating_key: int, kind: PictureKind, data: bytes) -> PlexError | None:
        """Send the bytes once; give back the error if only the answer was lost."""
        path = f"/library/metadata/{rating_key}/{kind.shelf}"
        try:
            self._transport.write("POST", path, body=data, timeouts=self._upload_timeouts)
        except PlexRejected as error:
            raise PlexRejected(str(error), kind=error.kind, status=error.status, fields=(kind.value,)) from error
        except PlexError as error:
            if not may_be_applied(error):
                raise
            return error
        return None

    def select(self, rating_key: int, kind: PictureKind, picture: Picture) -> None:
        """Show this picture."""
        path = f"/library/metadata/{rating_key}/{kind.place}"
        try:
            self._transport.write("PUT", path + query_string([("url", picture.key)]))
        except PlexError as error:
            if not may_be_applied(error):
                raise
            now = self._list_after(error, rating_key, kind)
            if not any(one.selected and one.key == picture.key for one in now):
                text = f"the answer to choosing a {kind.place} was lost, and it is not shown (yet)"
                raise OutcomeUnknown(text, applied=False, status=error.status) from error

    def _list_after(self, lost: PlexError | None, rating_key: int, kind: PictureKind) -> "list[Picture]":
        """Read the shelf after a write; if the write's answer was lost and this fails too, nobody knows."""
        try:
            return self.list(rating_key, kind)
        except PlexError as error:
            text = f"reading the {kind.shelf} back failed"
            raise OutcomeUnknown(text, applied=None, status=lost.status if lost else None) from error


def _find(pictures: list[Picture], digest: str) -> Picture | None:
    return next((picture for picture in pictures if picture.is_upload_of(digest)), None)


def _newest(before: list[Picture], after: list[Picture], digest: str) -> Picture | None:
    """Find the upload that was not there before, or not shown; Plex may name the same bytes by a digest of its own."""
    known = {(picture.key, picture.selected) for picture in before}
    fresh = [one for one in after if one.is_upload and (one.key, False) not in known and (one.key, True) not in known]
    shown = [one for one in after if one.is_upload and one.selected and (one.key, True) not in known]
    return _find(after, digest) or next(iter((*fresh[-1:], *shown)), None)
