"""Controls: what a test does to the server behind the clients' backs, and what it looks at there."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal, cast

from sim.mediabrowser.answers.item_json import whole_item
from sim.mediabrowser.faults import Faults
from sim.mediabrowser.flavours import FLAVOURS, Flavour
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.web.call import Call
from sim.mediabrowser.web.exchange import Answer, Json, Refused, Request
from sim.mediabrowser.world.identity import Phase
from sim.mediabrowser.world.records import Credit, Item, Library, MediaFile, Origin, Picture, User, UserData
from sim.mediabrowser.world.scanning.providers import Nfo, nfo_path
from sim.mediabrowser.world.updating.disasters import Disaster
from sim.mediabrowser.world.world import World
from sim.plex.journal import Journal

Observer = Callable[[Flavour, Request, Answer], None]
_LOCK_OF = {"People": "Cast", "ForcedSortName": "SortName", "Taglines": "Tagline"}


class Controls:
    """Every method may be called while clients are being served. Unknown ids raise `Refused`."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.faults = Faults()
        self.journal = Journal()
        self.crashes: list[Exception] = []
        self.observers: list[Observer] = []
        """Called with every request and the answer it gets, unless a fault stands in for the server."""

    def observe(self, request: Request, answer: Answer) -> None:
        for observer in self.observers:
            observer(self.flavour, request, answer)

    # Looking.

    @property
    def quirks(self) -> Quirks:
        return self.world.quirks

    @property
    def flavour(self) -> Flavour:
        return self.world.identity.flavour

    @property
    def requests(self) -> list[Call]:
        return cast("list[Call]", self.journal.entries)

    @property
    def disasters(self) -> list[Disaster]:
        """What nobody asked for and nobody can take back. There must be none."""
        return self.world.witness.disasters

    def count(self, kind: str | None = None) -> int:
        return self.journal.count(kind)

    def after(self, kind: str, act: Callable[[], object], *, nth: int = 1) -> None:
        """Act between two requests: right after the `nth` of this kind from now."""
        self.journal.after(kind, nth, act)

    def item_json(self, item_id: str) -> Json:
        """Everything the server holds of an item, hidden people and the bytes of pictures included."""
        with self._settled():
            return whole_item(self.world, self._item(item_id))

    def find(self, path: str) -> str | None:
        """Give the id of the item that is made of the file."""
        with self._settled():
            item = self.world.store.at_path(path)
            return item.id if item else None

    def item_ids(self, library: str = "Scenes") -> list[str]:
        """List the videos of a library in the order in which they came."""
        with self._settled():
            wanted = self.library(library).item_id
            return [item.id for item in self.world.store.items.values() if item.is_video and item.library_id == wanted]

    def library(self, name: str) -> Library:
        return next(library for library in self.world.libraries.values() if library.name == name)

    def pictures(self, item_id: str, kind: str = "Primary") -> list[bytes]:
        with self._settled():
            return [picture.content for picture in self._item(item_id).pictures_of(kind)]

    @property
    def picture_files(self) -> dict[str, bytes]:
        return self.world.pictures.files

    @property
    def nfo_files(self) -> dict[str, Nfo]:
        return self.world.providers.nfo_files

    # The library changes.

    def add_library(
        self, name: str, locations: Iterable[str], *, collection_type: str = "homevideos", **options: Any
    ) -> Library:
        with self._settled():
            return self.world.maker.library(name, collection_type, tuple(locations), options)

    def remove_library(self, name: str) -> None:
        """Take a library away, with its items and without a file."""
        with self._settled():
            library = self.library(name)
            del self.world.libraries[library.item_id]
            for item in [one for one in self.world.store.items.values() if one.library_id == library.item_id]:
                self.world.remove(item)

    def add_item(
        self,
        path: str,
        size: int = 1_000_000,
        duration_seconds: float = 60.0,
        *,
        library: str = "Scenes",
        parts: Sequence[str] = (),
        extra_type: str = "",
        link_to: str = "",
        video_type: str = "VideoFile",
    ) -> str:
        """Make an item at once, without a scan. `parts` are further files of the same film."""
        with self._settled():
            files = [MediaFile(path, size, duration_seconds, link_to)]
            files += [MediaFile(part, size, duration_seconds) for part in parts]
            item = self.world.maker.video(self.library(library), *files, extra_type=extra_type)
            item.video_type = video_type
            return item.id

    def add_version(self, item_id: str, path: str, size: int = 2_000_000, duration_seconds: float = 60.0) -> str:
        """Give a film a further version, and give its id."""
        with self._settled():
            return self.world.maker.version(self._item(item_id), MediaFile(path, size, duration_seconds)).id

    def delete(self, item_id: str) -> None:
        with self._settled():
            self.world.remove(self._item(item_id))

    def edit_by_person(self, item_id: str, *, lock: bool = True, **values: Any) -> None:
        """Somebody types into the server's own editor. People are names, or (name, role, type)."""
        with self._settled():
            item = self._item(item_id)
            if "People" in values:
                values["People"] = [_credit(person) for person in values["People"]]
            item.values.update(values)
            if lock:
                words = [_LOCK_OF.get(name, name) for name in values]
                known = [word for word in words if word in self.flavour.lock_words]
                item.values["LockedFields"] = list(dict.fromkeys([*(item.values.get("LockedFields") or ()), *known]))
            self.world.updater.save(item)
            self.world.witness.note_edit(item, {name: item.values[name] for name in values})

    def hide_people(self, item_id: str, *names: str) -> None:
        """Put people on an item who have no entity: the server keeps them and shows them to nobody."""
        with self._settled():
            item = self._item(item_id)
            hidden = [Credit(name, has_entity=False) for name in names]
            item.values["People"] = [*(item.values.get("People") or ()), *hidden]
            self.world.store.save(item)

    def put_picture_by_person(self, item_id: str, kind: str, content: bytes) -> Picture:
        with self._settled():
            return self.world.pictures.put(self._item(item_id), kind, content, Origin.PERSON)

    def put_picture_by_provider(self, item_id: str, kind: str, content: bytes) -> Picture:
        with self._settled():
            return self.world.pictures.put(self._item(item_id), kind, content, Origin.PROVIDER)

    def put_picture_beside(self, item_id: str, kind: str, content: bytes) -> Picture:
        """Put a picture file beside the video, as people do."""
        with self._settled():
            return self.world.pictures.put_local(self._item(item_id), kind, content)

    def provider_says(self, item_id: str, **values: Any) -> None:
        """Set what the providers will answer at the next refresh."""
        with self._settled():
            self.world.providers.say(self._item(item_id), values)

    def write_nfo(self, item_id: str, **values: Any) -> None:
        """Put an NFO file beside the video; a scan reads it if it is newer than the last save."""
        with self._settled():
            self.nfo_files[nfo_path(self._item(item_id))] = Nfo(values, self.world.clock())

    def refresh(self, item_id: str, *, replaces_all: bool = False) -> None:
        """A person, or the server by itself, refreshes an item."""
        with self._settled():
            self.world.providers.refresh(self._item(item_id), replaces_all=replaces_all)

    def watch(self, item_id: str, user: str = "admin", **data: Any) -> UserData:
        """A user plays, likes or rates something: `Played`, `PlayCount`, `IsFavorite`, `Rating` …"""
        with self._settled():
            return self.world.user_data.update(self.user(user), self._item(item_id), data)

    def hide(self, item_id: str, user: str = "viewer") -> None:
        with self._settled():
            self.user(user).hidden.add(self._item(item_id).id)
            self.world.store.revision += 1

    def user(self, name: str) -> User:
        return next(user for user in self.world.identity.users if user.name == name)

    def add_user(self, name: str, *, is_administrator: bool = False) -> User:
        with self._settled():
            number = f"{len(self.world.identity.users) + 0xA0:032x}"
            user = User(number, name, f"sim-{name}-token", is_administrator)
            self.world.identity.users.append(user)
            return user

    def remove_user(self, name: str) -> None:
        with self._settled():
            self.world.identity.users.remove(self.user(name))

    # The disk changes; the server notices when it scans.

    def add_file(self, path: str, size: int = 1_000_000, duration_seconds: float = 60.0) -> None:
        """Put a file there, be it new or in the place of another."""
        with self._settled():
            self.world.scans.disk.gone.discard(path)
            self.world.scans.disk.files[path] = MediaFile(path, size, duration_seconds)

    def remove_file(self, path: str) -> None:
        with self._settled():
            self.world.scans.disk.files.pop(path, None)
            self.world.scans.disk.gone.add(path)

    def move_file(self, old: str, new: str) -> None:
        """Move a file: at the next scan there is a new item, with nothing of what the old one had."""
        with self._settled():
            item = self.world.store.at_path(old)
            file = next((file for file in item.files if file.path == old), None) if item else None
            self.remove_file(old)
            self.world.scans.disk.gone.discard(new)
            self.world.scans.disk.files[new] = replace(file or MediaFile(old, 1_000_000, 60.0), path=new)

    def ignore_folder(self, path: str) -> None:
        """Put an `.ignore` file into a folder."""
        with self._settled():
            self.world.scans.disk.ignored.add(path)

    def start_scan(self) -> None:
        """A person starts a scan of everything."""
        with self._settled():
            self.world.scans.scan_everything()

    # The server changes.

    def become_another_server(self, server_id: str = "f" * 32) -> None:
        """Answer at the same address, to the same key, as somebody else."""
        self.world.identity.server_id = server_id

    def revoke_key(self) -> None:
        self.world.identity.api_keys.clear()

    def set_phase(self, phase: Literal["running", "starting", "stopping"], seconds: float | None = None) -> None:
        """Be starting (or migrating) or stopping, for so long or until told otherwise."""
        identity = self.world.identity
        identity.phase = Phase[phase.upper()]
        identity.phase_ends_at = None if seconds is None else self.world.clock() + seconds

    def restart(self, starting_seconds: float = 0.0) -> None:
        """Restart: what was only in memory is gone, scans are forgotten, and some versions lose more."""
        with self._settled():
            self.world.scans.stop()
            for item in self.world.store.items.values():
                if item.stored_values is not None:
                    item.values, item.stored_values = item.stored_values, None
                if self.flavour.loses_locks_at_restart:
                    item.values["LockedFields"] = []
            self.world.store.revision += 1
            self.set_phase("starting", starting_seconds)

    def upgrade(self, flavour: str = "jellyfin-12", starting_seconds: float = 0.0) -> None:
        """Install another version in place: the same items, other habits. The migration takes its time."""
        self.world.identity.flavour = FLAVOURS[flavour]
        self.restart(starting_seconds)

    @contextmanager
    def _settled(self) -> Generator[None, None, None]:
        """Hold the world while nothing is due any more."""
        with self.world.lock:
            self.world.scans.settle()
            yield

    def _item(self, item_id: str) -> Item:
        item = self.world.store.find(item_id)
        if item is None:
            raise Refused(404)
        return item


def _credit(person: str | tuple[str, str, str]) -> Credit:
    return Credit(person) if isinstance(person, str) else Credit(*person)
