"""The libraries: what there is, scanning them, the tags in use."""

from collections import Counter

from sim.plex.answers.container import IDENTIFIER, container, of_section
from sim.plex.library.records import TYPE_NAMES, Section
from sim.plex.library.tags import TAG_ELEMENTS
from sim.plex.web.exchange import EMPTY, Answer, Refused, Request
from sim.plex.web.markup import Attribute, Node
from sim.plex.world import World

_SCALAR_CHOICES = frozenset({"studio", "contentRating", "year"})
_SHELVES = ("all", "collections", "unwatched", "recentlyAdded", "folder")


def sections(world: World, request: Request) -> Answer:
    is_owner = request.token == world.identity.token
    nodes = [_directory(world, section, is_owner=is_owner) for section in world.library.sections.values()]
    return container(nodes, {"allowSync": False, "title1": "Plex Library"})


def _directory(world: World, section: Section, *, is_owner: bool) -> Node:
    attributes: dict[str, Attribute] = {
        "allowSync": is_owner,
        "art": f"/:/resources/{section.kind}-fanart.jpg",
        "composite": f"/library/sections/{section.id}/composite/{section.updated_at}",
        "filters": True,
        "refreshing": world.scans.is_scanning(section),
        "thumb": f"/:/resources/{section.kind}.png",
        "key": str(section.id),
        "type": section.kind,
        "title": section.title,
        "agent": section.agent,
        "scanner": section.scanner,
        "language": section.language,
        "uuid": section.uuid,
        "updatedAt": section.updated_at,
        "createdAt": section.created_at,
        "scannedAt": section.scanned_at,
        "content": True,
        "directory": True,
        "contentChangedAt": section.content_changed_at,
        "hidden": 0,
    }
    places = zip(section.location_ids, section.locations, strict=True)
    return Node("Directory", attributes, [Node("Location", {"id": number, "path": path}) for number, path in places])


def section(world: World, _request: Request, section_id: str) -> Answer:
    here = world.library.section(int(section_id))
    nodes = [Node("Directory", {"key": key, "title": key}) for key in _SHELVES]
    return container(nodes, {**of_section(here, "secondary"), "content": "secondary"})


def refresh(world: World, request: Request, section_id: str) -> Answer:
    """Scan. `force=1` is something else altogether: the metadata of every item, anew."""
    here = world.library.section(int(section_id))
    if request.is_on("force"):
        world.disasters.append(f"{request.method} {request.target}")
        for item in [item for item in world.library.items.values() if item.section_id == here.id]:
            world.refresh(item)
    world.scans.start(here, request.args.get("path"))
    return EMPTY


def stop_refresh(world: World, _request: Request, section_id: str) -> Answer:
    world.scans.cancel(world.library.section(int(section_id)))
    return EMPTY


def timeline(world: World, _request: Request, section_id: str) -> Answer:
    here = world.library.section(int(section_id))
    attributes: dict[str, Attribute] = {
        "size": 0,
        **of_section(here, "secondary"),
        "latestEntryTime": max(here.updated_at, here.scanned_at),
        "updateQueueSize": world.scans.queue_size(here),
    }
    return Answer(Node("LibraryTimeline", attributes))


def empty_trash(world: World, _request: Request, section_id: str) -> Answer:
    here = world.library.section(int(section_id))
    trash = [key for key, item in world.library.items.items() if item.section_id == here.id and item.deleted_at]
    for key in trash:
        world.remove(key)
    return EMPTY


def choices(world: World, request: Request, section_id: str, name: str) -> Answer:
    """List the values of one field in use, as the filter menu shows them."""
    here = world.library.section(int(section_id))
    kind = TYPE_NAMES.get(request.number("type") or 0)
    items = [world.library.items[key] for key in world.library.order(here.id, kind)]
    counted: Counter[tuple[str, str]] = Counter()
    for item in items:
        if name in TAG_ELEMENTS:
            tags = [world.library.registry[tagging.tag_id] for tagging in world.library.tags(item).get(name, ())]
            counted.update((str(tag.id), tag.name) for tag in tags)
        elif name in _SCALAR_CHOICES:
            values = world.library.values(item)
            text = str(values.get("originallyAvailableAt", ""))[:4] if name == "year" else str(values.get(name, ""))
            counted.update([(text, text)] if text else [])
        else:
            raise Refused(404)
    path = f"/library/sections/{here.id}/all?{name}="
    nodes = [
        Node("Directory", {"fastKey": f"{path}{key}", "key": key, "title": title})
        for key, title in sorted(counted, key=lambda pair: pair[1].casefold())
    ]
    return container(nodes, {**IDENTIFIER, "title1": here.title})
