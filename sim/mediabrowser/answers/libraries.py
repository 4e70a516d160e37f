"""Libraries and scans."""

from typing import Any, cast, get_args

from sim.mediabrowser.web.access import Caller, seen_item
from sim.mediabrowser.web.exchange import Answer, Json, Refused, Request, empty, json_answer
from sim.mediabrowser.world.records import Library
from sim.mediabrowser.world.scanning.scans import Mode
from sim.mediabrowser.world.world import World

_MODES: dict[str, Mode] = {mode.lower(): mode for mode in get_args(Mode)}


def virtual_folders(world: World, _request: Request, _caller: Caller) -> Answer:
    if world.identity.flavour.is_emby and not world.quirks.plain_routes:
        raise Refused(404, "bare")
    return json_answer([_folder(world, library) for library in world.libraries.values()])


def virtual_folders_query(world: World, _request: Request, _caller: Caller) -> Answer:
    folders = [_folder(world, library) for library in world.libraries.values()]
    return json_answer({"Items": folders, "TotalRecordCount": len(folders)})


def _folder(world: World, library: Library) -> Json:
    is_emby = world.identity.flavour.is_emby
    options: Json = {
        "EnableRealtimeMonitor": True,
        "SaveLocalMetadata": False,
        "MetadataSavers": [],
        "AutomaticRefreshIntervalDays": 0,
        "PathInfos": [{"Path": path} for path in library.locations],
        "TypeOptions": [],
        **library.options,
    }
    folder: Json = {"Name": library.name, "Locations": list(library.locations), "LibraryOptions": options}
    folder |= {"ItemId": library.item_id, "RefreshStatus": world.scans.status(library)}
    if library.collection_type:
        folder["CollectionType"] = library.collection_type
    if folder["RefreshStatus"] == "Active":
        folder["RefreshProgress"] = 50.0
    if is_emby:
        folder |= {"Id": library.item_id, "Guid": f"{int(library.item_id):032x}"}
    return folder


def media_updated(world: World, request: Request, _caller: Caller) -> Answer:
    """Take reports of changed paths. Nothing tells whether anything will come of them."""
    body = request.json()
    updates: object = cast("dict[str, Any]", body).get("Updates") if isinstance(body, dict) else None
    if not isinstance(updates, list):
        raise Refused(400, "problem", "The Updates field is required.")
    for update in cast("list[object]", updates):
        path = cast("dict[str, object]", update).get("Path") if isinstance(update, dict) else None
        if isinstance(path, str):
            world.scans.report(path)
    return empty()


def refresh_library(world: World, _request: Request, _caller: Caller) -> Answer:
    world.scans.scan_everything()
    return empty()


def refresh_item(world: World, request: Request, caller: Caller, item_id: str) -> Answer:
    """Queue a refresh. Jellyfin's mode is None where nobody names one."""
    item, flavour = seen_item(world, caller, item_id), world.identity.flavour
    default: Mode = "Default" if flavour.is_emby else "None"
    word = (request.text("MetadataRefreshMode") or default).lower()
    mode = _MODES.get(word)
    if mode is None or (mode == "None" and flavour.is_emby):
        raise Refused(400, "problem", f"The value '{word}' is not valid.")
    replaces_all = bool(request.flag("ReplaceAllMetadata")) or bool(request.flag("ReplaceAllImages"))
    world.scans.refresh(item, mode, replaces_all=replaces_all, is_recursive=bool(request.flag("Recursive")))
    return empty()
