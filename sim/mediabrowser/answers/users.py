"""Users, what they did with items, and persons."""

from typing import Any, cast

from sim.mediabrowser.answers.item_json import item_json, list_view
from sim.mediabrowser.answers.item_query import Page
from sim.mediabrowser.answers.system import query_result
from sim.mediabrowser.web.access import Caller, acting_user, seen_item
from sim.mediabrowser.web.exchange import Answer, Json, Refused, Request, empty, json_answer
from sim.mediabrowser.world.records import Item, User, UserData
from sim.mediabrowser.world.world import World


def users(world: World, _request: Request, _caller: Caller) -> Answer:
    if world.identity.flavour.is_emby and not world.quirks.plain_routes:
        raise Refused(404, "bare")
    return json_answer([_user(world, user) for user in world.identity.users])


def users_query(world: World, _request: Request, _caller: Caller) -> Answer:
    found = [_user(world, user) for user in world.identity.users]
    return json_answer({"Items": found, "TotalRecordCount": len(found)})


def me(world: World, _request: Request, caller: Caller) -> Answer:
    """A key is nobody: Jellyfin calls that a bad request, Emby fails."""
    if caller.user is None:
        raise Refused(500 if world.identity.flavour.is_emby else 400, "error", "Unable to find the specified user.")
    return json_answer(_user(world, caller.user))


def user(world: World, _request: Request, _caller: Caller, user_id: str) -> Answer:
    found = world.identity.user(user_id)
    if found is None:
        raise Refused(404, "problem")
    return json_answer(_user(world, found))


def log_in(world: World, request: Request, _caller: Caller | None) -> Answer:
    body = request.json()
    name = cast("Json", body).get("Username") if isinstance(body, dict) else None
    found = next((one for one in world.identity.users if one.name == name), None)
    if found is None:
        raise Refused(401, "bare")
    answer = {"User": _user(world, found), "AccessToken": found.token, "ServerId": world.identity.server_id}
    return json_answer(answer)


def _user(world: World, user: User) -> Json:
    policy: Json = {"IsAdministrator": user.is_administrator, "IsHidden": False, "IsDisabled": False}
    if world.identity.flavour.is_jellyfin:
        policy |= {"AuthenticationProviderId": "Default", "PasswordResetProviderId": "Default"}
    return {"Id": user.id, "Name": user.name, "ServerId": world.identity.server_id, "Policy": policy}


# What a user did.


def update_data(world: World, request: Request, caller: Caller, *ids: str) -> Answer:
    """Jellyfin changes what is sent; Emby also takes what is not sent for false."""
    user, item = _user_and_item(world, request, caller, ids)
    body = request.json()
    if not isinstance(body, dict):
        raise Refused(400, "problem", "A body is required.")
    return _data(world, item, world.user_data.update(user, item, cast("dict[str, Any]", body)))


def mark_played(world: World, request: Request, caller: Caller, *ids: str) -> Answer:
    user, item = _user_and_item(world, request, caller, ids)
    return _data(world, item, world.user_data.mark_played(user, item, request.text("DatePlayed")))


def mark_unplayed(world: World, request: Request, caller: Caller, *ids: str) -> Answer:
    user, item = _user_and_item(world, request, caller, ids)
    return _data(world, item, world.user_data.mark_unplayed(user, item))


def _user_and_item(world: World, request: Request, caller: Caller, ids: tuple[str, ...]) -> tuple[User, Item]:
    *user_id, item_id = ids
    user = acting_user(world, caller, user_id[0] if user_id else request.text("UserId"))
    if user is None:
        raise Refused(404, "problem")
    return user, seen_item(world, Caller(user), item_id)


def _data(world: World, item: Item, data: UserData) -> Answer:
    if world.identity.flavour.is_emby:
        return empty()
    return json_answer(world.user_data.to_json(item, data))


# Persons.


def persons(world: World, request: Request, caller: Caller) -> Answer:
    """Find persons by a part of their name. With a user, newer Embys find none."""
    user = acting_user(world, caller, request.text("UserId"))
    flavour = world.identity.flavour
    is_blind = user is not None and flavour.is_emby_since(4, 9) and world.quirks.users_see_no_persons
    term = request.text("SearchTerm") or request.text("NameStartsWith") or ""
    found = [] if is_blind else world.people.search(term)
    view, limit = list_view(request, user), request.number("Limit")
    page = Page(found[:limit], len(found), 0)
    return query_result(world, [item_json(world, one, view) for one in page.items], page)
