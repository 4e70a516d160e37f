"""The routes: which request is which, on which server, who may make it, who answers it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto

from sim.mediabrowser.answers import collections, items, libraries, pictures, system, users
from sim.mediabrowser.flavours import Product
from sim.mediabrowser.web.access import Caller, caller_of
from sim.mediabrowser.web.exchange import TEXT, Answer, Refused, Request, empty, problem
from sim.mediabrowser.world.identity import Phase
from sim.mediabrowser.world.world import World

_ID = r"([0-9A-Za-z_-]+)"
_ITEM = f"/Items/{_ID}"
_IMAGE = f"{_ITEM}/Images/([A-Za-z]+)"


class Access(Enum):
    OPEN = auto()
    USER = auto()
    ADMINISTRATOR = auto()


@dataclass(frozen=True, slots=True)
class Route:
    """`kind` is what tests count requests by."""

    kind: str
    method: str
    pattern: re.Pattern[str]
    answer: Callable[..., Answer]
    access: Access
    product: Product | None = None
    since: tuple[int, ...] = ()


def _route(
    kind: str,
    method: str,
    pattern: str,
    answer: Callable[..., Answer],
    access: Access = Access.USER,
    *,
    only: Product | None = None,
    since: tuple[int, ...] = (),
) -> Route:
    return Route(kind, method, re.compile(pattern, re.IGNORECASE), answer, access, only, since)


_OPEN, _ADMIN = Access.OPEN, Access.ADMINISTRATOR
_EMBY, _JELLYFIN = Product.EMBY, Product.JELLYFIN

ROUTES = (
    _route("public info", "GET", "/System/Info/Public", system.public_info, _OPEN),
    _route("info", "GET", "/System/Info", system.info),
    _route("ping", "GET", "/System/Ping", system.ping, _OPEN),
    _route("ping", "POST", "/System/Ping", system.ping, _OPEN),
    _route("health", "GET", "/health", system.health, _OPEN, only=_JELLYFIN),
    _route("web", "GET", r"/web(?:/index\.html)?", system.web_page, _OPEN),
    _route("configuration", "GET", "/System/Configuration", system.configuration, _ADMIN),
    _route("tasks", "GET", "/ScheduledTasks", system.tasks, _ADMIN),
    _route("libraries", "GET", "/Library/VirtualFolders", libraries.virtual_folders, _ADMIN),
    _route("libraries", "GET", "/Library/VirtualFolders/Query", libraries.virtual_folders_query, _ADMIN, only=_EMBY),
    _route("media updated", "POST", "/Library/Media/Updated", libraries.media_updated),
    _route("scan all", "POST", "/Library/Refresh", libraries.refresh_library, _ADMIN),
    _route("list", "GET", "/Items", items.listed),
    _route("delete item", "DELETE", "/Items", items.delete, _ADMIN),
    _route("list", "GET", f"/Users/{_ID}/Items", items.listed),
    _route("reset metadata", "POST", "/Items/Metadata/Reset", items.reset_metadata, _ADMIN, only=_EMBY, since=(4, 8)),
    _route("single", "GET", f"/Users/{_ID}/Items/{_ID}", items.single_of_user),
    _route("single", "GET", _ITEM, items.single),
    _route("update", "POST", _ITEM, items.update, _ADMIN),
    _route("delete item", "DELETE", _ITEM, items.delete, _ADMIN),
    _route("refresh", "POST", f"{_ITEM}/Refresh", libraries.refresh_item, _ADMIN),
    _route("change tags", "POST", f"{_ITEM}/Tags/(Add|Delete)", items.change_tags, _ADMIN, only=_EMBY),
    _route(
        "collections of item", "GET", f"{_ITEM}/Collections", items.collections_of_item, only=_JELLYFIN, since=(12,)
    ),
    _route("pictures", "GET", f"{_ITEM}/Images", pictures.listed),
    _route("delete picture", "POST", rf"{_IMAGE}/Delete", pictures.delete, _ADMIN, only=_EMBY),
    _route("delete picture", "POST", rf"{_IMAGE}/(\d+)/Delete", pictures.delete, _ADMIN, only=_EMBY),
    _route("upload", "POST", rf"{_IMAGE}(?:/(\d+))?", pictures.upload, _ADMIN),
    _route("delete picture", "DELETE", rf"{_IMAGE}(?:/(\d+))?", pictures.delete, _ADMIN),
    _route("picture", "GET", rf"{_IMAGE}(?:/(\d+))?", pictures.shown, _OPEN),
    _route("parts", "GET", f"/Videos/{_ID}/AdditionalParts", items.additional_parts),
    _route("create collection", "POST", "/Collections", collections.create, _ADMIN),
    _route("add to collection", "POST", f"/Collections/{_ID}/Items", collections.add, _ADMIN),
    _route("remove from collection", "DELETE", f"/Collections/{_ID}/Items", collections.remove, _ADMIN),
    _route(
        "remove from collection", "POST", f"/Collections/{_ID}/Items/Delete", collections.remove, _ADMIN, only=_EMBY
    ),
    _route("users", "GET", "/Users", users.users),
    _route("users", "GET", "/Users/Query", users.users_query, _ADMIN, only=_EMBY),
    _route("me", "GET", "/Users/Me", users.me),
    _route("log in", "POST", "/Users/AuthenticateByName", users.log_in, _OPEN),
    _route("user", "GET", f"/Users/{_ID}", users.user),
    _route("user data", "POST", f"/UserItems/{_ID}/UserData", users.update_data, only=_JELLYFIN),
    _route("user data", "POST", f"/Users/{_ID}/Items/{_ID}/UserData", users.update_data),
    _route("played", "POST", f"/UserPlayedItems/{_ID}", users.mark_played, only=_JELLYFIN),
    _route("unplayed", "DELETE", f"/UserPlayedItems/{_ID}", users.mark_unplayed, only=_JELLYFIN),
    _route("played", "POST", f"/Users/{_ID}/PlayedItems/{_ID}", users.mark_played),
    _route("unplayed", "DELETE", f"/Users/{_ID}/PlayedItems/{_ID}", users.mark_unplayed),
    _route("persons", "GET", "/Persons", users.persons),
)


def placed(world: World, request: Request) -> Request | Answer:
    """Find where the server's own paths begin, or send the caller on to the web page."""
    flavour, path = world.identity.flavour, request.whole_path
    base = world.quirks.base_url.rstrip("/")
    is_below = path.lower().startswith(base.lower() + "/")
    if not is_below or path.rstrip("/").lower() == base.lower():
        return Answer(b"", 302, "", {"Location": f"{base}/web/"})
    if flavour.is_emby or flavour.is_jellyfin_before(12):
        for prefix in ("/emby", "/mediabrowser"):
            if path[len(base) :].lower().startswith(f"{prefix}/"):
                base += path[len(base) : len(base) + len(prefix)]
                break
    return replace(request, base=base)


def find(world: World, request: Request) -> tuple[Route, tuple[str, ...]] | None:
    flavour, method = world.identity.flavour, "GET" if request.method == "HEAD" else request.method
    for route in ROUTES:
        is_here = route.product in (None, flavour.product) and flavour.numbers >= route.since
        if is_here and route.method == method and (match := route.pattern.fullmatch(request.path)):
            return route, tuple(group for group in match.groups() if group is not None)
    return None


def kind_of(world: World, request: Request) -> str:
    """Name the request for those who count; a list of given ids and a list of changes have names of their own."""
    at = placed(world, request)
    found = find(world, at) if isinstance(at, Request) else None
    if found is None:
        return "unknown"
    if found[0].kind != "list":
        return found[0].kind
    if "ids" in request.args:
        return "details"
    return "changes" if request.args.keys() & {"mindatelastsaved", "mindatelastsavedforuser"} else "list"


def answer(world: World, request: Request) -> Answer:
    """Do what the request asks."""
    phase = world.identity.phase_at(world.clock())
    if phase is not Phase.RUNNING:
        return (system.starting if phase is Phase.STARTING else system.stopping)(world, request)
    at = placed(world, request)
    if isinstance(at, Answer):
        return at
    found, caller = find(world, at), caller_of(world, at)
    if found is None:
        return empty(404)
    with world.lock:
        world.scans.settle()
        try:
            return _permitted(world, at, caller, *found)
        except Refused as refusal:
            return _refusal(world, refusal)


def _permitted(world: World, request: Request, caller: Caller | None, route: Route, groups: tuple[str, ...]) -> Answer:
    if route.access is not Access.OPEN:
        if caller is None:
            raise Refused(401, "bare", "Access token is invalid or expired.")
        may_edit = route.kind == "update" and world.quirks.users_may_edit and world.identity.flavour.is_emby_since(4, 9)
        if route.access is Access.ADMINISTRATOR and not caller.is_administrator and not may_edit:
            status = world.quirks.refusal_of_users if world.identity.flavour.is_emby else 403
            raise Refused(status, "bare", "User does not have access.")
    if len(request.body) > world.quirks.max_body_bytes:
        raise Refused(413, "bare")
    return route.answer(world, request, caller, *groups)


def _refusal(world: World, refusal: Refused) -> Answer:
    """Jellyfin hides what happened, Emby tells it in the words of .NET."""
    if world.identity.flavour.is_emby:
        return Answer(refusal.text.encode(), refusal.status, TEXT)
    if refusal.form == "bare":
        return empty(refusal.status)
    if refusal.form == "problem":
        return problem(refusal.status, refusal.text)
    return Answer(b"Error processing request.", refusal.status, TEXT)
