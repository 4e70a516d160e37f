"""A scene as Stash tells it: GraphQL's answer, typed."""

from collections.abc import Iterable
from dataclasses import dataclass

from model.scene import Scene, SceneFile
from stash.exceptions import StashUnintelligible
from stash.shapes import Object, a_number, a_text, an_id, an_object_or_none, objects

SHOWN_FIELDS = """
    id title code details director date rating100 organized
    paths { screenshot }
    studio { name parent_studio { name } }
    performers { name }
    tags { name }
    groups { group { name } }
"""
SCENE_FIELDS = f"{SHOWN_FIELDS} updated_at files {{ path size duration }}"
SWEEP_FIELDS = f"{SHOWN_FIELDS} files {{ path }}"


@dataclass(frozen=True, slots=True)
class FileScene:
    """A scene that a file may be of; `file_id` is Stash's number of that very file, 0 if it is not the scene's."""

    scene: "Scene"
    file_id: int


def parse_scene(raw: Object) -> Scene:
    """Read one scene; a field that a Stash leaves out or answers null is empty. Raises StashUnintelligible."""
    rating, studio = raw.get("rating100"), an_object_or_none(raw.get("studio"), "studio")
    return Scene(
        id=an_id(raw.get("id"), "a scene's id"),
        title=a_text(raw.get("title"), "title"),
        code=a_text(raw.get("code"), "code"),
        details=a_text(raw.get("details"), "details"),
        director=a_text(raw.get("director"), "director"),
        date=a_text(raw.get("date"), "date"),
        rating100=None if rating is None else int(a_number(rating, "rating100")),
        organized=raw.get("organized") is True,
        updated_at=a_text(raw.get("updated_at"), "updated_at"),
        files=tuple(map(_file, objects(raw.get("files"), "files"))),
        screenshot=a_text(an_object_or_none(raw.get("paths"), "paths").get("screenshot"), "screenshot"),
        studio=_name(studio),
        performers=_names(objects(raw.get("performers"), "performers")),
        tags=_names(objects(raw.get("tags"), "tags")),
        parent_studio=_name(an_object_or_none(studio.get("parent_studio"), "parent_studio")),
        groups=_names(an_object_or_none(one.get("group"), "group") for one in objects(raw.get("groups"), "groups")),
    )


def parse_file(raw: Object) -> tuple[str, int]:
    """Read path and size of a file; one without a path is none."""
    path = a_text(raw.get("path"), "a file's path")
    if not path:
        raise StashUnintelligible("Stash's answer is not as expected: a file has no path.")
    return path, int(a_number(raw.get("size"), "a file's size"))


def parse_file_scene(raw: Object, path: str, oshash: str) -> FileScene:
    """Read a scene, and which of its files has the hash, or else the path."""
    files = objects(raw.get("files"), "files")
    by_hash = [file for file in files if oshash and oshash in _hashes(file)]
    by_path = [file for file in files if parse_file(file)[0] == path]
    file_id = next((an_id(file.get("id"), "a file's id") for file in (*by_hash, *by_path)), 0)
    return FileScene(parse_scene(raw), file_id)


def _hashes(file: Object) -> list[str]:
    fingerprints = objects(file.get("fingerprints"), "fingerprints")
    return [a_text(one.get("value"), "a hash") for one in fingerprints if one.get("type") == "oshash"]


def _file(raw: Object) -> SceneFile:
    return SceneFile(*parse_file(raw), float(a_number(raw.get("duration"), "a file's duration")))


def _names(entries: Iterable[Object]) -> tuple[str, ...]:
    return tuple(filter(None, map(_name, entries)))


def _name(entry: Object) -> str:
    return a_text(entry.get("name"), "a name")
