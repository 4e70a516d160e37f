"""Pictures of items."""

from sim.mediabrowser.web.access import Caller, seen_item
from sim.mediabrowser.web.exchange import Answer, Refused, Request, empty, json_answer
from sim.mediabrowser.world.pictures import TYPES
from sim.mediabrowser.world.world import World

_SIGNATURES = {b"\x89PNG": "image/png", b"GIF8": "image/gif", b"RIFF": "image/webp"}
_CONVERTED = frozenset({"image/webp", "image/gif"})


def listed(world: World, _request: Request, caller: Caller, item_id: str) -> Answer:
    return json_answer(world.pictures.listed(seen_item(world, caller, item_id)))


def shown(world: World, request: Request, _caller: Caller | None, item_id: str, kind: str, index: str = "") -> Answer:
    """Serve a picture to anybody who knows its address."""
    item = seen_item(world, Caller(), item_id)
    picture = world.pictures.find(item, _kind(kind), _index(request, index))
    if picture is None:
        raise Refused(404, "problem")
    media_type = _SIGNATURES.get(picture.content[:4], "image/jpeg")
    accepted = request.headers.get("accept", "*/*")
    if media_type in _CONVERTED and media_type not in accepted:
        return Answer(_converted(picture.content), content_type="image/jpeg")
    return Answer(world.pictures.served(item, picture), content_type=media_type)


def _converted(content: bytes) -> bytes:
    """Write a picture anew as a JPEG: whoever did not say that he takes others does not get the bytes as they are."""
    return b"\xff\xd8\xff" + content


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
