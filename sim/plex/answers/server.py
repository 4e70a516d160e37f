"""Who the server is, what it holds, what it is doing."""

from sim.plex.answers.container import IDENTIFIER, container
from sim.plex.web.exchange import Answer, Request
from sim.plex.web.markup import Attribute, Node
from sim.plex.world import World

_ROOTS = ("activities", "butler", "hubs", "library", "media", "playlists", "status", "updater")
_PREFERENCES: dict[str, str | int | bool] = {
    "FriendlyName": "",
    "ButlerStartHour": 2,
    "ButlerEndHour": 5,
    "autoEmptyTrash": True,
    "FSEventLibraryUpdatesEnabled": False,
    "DatabaseCacheSize": 40,
}


def identity(world: World, _request: Request) -> Answer:
    me = world.identity
    attributes: dict[str, Attribute] = {
        "claimed": True,
        "machineIdentifier": me.server_id,
        "version": me.version,
    }
    return Answer(Node("MediaContainer", {"size": 0, **attributes}))


def root(world: World, request: Request) -> Answer:
    me = world.identity
    attributes: dict[str, Attribute] = {
        "allowCameraUpload": True,
        "allowMediaDeletion": True,
        "allowSharing": True,
        "allowSync": request.token == me.token,
        "backgroundProcessing": True,
        "certificate": True,
        "eventStream": True,
        "friendlyName": me.name,
        "machineIdentifier": me.server_id,
        "multiuser": True,
        "myPlex": True,
        "myPlexMappingState": "mapped",
        "myPlexSigninState": "ok",
        "myPlexSubscription": True,
        "myPlexUsername": "owner@example.org",
        "platform": "Linux",
        "platformVersion": "6.1",
        "readOnlyLibraries": False,
        "transcoderVideo": True,
        "updatedAt": world.library.now(),
        "version": me.version,
    }
    return container([Node("Directory", {"count": 1, "key": key, "title": key}) for key in _ROOTS], attributes)


def library(_world: World, _request: Request) -> Answer:
    folders = (("sections", "Library Sections"), ("recentlyAdded", "Recently Added Content"))
    nodes = [Node("Directory", {"key": key, "title": title}) for key, title in folders]
    return container(nodes, {"allowSync": False, "content": "", **IDENTIFIER, "title1": "Plex Library"})


def activities(world: World, _request: Request) -> Answer:
    return container(world.scans.activities())


def preferences(world: World, _request: Request) -> Answer:
    values = {**_PREFERENCES, "FriendlyName": world.identity.name}
    kinds = {bool: "bool", int: "int", str: "text"}
    nodes = [
        Node("Setting", {"id": name, "label": name, "type": kinds[type(value)], "value": value})
        for name, value in values.items()
    ]
    return container(nodes)
