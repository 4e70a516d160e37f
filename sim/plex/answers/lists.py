"""Lists of items: short states, page by page."""

from collections.abc import Sequence

from sim.plex.answers.container import container, of_section, one_page, page_bounds, paged
from sim.plex.answers.item_xml import Trim
from sim.plex.answers.meta import described
from sim.plex.library.records import TOP_TYPE, TYPE_NAMES, Item, Section
from sim.plex.web.exchange import Answer, Refused, Request
from sim.plex.web.markup import Node
from sim.plex.world import World


def everything(world: World, request: Request, section_id: str) -> Answer:
    """`/library/sections/N/all`: the listing everything else is built on."""
    section = world.library.section(int(section_id))
    if "file" in request.args and "type" not in request.args:
        raise Refused(500)
    number = request.number("type")
    kind = TOP_TYPE[section.kind] if number is None else TYPE_NAMES.get(number, "")
    answer = _page(world, request, section, kind)
    if request.is_on("includeMeta") and isinstance(answer.content, Node):
        answer.content.children.insert(0, described(section, kind))
    return answer


def collections(world: World, request: Request, section_id: str) -> Answer:
    return _page(world, request, world.library.section(int(section_id)), "collection")


def children(world: World, request: Request, item_id: str) -> Answer:
    parent = world.library.item(int(item_id))
    is_collection = parent.kind == "collection"
    members = world.library.collections.members(parent) if is_collection else world.library.children(parent.item_id)
    section = world.library.sections[parent.section_id]
    bounds = page_bounds(world, request)
    return paged(bounds, members, world.item_states.in_list, of_section(section, section.kind))


def _page(world: World, request: Request, section: Section, kind: str) -> Answer:
    start, size = page_bounds(world, request)
    attributes = of_section(section, kind)
    tests, sort = world.query.tests(request.params), request.args.get("sort")
    is_by_key = sort == "id" and world.quirks.honours_sort_id
    if size is not None and not tests and (is_by_key or not sort):  # the common walk: nothing to look through
        order = world.library.order(section.id, kind)
        keys = order.slice_by_key(start, size) if is_by_key else order.slice(start, size)
        items = [world.library.items[key] for key in keys]
        return one_page(_drawn(world, request, items), start, len(order), attributes)
    items = [world.library.items[key] for key in world.library.order(section.id, kind)]
    for test in tests:
        items = list(filter(test, items))
    if sort:
        items = world.query.sorted(items, sort)
    if size is None:
        return container(_drawn(world, request, items), attributes)
    return one_page(_drawn(world, request, items[start : start + size]), start, len(items), attributes)


def _drawn(world: World, request: Request, items: Sequence[Item]) -> list[Node]:
    trim = Trim.of(request)
    return [world.item_states.in_list(item, trim) for item in items]
