"""Pictures of an item: files somewhere, known by a tag that says nothing of what they show."""

import base64
import binascii
import itertools
from typing import Any

from sim.mediabrowser.quirks import Clock, Quirks
from sim.mediabrowser.web.exchange import Refused
from sim.mediabrowser.world.identity import Identity
from sim.mediabrowser.world.item_store import ItemStore, digest
from sim.mediabrowser.world.moments import TICKS_A_SECOND, ticks_of
from sim.mediabrowser.world.records import Item, Library, Origin, Picture, folder_of, stem_of
from sim.mediabrowser.world.updating.disasters import DisasterKind, Witness

SINGLE_TYPES = frozenset({"Primary", "Thumb", "Banner", "Logo", "Art", "Disc", "Box", "Screenshot", "Menu", "BoxRear"})
TYPES = {name.lower(): name for name in (*SINGLE_TYPES, "Backdrop")}
_EXTENSIONS = {"image/jpeg": "jpg", "image/jpg": "jpg", "image/png": "png", "image/webp": "webp", "image/gif": "gif"}
_LOCAL_NAMES = {"Primary": "poster", "Backdrop": "fanart", "Thumb": "landscape", "Banner": "banner"}

_PLACE = "/config/metadata/library"


class Pictures:
    def __init__(
        self,
        identity: Identity,
        quirks: Quirks,
        store: ItemStore,
        libraries: dict[str, Library],
        witness: Witness,
        clock: Clock,
    ) -> None:
        self.files: dict[str, bytes] = {}
        """Every picture file of the server, and those beside the videos, by path."""
        self._identity = identity
        self._quirks = quirks
        self._store = store
        self._libraries = libraries
        self._witness = witness
        self._clock = clock
        self._local: dict[tuple[str, str], str] = {}

    # Reading.

    def tag(self, item: Item, picture: Picture) -> str:
        return digest(item.path or item.id, picture.modified_ticks)

    def find(self, item: Item, kind: str, index: int = 0) -> Picture | None:
        found = item.pictures_of(kind)
        return found[index] if 0 <= index < len(found) else None

    def listed(self, item: Item) -> list[dict[str, Any]]:
        """Describe all pictures; one that cannot be read as a picture has no width."""
        single = [(picture, None) for picture in item.pictures if picture.type != "Backdrop"]
        entries = [*single, *((picture, index) for index, picture in enumerate(item.pictures_of("Backdrop")))]
        return [self._entry(item, picture, index) for picture, index in entries]

    def _entry(self, item: Item, picture: Picture, index: int | None) -> dict[str, Any]:
        size = picture_size(picture.content)
        entry: dict[str, Any] = {"ImageType": picture.type, "Path": picture.path, "Size": len(picture.content)}
        if index is not None:
            entry["ImageIndex"] = index
        if size is not None:
            entry["Width"], entry["Height"] = size
        if self._identity.flavour.is_emby:
            entry["Filename"] = picture.path.rpartition("/")[2]
        else:
            entry["ImageTag"] = self.tag(item, picture)
        return entry

    def served(self, item: Item, picture: Picture) -> bytes:
        self._witness.note_download(item, picture)
        return picture.content + b"\x00" if self._quirks.reencodes_pictures else picture.content

    # Writing.

    def upload(self, item: Item, kind: str, content_type: str, body: bytes, index: int | None) -> None:
        """Take a picture as base64 text; what the bytes show is not looked at."""
        media_type = content_type.partition(";")[0].strip().lower()
        if self._identity.flavour.is_jellyfin and media_type not in _EXTENSIONS:
            raise Refused(400, "problem", "Incorrect ContentType.")
        try:
            content = base64.b64decode(body, validate=True)
        except binascii.Error as error:
            raise Refused(500, text="The input is not a valid Base-64 string.") from error
        replaces = index if self._identity.flavour.is_emby and self._quirks.honours_image_index else None
        self.put(item, kind, content, Origin.CLIENT, _EXTENSIONS.get(media_type, "jpg"), replaces)

    def put(
        self, item: Item, kind: str, content: bytes, origin: Origin, extension: str = "jpg", index: int | None = None
    ) -> Picture:
        """Store a picture: a single one replaces, a backdrop is appended."""
        modified = self._modified_ticks()
        old = self.find(item, kind, index or 0) if kind != "Backdrop" or index is not None else None
        if origin is Origin.CLIENT:
            self._judge(item, kind, content, old)
        path = self._path(item, kind, extension, old)
        picture = Picture(kind, path, content, modified, origin)
        if old is None:
            item.pictures.append(picture)
        else:
            item.pictures[item.pictures.index(old)] = picture
            if self._saves_locally(item) or old.path.startswith(_PLACE):  # else a file beside the video stays there
                if origin is Origin.CLIENT and old.origin is not Origin.CLIENT and not old.path.startswith(_PLACE):
                    self._witness.record(DisasterKind.PICTURE_DELETED, item, old.path)
                self.files.pop(old.path, None)
        self.files[path] = content
        self._store.save(item)
        return picture

    def put_local(self, item: Item, kind: str, content: bytes) -> Picture:
        """Put a picture file of a person's beside the video; each scan finds it again."""
        path = f"{folder_of(item.path)}/{stem_of(item.path)}-{_LOCAL_NAMES.get(kind, kind.lower())}.jpg"
        self._local[item.id, kind] = path
        self.files[path] = content
        self.find_local(item)
        return next(picture for picture in item.pictures if picture.path == path)

    def delete(self, item: Item, kind: str, index: int) -> None:
        """Take a picture away, and its file; the ones behind it close up. That there is none is no error."""
        picture = self.find(item, kind, index)
        if picture is None:
            return
        self._witness.judge_delete(item, picture, is_ours=picture.origin is Origin.CLIENT)
        self.files.pop(picture.path, None)
        item.pictures.remove(picture)
        self._store.save(item)

    def find_local(self, item: Item) -> None:
        """Look beside the video: a picture file there wins over what was uploaded."""
        for kind in _LOCAL_NAMES:
            path = self._local.get((item.id, kind), "")
            content = self.files.get(path)
            if content is None or any(picture.path == path for picture in item.pictures):
                continue
            picture = Picture(kind, path, content, self._modified_ticks(), Origin.FILE)
            others = [one for one in item.pictures if one.type != kind or kind == "Backdrop"]
            item.pictures = [picture, *others]
            self._store.save(item)

    def drop_local_backdrops(self, item: Item) -> None:
        """Do what 10.11.0 to 10.11.4 do at a scan."""
        lost = [one for one in item.pictures_of("Backdrop") if one.path.startswith(folder_of(item.path) + "/")]
        if lost:
            item.pictures = [one for one in item.pictures if one not in lost]
            self._store.save(item)

    def _judge(self, item: Item, kind: str, content: bytes, old: Picture | None) -> None:
        self._witness.judge_touch(item)
        if old is not None:
            is_ours = old.origin in (Origin.CLIENT, Origin.PROVIDER)
            self._witness.judge_replace(item, old, is_ours=is_ours)
        elif kind == "Backdrop" and any(one.content == content for one in item.pictures_of(kind)):
            self._witness.record(DisasterKind.BACKDROP_DOUBLED, item)

    def _modified_ticks(self) -> int:
        coarse = round(self._quirks.mtime_seconds * TICKS_A_SECOND)
        return ticks_of(self._clock()) // coarse * coarse if coarse else self._store.next_ticks()

    def _saves_locally(self, item: Item) -> bool:
        library = self._libraries.get(item.library_id)
        return library is not None and library.saves_locally and item.is_video

    def _path(self, item: Item, kind: str, extension: str, old: Picture | None) -> str:
        name = _LOCAL_NAMES.get(kind, kind.lower())
        if self._saves_locally(item):
            place = f"{folder_of(item.path)}/{stem_of(item.path)}-{name}"
        else:
            place = f"{_PLACE}/{item.id[:2]}/{item.id}/{name}"
        if kind != "Backdrop" or old is not None:
            return f"{place}.{extension}"
        numbered = (f"{place}{number or ''}.{extension}" for number in itertools.count())
        return next(path for path in numbered if path not in self.files)


def picture_size(content: bytes) -> tuple[int, int] | None:
    """Read width and height of a PNG or a JPEG; None where the bytes are no such picture."""
    if content[:8] == b"\x89PNG\r\n\x1a\n" and content[12:16] == b"IHDR":
        return int.from_bytes(content[16:20]), int.from_bytes(content[20:24])
    if content[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:
        marker, length = content[at + 1], int.from_bytes(content[at + 2 : at + 4])
        if marker in range(0xC0, 0xD0) and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(content[at + 7 : at + 9]), int.from_bytes(content[at + 5 : at + 7])
        at += 2 + length
    return None
