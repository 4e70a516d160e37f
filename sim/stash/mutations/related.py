"""Mutations of performers, studios, tags and groups. None of them touches a scene's `updated_at`."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sim.stash.errors import ResolverError
from sim.stash.graphql.call import Call, number, numbers
from sim.stash.graphql.execution import Args, RootResolver
from sim.stash.library.library import Library, Shelf
from sim.stash.library.records import Performer, Scene, SceneGroup, Studio, Tag
from sim.stash.plugins.hook_event import HookEvent, performer_input, sent, set_only, studio_input

Shape = Callable[[Mapping[str, Any]], dict[str, Any]]

HOOKS = {
    "performer": ("Performer",),
    "studio": ("Studio",),
    "tag": ("Tag",),
    "group": ("Group", "Movie"),  # the deprecated twin still fires
}
SHAPES: dict[str, Shape] = {
    "performer": performer_input,
    "studio": studio_input,
    "tag": set_only,
    "group": set_only,
}
NULLABLE = ("gender", "birthdate", "rating100", "date")
PICTURES = ("image", "front_image")


def _shelf(library: Library, kind: str) -> Shelf[Any]:
    return getattr(library, f"{kind}s")


def _update(kind: str) -> RootResolver[Call]:
    def resolve(call: Call, args: Args) -> Any:
        fields = args["input"]
        with call.library.lock:
            record = _shelf(call.library, kind).need(number(fields["id"]))
            for name, value in fields.items():
                _set(record, name, value)
            call.library.touch(record)
        for name in HOOKS[kind]:
            call.fire(HookEvent(f"{name}.Update.Post", record.id, SHAPES[kind](fields), sent(fields)))
        return _shelf(call.library, kind).get(record.id)

    return resolve


def _create(kind: str) -> RootResolver[Call]:
    """Make a record. A name, or an alias, belongs to one tag or studio; performers of one name are told apart."""

    def resolve(call: Call, args: Args) -> Any:
        fields = args["input"]
        with call.library.lock:
            shelf = _shelf(call.library, kind)
            _refuse_taken(kind, fields, list(shelf.values()))
            now = call.library.clock.stamp()
            record = shelf.put(_RECORDS[kind](shelf.next_id(), fields["name"], now, now))
            for name, value in fields.items():
                _set(record, name, value)
        for name in HOOKS[kind]:
            call.fire(HookEvent(f"{name}.Create.Post", record.id, set_only(fields), sent(fields)))
        return record

    return resolve


_RECORDS: dict[str, Callable[[int, str, str, str], Any]] = {"performer": Performer, "studio": Studio, "tag": Tag}


def _refuse_taken(kind: str, fields: Mapping[str, Any], others: list[Any]) -> None:
    wanted = fields["name"].casefold()
    if not wanted.strip():
        raise ResolverError("name must not be blank")
    for other in others:
        names = {other.name.casefold(), *(one.casefold() for one in getattr(other, "aliases", ()))}
        apart = kind == "performer" and other.disambiguation != (fields.get("disambiguation") or "")
        if wanted in names and not apart:
            raise ResolverError(f"{kind} with name '{fields['name']}' already exists")


def _set(record: Any, name: str, value: Any) -> None:
    if name == "id":
        return
    if name in PICTURES:
        record.image_version += 1
    elif name in ("parent_id", "studio_id"):
        setattr(record, name, number(value) if value else None)
    elif name == "parent_ids":
        record.parent_ids = numbers(value)
    elif isinstance(getattr(record, name), tuple):
        setattr(record, name, tuple(value or ()))
    elif value is not None or name in NULLABLE:
        setattr(record, name, value)
    else:
        setattr(record, name, type(getattr(record, name))())


def _destroy(kind: str) -> RootResolver[Call]:
    def resolve(call: Call, args: Args) -> bool:
        _take_away(call, kind, (number(args["input"]["id"]),), dict(args["input"]))
        return True

    return resolve


def _destroy_many(kind: str) -> RootResolver[Call]:
    """Every hook is told of all ids, as a bare list of texts."""

    def resolve(call: Call, args: Args) -> bool:
        _take_away(call, kind, numbers(args["ids"]), [str(one) for one in args["ids"]])
        return True

    return resolve


def _take_away(call: Call, kind: str, ids: tuple[int, ...], told: Any) -> None:
    """All are gone before the first hook runs."""
    with call.library.lock:
        shelf = _shelf(call.library, kind)
        for record in [shelf.need(one) for one in ids]:
            del shelf[record.id]
            for scene in call.library.scenes_with(kind, record.id):
                _swap(scene, kind, record.id, None)
    for one in ids:
        for name in HOOKS[kind]:
            call.fire(HookEvent(f"{name}.Destroy.Post", one, told))


def _merge_into(call: Call, kind: str, fields: Mapping[str, Any]) -> Any:
    with call.library.lock:
        shelf = _shelf(call.library, kind)
        target = shelf.need(number(fields["destination"]))
        for source_id in numbers(fields["source"]):
            shelf.need(source_id)
            del shelf[source_id]
            for scene in call.library.scenes_with(kind, source_id):
                _swap(scene, kind, source_id, target.id)
        call.library.touch(target)
    return target


def _merge_tags(call: Call, args: Args) -> Any:
    target = _merge_into(call, "tag", args["input"])
    call.fire(HookEvent("Tag.Merge.Post", target.id, dict(args["input"])))
    return target


def _merge_performers(call: Call, args: Args) -> Any:
    """Stash calls no hook here."""
    target = _merge_into(call, "performer", args["input"])
    values: Mapping[str, Any] = args["input"].get("values") or {}
    for name, value in values.items():
        _set(target, name, value)
    return target


def _swap(scene: Scene, kind: str, old: int, new: int | None) -> None:
    """Point a scene from one record to another, or to none, without touching its `updated_at`."""
    if kind == "performer":
        scene.performer_ids = _replaced(scene.performer_ids, old, new)
    elif kind == "tag":
        scene.tag_ids = _replaced(scene.tag_ids, old, new)
    elif kind == "studio":
        scene.studio_id = new
    else:
        kept = [link for link in scene.groups if link.group_id != old]
        moved = [replace(link, group_id=new) for link in scene.groups if link.group_id == old and new]
        scene.groups = tuple[SceneGroup, ...]((*kept, *moved))


def _replaced(ids: tuple[int, ...], old: int, new: int | None) -> tuple[int, ...]:
    swapped = (new if key == old else key for key in ids)
    return tuple(dict.fromkeys(key for key in swapped if key is not None))


RELATED_MUTATIONS: dict[str, RootResolver[Call]] = {
    **{f"{kind}Create": _create(kind) for kind in _RECORDS},
    **{f"{kind}Update": _update(kind) for kind in HOOKS},
    **{f"{kind}Destroy": _destroy(kind) for kind in HOOKS},
    **{f"{kind}sDestroy": _destroy_many(kind) for kind in HOOKS},
    "tagsMerge": _merge_tags,
    "performerMerge": _merge_performers,
}
