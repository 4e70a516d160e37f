"""The routes: which request is which, who may make it, who answers it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from sim.plex.answers import details, edits, lists, pictures, sections, server
from sim.plex.web.exchange import Answer, Refused, Request, page
from sim.plex.world import World

_SECTION = r"/library/sections/(\d+)"
_ITEM = r"/library/(?:metadata|collections)/(\d+)"
_ITEMS = r"/library/(?:metadata|collections)/([\d,]+)"
_WALL = r"(posters|arts|clearLogos|squareArts)"
_PICTURE = r"(poster|thumb|art|clearLogo|squareArt)"
_READING = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class Route:
    """`kind` is what tests count requests by."""

    kind: str
    methods: str
    pattern: re.Pattern[str]
    answer: Callable[..., Answer]
    is_open: bool = False
    is_for_owner: bool = False


def _route(kind: str, methods: str, pattern: str, answer: Callable[..., Answer], **flags: bool) -> Route:
    return Route(kind, methods, re.compile(pattern), answer, **flags)


ROUTES = (
    _route("identity", "GET", "/identity", server.identity, is_open=True),
    _route("root", "GET", "/", server.root),
    _route("library", "GET", "/library", server.library, is_for_owner=True),
    _route("activities", "GET", "/activities", server.activities, is_for_owner=True),
    _route("preferences", "GET", "/:/prefs", server.preferences, is_for_owner=True),
    _route("rate", "PUT GET", "/:/rate", edits.rate),
    _route("sections", "GET", "/library/sections(?:/all)?", sections.sections),
    _route("section", "GET", _SECTION, sections.section),
    _route("list", "GET", f"{_SECTION}/all", lists.everything),
    _route("edit", "PUT", f"{_SECTION}/all", edits.edit_section),
    _route("collections", "GET", f"{_SECTION}/collections", lists.collections),
    _route("scan", "GET POST", f"{_SECTION}/refresh", sections.refresh, is_for_owner=True),
    _route("stop scan", "DELETE", f"{_SECTION}/refresh", sections.stop_refresh),
    _route("timeline", "GET", f"{_SECTION}/timeline", sections.timeline),
    _route("empty trash", "PUT", f"{_SECTION}/emptyTrash", sections.empty_trash),
    _route("choices", "GET", rf"{_SECTION}/(\w+)", sections.choices),
    _route("details", "GET", _ITEMS, details.details),
    _route("edit", "PUT", _ITEMS, edits.edit_items),
    _route("delete", "DELETE", _ITEM, details.delete),
    _route("children", "GET", f"{_ITEM}/(?:children|items)", lists.children),
    _route("tree", "GET", f"{_ITEM}/tree", details.tree),
    _route("refresh", "PUT", f"{_ITEM}/refresh", details.refresh),
    _route("analyze", "PUT", f"{_ITEM}/analyze", details.analyze),
    _route("pictures", "GET", f"{_ITEM}/{_WALL}", pictures.listed),
    _route("upload", "POST", f"{_ITEM}/{_WALL}", pictures.upload),
    _route("select", "PUT", f"{_ITEM}/{_PICTURE}", pictures.select),
    _route("unset", "DELETE", f"{_ITEM}/{_PICTURE}", pictures.unset),
    _route("picture", "GET", rf"{_ITEM}/{_PICTURE}(?:/\d+)?", pictures.shown),
    _route("picture", "GET", f"{_ITEM}/file", pictures.file),
)


def find(method: str, path: str) -> tuple[Route, tuple[str, ...]] | None:
    wanted = "GET" if method == "HEAD" else method
    for route in ROUTES:
        if wanted in route.methods.split() and (match := route.pattern.fullmatch(path)):
            return route, match.groups()
    return None


def answer(world: World, request: Request) -> Answer:
    """Do what the request asks. The token comes first: who is not let in does not learn what exists."""
    found = find(request.method, request.path)
    if not (found and found[0].is_open) and request.token not in (world.identity.token, world.identity.guest_token):
        return page(401)
    if found is None:
        return page(404)
    route, groups = found
    is_owner = request.token == world.identity.token
    if not is_owner and not route.is_open and (route.is_for_owner or request.method not in _READING):
        return page(403)
    with world.lock:
        world.scans.settle()
        try:
            return route.answer(world, request, *groups)
        except Refused as refusal:
            return page(refusal.status)
