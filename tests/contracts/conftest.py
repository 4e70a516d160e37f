"""Every adapter on its simulated server: a rig is what a test does on the server's side, in words that all share."""

import itertools
import time
from contextlib import ExitStack
from dataclasses import asdict

import pytest

from mediabrowser.client import MediaBrowserClient
from mediabrowser.connection import Timeouts
from mediabrowser.dialect import Product
from mediabrowser.port.capabilities import PICTURES
from mediabrowser.target import MediaBrowserTarget
from model.picture import PictureKind
from plex.client import PlexClient
from plex.device_identity import load_identity
from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.server import SimMediaBrowser
from sim.plex.server import SimPlex
from tests.support.openapi import held_to_documents

SERVERS = ["plex", *FLAVOURS]
OTHERWISE = {
    "path_substitution": ("/data/scenes", "//nas/scenes"),
    "plain_routes": True,
    "delta_is_inclusive": False,
    "unknown_parent": "nothing",
    "heeds_parent_beside_path": True,
    "source_ids": "guid",
    "names_server": False,
    "drops_bad_ids": False,
    "ids_reach_versions": True,
    "lists_versions": False,
    "ties": "stable",
    "sends_unasked": True,
    "settings_in_lists": True,
    "tags_beside_tag_items": "filled",
    "tag_items_is_a_field": True,
    "tag_items_win": False,
    "sort_name_property": "ForcedSortName",
    "missing_people": "kept",
    "single_has_etag": False,
    "shows_empty_locks": False,
    "update_status": 200,
    "honours_image_index": True,
    "same_name_collection": "second",
    "drops_empty_collections": False,
}
"""Of every habit that nobody has verified the one that is not the default of the simulated servers."""


class PlexRig:
    """A simulated Plex and a client."""

    edit, scan = "edit", "scan"

    def __init__(self, stack, folder, items=40, **_):
        self.sim = stack.enter_context(SimPlex(items))
        self._stack = stack
        self._identity = load_identity(str(folder))
        self.target = self.another()

    def another(self, **changes):
        options = {"connect_timeout": 2.0, "read_timeout": 2.0, "wait": lambda _: None} | changes
        made = PlexClient(self.sim.url, options.pop("key", self.sim.token), self._identity, **options)
        self._stack.callback(made.close)
        return made

    def library(self, title="Scenes"):
        return next(one for one in self.target.libraries() if one.title == title)

    def whole(self, item_id):
        """Give what the server holds of an item, without the moment of its last change."""
        held = asdict(self.sim.item(item_id))
        held.pop("updated_at")
        return {**held.pop("values"), **{f"tag {kind}": names for kind, names in held.pop("tags").items()}, **held}

    def property_of(self, name):
        more = {"actor": {"roles"}, "userRating": {"lastRatedAt"}}
        return {name, f"tag {name}"} | more.get(name, set())

    lock_properties = frozenset({"locks"})

    def edit_by_person(self, item_id, **values):
        self.sim.edit_by_person(item_id, **values)

    def add_item(self, path):
        return self.sim.add_item(path)

    def put_picture(self, item_id, kind, content):
        other = self.another()
        shown = other.upload_picture(other.details_of(item_id), kind, content, other.pictures(item_id, kind))
        other.select_picture(item_id, kind, shown)

    def shown_pictures(self, item_id, kind):
        snapshot = self.sim.item(item_id)
        key = snapshot.poster if kind is PictureKind.POSTER else snapshot.art
        return [content for name, content in self.sim.uploads(item_id, kind.endpoint).items() if key.endswith(name)]


class MediaBrowserRig:
    """A simulated Emby or Jellyfin and a target, every request and answer held to the vendor's document."""

    edit, scan = "update", "refresh"
    lock_properties = frozenset({"LockedFields"})

    def __init__(self, stack, folder, flavour, items=40, *, held=True, **more):
        self.sim = stack.enter_context(SimMediaBrowser(flavour, items, **more))
        self._stack = stack
        self._folder = folder
        if held:
            stack.enter_context(held_to_documents(self.sim))
        self.target = self.another()

    def another(self, **changes):
        product = Product.EMBY if self.sim.flavour.is_emby else Product.JELLYFIN
        clock, collections = changes.pop("clock", time.monotonic), changes.pop("collections", True)
        options = {"device_id": "test", "timeouts": Timeouts(20.0, 20.0), "wait": lambda _: None} | changes
        client = MediaBrowserClient(self.sim.url, options.pop("key", self.sim.api_key), product, **options)
        self._stack.callback(client.close)
        return MediaBrowserTarget(client, product, str(self._folder / "pictures"), clock, collections=collections)

    library = PlexRig.library

    def whole(self, item_id):
        held = self.sim.item_json(item_id)
        names = {one.id: one.values["Name"] for one in self.sim.world.collections.all()}
        held["Collections"] = [names[one] for one in held["Collections"]]
        return {name: value for name, value in held.items() if value != ""}  # an empty text is none

    def property_of(self, name):
        properties = {
            "title": {"Name"},
            "titleSort": {"ForcedSortName"},
            "summary": {"Overview"},
            "tagline": {"Taglines"},
            "studio": {"Studios"},
            "originallyAvailableAt": {"PremiereDate", "ProductionYear"},
            "userRating": {"CommunityRating"},
            "contentRating": {"OfficialRating"},
            "stashId": {"ProviderIds"},
            "genre": {"Genres"},
            "label": {"Tags"},
            "actor": {"People"},
            "director": {"People"},
            "collection": {"Collections"},
        }
        return properties[name]

    def edit_by_person(self, item_id, **values):
        spelled = {"title": "Name", "summary": "Overview", "genre": "Genres", "studio": "Studios", "actor": "People"}
        self.sim.edit_by_person(item_id, **{spelled[name]: value for name, value in values.items()})

    def add_item(self, path):
        return self.sim.add_item(path)

    def put_picture(self, item_id, kind, content):
        self.sim.put_picture_by_person(item_id, PICTURES[kind], content)

    def shown_pictures(self, item_id, kind):
        return self.sim.pictures(item_id, PICTURES[kind])


@pytest.fixture
def start(tmp_path):
    """Start a server by its name and a target for it; whatever the test does, nothing disastrous may have happened."""
    with ExitStack() as stack:
        rigs = []
        numbers = itertools.count()

        def started(name, **more):
            folder = tmp_path / str(next(numbers))
            folder.mkdir()
            rig = PlexRig(stack, folder, **more) if name == "plex" else MediaBrowserRig(stack, folder, name, **more)
            rigs.append(rig)
            return rig

        yield started
        for rig in rigs:
            assert rig.sim.disasters == []


@pytest.fixture(params=SERVERS)
def rig(request, start):
    return start(request.param)


@pytest.fixture(params=list(FLAVOURS))
def flavour(request):
    return request.param
