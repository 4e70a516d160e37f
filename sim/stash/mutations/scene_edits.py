"""How an input changes a scene. What was not sent stays, what was sent as null is cleared."""

import base64
import re
from collections.abc import Mapping
from typing import Any

from sim.stash.errors import ResolverError
from sim.stash.graphql.call import number, numbers
from sim.stash.library.library import Library, refers_to
from sim.stash.library.records import Scene, SceneGroup, StashId

Input = Mapping[str, Any]

TEXTS = ("title", "code", "details", "director")
DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


def edit_scene(library: Library, scene: Scene, fields: Input) -> None:
    """Apply a SceneUpdateInput. Play count, o-counter and resume time are accepted and ignored, as Stash does."""
    _edit_values(scene, fields)
    if "performer_ids" in fields:
        scene.performer_ids = numbers(fields["performer_ids"])
    if "tag_ids" in fields:
        scene.tag_ids = numbers(fields["tag_ids"])
    if "urls" in fields:
        scene.urls = tuple(fields["urls"] or ())
    if "groups" in fields:
        scene.groups = tuple(SceneGroup(number(g["group_id"]), g.get("scene_index")) for g in fields["groups"] or ())
    if "stash_ids" in fields:
        scene.stash_ids = tuple(_stash_id(library, entry) for entry in fields["stash_ids"] or ())
    if fields.get("primary_file_id") is not None:
        _make_primary(scene, number(fields["primary_file_id"]))
    if fields.get("cover_image"):
        upload_cover(library, scene, fields["cover_image"])
    _check_links(library, scene)
    library.touch(scene)


def bulk_edit_scene(library: Library, scene: Scene, fields: Input) -> None:
    """Apply a BulkSceneUpdateInput: lists are set, added to or removed from."""
    _edit_values(scene, fields)
    if fields.get("performer_ids"):
        scene.performer_ids = _merged_ids(scene.performer_ids, fields["performer_ids"])
    if fields.get("tag_ids"):
        scene.tag_ids = _merged_ids(scene.tag_ids, fields["tag_ids"])
    if fields.get("urls"):
        scene.urls = _merged(scene.urls, tuple(fields["urls"].get("values") or ()), fields["urls"]["mode"])
    if fields.get("group_ids"):
        links = {link.group_id: link for link in scene.groups}
        wanted = _merged_ids(tuple(links), fields["group_ids"])
        scene.groups = tuple(links.get(key) or SceneGroup(key) for key in wanted)
    _check_links(library, scene)
    library.touch(scene)


def upload_cover(library: Library, scene: Scene, image: str) -> None:
    """A data URL. A plain URL would be fetched by the real server; here it is refused."""
    _, found, encoded = image.partition(";base64,")
    if not found:
        raise ResolverError("processing cover image: only data URLs are simulated")
    scene.cover_version += 1
    library.uploaded["scene", scene.id, scene.cover_version] = base64.b64decode(encoded)


def _edit_values(scene: Scene, fields: Input) -> None:
    for name in TEXTS:
        if name in fields:
            setattr(scene, name, fields[name] or "")
    if "date" in fields:
        scene.date = _date(fields["date"])
    if "rating100" in fields:
        scene.rating100 = fields["rating100"]
    if fields.get("organized") is not None:
        scene.organized = fields["organized"]
    if "studio_id" in fields:
        scene.studio_id = number(fields["studio_id"]) if fields["studio_id"] else None
    if "url" in fields and "urls" not in fields:
        scene.urls = (fields["url"],) if fields["url"] else ()


def _check_links(library: Library, scene: Scene) -> None:
    """The database's foreign keys."""
    links = (
        (library.performers, refers_to(scene, "performer")),
        (library.tags, refers_to(scene, "tag")),
        (library.groups, refers_to(scene, "group")),
        (library.studios, refers_to(scene, "studio")),
    )
    if any(key not in shelf for shelf, keys in links for key in keys):
        raise ResolverError("FOREIGN KEY constraint failed")


def _date(text: str | None) -> str | None:
    if text and not DATE.fullmatch(text):
        raise ResolverError(f'converting date: parsing time "{text}" as "2006-01-02": cannot parse')
    return text or None


def _merged_ids(old: tuple[int, ...], change: Input) -> tuple[int, ...]:
    return _merged(old, numbers(change.get("ids")), change["mode"])


def _merged(old: tuple[Any, ...], given: tuple[Any, ...], mode: str) -> tuple[Any, ...]:
    if mode == "SET":
        return given
    if mode == "ADD":
        return tuple(dict.fromkeys((*old, *given)))
    return tuple(value for value in old if value not in given)


def _stash_id(library: Library, entry: Input) -> StashId:
    stamp = entry.get("updated_at") or library.clock.stamp()
    return StashId(entry["endpoint"], entry["stash_id"], stamp)


def _make_primary(scene: Scene, file_id: int) -> None:
    if all(file.id != file_id for file in scene.files):
        raise ResolverError(f"file with id {file_id} not associated with scene")
    scene.files = tuple(sorted(scene.files, key=lambda file: file.id != file_id))
