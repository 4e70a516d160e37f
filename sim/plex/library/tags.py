"""The tags of the whole server: one name, one tag, one photo, however many items carry it."""

from dataclasses import dataclass
from typing import Protocol

TAG_ELEMENTS = {
    "genre": "Genre",
    "country": "Country",
    "director": "Director",
    "writer": "Writer",
    "producer": "Producer",
    "actor": "Role",
    "collection": "Collection",
    "label": "Label",
}
LIST_LIMITS = {"genre": 2, "country": 2, "director": 3, "writer": 2, "actor": 3, "collection": 2}
"""How many of a kind a list shows. What is not named here (labels, producers) a list never shows."""
ROLE_CAP = 200
"""Details show no more actors than this."""


@dataclass(slots=True)
class Tag:
    id: int
    kind: str
    name: str
    thumb: str = ""


class TagHabits(Protocol):
    @property
    def tag_case(self) -> str: ...


class TagRegistry:
    def __init__(self, habits: TagHabits) -> None:
        self._habits = habits
        self._by_id: dict[int, Tag] = {}
        self._by_name: dict[tuple[str, str], Tag] = {}

    def __getitem__(self, tag_id: int) -> Tag:
        return self._by_id[tag_id]

    def get(self, kind: str, name: str) -> Tag | None:
        return self._by_name.get((kind, self._key(name)))

    def obtain(self, kind: str, name: str) -> Tag:
        """Give the tag of that name, made when nobody has used it before. The first spelling stays."""
        tag = self.get(kind, name)
        if tag is None:
            tag = Tag(len(self._by_id) + 1, kind, name)
            self._by_id[tag.id] = tag
            self._by_name[kind, self._key(name)] = tag
        return tag

    def rename(self, tag: Tag, name: str) -> None:
        self._by_name.pop((tag.kind, self._key(tag.name)), None)
        tag.name = name
        self._by_name[tag.kind, self._key(name)] = tag

    def _key(self, name: str) -> str:
        return name.casefold() if self._habits.tag_case == "fold" else name
