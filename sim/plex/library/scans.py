"""Scans: files on the disk become items, but not at once; files that went, go."""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from sim.plex.library.library import Library
from sim.plex.library.records import Item, Section, is_inside
from sim.plex.quirks import Clock, Quirks
from sim.plex.web.markup import Node

_LEAVES = {"movie": "movie", "show": "episode", "artist": "track", "photo": "photo"}


@dataclass(frozen=True, slots=True)
class DiskFile:
    size: int
    duration: int


@dataclass(slots=True)
class Scan:
    uuid: str
    section: Section
    folder: str | None
    starts_at: float
    ends_at: float

    def progress(self, now: float) -> int:
        took = max(self.ends_at - self.starts_at, 0.001)
        return min(99, max(0, int(100 * (now - self.starts_at) / took)))


@dataclass(slots=True)
class Disk:
    """What differs between the disk and what the library believes to be there."""

    files: dict[str, DiskFile]
    gone: set[str]


class Scans:
    """Nothing here has a thread: what is due happens when somebody looks (`settle`)."""

    def __init__(
        self,
        library: Library,
        quirks: Quirks,
        clock: Clock,
        refresh: Callable[[Item], None],
        remove: Callable[[int], None],
    ) -> None:
        self.disk = Disk({}, set())
        self._library = library
        self._quirks = quirks
        self._clock = clock
        self._refresh = refresh
        self._remove = remove
        self._running: list[Scan] = []
        self._processing: dict[int, float] = {}
        self._looks: list[tuple[float, str, int]] = []
        self._numbers = itertools.count(1)

    # What clients start.

    def start(self, section: Section, folder: str | None) -> None:
        """One scan after the other in a section. A folder outside of it is scanned in vain."""
        now = self._clock()
        starts_at = max([now, *(scan.ends_at for scan in self._running if scan.section is section)])
        ends_at = starts_at + self._quirks.scan_seconds
        self._running.append(Scan(self._uuid(), section, folder, starts_at, ends_at))

    def cancel(self, section: Section) -> None:
        self._running = [scan for scan in self._running if scan.section is not section]

    def look(self, item_id: int) -> None:
        """Somebody asked for details without `skipRefresh`: Plex works on the item and says so for a second."""
        self._looks.append((self._clock() + 1, self._uuid(), item_id))

    # What clients see.

    def is_scanning(self, section: Section) -> bool:
        return any(scan.section is section for scan in self._running)

    def queue_size(self, section: Section) -> int:
        items = (self._library.items.get(key) for key in self._processing)
        return sum(item is not None and item.section_id == section.id for item in items)

    def activities(self) -> list[Node]:
        now = self._clock()
        scans = [
            _activity(scan.uuid, "library.update.section", f"Scanning {scan.section.title}", scan.progress(now))
            for scan in self._running
        ]
        for node, scan in zip(scans, self._running, strict=True):
            node.children.append(Node("Context", {"librarySectionID": str(scan.section.id)}))
        looks = [_activity(uuid, "library.refresh.items", "Refreshing", 0) for _, uuid, _ in self._looks]
        for node, (_, _, key) in zip(looks, self._looks, strict=True):
            node.children.append(Node("Context", {"key": f"/library/metadata/{key}"}))
        return scans + looks

    # What happens meanwhile.

    def settle(self) -> None:
        """Let everything happen that is due by now."""
        if not (self._running or self._processing or self._looks):
            return
        now = self._clock()
        for scan in [scan for scan in self._running if scan.ends_at <= now]:
            self._running.remove(scan)
            self._finish(scan)
        for key in [key for key, due in self._processing.items() if due <= now]:
            del self._processing[key]
            if item := self._library.items.get(key):
                for part in item.parts:
                    part.analysed = True
                self._refresh(item)
        self._looks = [look for look in self._looks if look[0] > now]

    def forget(self, item_id: int) -> None:
        self._processing.pop(item_id, None)

    def _finish(self, scan: Scan) -> None:
        section = scan.section
        folders = section.locations if scan.folder is None else (scan.folder,)
        covered = [folder for folder in folders if section.holds(folder)]
        self._take_in([path for path in self.disk.files if _is_in(path, covered)], scan)
        self._let_go({path for path in self.disk.gone if _is_in(path, covered)}, section)
        section.scanned_at = self._library.now()

    def _take_in(self, paths: list[str], scan: Scan) -> None:
        for path in paths:
            found = self.disk.files.pop(path)
            if item := self._library.holding(path):
                _replace(item, path, found)
                continue
            part = self._library.new_part(path, found.size, found.duration)
            part.analysed = False
            kind = _LEAVES[scan.section.kind]
            item = Item(0, scan.section.id, kind, int(scan.ends_at), (self._library.new_media(part),))
            self._library.add_item(item)
            self._processing[item.item_id] = scan.ends_at + self._quirks.process_seconds

    def _let_go(self, paths: set[str], section: Section) -> None:
        self.disk.gone -= paths
        for item in list(self._library.items.values()) if paths else ():
            if item.section_id != section.id or paths.isdisjoint(item.files):
                continue
            if not paths.issuperset(item.files):
                _drop_parts(item, paths)
            elif self._quirks.empties_trash:
                self._remove(item.item_id)
            else:
                item.deleted_at = self._library.now()

    def _uuid(self) -> str:
        return f"00000000-0000-4000-8000-{next(self._numbers):012x}"


def _activity(uuid: str, kind: str, title: str, progress: int) -> Node:
    return Node(
        "Activity",
        {
            "uuid": uuid,
            "type": kind,
            "cancellable": False,
            "userID": 1,
            "title": title,
            "subtitle": "",
            "progress": progress,
        },
    )


def _is_in(path: str, folders: Iterable[str]) -> bool:
    """Tell whether a folder holds the file. The file itself is no folder: to scan it finds nothing."""
    return any(path != folder and is_inside(path, folder) for folder in folders)


def _replace(item: Item, path: str, found: DiskFile) -> None:
    """Put another file in the old place. That does not show in `updatedAt`."""
    for part in item.parts:
        if part.file == path:
            part.size, part.duration = found.size, found.duration


def _drop_parts(item: Item, paths: set[str]) -> None:
    kept = (replace(media, parts=tuple(part for part in media.parts if part.file not in paths)) for media in item.media)
    item.media = tuple(media for media in kept if media.parts)
