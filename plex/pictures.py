"""Posters and backgrounds of an item.

What is uploaded stays on the server for ever, so nothing is uploaded that is there already, and never twice because an
answer was lost: uploading can take Plex longer than anyone waits.

That an upload is named by the SHA-1 of its bytes, and shown at once, is hearsay. So a client looks at the first upload
of each sort; where both were true, it knows as much of the others without looking.
"""

from collections.abc import Sequence

from model.errors import (
    ChangeRejected,
    ItemGone,
    Kind,
    OutcomeUnknown,
    TargetBusy,
    TargetError,
    TargetUnreachable,
    may_be_applied,
)
from model.item import Item, ItemType
from model.picture import Picture, PictureKind, upload_digest
from model.sentences import counted
from plex.http.session import Timeouts
from plex.http.transport import Transport, query_string

MAX_BYTES = 10_000_000
UPLOAD_READ_SECONDS = 120.0
_UPLOADED = "upload://"
_SIGNATURE_BYTES = 4  # a server that keeps a JPEG as it came may still make something else of a WEBP


class Pictures:
    """The pictures of all items, one request each way."""

    def __init__(self, transport: Transport, connect_timeout: float) -> None:
        self._transport = transport
        self._upload_timeouts: Timeouts = (connect_timeout, UPLOAD_READ_SECONDS)
        self._foreseen: set[tuple[ItemType, PictureKind, bytes]] = set()

    def list(self, item_id: str, kind: PictureKind) -> list[Picture]:
        """List what the item could show, uploads among them."""
        root = self._transport.read_xml(f"/library/metadata/{item_id}/{kind.endpoint}")
        return [
            Picture(photo.get("ratingKey", ""), photo.get("selected") == "1", photo.get("provider", ""))
            for photo in root
            if photo.tag in {"Photo", "Metadata"} and photo.get("ratingKey")
        ]

    def upload(self, item: Item, kind: PictureKind, data: bytes, before: Sequence[Picture]) -> Picture:
        """Upload a picture, unless these very bytes lay there; say which it is and whether it is shown.

        Where another upload is shown, Plex may keep to that.
        """
        if not 0 < len(data) <= MAX_BYTES:
            raise ChangeRejected(
                f"a picture of {counted(len(data), 'byte')}; Plex takes up to {MAX_BYTES:,}",
                kind=Kind.TOO_LONG,
                fields=(kind.value,),
            )
        digest = upload_digest(data)
        there = _find(before, digest)
        if there is not None:
            return there
        lost = self._send(item.item_id, kind, data)
        name, sort = f"{_UPLOADED}{kind.endpoint}/{digest}", (item.type, kind, data[:_SIGNATURE_BYTES])
        is_first = not any(one.selected and one.is_upload for one in before)
        if lost is None and sort in self._foreseen:
            return Picture(name, selected=is_first)
        fresh = _newest(before, self._list_after(lost, item.item_id, kind), digest)
        if fresh is not None:
            if is_first and fresh == Picture(name, selected=True, provider=fresh.provider):
                self._foreseen.add(sort)
            return fresh
        text = f"a {kind.place} was uploaded, and none has appeared"
        if lost is None:  # Plex took it; whoever sends it again without end fills its disk
            raise TargetBusy(text, kind=Kind.NOT_CONFIRMED)
        raise OutcomeUnknown(text, applied=False, status=lost.status) from lost

    def _send(self, item_id: str, kind: PictureKind, data: bytes) -> TargetError | None:
        """Send the bytes once; give back the error if only the answer was lost."""
        path = f"/library/metadata/{item_id}/{kind.endpoint}"
        try:
            self._transport.write("POST", path, body=data, timeouts=self._upload_timeouts)
        except ChangeRejected as error:
            raise ChangeRejected(str(error), kind=error.kind, status=error.status, fields=(kind.value,)) from error
        except TargetError as error:
            if not may_be_applied(error):
                raise
            return error
        return None

    def select(self, item_id: str, kind: PictureKind, picture: Picture) -> None:
        """Show this picture."""
        path = f"/library/metadata/{item_id}/{kind.place}"
        try:
            self._transport.write("PUT", path + query_string([("url", picture.key)]))
        except TargetError as error:
            if not may_be_applied(error):
                raise
            now = self._list_after(error, item_id, kind)
            if not any(one.selected and one.key == picture.key for one in now):
                text = f"the answer to choosing a {kind.place} was lost, and it is not shown (yet)"
                raise OutcomeUnknown(text, applied=False, status=error.status) from error

    def unset(self, item_id: str, kind: PictureKind, picture: Picture) -> None:
        """Show none in the place of this picture, which Plex locks; raise ChangeRejected where it cannot."""
        lost: TargetError | None = None
        try:
            self._transport.write("DELETE", f"/library/metadata/{item_id}/{kind.value}")
        except (ChangeRejected, ItemGone) as error:  # a server that knows no such request says 404, too
            lost = error
        except TargetError as error:
            if not may_be_applied(error):
                raise
            lost = error
        if any(one.selected and one.key == picture.key for one in self._list_after(lost, item_id, kind)):
            text = f"a {kind.place} was to be taken away, and it is still shown"
            if isinstance(lost, TargetUnreachable):
                raise OutcomeUnknown(text, applied=False, status=lost.status) from lost
            raise ChangeRejected(text, status=lost.status if lost else None, fields=(kind.value,)) from lost

    def _list_after(self, lost: TargetError | None, item_id: str, kind: PictureKind) -> "list[Picture]":
        """Read the pictures after a write; if the write's answer was lost and this fails too, nobody knows."""
        try:
            return self.list(item_id, kind)
        except ItemGone:
            raise
        except TargetError as error:
            text = f"reading the {kind.endpoint} back failed"
            raise OutcomeUnknown(text, applied=None, status=lost.status if lost else None) from error


def _find(pictures: Sequence[Picture], digest: str) -> Picture | None:
    return next((picture for picture in pictures if picture.is_upload_of(digest)), None)


def _newest(before: Sequence[Picture], after: Sequence[Picture], digest: str) -> Picture | None:
    """Find the upload that was not there before, or not shown; Plex may name the same bytes by a digest of its own."""
    known = {(picture.key, picture.selected) for picture in before}
    fresh = [one for one in after if one.is_upload and (one.key, False) not in known and (one.key, True) not in known]
    shown = [one for one in after if one.is_upload and one.selected and (one.key, True) not in known]
    return _find(after, digest) or next(iter((*fresh[-1:], *shown)), None)
