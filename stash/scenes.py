"""A scene as Stash tells it: GraphQL's answer, typed."""

from dataclasses import dataclass
from typing import Any

SCENE_FIELDS = """
    id title code details director date rating100 organized updated_at
    files { path size duration }
    paths { screenshot }
    studio { name }
    performers { name }
    tags { name }
    groups { group { name } }
"""


@dataclass(frozen=True, slots=True)
class SceneFile:
    """A file of a scene, with the path as Stash sees it."""

    path: str
    size: int
    duration: float


@dataclass(frozen=True, slots=True)
class Scene:
    """All of a scene that can matter to Plex. An empty text: Stash has none. The first file is the primary one."""

    id: int
    title: str
    code: str
    details: str
    director: str
    date: str
    rating100: int | None
    organized: bool
    updated_at: str
    files: tuple[SceneFile, ...]
    screenshot: str
    studio: str
    performers: tuple[str, ...]
    tags: tuple[str, ...]
    groups: tuple[str, ...]


def parse_scene(raw: dict[str, Any]) -> Scene:
    """Read one scene; a field that a Stash leaves out or answers null is empty."""
    return Scene(
        id=int(raw["id"]),
        title=raw.get("title") or "",
        code=raw.get("code") or "",
        details=raw.get("details") or "",
        director=raw.get("director") or "",
        date=raw.get("date") or "",
        rating100=raw.get("rating100"),
        organized=bool(raw.get("organized")),
        updated_at=raw.get("updated_at") or "",
        files=tuple(
            SceneFile(file["path"], int(file.get("size") or 0), float(file.get("duration") or 0))
            for file in raw.get("files") or ()
        ),
        screenshot=_field(raw.get("paths"), "screenshot"),
        studio=_field(raw.get("studio"), "name"),
        performers=_names(raw.get("performers")),
        tags=_names(raw.get("tags")),
        groups=_names([entry.get("group") for entry in raw.get("groups") or ()]),
    )


def _names(entries: list[dict[str, Any]] | None) -> tuple[str, ...]:
    return tuple(entry["name"] for entry in entries or () if entry and entry.get("name"))


def _field(entry: dict[str, Any] | None, name: str) -> str:
    return (entry.get(name) or "") if entry else ""
