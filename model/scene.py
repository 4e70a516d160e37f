"""A scene as Stash tells it, and its files."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SceneFile:
    """A file of a scene, with the path as Stash sees it; a size or duration of 0 is not known."""

    path: str
    size: int = 0
    duration: float = 0.0


@dataclass(frozen=True, slots=True)
class Scene:
    """All of a scene that can matter to a server. An empty text: Stash has none. The first file is the primary one."""

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
    parent_studio: str = ""
