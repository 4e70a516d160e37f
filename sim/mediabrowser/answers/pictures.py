"""Pictures of items."""

from sim.mediabrowser.access import Caller, seen_item
from sim.mediabrowser.exchange import Answer, Refused, Request, empty, json_answer
from sim.mediabrowser.world.pictures import TYPES
from sim.mediabrowser.world.world import World

_SIGNATURES = {b"\x89PNG": "image/png", b"GIF8": "image/gif", b"RIFF": "image/webp"}


def listed(world: World, _request: Request, caller: Caller, item_id: str) -> Answer:
    return json_answer(world.pictures.listed(seen_item(world, caller, item_id)))


def shown(world: World, request: Request, _caller: Caller | None, item_id: str, kind: str, index: str = "") -> Answer:
    """Serve a picture to anybody who knows its address."""
    item = seen_item(world, Caller(), item_id)
    picture = world.pictures.find(item, _kind(kind), _index(request, index))
    if picture is None:
        raise Refused(404, "problem")
    content = world.pictures.served(item, picture)
    return Answer(content, content_type=_SIGNATURES.get(content[:4], "image/jpeg"))


def upload(world: World, request: Request, caller: Caller, item_id: str, kind: str, index: str = "") -> Answer:
    item = seen_item(world, caller, item_id)
    content_type = request.headers.get("content-type", "")
    number = _index(request, index) if index or request.text("Index") else None
    world.pictures.upload(item, _kind(kind), content_type, request.body, number)
    return empty()


def delete(world: World, request: Request, caller: Caller, item_id: str, kind: str, index: str = "") -> Answer:
    """Delete a picture and its file. A picture that is not there is no error, an item that is not there is."""
    world.pictures.delete(seen_item(world, caller, item_id), _kind(kind), _index(request, index))
    return empty()


def _kind(word: str) -> str:
    kind = TYPES.get(word.lower())
    if kind is None:
        raise Refused(400, "problem", f"The value '{word}' is not valid.")
    return kind


def _index(request: Request, index: str) -> int:
    return int(index) if index else request.number("ImageIndex") or request.number("Index") or 0
