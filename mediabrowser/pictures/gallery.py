"""The gallery of an item: what it shows, what it showed before us, and what we put there.

A single picture is replaced by ours, and its bytes are saved before. Backdrops are several: ours is one more, and
replaces only the one we put there before. Nothing that is not ours is ever deleted, nor a picture file in the folder of
the video, which an upload would overwrite where the library saves pictures there.
"""

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress

from mediabrowser.exceptions import may_have_begun
from mediabrowser.pictures.files import Picture as ListedPicture
from mediabrowser.pictures.files import PictureFiles, PictureType
from mediabrowser.pictures.saved import SavedPictures
from mediabrowser.port.libraries import LibraryKeys
from mediabrowser.reading.document import ItemDocument
from mediabrowser.reading.reader import Reader
from model.errors import ChangeRejected, ItemGone, ItemNotFound, OutcomeUnknown, TargetError
from model.picture import Picture, Standing

FRESH_SECONDS = 2.0
MOST_DIGESTS = 1000


class Gallery:
    """The pictures of all items of one server."""

    def __init__(
        self,
        files: PictureFiles,
        reader: Reader,
        saved: SavedPictures,
        libraries: LibraryKeys,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._files = files
        self._reader = reader
        self._saved = saved
        self._libraries = libraries
        self._clock = clock
        self._glances: dict[str, tuple[ItemDocument, float]] = {}
        self._listings: dict[str, tuple[Sequence[ListedPicture], float]] = {}
        self._other_bytes: dict[tuple[str, str, str], float] = {}
        self._digests: dict[tuple[str, str, str], str] = {}

    def keep(self, documents: Iterable[ItemDocument]) -> None:
        """Remember what items show: it was read just now."""
        now = self._clock()
        self._glances = {key: one for key, one in self._glances.items() if now - one[1] < FRESH_SECONDS}
        self._glances.update((one.item_id, (one, now)) for one in documents)

    def list(self, item_id: str, kind: PictureType) -> list[Picture]:
        """List what an item shows of a kind, and what it showed before."""
        shown = picture_tags(self._glance(item_id), kind)
        saved = [tag for tag in self._saved.tags(item_id, kind) if tag not in shown]
        return [*(Picture(tag, selected=True) for tag in dict.fromkeys(shown)), *(Picture(tag, False) for tag in saved)]  # noqa: FBT003 - a picture that is not shown

    def standing(
        self, item_id: str, kind: PictureType, content: bytes, before: Sequence[Picture], ours: Collection[str]
    ) -> Standing | None:
        """Say why these bytes are not to be put up; None if they may be.

        What will be replaced is saved on the way, for it had to be read.
        """
        theirs = [one.key for one in before if one.selected and one.key not in ours]
        if not theirs:
            return None
        if kind is PictureType.BACKDROP:
            tag = self._tag_of(item_id, kind, content)
            is_same = bool(tag) and tag not in ours
        elif self._is_local(item_id, kind):
            is_same = self._files.find(self._listing(item_id), item_id, kind, content) is not None
            return Standing.SAME if is_same else Standing.LOCAL_FILE
        else:
            is_same = any(self._save(item_id, kind, tag) == content for tag in theirs)
        if not is_same:
            self._other_bytes[item_id, kind, _sha1(content)] = self._clock()
        return Standing.SAME if is_same else None

    def put(
        self, item_id: str, kind: PictureType, content: bytes, before: Sequence[Picture], ours: Collection[str]
    ) -> Picture:
        """Have an item show these bytes, unless it does; its tag is known when the item is read the next time.

        Raises ChangeRejected where that would touch a file in the folder of the video.
        """
        shown = [one for one in before if one.selected]
        if kind is PictureType.BACKDROP:
            return self._add(item_id, kind, content, shown, ours)
        if not self._is_known_to_differ(item_id, kind, content):
            standing = self.standing(item_id, kind, content, before, ours)
            if standing is Standing.SAME:
                return next(one for one in shown if one.key not in ours)
            if standing is Standing.LOCAL_FILE:
                raise ChangeRejected("a picture file lies beside the video; it is left alone")
        self._upload(item_id, kind, content)
        return Picture("", selected=True)

    def select(self, item_id: str, kind: PictureType, picture: Picture) -> Picture:
        """Show a picture again that ours took the place of."""
        if picture.key in picture_tags(self._glance(item_id), kind):
            return Picture(picture.key, selected=True)
        content = self._saved.load(item_id, kind, picture.key)
        if content is None:
            raise ChangeRejected("the picture that was there before was not saved")
        self._upload(item_id, kind, content.data, content.media_type)
        return Picture("", selected=True)

    def remove(self, item_id: str, kind: PictureType, picture: Picture) -> None:
        """Take away a picture of ours. Raises OutcomeUnknown where it is still there after a lost answer."""
        self._forget(item_id)
        try:
            self._files.delete(item_id, kind, picture.key)
        except (ChangeRejected, ItemNotFound):
            raise
        except TargetError as error:
            if not may_have_begun(error):
                raise
            if picture.key in self._tags_after(error, item_id, kind):
                text = f"a {kind} was to be taken away, and it is still there"
                raise OutcomeUnknown(text, applied=False, status=error.status) from error

    def shows(self, item_id: str, kind: PictureType, tag: str, digest: str) -> bool:
        """Tell whether the picture with this tag is made of the bytes with this SHA-1."""
        known = self._digests.get((item_id, kind, tag))
        if known is None:
            tags = picture_tags(self._glance(item_id), kind)
            if tag not in tags:
                return False
            try:
                known = _sha1(self._files.download(item_id, kind, tags.index(tag)).data)
            except ItemNotFound:
                return False
            self._remember(item_id, kind, tag, known)
        return known == digest

    def _add(
        self, item_id: str, kind: PictureType, content: bytes, shown: Sequence[Picture], ours: Collection[str]
    ) -> Picture:
        """Add a picture to those that are there, and take away those of ours that it replaces, in this order."""
        is_new = not shown or self._is_known_to_differ(item_id, kind, content)
        tag = "" if is_new else self._tag_of(item_id, kind, content)
        if not tag:
            self._append(item_id, kind, content, [one.key for one in shown])
        for one in shown:
            if one.key in ours and one.key != tag:
                self._forget(item_id)
                with suppress(ChangeRejected):  # two with the same tag: nobody knows which is ours
                    self._files.delete(item_id, kind, one.key)
        return Picture(tag, selected=True)

    def _append(self, item_id: str, kind: PictureType, content: bytes, before: Collection[str]) -> None:
        """Upload one more. After a lost answer it is there if one more is: a server may store other bytes."""
        try:
            self._upload(item_id, kind, content)
        except OutcomeUnknown as lost:
            if lost.applied is None:
                raise
            if len([tag for tag in self._tags_after(lost, item_id, kind) if tag not in before]) != 1:
                raise

    def _save(self, item_id: str, kind: PictureType, tag: str) -> bytes | None:
        """Save what is shown; give its bytes, None if it has no file any more."""
        try:
            content = self._files.download(item_id, kind)
        except ItemNotFound:
            return None
        self._saved.save(item_id, kind, tag, content)
        return content.data

    def _tag_of(self, item_id: str, kind: PictureType, content: bytes) -> str:
        """Give the tag of the picture that is made of these bytes; empty if there is none."""
        there = self._files.find(self._listing(item_id), item_id, kind, content)
        tags = picture_tags(self._fresh(item_id), kind) if there is not None else ()
        return tags[there] if there is not None and there < len(tags) else ""

    def _is_local(self, item_id: str, kind: PictureType) -> bool:
        """Tell whether a file in a library's folder is shown, and would be overwritten.

        Where the library does not save pictures there, an upload leaves the file, and nobody has to look.
        """
        home = self._libraries.library(self._glance(item_id).path)
        if home is None or not home.saves_pictures_beside:
            return False
        return any(self._libraries.of(one.path) for one in self._listing(item_id) if one.type == kind and one.path)

    def _is_known_to_differ(self, item_id: str, kind: PictureType, content: bytes) -> bool:
        """Tell whether what is shown was compared with these bytes a moment ago."""
        compared_at = self._other_bytes.pop((item_id, kind, _sha1(content)), float("-inf"))
        return self._clock() - compared_at < FRESH_SECONDS

    def _listing(self, item_id: str) -> Sequence[ListedPicture]:
        now, known = self._clock(), self._listings.get(item_id)
        if known is None or now - known[1] >= FRESH_SECONDS:
            self._listings = {key: one for key, one in self._listings.items() if now - one[1] < FRESH_SECONDS}
            known = self._listings[item_id] = (self._files.list(item_id), now)
        return known[0]

    def _upload(self, item_id: str, kind: PictureType, content: bytes, media_type: str = "") -> None:
        self._forget(item_id)
        self._files.upload(item_id, kind, content, media_type)

    def _forget(self, item_id: str) -> None:
        """Something of the item's pictures is about to change."""
        self._glances.pop(item_id, None)
        self._listings.pop(item_id, None)

    def _glance(self, item_id: str) -> ItemDocument:
        """Give an item as it was in the last seconds."""
        known = self._glances.get(item_id)
        if known is not None and self._clock() - known[1] < FRESH_SECONDS:
            return known[0]
        return self._fresh(item_id)

    def _fresh(self, item_id: str) -> ItemDocument:
        found = self._reader.glance([item_id]).get(item_id)
        if found is None:
            raise ItemGone(f"item {item_id} is not there any more", status=404)
        self.keep([found])
        return found

    def _tags_after(self, lost: TargetError, item_id: str, kind: PictureType) -> tuple[str, ...]:
        try:
            return picture_tags(self._fresh(item_id), kind)
        except ItemNotFound:
            raise
        except TargetError as error:
            raise OutcomeUnknown(f"looking at the {kind} failed", applied=None, status=lost.status) from error

    def _remember(self, item_id: str, kind: PictureType, tag: str, digest: str) -> None:
        if len(self._digests) >= MOST_DIGESTS:
            self._digests.clear()
        self._digests[item_id, kind, tag] = digest


def picture_tags(document: ItemDocument, kind: PictureType) -> tuple[str, ...]:
    """Give the tags of the pictures of a type, in the order of their indexes."""
    if kind is PictureType.BACKDROP:
        return document.backdrop_tags
    return tuple(filter(None, [document.image_tags.get(kind)]))


def _sha1(content: bytes) -> str:
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()
