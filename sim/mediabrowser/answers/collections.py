"""Collections: made, filled, emptied."""

from typing import Any, cast

from sim.mediabrowser.web.access import Caller, seen_item
from sim.mediabrowser.web.exchange import Answer, Refused, Request, empty, json_answer
from sim.mediabrowser.world.world import World


def create(world: World, request: Request, _caller: Caller) -> Answer:
    is_locked = bool(request.flag("IsLocked"))
    ids = _ids(world, request, drops_bad=False)
    return json_answer({"Id": world.collections.create(request.text("Name") or "", ids, is_locked=is_locked).id})


def add(world: World, request: Request, caller: Caller, collection_id: str) -> Answer:
    ids = _ids(world, request)
    if not ids:
        raise Refused(400, "problem", "The ids field is required.")
    world.collections.add(seen_item(world, caller, collection_id), ids)
    return empty()


def remove(world: World, request: Request, caller: Caller, collection_id: str) -> Answer:
    world.collections.remove(seen_item(world, caller, collection_id), _ids(world, request))
    return empty()


def _ids(world: World, request: Request, *, drops_bad: bool = True) -> list[str]:
    """Read ids of the query, on Emby also of a body `{Ids:"a,b"}`."""
    words = request.words("Ids")
    if world.identity.flavour.is_emby and request.body and not words:
        body = request.json()
        words = str(cast("dict[str, Any]", body).get("Ids", "")).split(",") if isinstance(body, dict) else []
    parsed = [world.store.parsed_id(word) for word in words]
    if None in parsed and not drops_bad:
        raise Refused(400, text="Unrecognized Guid format.")
    return [one for one in parsed if one is not None]
