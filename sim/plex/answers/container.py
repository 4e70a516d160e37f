"""The container every answer comes in, whole or one page of it."""

from collections.abc import Callable, Mapping, Sequence

from sim.plex.library.records import Item, Section
from sim.plex.web.exchange import Answer, Refused, Request
from sim.plex.web.markup import Attribute, Node
from sim.plex.world import World

IDENTIFIER: Mapping[str, Attribute] = {
    "identifier": "com.plexapp.plugins.library",
    "mediaTagPrefix": "/system/bundle/media/flags/",
    "mediaTagVersion": 1775731696,
}


def container(children: Sequence[Node], attributes: Mapping[str, Attribute] | None = None) -> Answer:
    return Answer(Node("MediaContainer", {"size": len(children), **(attributes or {})}, children))


def page_bounds(world: World, request: Request) -> tuple[int, int | None]:
    """Start and size. A size of None: the client did not page, which a strict server refuses."""
    size = request.number("X-Plex-Container-Size")
    if size is None and world.quirks.demands_paging:
        raise Refused(400)
    start = request.number("X-Plex-Container-Start") or 0
    return start, None if size is None else min(size, world.quirks.page_cap)


def paged(
    bounds: tuple[int, int | None],
    items: Sequence[Item],
    draw: Callable[[Item], Node],
    attributes: Mapping[str, Attribute],
) -> Answer:
    """One page of what there is. The total is told only to those who page."""
    start, size = bounds
    if size is None:
        return container([draw(item) for item in items], attributes)
    return one_page([draw(item) for item in items[start : start + size]], start, len(items), attributes)


def one_page(nodes: Sequence[Node], start: int, total: int, attributes: Mapping[str, Attribute]) -> Answer:
    counts: dict[str, Attribute] = {"size": len(nodes), "totalSize": total, "offset": start}
    headers = {"X-Plex-Container-Start": str(start), "X-Plex-Container-Total-Size": str(total)}
    return Answer(Node("MediaContainer", {**counts, **attributes}, nodes), headers=headers)


def of_section(section: Section, view: str) -> dict[str, Attribute]:
    art = "video" if section.is_personal and section.kind == "movie" else section.kind
    return {
        "allowSync": True,
        "art": f"/:/resources/{section.kind}-fanart.jpg",
        **IDENTIFIER,
        "librarySectionID": section.id,
        "librarySectionTitle": section.title,
        "librarySectionUUID": section.uuid,
        "thumb": f"/:/resources/{art}.png",
        "title1": section.title,
        "title2": f"All {section.title}",
        "viewGroup": view,
    }
