"""Items: listed, read one by one, updated, thrown away."""

from dataclasses import replace
from typing import Any, cast

from sim.mediabrowser.answers.item_json import item_json, list_view, single_view
from sim.mediabrowser.answers.item_query import ItemQuery, Page
from sim.mediabrowser.answers.system import query_result
from sim.mediabrowser.web.access import Caller, acting_user, seen_item
from sim.mediabrowser.web.exchange import Answer, Json, Refused, Request, empty, json_answer
from sim.mediabrowser.world.records import Item, User
from sim.mediabrowser.world.updating.body import UpdateBody
from sim.mediabrowser.world.updating.disasters import DisasterKind
from sim.mediabrowser.world.world import World


def listed(world: World, request: Request, caller: Caller, user_id: str | None = None) -> Answer:
    user = _eyes(world, request, caller, user_id)
    query = ItemQuery(world, request, user)
    view, page = replace(list_view(request, user), is_misunderstood=query.is_misunderstood), query.run()
    quirks, count = world.quirks, len(page.items)
    work = count * (
        quirks.media_sources_seconds * view.has("MediaSources") + quirks.people_seconds * view.has("People")
    )
    return query_result(world, [item_json(world, item, view) for item in page.items], page, work_seconds=work)


def _eyes(world: World, request: Request, caller: Caller, user_id: str | None) -> User | None:
    user = acting_user(world, caller, user_id or request.text("UserId"))
    is_blind = caller.is_key and world.identity.flavour.is_jellyfin and not world.quirks.key_sees_user_data
    return None if is_blind else user


def single(world: World, request: Request, caller: Caller, item_id: str) -> Answer:
    """Show one item whole. A key has no user, and without one Jellyfin finds nothing; Emby has no such route."""
    user = acting_user(world, caller, request.text("UserId"))
    if user is None or world.identity.flavour.is_emby:
        raise Refused(404, "problem" if world.identity.flavour.is_jellyfin else "bare")
    return json_answer(item_json(world, seen_item(world, Caller(user), item_id), single_view(request, user)))


def single_of_user(world: World, request: Request, caller: Caller, user_id: str, item_id: str) -> Answer:
    user = acting_user(world, caller, user_id)
    return json_answer(item_json(world, seen_item(world, Caller(user), item_id), single_view(request, user)))


def update(world: World, request: Request, caller: Caller, item_id: str) -> Answer:
    item = seen_item(world, caller, item_id)
    body = UpdateBody(request.json(), world.identity.flavour, world.quirks.utc_offset_hours, world.store)
    world.updater.update(item, body)
    return empty(world.quirks.update_status if world.identity.flavour.is_emby else 204)


def change_tags(world: World, request: Request, caller: Caller, item_id: str, action: str) -> Answer:
    """Add tags or take some away, and leave everything else: the only partial update there is, on Emby."""
    item = seen_item(world, caller, item_id)
    body = request.json()
    if not world.quirks.tags_add_works or not isinstance(body, dict):
        raise Refused(400, text="Value cannot be null. (Parameter 'source')")
    given = cast("list[dict[str, Any]]", cast("Json", body).get("Tags") or [])
    names = [str(tag.get("Name")) for tag in given]
    tags: list[str] = item.values.get("Tags") or []
    added = [*tags, *(name for name in names if name not in tags)]
    item.values["Tags"] = added if action.lower() == "add" else [tag for tag in tags if tag not in names]
    world.updater.save(item)
    return empty()


def reset_metadata(world: World, request: Request, _caller: Caller) -> Answer:
    for item in filter(None, map(world.store.find, request.words("ItemIds"))):
        world.witness.record(DisasterKind.METADATA_RESET, item)
        item.values["LockedFields"], item.values["LockData"] = [], False
        world.providers.refresh(item, replaces_all=True)
    return empty()


def delete(world: World, request: Request, caller: Caller, item_id: str = "") -> Answer:
    """Delete items, and the files they were made of."""
    for one in [item_id] if item_id else request.words("Ids"):
        item = seen_item(world, caller, one)
        world.witness.record(DisasterKind.ITEM_DELETED, item, item.path)
        world.remove(item)
    return empty()


def additional_parts(world: World, request: Request, caller: Caller, item_id: str) -> Answer:
    """Show the further files of a stacked film as items of their own."""
    item = seen_item(world, caller, item_id)
    user = acting_user(world, caller, request.text("UserId"))
    view = list_view(request, user) if world.identity.flavour.is_emby else single_view(request, user)
    parts: list[Json] = []
    for file in item.files[1:]:
        part = Item(world.store.entity_id("Part", file.path), item.kind, file.path, item.library_id, files=[file])
        part.values = {**item.values, "Name": file.path.rpartition("/")[2]}
        parts.append(item_json(world, part, view))
    return query_result(world, parts, Page((), len(parts), 0))


def collections_of_item(world: World, request: Request, caller: Caller, item_id: str) -> Answer:
    user = acting_user(world, caller, request.text("UserId"))
    if user is None:
        raise Refused(404, "problem")
    item = seen_item(world, caller, item_id)
    found = world.collections.holding(item.id)
    view = list_view(request, user)
    return query_result(world, [item_json(world, one, view) for one in found], Page(found, len(found), 0))
