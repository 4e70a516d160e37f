"""Access: who sent a request. Which forms of a token count depends on the server's version."""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from sim.mediabrowser.web.exchange import Refused, Request
from sim.mediabrowser.world.records import Item, User
from sim.mediabrowser.world.world import World

_SCHEME = re.compile(r"(MediaBrowser|Emby)\s+(.*)", re.IGNORECASE)
_PAIR = re.compile(r'(\w+)\s*=\s*"?([^",]*)"?')


@dataclass(frozen=True, slots=True)
class Caller:
    """A user, or a key, which is an administrator without a user."""

    user: User | None = None

    @property
    def is_key(self) -> bool:
        return self.user is None

    @property
    def is_administrator(self) -> bool:
        return self.user is None or self.user.is_administrator


def caller_of(world: World, request: Request) -> Caller | None:
    """Find out who calls; None is somebody without a good token, however it came to be bad."""
    token = _emby_token(world, request) if world.identity.flavour.is_emby else _jellyfin_token(world, request)
    if not token:
        return None
    if token in world.identity.api_keys:
        return Caller()
    user = world.identity.user_with_token(token)
    return Caller(user) if user else None


def has_token_in_url(request: Request) -> bool:
    return not request.args.keys().isdisjoint({"apikey", "api_key"})


def _jellyfin_token(world: World, request: Request) -> str:
    setting = world.quirks.legacy_auth
    is_legacy = not world.identity.flavour.is_jellyfin_since(12) if setting is None else setting
    proper = _from_header(request.headers.get("authorization", ""), takes_emby=is_legacy)
    if not is_legacy:
        return proper or request.args.get("apikey", "")
    old = request.headers.get("x-emby-token") or request.headers.get("x-mediabrowser-token") or ""
    if proper and old and world.quirks.refuses_two_tokens:
        return ""
    older = _from_header(request.headers.get("x-emby-authorization", ""), takes_emby=True)
    return older or proper or old or request.args.get("apikey") or request.args.get("api_key", "")


def _emby_token(world: World, request: Request) -> str:
    headers = [request.headers.get("x-emby-authorization", "")]
    if world.quirks.takes_authorization_header:
        headers.append(request.headers.get("authorization", ""))
    spelled = [_from_header(header, takes_emby=True) for header in headers]
    return request.headers.get("x-emby-token") or request.args.get("api_key") or next(filter(None, spelled), "")


def _from_header(header: str, *, takes_emby: bool) -> str:
    match = _SCHEME.fullmatch(header.strip())
    if match is None or (match[1].lower() == "emby" and not takes_emby):
        return ""
    pairs = {name.lower(): unquote(value) for name, value in _PAIR.findall(match[2])}
    return pairs.get("token", "")


def seen_item(world: World, caller: Caller, item_id: str) -> Item:
    """Find an item that the caller may see. To others it is not there."""
    if world.identity.flavour.is_jellyfin and world.store.parsed_id(item_id) is None:
        raise Refused(400, "problem", f"The value '{item_id}' is not valid.")
    item = world.store.find(item_id)
    if item is None or (caller.user is not None and item.id in caller.user.hidden):
        raise Refused(404, "problem")
    return item


def acting_user(world: World, caller: Caller, user_id: str | None) -> User | None:
    """Find the user whose eyes a query is asked with: the one it names, else the caller."""
    if not user_id:
        return caller.user
    user = world.identity.user(user_id)
    if user is None:
        raise Refused(404, text="User not found")
    if caller.user is not None and caller.user is not user and not caller.user.is_administrator:
        raise Refused(403, "bare")
    return user
