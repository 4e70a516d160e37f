"""Pictures over HTTP: listing, uploading, selecting, looking."""

from http.client import HTTPException
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from sim.plex.answers.container import IDENTIFIER, container
from sim.plex.library.pictures import KINDS, LOCKS, SINGULAR
from sim.plex.web.exchange import EMPTY, TEXT, Answer, Refused, Request
from sim.plex.world import World

_NEAR = frozenset({"127.0.0.1", "localhost"})


def listed(world: World, _request: Request, item_id: str, kind: str) -> Answer:
    item = world.library.item(int(item_id))
    return container(world.pictures.listed(item, KINDS[kind]), IDENTIFIER)


def upload(world: World, request: Request, item_id: str, kind: str) -> Answer:
    """Bytes in the body, or an address the server fetches itself: 406 when it cannot."""
    item = world.library.item(int(item_id))
    url = request.args.get("url")
    content = _fetched(url) if url else request.body
    if not content:
        raise Refused(400)
    world.pictures.upload(item, KINDS[kind], content)
    return EMPTY


def select(world: World, request: Request, item_id: str, name: str) -> Answer:
    """Select, and answer with a bare path that is not XML."""
    item, kind = world.library.item(int(item_id)), SINGULAR[name]
    world.pictures.select(item, kind, request.args.get("url", ""))
    return Answer(f"/library/metadata/{item_id}/{LOCKS[kind]}/{item.updated_at}".encode(), content_type=TEXT)


def unset(world: World, _request: Request, item_id: str, name: str) -> Answer:
    world.pictures.unset(world.library.item(int(item_id)), SINGULAR[name])
    return EMPTY


def shown(world: World, _request: Request, item_id: str, name: str) -> Answer:
    item = world.library.item(int(item_id))
    return Answer(world.pictures.content(item, SINGULAR[name]), content_type="image/jpeg")


def file(world: World, request: Request, item_id: str) -> Answer:
    item, key = world.library.item(int(item_id)), request.args.get("url", "")
    kind = KINDS.get(key.partition("://")[2].partition("/")[0], "posters")
    return Answer(world.pictures.content(item, kind, key), content_type="image/jpeg")


def _fetched(url: str) -> bytes:
    """Nothing beyond this machine is ever asked."""
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname not in _NEAR:
        raise Refused(406)
    try:
        with urlopen(url, timeout=5) as answer:  # noqa: S310  loopback http only, see above
            return answer.read()
    except (URLError, HTTPException, OSError):
        raise Refused(406) from None
