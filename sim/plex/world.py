"""The world behind the server: one library, its pictures, its disk, its scans, and who the server says it is."""

import threading
from dataclasses import dataclass

from sim.plex.edits import Editor
from sim.plex.filters import MediaQuery
from sim.plex.library import Library
from sim.plex.manners import Clock, Manners
from sim.plex.pictures import Pictures
from sim.plex.portrait import Portraits
from sim.plex.records import Item
from sim.plex.scans import Scans
from sim.plex.tags import TagRegistry


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

    def __init__(self, identity: Identity, manners: Manners, clock: Clock) -> None:
        self.lock = threading.RLock()
        self.identity = identity
        self.manners = manners
        self.clock = clock
        self.library = Library(clock, TagRegistry(manners))
        self.pictures = Pictures(self.library, manners)
        self.portraits = Portraits(self.library, self.pictures)
        self.query = MediaQuery(self.library, manners)
        self.editor = Editor(self.library, manners)
        self.disasters: list[str] = []
        self.scans = Scans(self.library, manners, clock, self.refresh, self.remove)

    def refresh(self, item: Item) -> None:
        self.library.refresh(item)
        self.pictures.refresh(item)

    def remove(self, item_id: int) -> None:
        self.scans.forget(item_id)
        self.pictures.forget(self.library.remove_item(item_id))
