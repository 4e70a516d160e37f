"""Backstage: what a test does to the server behind the clients' backs, and what it looks at there."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager

from sim.plex.controls import snapshot
from sim.plex.controls.snapshot import Snapshot
from sim.plex.faults import Faults
from sim.plex.journal import Entry, Journal
from sim.plex.library.pictures import Kind
from sim.plex.library.records import Item, Section, Tagging, Value
from sim.plex.library.scans import DiskFile
from sim.plex.library.storing import stored_text, stored_value
from sim.plex.library.tags import TAG_ELEMENTS
from sim.plex.quirks import Quirks
from sim.plex.world import World


class Controls:
    """Every method may be called while clients are being served. Unknown rating keys raise `Refused`."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.faults = Faults()
        self.journal = Journal()
        self.crashes: list[Exception] = []

    # Looking.

    @property
    def quirks(self) -> Quirks:
        return self.world.quirks

    @property
    def requests(self) -> list[Entry]:
        return self.journal.entries

    @property
    def disasters(self) -> list[str]:
        """Requests that change a whole library at a stroke, or may bring the server down. There must be none."""
        return self.world.disasters

    def count(self, kind: str | None = None) -> int:
        return self.journal.count(kind)

    def after(self, kind: str, act: Callable[[], object], *, nth: int = 1) -> None:
        """Act between two requests: right after the `nth` of this kind from now."""
        self.journal.after(kind, nth, act)

    def item(self, item_id: str) -> Snapshot:
        with self.world.lock:
            self.world.scans.settle()
            return snapshot.take(self.world, self.world.library.item(int(item_id)))

    def find(self, path: str) -> str | None:
        """Give the rating key of the item that holds the file."""
        with self.world.lock:
            self.world.scans.settle()
            item = self.world.library.holding(path)
            return str(item.item_id) if item else None

    def item_ids(self, section: str = "Scenes", kind: str | None = None) -> list[str]:
        """List the rating keys of a section in the order Plex does."""
        with self.world.lock:
            self.world.scans.settle()
            return list(map(str, self.world.library.order(self.section(section).id, kind)))

    def section(self, title: str) -> Section:
        with self.world.lock:
            return next(section for section in self.world.library.sections.values() if section.title == title)

    def uploads(self, item_id: str, kind: Kind = "posters") -> dict[str, bytes]:
        with self.world.lock:
            return self.world.pictures.uploads(self.world.library.item(int(item_id)), kind)

    # The library changes.

    def add_section(
        self, title: str, locations: Iterable[str], *, kind: str = "movie", agent: str = "com.plexapp.agents.none"
    ) -> Section:
        with self.world.lock:
            return self.world.library.add_section(
                title, kind, locations, agent=agent, scanner="Plex Video Files Scanner"
            )

    @contextmanager
    def without_section(self, title: str) -> Generator[None]:
        """Have a library and all that is in it be gone, and at the end of the block be there again as before."""
        section = self.section(title)
        with self.world.lock:
            self.world.scans.cancel(section)
            items = self.world.library.take_away(section)
        try:
            yield
        finally:
            with self.world.lock:
                self.world.library.bring_back(section, items)

    def add_item(
        self,
        path: str,
        size: int = 1_000_000,
        duration: int = 60_000,
        *,
        section: str = "Scenes",
        more: Sequence[tuple[str, int, int]] = (),
        is_one_media: bool = False,
    ) -> str:
        """Make an item at once, without a scan. `more` files are further media, or further parts of the one."""
        with self.world.lock:
            library = self.world.library
            parts = [library.new_part(*file) for file in ((path, size, duration), *more)]
            media = (library.new_media(*parts),) if is_one_media else tuple(map(library.new_media, parts))
            now = library.now()
            return str(library.add_item(Item(0, self.section(section).id, "movie", now, media, now)).item_id)

    def delete(self, item_id: str) -> None:
        with self.world.lock:
            self.world.remove(int(item_id))

    def rebuild(self, item_id: str) -> str:
        """Make a new item of the same files: new key, no edits, no locks, no pictures."""
        with self.world.lock:
            old, now = self.world.library.item(int(item_id)), self.world.library.now()
            self.delete(item_id)
            new = Item(0, old.section_id, old.kind, now, old.media, now, old.parent, old.index, told=old.told)
            return str(self.world.library.add_item(new).item_id)

    def wipe(self, item_id: str) -> None:
        """Take every edit and every lock from the item; its key stays."""
        with self.world.lock:
            item = self.world.library.item(int(item_id))
            item.locks, item.edits = frozenset(), {}
            self.world.refresh(item)

    def refresh(self, item_id: str) -> None:
        with self.world.lock:
            self.world.refresh(self.world.library.item(int(item_id)))

    def agent_says(self, item_id: str, **values: Value) -> None:
        """Set what the agent will answer at the next refresh."""
        with self.world.lock:
            self.world.library.answers.setdefault(int(item_id), {}).update(values)

    def edit_by_person(self, item_id: str, *, lock: bool = True, **fields: Value | Sequence[str]) -> None:
        """Somebody types into Plex: scalars by name, tags as lists (`genre=["A", "B"]`), all of it locked."""
        with self.world.lock:
            library, item = self.world.library, self.world.library.item(int(item_id))
            for name, value in fields.items():
                if name in TAG_ELEMENTS and not isinstance(value, int | float):
                    typed = [value] if isinstance(value, str) else value
                    names = filter(None, (stored_text(one, self.quirks) for one in typed))
                    library.set_tags(item, name, [Tagging(library.registry.obtain(name, one).id) for one in names])
                elif isinstance(value, str | int | float):
                    library.write(item, {name: stored_value(name, value, self.quirks)})
            if lock:
                library.lock(item, dict.fromkeys(fields, True))

    def lock(self, item_id: str, *fields: str, locked: bool = True) -> None:
        with self.world.lock:
            self.world.library.lock(self.world.library.item(int(item_id)), dict.fromkeys(fields, locked))

    # The disk changes; Plex notices when it scans.

    def add_file(self, path: str, size: int = 1_000_000, duration: int = 60_000) -> None:
        """Put a file there, be it new or in the place of another."""
        with self.world.lock:
            self.world.scans.disk.gone.discard(path)
            self.world.scans.disk.files[path] = DiskFile(size, duration)

    def remove_file(self, path: str) -> None:
        with self.world.lock:
            self.world.scans.disk.files.pop(path, None)
            self.world.scans.disk.gone.add(path)

    def move_file(self, old: str, new: str) -> None:
        """Plex makes a new item of it: edits, locks and pictures stay behind with the old one."""
        with self.world.lock:
            item = self.world.library.holding(old)
            part = next((part for part in item.parts if part.file == old), None) if item else None
            self.remove_file(old)
            self.add_file(new, part.size if part else 1_000_000, part.duration if part else 60_000)

    # The server changes.

    def become_another_server(self, server_id: str = "another" + "0" * 33) -> None:
        """Answer at the same address, to the same token, as somebody else."""
        self.world.identity.server_id = server_id
