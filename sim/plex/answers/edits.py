"""Edits over HTTP: one PUT, its whole content in the query. 200 and nothing else when it worked."""

import re
from collections.abc import Sequence

from sim.plex.library.edits import Edit
from sim.plex.library.records import TYPE_NAMES, Item
from sim.plex.web.exchange import EMPTY, Answer, Refused, Request
from sim.plex.world import World

_KEYS = re.compile(r"\d+(,\d+)*")


def edit_section(world: World, request: Request, section_id: str) -> Answer:
    """Without `id`, or with an empty one, EVERY item of the type is edited. That is what the real one does."""
    section = world.library.section(int(section_id))
    kind = TYPE_NAMES.get(request.number("type") or 0)
    if kind is None:
        raise Refused(400)
    if keys := request.args.get("id"):
        items = _items(world, keys)
        if any(item.section_id != section.id or item.kind != kind for item in items):
            raise Refused(400)
    else:
        world.disasters.append(f"{request.method} {request.target}")
        items = [world.library.items[key] for key in world.library.order(section.id, kind)]
    return _apply(world, request, items)


def edit_items(world: World, request: Request, keys: str) -> Answer:
    return _apply(world, request, _items(world, keys))


def rate(world: World, request: Request) -> Answer:
    """`/:/rate`: the stars, for the account of the token. -1 takes them away."""
    item = world.library.item(request.number("key") or 0)
    try:
        stars = float(request.args["rating"])
    except (KeyError, ValueError):
        raise Refused(400) from None
    rated_at = request.number("ratedAt") or world.library.now()
    if stars > 10 or rated_at > world.library.now():
        raise Refused(400)
    is_cleared = stars < 0
    world.library.write(
        item, {"userRating": "" if is_cleared else stars, "lastRatedAt": "" if is_cleared else rated_at}
    )
    return EMPTY


def _items(world: World, keys: str) -> list[Item]:
    if not _KEYS.fullmatch(keys):
        raise Refused(400)
    return [world.library.item(int(key)) for key in keys.split(",")]


def _apply(world: World, request: Request, items: Sequence[Item]) -> Answer:
    edit = Edit.parse(request.params)
    for item in items if world.quirks.edits_several else items[:1]:
        world.editor.apply(edit, item)
    return EMPTY
