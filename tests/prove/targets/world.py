"""The world of a proof on Emby or Jellyfin: a side is one server with the items of the scenes on it."""

import copy

from sim.mediabrowser.server import SimMediaBrowser
from sim.stash.library.pictures import png
from tests.prove.world import NOT_ON_SERVER, STASH_ROOT, THEIRS, Installation, World

ROOT = "/data/scenes/clips"
OTHERS = "Others' collection"
FILMS = frozenset({"jellyfin-12", "emby-4.8"})  # here the scenes are films, which have a wide card too
UNLOCKED = {
    "Genres": [THEIRS],
    "Tags": [THEIRS],
    "Studios": [THEIRS, "A second"],
    "People": [(THEIRS, "Herself", "Actor"), ("Somebody else", "", "Writer")],
    "ProviderIds": {"Imdb": "tt1"},
    "Taglines": [THEIRS],
    "OriginalTitle": THEIRS,
    "ForcedSortName": THEIRS,
    "CustomRating": "Ours",
    "CriticRating": 7.5,
    "CommunityRating": 3.5,
    "EndDate": "2001-02-03T00:00:00.0000000Z",
    "ProductionLocations": ["Somewhere"],
    "PreferredMetadataLanguage": "de",
    "PreferredMetadataCountryCode": "CH",
}
LOCKED = {"Overview": THEIRS, "OfficialRating": "Ours"}


class Side:
    """One server: most scenes have their items on it, on which people have worked, beside items of nobody's."""

    def __init__(self, installation, flavour):
        self.installation = installation
        self.name = "emby" if flavour.startswith("emby") else "jellyfin"
        films = "movies" if flavour in FILMS else "homevideos"
        self.sim = SimMediaBrowser(flavour, 5, scenes_type=films)
        self.typed = {}  # by scene and property: what a person typed since
        self.keys = {
            scene.id: self.add_item(scene)
            for scene in installation.stash.library.scenes.values()
            if scene.files and scene.id % NOT_ON_SERVER
        }
        self.let_people_edit()
        self.strangers = self.stranger_documents()

    @property
    def addresses(self):
        return {f"{self.name}_url": self.sim.url, f"{self.name}_api_key": self.sim.api_key}

    @property
    def scenes(self):
        library = self.installation.stash.library
        return [scene for scene in list(library.scenes.values()) if scene.id in self.keys]

    def add_item(self, scene):
        file = scene.files[0]
        return self.sim.add_item(server_path(file.path), file.size, file.duration)

    def let_people_edit(self):
        """Have people type, lock, and put up pictures and collections of their own; remember all as it was."""
        keys = list(self.keys.values())
        for key in keys[::3]:
            self.sim.edit_by_person(key, lock=False, **copy.deepcopy(UNLOCKED))
            self.sim.put_picture_by_person(key, "Primary", png(f"poster of {key}"))
            self.sim.put_picture_by_provider(key, "Backdrop", png(f"provider's of {key}"))
        for key in keys[::4]:
            self.sim.edit_by_person(key, **LOCKED)
            self.sim.edit_by_person(key, lock=False, LockData=True)
            self.sim.put_picture_beside(key, "Backdrop", png(f"beside {key}"))
            self.sim.put_picture_by_person(key, "Logo", png(f"logo of {key}"))
        with self.sim.world.lock:
            self.sim.world.collections.create(OTHERS, keys[:3])
        self.originals = {scene_id: self.document(key) for scene_id, key in self.keys.items()}
        self.boxsets = self.members()

    def type(self, scene_id, **values):
        """A person types into the server, and it is to stay, with the locks that the server's own editor sets."""
        before = set(self.sim.item_json(self.keys[scene_id])["LockedFields"])
        self.sim.edit_by_person(self.keys[scene_id], **values)
        self.typed.setdefault(scene_id, {}).update(values)
        locks = set(self.sim.item_json(self.keys[scene_id])["LockedFields"]) - before
        held = self.originals[scene_id]
        held["LockedFields"] = sorted({*held["LockedFields"], *locks})

    # --- what is there --------------------------------------------------------------------------------------------

    def document(self, item_id):
        """Give all that the server holds of an item: collections by name, locks unordered, pictures by their bytes."""
        held = copy.deepcopy(self.sim.item_json(item_id))
        names = {one.id: one.values["Name"] for one in self.sim.world.collections.all()}
        held["Collections"] = sorted(names[one] for one in held["Collections"])
        held["LockedFields"] = sorted(held["LockedFields"])
        pictures = {}
        for one in held["Pictures"]:
            pictures.setdefault(one["Type"], []).append(one["Sha1"])
        held["Pictures"] = pictures
        return {name: value for name, value in held.items() if value != ""}

    def stranger_documents(self):
        ours = set(self.keys.values())
        with self.sim.world.lock:
            others = [one.id for one in self.sim.world.store.items.values() if one.is_video and one.id not in ours]
        return {one: self.document(one) for one in others}

    def members(self):
        with self.sim.world.lock:
            return {one.values["Name"]: sorted(one.members) for one in self.sim.world.collections.all()}

    def writes(self):
        return [call for call in self.sim.requests if call.is_write]


def server_path(path):
    return ROOT + path.removeprefix(STASH_ROOT)


class TargetWorld(Installation):
    """Stash and one or more of Emby and Jellyfin, no Plex; `side` is the first of them."""

    def __init__(self, folder, *flavours, scenes=12, settings=None):
        super().__init__(folder, scenes, settings)
        self.sides = tuple(Side(self, flavour) for flavour in flavours)
        self.side = self.sides[0]
        self.server, self.keys = self.side.sim, self.side.keys

    def __enter__(self):
        for side in self.sides:
            side.sim.start()
        self.begin(**{name: value for side in self.sides for name, value in side.addresses.items()})
        return self

    def __exit__(self, kind, *_):
        self.plugin.kill_workers()
        try:
            self.stash.__exit__(kind)
        finally:
            for side in self.sides:
                side.sim.__exit__(kind)


class WorldBesidePlex(World):
    """A Plex, and an Emby or Jellyfin, with the items of all scenes on both."""

    def __init__(self, folder, flavour, scenes=NOT_ON_SERVER - 1):
        super().__init__(folder, scenes)
        self.side = Side(self, flavour)
        self.sides = (self.side,)

    def begin(self, **addresses):
        self.side.sim.start()
        super().begin(**addresses, **self.side.addresses)

    def __exit__(self, kind, *_):
        try:
            super().__exit__(kind)
        finally:
            self.side.sim.__exit__(kind)
