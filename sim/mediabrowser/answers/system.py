"""The server itself: who it is, whether it is well, what it is busy with."""

from sim.mediabrowser.answers.item_query import Page
from sim.mediabrowser.web.access import Caller
from sim.mediabrowser.web.exchange import HTML, TEXT, Answer, Json, Request, json_answer
from sim.mediabrowser.world.moments import text_of, ticks_of
from sim.mediabrowser.world.world import World

_PAGE = b'<!DOCTYPE html><html><head><title>%s</title></head><body><div id="reactRoot"></div></body></html>'
_RETRY_AFTER = {"Retry-After": "005"}
_SCAN_TASK = "7738148ffcd07979c7ceb148e06b3aed"


def public_info(world: World, _request: Request, _caller: Caller | None) -> Answer:
    return json_answer(_public(world, is_ready=True))


def info(world: World, _request: Request, _caller: Caller) -> Answer:
    document = _public(world, is_ready=True)
    document |= {"HasPendingRestart": False, "IsShuttingDown": False, "SupportsLibraryMonitor": True}
    document |= {"WebSocketPortNumber": 8096, "CanSelfRestart": True, "OperatingSystem": "Linux"}
    document |= {"InternalMetadataPath": "/config/metadata", "ProgramDataPath": "/config"}
    if world.identity.flavour.is_emby_since(4, 9):
        document["IsInMaintenanceMode"] = world.quirks.is_in_maintenance
    return json_answer(document)


def ping(world: World, _request: Request, _caller: Caller | None) -> Answer:
    if world.identity.flavour.is_emby:
        return Answer(b"Emby Server", content_type=TEXT)
    return json_answer("Jellyfin Server")


def health(_world: World, _request: Request, _caller: Caller | None) -> Answer:
    return Answer(b"Healthy", content_type=TEXT)


def web_page(world: World, _request: Request, _caller: Caller | None) -> Answer:
    return Answer(_PAGE % world.identity.flavour.product.encode(), content_type=HTML)


def configuration(world: World, _request: Request, _caller: Caller) -> Answer:
    """Show the owner's settings; up to 10.10 one switch groups films and series alike, Emby leaves it to each user."""
    flavour = world.identity.flavour
    document: Json = {"ServerName": world.identity.name}
    if flavour.is_jellyfin:
        name = "Movies" if flavour.is_jellyfin_since(10, 11) else ""
        document |= {f"EnableGrouping{name}IntoCollections": world.quirks.groups_into_collections}
        pair = world.quirks.path_substitution
        document["PathSubstitutions"] = [{"From": pair[0], "To": pair[1]}] if pair else []
    return json_answer(document)


def tasks(world: World, _request: Request, _caller: Caller) -> Answer:
    progress, last = world.scans.full_scan_progress(), world.scans.last_full_scan
    scan: Json = {"Name": "Scan Media Library", "State": "Idle" if progress is None else "Running"}
    scan |= {"Id": _SCAN_TASK, "Key": "RefreshLibrary", "Category": "Library", "IsHidden": False, "Triggers": []}
    if progress is not None:
        scan["CurrentProgressPercentage"] = progress
    if last is not None:
        times = [text_of(ticks_of(moment)) for moment in last]
        result = {"StartTimeUtc": times[0], "EndTimeUtc": times[1], "Status": "Completed"}
        scan["LastExecutionResult"] = {**result, "Name": scan["Name"], "Key": scan["Key"], "Id": _SCAN_TASK}
    other: Json = {"Name": "Clean Log Directory", "State": "Idle", "Id": "0" * 32, "Key": "CleanLogFiles"}
    other |= {"Category": "Maintenance", "IsHidden": False, "Triggers": []}
    return json_answer([scan, other])


def starting(world: World, request: Request) -> Answer:
    """Answer while the server starts. Since 10.11 a little server of its own does, and it knows no base address."""
    path = request.whole_path.rstrip("/").lower()
    if world.identity.flavour.has_startup_server:
        if path == "/system/info/public":
            document = _public(world, is_ready=False)
            if world.quirks.startup_camel_case:
                document = {name[0].lower() + name[1:]: value for name, value in document.items()}
            return json_answer(document)
        if path == "/health":
            return Answer(b"Degraded", content_type=TEXT)
        return Answer(_PAGE % b"Jellyfin is starting", 503, HTML, _RETRY_AFTER)
    if world.identity.flavour.is_jellyfin and path.endswith("/system/ping"):
        return ping(world, request, None)
    text = "The server is loading. Please try again shortly."
    return Answer(text.encode(), 503, HTML)


def stopping(_world: World, _request: Request) -> Answer:
    return Answer(b"Server shutting down", 503, TEXT)


def query_result(world: World, items: list[Json], page: Page, *, work_seconds: float = 0.0) -> Answer:
    result: Json = {"Items": items, "TotalRecordCount": page.total}
    if world.identity.flavour.is_jellyfin:
        result["StartIndex"] = page.start
    return json_answer(result, work_seconds=work_seconds)


def _public(world: World, *, is_ready: bool) -> Json:
    identity = world.identity
    document: Json = {"LocalAddress": "http://127.0.0.1:8096", "ServerName": identity.name}
    document |= {"Version": identity.flavour.version, "Id": identity.server_id}
    if identity.flavour.is_jellyfin:
        document |= {"ProductName": "Jellyfin Server", "OperatingSystem": "", "StartupWizardCompleted": is_ready}
    return document
