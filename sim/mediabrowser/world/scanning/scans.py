"""Scans and refreshes: files on the disk become items, but not at once, and not all of them well."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from sim.mediabrowser.quirks import Clock, Quirks
from sim.mediabrowser.world.identity import Identity
from sim.mediabrowser.world.item_store import ItemStore
from sim.mediabrowser.world.pictures import Pictures
from sim.mediabrowser.world.records import Item, Library, MediaFile, folder_of
from sim.mediabrowser.world.scanning.item_maker import ItemMaker, covers
from sim.mediabrowser.world.scanning.providers import Providers
from sim.mediabrowser.world.updating.disasters import DisasterKind, Witness

Mode = Literal["None", "ValidationOnly", "Default", "FullRefresh"]
_MONITOR_SECONDS = {True: 90.0, False: 60.0}


@dataclass(frozen=True, slots=True)
class Job:
    """One refresh of a folder or, without one, of everything. `ends_at` is when what it found appears."""

    folder: Item | None
    mode: Mode
    replaces_all: bool
    starts_at: float
    ends_at: float


@dataclass(slots=True)
class Disk:
    """What differs between the disk and what the server believes to be there."""

    files: dict[str, MediaFile] = field(default_factory=dict[str, MediaFile])
    gone: set[str] = field(default_factory=set[str])
    ignored: set[str] = field(default_factory=set[str])
    """Folders with an `.ignore` file."""


class Scans:
    """Nothing here has a thread: what is due happens when somebody looks (`settle`)."""

    def __init__(
        self,
        identity: Identity,
        quirks: Quirks,
        store: ItemStore,
        libraries: dict[str, Library],
        maker: ItemMaker,
        providers: Providers,
        pictures: Pictures,
        witness: Witness,
        clock: Clock,
        remove: Callable[[Item], None],
    ) -> None:
        self.disk = Disk()
        self.last_full_scan: tuple[float, float] | None = None
        self._identity = identity
        self._quirks = quirks
        self._store = store
        self._libraries = libraries
        self._maker = maker
        self._providers = providers
        self._pictures = pictures
        self._witness = witness
        self._clock = clock
        self._remove = remove
        self._jobs: list[Job] = []
        self._reports: dict[str, float] = {}
        self._first_passes: dict[str, float] = {}

    # Asking for work.

    def scan_everything(self) -> None:
        """Start a full scan; Jellyfin cancels one that runs and starts over."""
        if running := [job for job in self._jobs if job.folder is None]:
            if self._identity.flavour.is_emby:
                return
            self._witness.record(DisasterKind.SCAN_CANCELLED, "", "library scan")
            self._jobs = [job for job in self._jobs if job not in running]
        self._add(None, "Default", replaces_all=False)

    def refresh(self, item: Item, mode: Mode, *, replaces_all: bool, is_recursive: bool) -> None:
        """Refresh an item, or a folder and what is below it, which Emby does only if it is told to."""
        if mode == "FullRefresh" or replaces_all:
            self._witness.record(DisasterKind.FORCED_REFRESH, item, mode)
        if item.is_folder and (self._identity.flavour.is_jellyfin or is_recursive):
            self._add(item, mode, replaces_all=replaces_all)
        elif not item.is_folder and mode != "None":
            self._look_again(item, forced=mode == "FullRefresh", replaces_all=replaces_all)

    def report(self, path: str) -> None:
        """Note that something changed at a path. The delay begins anew with every report below the same folder."""
        if any(path.startswith(folder) for folder in self.disk.ignored):
            return
        folder = self._known_folder(path)
        if folder is not None:
            delay = self._quirks.monitor_delay_seconds
            seconds = _MONITOR_SECONDS[self._identity.flavour.is_emby] if delay is None else delay
            self._reports[folder.id] = self._clock() + seconds

    # What clients see.

    @property
    def is_running(self) -> bool:
        now = self._clock()
        return any(job.starts_at <= now for job in self._jobs)

    def full_scan_progress(self) -> float | None:
        now = self._clock()
        for job in self._jobs:
            if job.folder is None:
                took = max(job.ends_at - job.starts_at, 0.001)
                return round(min(99.0, max(0.0, 100 * (now - job.starts_at) / took)), 1)
        return None

    def status(self, library: Library) -> str:
        now = self._clock()
        mine = [job for job in self._jobs if job.folder is None or job.folder.library_id == library.item_id]
        if any(job.starts_at <= now for job in mine):
            return "Active"
        return "Queued" if mine else "Idle"

    # What happens meanwhile.

    def settle(self) -> None:
        """Let everything happen that is due by now, in the order in which it is due."""
        if not (self._jobs or self._reports or self._first_passes):
            return
        now = self._clock()
        for folder_id in [one for one, due in self._reports.items() if due <= now]:
            due = self._reports.pop(folder_id)
            if folder := self._store.items.get(folder_id):
                self._add(folder, "Default", replaces_all=False, asked_at=due)
        while self._jobs and self._jobs[0].ends_at <= now:
            self._finish(self._jobs.pop(0))
        for item_id in [one for one, due in self._first_passes.items() if due <= now]:
            del self._first_passes[item_id]
            if item := self._store.items.get(item_id):
                item.is_probed = True
                self._providers.refresh(item, is_first=True)

    def forget(self, item: Item) -> None:
        self._first_passes.pop(item.id, None)

    def stop(self) -> None:
        """Drop everything that runs or waits, as a restart does."""
        self._jobs.clear()
        self._reports.clear()

    def _add(self, folder: Item | None, mode: Mode, *, replaces_all: bool, asked_at: float | None = None) -> None:
        starts_at = max([self._clock() if asked_at is None else asked_at, *(job.ends_at for job in self._jobs)])
        self._jobs.append(Job(folder, mode, replaces_all, starts_at, starts_at + self._quirks.scan_seconds))

    def _known_folder(self, path: str) -> Item | None:
        """Walk up from a path to the first folder that the server knows."""
        library = self._maker.library_of(path)
        if library is None:
            return None
        while library.holds(path):
            item = self._store.at_path(path)
            if item is not None and item.is_folder:
                return item
            path = folder_of(path)
        return self._store.items.get(library.item_id)

    def _finish(self, job: Job) -> None:
        if job.folder is None:
            self.last_full_scan = (job.starts_at, job.ends_at)
        for path in [path for path in self.disk.files if self._is_covered(job, path)]:
            self._take_in(self.disk.files.pop(path), job)
        gone = {path for path in self.disk.gone if self._is_covered(job, path)}
        self.disk.gone -= gone
        for path in gone:
            if item := self._store.at_path(path):
                self._let_go(item, path)
        self._look_at_the_rest(job)

    def _is_covered(self, job: Job, path: str) -> bool:
        return job.folder is None or covers(job.folder, path, self._libraries)

    def _take_in(self, file: MediaFile, job: Job) -> None:
        library = self._maker.library_of(file.path)
        if library is None:
            return
        if known := self._store.at_path(file.path):
            self._maker.replace_file(known, file)
            self._look_again(known, forced=True, replaces_all=False)
            return
        item = self._maker.video(library, file)
        item.is_probed = False
        if job.mode == "None" and self._identity.flavour.is_jellyfin and self._quirks.mode_none_unprobed:
            self._witness.record(DisasterKind.UNPROBED, item, file.path)
            return
        self._first_passes[item.id] = job.ends_at + self._quirks.first_pass_seconds

    def _let_go(self, item: Item, path: str) -> None:
        if item.path == path:
            self.forget(item)
            self._remove(item)
        else:
            item.files = [file for file in item.files if file.path != path]
            self._store.save(item)

    def _look_at_the_rest(self, job: Job) -> None:
        """Go through what was there already; nothing is done to it unless something is new."""
        if not self._is_worth_a_look(job):
            return
        for item in list(self._store.items.values()):
            if item.is_video and self._is_covered(job, item.path):
                self._look_again(item, forced=job.mode == "FullRefresh", replaces_all=job.replaces_all)

    def _is_worth_a_look(self, job: Job) -> bool:
        has_news = bool(self._providers.nfo_files or self._pictures.files or self._quirks.automatic_refresh_seconds)
        return has_news or job.mode == "FullRefresh" or job.replaces_all

    def _look_again(self, item: Item, *, forced: bool, replaces_all: bool) -> None:
        self._pictures.find_local(item)
        if self._identity.flavour.drops_local_backdrops:
            self._pictures.drop_local_backdrops(item)
        interval = self._quirks.automatic_refresh_seconds
        is_old = interval is not None and self._clock() - item.refreshed_at > interval
        if forced or replaces_all or is_old or self._providers.has_newer_nfo(item):
            self._providers.refresh(item, replaces_all=replaces_all)
