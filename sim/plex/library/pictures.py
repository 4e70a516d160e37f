"""The pictures of the items: what the agent offers, what people uploaded (for ever), and which one is selected."""

import hashlib
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

from sim.plex.library.library import Library
from sim.plex.library.records import Item
from sim.plex.quirks import Quirks
from sim.plex.web.exchange import Refused
from sim.plex.web.markup import Attribute, Node

Kind = Literal["posters", "arts", "clearLogos", "squareArts"]
KINDS: dict[str, Kind] = {"posters": "posters", "arts": "arts", "clearLogos": "clearLogos", "squareArts": "squareArts"}
SINGULAR: dict[str, Kind] = {
    "poster": "posters",
    "thumb": "posters",
    "art": "arts",
    "clearLogo": "clearLogos",
    "squareArt": "squareArts",
}
LOCKS: dict[Kind, str] = {"posters": "thumb", "arts": "art", "clearLogos": "clearLogo", "squareArts": "squareArt"}
PIXEL = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"
)
"""What the pictures look like that nobody uploaded."""


@dataclass(slots=True)
class Wall:
    """The pictures of one kind on one item. `selected` is None for the agent's own choice, "" for none at all."""

    uploads: dict[str, bytes] = field(default_factory=dict[str, bytes])
    selected: str | None = None


class Pictures:
    def __init__(self, library: Library, quirks: Quirks) -> None:
        self._library = library
        self._quirks = quirks
        self._walls: dict[tuple[int, Kind], Wall] = {}

    def address(self, item: Item, name: str) -> str | None:
        """Give the `thumb` or `art` of an item, none where it shows none; its stamp is the item's own, as recorded."""
        if not self.selected(item, SINGULAR[name]):
            return None
        return f"/library/metadata/{item.item_id}/{name}/{item.updated_at or item.added_at}"

    def uploads(self, item: Item, kind: Kind) -> dict[str, bytes]:
        """Give every upload of the item's life by its key. Nothing takes one away."""
        wall = self._walls.get((item.item_id, kind))
        return dict(wall.uploads) if wall else {}

    def selected(self, item: Item, kind: Kind) -> str:
        wall = self._walls.get((item.item_id, kind))
        if wall is None or wall.selected is None:
            return next(iter(self._own(item, kind)), "")
        return wall.selected

    def upload(self, item: Item, kind: Kind, content: bytes) -> str:
        """Keep the bytes under their SHA-1. Whether they are a picture does not interest Plex."""
        if len(content) > self._quirks.max_picture_bytes:
            raise Refused(500)
        wall = self._walls.setdefault((item.item_id, kind), Wall())
        key = self._upload_key(item, kind, content)
        wall.uploads[key] = content
        is_held = (wall.selected or "").startswith("upload://") and self._quirks.upload_selects == "first"
        if not is_held:
            self._select(item, wall, key)
        if self._quirks.upload_locks:
            self._library.lock(item, {LOCKS[kind]: True})
        return key

    def select(self, item: Item, kind: Kind, key: str) -> None:
        wall = self._walls.setdefault((item.item_id, kind), Wall())
        if key not in wall.uploads and key not in self._own(item, kind):
            raise Refused(404)
        self._select(item, wall, key)

    def unset(self, item: Item, kind: Kind) -> None:
        """Show none, and lock that; the uploads stay where they are."""
        if not self._quirks.unsets_pictures:
            raise Refused(404)
        self._select(item, self._walls.setdefault((item.item_id, kind), Wall()), "")
        self._library.lock(item, {LOCKS[kind]: True})

    def refresh(self, item: Item) -> None:
        """Go back to the agent's choice where nothing is locked; the uploads stay where they are.

        A poster that was unset becomes a frame of the video again, locked or not.
        """
        for kind, lock in LOCKS.items():
            wall = self._walls.get((item.item_id, kind))
            is_held = lock in item.locks and not (kind == "posters" and wall is not None and wall.selected == "")
            if wall is not None and not is_held and wall.selected is not None:
                self._select(item, wall, None)

    def content(self, item: Item, kind: Kind, key: str | None = None) -> bytes:
        return self.uploads(item, kind).get(key or self.selected(item, kind), PIXEL)

    def forget(self, item: Item) -> None:
        for kind in LOCKS:
            self._walls.pop((item.item_id, kind), None)

    def listed(self, item: Item, kind: Kind) -> list[Node]:
        selected = self.selected(item, kind)
        keys = [*self.uploads(item, kind), *self._own(item, kind)]
        return [self._photo(item, key, is_selected=key == selected) for key in keys]

    def _select(self, item: Item, wall: Wall, key: str | None) -> None:
        wall.selected = key
        self._library.touch(item)

    def _upload_key(self, item: Item, kind: Kind, content: bytes) -> str:
        seed = b"" if self._quirks.upload_digest == "sha1" else b"re-encoded"
        digest = hashlib.sha1(seed + content, usedforsecurity=False).hexdigest()
        place = ""
        if item.kind == "episode":
            season = self._library.items.get(item.parent)
            place = f"seasons/{season.index if season else 1}/episodes/{item.index}/"
        return f"upload://{kind}/{place}{digest}"

    def _own(self, item: Item, kind: Kind) -> tuple[str, ...]:
        section = self._library.sections[item.section_id]
        digest = hashlib.sha1(f"{kind}{item.item_id}".encode(), usedforsecurity=False).hexdigest()
        if kind not in ("posters", "arts"):
            return ()
        if section.is_personal:
            if kind == "arts":  # a frame of the video is its poster; nothing offers a background
                return ()
            return (f"media://{digest[0]}/{digest[1:]}.bundle/Contents/Thumbnails/thumb1.jpg",)
        return (
            f"metadata://{kind}/{section.agent}_{digest}",
            f"https://image.example.org/t/p/original/{digest[:20]}.jpg",
        )

    @staticmethod
    def _photo(item: Item, key: str, *, is_selected: bool) -> Node:
        is_local = not key.startswith("https://")
        address = f"/library/metadata/{item.item_id}/file?url={quote(key, safe='')}" if is_local else key
        provider = "" if key.startswith(("upload://", "media://")) else "tmdb"
        attributes: dict[str, Attribute] = {
            "key": address,
            "ratingKey": key,
            "thumb": address,
            "selected": is_selected,
            "provider": provider,
        }
        return Node("Photo", attributes)
