"""The world behind the server: its parts, wired together."""

import threading

from sim.mediabrowser.quirks import Clock, Quirks
from sim.mediabrowser.world.collections import Collections
from sim.mediabrowser.world.identity import Identity
from sim.mediabrowser.world.item_store import ItemStore
from sim.mediabrowser.world.people import People
from sim.mediabrowser.world.pictures import Pictures
from sim.mediabrowser.world.records import Item, Library, Origin
from sim.mediabrowser.world.scanning.item_maker import ItemMaker
from sim.mediabrowser.world.scanning.providers import Providers
from sim.mediabrowser.world.scanning.scans import Scans
from sim.mediabrowser.world.scanning.write_lock import WriteLock
from sim.mediabrowser.world.updating.disasters import Witness
from sim.mediabrowser.world.updating.updates import Updater
from sim.mediabrowser.world.user_data import UserDataStore


class World:
    """Whoever reads or changes it holds `lock`."""

    def __init__(self, identity: Identity, quirks: Quirks, clock: Clock) -> None:
        self.lock = threading.RLock()
        self.identity = identity
        self.quirks = quirks
        self.clock = clock
        self.libraries: dict[str, Library] = {}
        self.witness = Witness()
        self.store = ItemStore(identity, quirks, clock)
        self.people = People(self.store)
        self.maker = ItemMaker(self.store, self.libraries, clock)
        self.providers = Providers(self.store, self.people, self.libraries, clock)
        self.pictures = Pictures(identity, quirks, self.store, self.libraries, self.witness, clock)
        self.user_data = UserDataStore(identity, quirks, self.store)
        self.scans = Scans(
            identity,
            quirks,
            self.store,
            self.libraries,
            self.maker,
            self.providers,
            self.pictures,
            self.witness,
            clock,
            self.remove,
        )
        self.collections = Collections(
            identity, quirks, self.store, self.libraries, self.maker, self.scans, self.witness
        )
        write_lock = WriteLock(identity, quirks, lambda: self.scans.is_running)
        self.updater = Updater(identity, quirks, self.store, self.people, self.providers, self.witness, write_lock)

    def remove(self, item: Item) -> None:
        """Take an item out, with all that hangs on it; other versions of it become films of their own."""
        self.store.remove(item)
        self.scans.forget(item)
        self.witness.forget(item)
        self.user_data.forget(item)
        for picture in item.pictures:
            if picture.origin is not Origin.FILE:
                self.pictures.files.pop(picture.path, None)
        for version in (self.store.items[one] for one in item.versions if one in self.store.items):
            version.primary_id = ""
        if primary := self.store.items.get(item.primary_id):
            primary.versions.remove(item.id)
        for collection in self.collections.holding(item.id):
            collection.members = [one for one in collection.members if one != item.id]
