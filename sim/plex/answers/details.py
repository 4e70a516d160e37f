"""Details: the full state of one item or of many, and what a person's click on it sets off."""

from sim.plex.answers.container import IDENTIFIER, container, paged
from sim.plex.answers.item_xml import Trim
from sim.plex.library.records import Item
from sim.plex.web.exchange import EMPTY, Answer, Refused, Request
from sim.plex.web.markup import Attribute, Node
from sim.plex.world import World


def details(world: World, request: Request, keys: str) -> Answer:
    """Keys that are gone are left out of the answer; when none is left, or the server is strict, it is a 404."""
    wanted = [int(key) for key in dict.fromkeys(keys.split(",")) if key]
    found = [item for key in wanted if (item := world.library.items.get(key))]
    if not found or (len(found) < len(wanted) and world.quirks.mixed_details == "404"):
        raise Refused(404)
    bounds = (request.number("X-Plex-Container-Start") or 0, request.number("X-Plex-Container-Size"))
    trim = Trim.of(request)
    answer = paged(bounds, found, lambda item: world.item_states.in_full(item, trim), _attributes(world, found))
    if request.is_on("skipRefresh"):
        return answer
    for item in found:
        world.scans.look(item.item_id)
    return Answer(answer.content, headers=answer.headers, work_seconds=len(found) * world.quirks.detail_work_seconds)


def _attributes(world: World, items: list[Item]) -> dict[str, Attribute]:
    attributes: dict[str, Attribute] = {"allowSync": True, **IDENTIFIER}
    sections = {item.section_id for item in items}
    if len(sections) == 1:
        section = world.library.sections[sections.pop()]
        attributes["librarySectionID"] = section.id
        attributes["librarySectionTitle"] = section.title
        attributes["librarySectionUUID"] = section.uuid
    return attributes


def tree(world: World, _request: Request, item_id: str) -> Answer:
    """Show the bare rows of an item. A part without a hash, its duration -1, has not been analysed yet."""
    item = world.library.item(int(item_id))
    parts = [
        Node(
            "MediaPart",
            {
                "id": part.id,
                "file": part.file,
                "size": part.size,
                "duration": part.duration if part.analysed else -1,
                "hash": f"{part.id:040x}" if part.analysed else None,
            },
        )
        for part in item.parts
    ]
    row = Node("MetadataItem", {"id": item.item_id}, [Node("MediaItem", {"id": item.item_id}, parts)])
    return container([row])


def refresh(world: World, _request: Request, item_id: str) -> Answer:
    world.refresh(world.library.item(int(item_id)))
    return EMPTY


def analyze(world: World, request: Request, item_id: str) -> Answer:
    """Read the streams anew. While the section is being scanned, that has brought real servers down."""
    item = world.library.item(int(item_id))
    if world.scans.is_scanning(world.library.sections[item.section_id]):
        world.disasters.append(f"{request.method} {request.target}")
    for part in item.parts:
        part.analysed = True
    return EMPTY


def delete(world: World, _request: Request, item_id: str) -> Answer:
    world.library.item(int(item_id))
    world.remove(int(item_id))
    return EMPTY
