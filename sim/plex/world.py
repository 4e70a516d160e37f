"""The world behind the server: one library, its pictures, its disk, its scans, and who the server says it is."""

import threading
from dataclasses import dataclass

from sim.plex.answers.item_xml import ItemXml
from sim.plex.library.edits import Editor
from sim.plex.library.filters import MediaQuery
from sim.plex.library.library import Library
from sim.plex.library.pictures import Pictures
from sim.plex.library.records import Item
from sim.plex.library.scans import Scans
from sim.plex.library.tags import TagRegistry
from sim.plex.quirks import Clock, Quirks


@dataclass(slots=True)
class Identity:
    server_id: str
    name: str
    version: str
    token: str
    guest_token: str
    """A friend's token: may read, may change nothing."""


class World:
    """Whoever reads or changes it holds `lock`."""

    def __init__(self, identity: Identity, quirks: Quirks, clock: Clock) -> None:
        self.lock = threading.RLock()
        self.identity = identity
        self.quirks = quirks
        self.clock = clock
        self.library = Library(clock, TagRegistry(quirks))
        self.pictures = Pictures(self.library, quirks)
        self.item_states = ItemXml(self.library, self.pictures)
        self.query = MediaQuery(self.library, quirks)
        self.editor = Editor(self.library, quirks)
        self.disasters: list[str] = []
        self.scans = Scans(self.library, quirks, clock, self.refresh, self.remove)

    def refresh(self, item: Item) -> None:
        self.library.refresh(item)
        self.pictures.refresh(item)

    def remove(self, item_id: int) -> None:
        self.scans.forget(item_id)
        self.pictures.forget(self.library.remove_item(item_id))
