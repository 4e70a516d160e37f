"""A target as a server that shows what was brought in: Plex, Emby and Jellyfin, behind the port that scenes use too."""

import hashlib
import logging
import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from intake.naming.codes import read_code
from intake.naming.names import TITLE_TEMPLATE, NameFields, shown_title
from intake.naming.shown import quoted
from intake.publishing.item_change import plan_change
from intake.publishing.item_finder import ItemFinder
from intake.publishing.picture_fetch import PictureFetcher, narrow
from intake.publishing.port import (
    ItemNotIndexed,
    Marks,
    PicturesFailed,
    ServerAway,
    ServerFailed,
    ServerRefuses,
    WriteRejected,
)
from intake.publishing.scan_pace import ScanPace
from intake.publishing.server_paths import PathMap, path_key
from intake.sources.work import Work
from model import errors as said
from model.change import ItemChange, LockEdit
from model.item import Item
from model.picture import Picture, PictureKind, Standing, upload_digest
from model.server import Library, LibraryType
from sync.target import Target

log = logging.getLogger(__name__)

NO_PICTURE, THEIRS = "none", "theirs"
PLACES = (PictureKind.POSTER, PictureKind.BACKGROUND, PictureKind.BANNER)
_FAILED_INSIDE = frozenset({500, 501, *range(505, 512)})  # 502 to 504: nobody was asked


@dataclass(frozen=True, slots=True)
class ShownAs:
    """Where the server sees our files, in which libraries, which folder it scans otherwise, how titles are made."""

    paths: PathMap
    libraries: str = ""
    parent_folder_id: str = ""
    title_template: str = TITLE_TEMPLATE


class TargetPublisher:
    """One server."""

    def __init__(
        self,
        target: Target,
        shown_as: ShownAs,
        fetcher: PictureFetcher,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = target.name.lower()
        self.places: tuple[str, ...] = tuple(kind.value for kind in PLACES if kind in target.capabilities.pictures)
        self._target = target
        self._shown_as = shown_as
        self._fetcher = fetcher
        self._finder = ItemFinder(target, shown_as.libraries, monotonic)
        self._pace = ScanPace(monotonic)

    # --- finding it ---------------------------------------------------------------------------------------------

    def scan(self, paths: Sequence[str]) -> frozenset[str]:
        with self._translated():
            places = self._places_of(paths)
            due = {place for place in places.values() if self._pace.is_due(f"{place[0].key} {place[1]}")}
            for library, place in sorted(due, key=lambda one: (one[0].key, one[1])):
                self._target.start_scan(library, place)
                self._pace.note(f"{library.key} {place}")
        return frozenset(path for path in paths if path not in places or places[path] in due)

    def _places_of(self, paths: Sequence[str]) -> dict[str, tuple[Library, str]]:
        """Say for each file what of which library is to be looked into; none where nothing can be done."""
        folders: dict[Library, dict[str, str]] = {}
        for path in paths:
            there = self._shown_as.paths.there(path)
            if library := self._finder.library_of(there) or self._parent_folder():
                folders.setdefault(library, {})[path] = path_key(there).rpartition("/")[0]
        found: dict[str, tuple[Library, str]] = {}
        for library, of_paths in folders.items():
            places = self._target.scan_places(library, list(dict.fromkeys(of_paths.values())))
            found |= {path: (library, places[folder]) for path, folder in of_paths.items()}
        return found

    def _parent_folder(self) -> Library | None:
        """Take the folder that a person has named for a library that has no folders: it is looked into as a whole."""
        parent = self._shown_as.parent_folder_id
        return Library(parent, "the named folder", LibraryType.MOVIE) if parent else None

    def find(self, path: str, *, is_last: bool) -> str:
        with self._translated():
            return self._finder.find(self._shown_as.paths.there(path), _size(path), is_last=is_last)

    # --- writing ------------------------------------------------------------------------------------------------

    def write(self, item_id: str, work: Work, path: str, wrote: Marks) -> Marks:
        with self._translated(is_write=True):
            now = self._target.details_of(item_id)
            planned = plan_change(now, work, self._title(work, path), wrote, self._target.capabilities)
            if planned.kept:
                log.info("%s: %s of item %s is left as it is.", self._target.name, ", ".join(planned.kept), item_id)
            if planned.change is not None:
                self._target.edit(planned.change)
            return planned.wrote

    def _title(self, work: Work, path: str) -> str:
        fields = NameFields(
            read_code(work.code), work.title or work.original_title, work.performers, "", work.studio, work.release_date
        )
        stem = os.path.splitext(os.path.basename(path))[0]
        return shown_title(fields, stem, self._shown_as.title_template)

    # --- pictures -----------------------------------------------------------------------------------------------

    def show_picture(self, item_id: str, work: Work, place: str, shown: str, *, came_along: bool = False) -> str:
        url = work.image_url or work.raw_image_url
        if not url:
            return NO_PICTURE
        kind = PictureKind(place)
        content = self._fetcher.fetch(url if kind is PictureKind.POSTER else narrow(url))
        with self._translated(is_picture=True):
            item = self._target.picture_details([item_id]).get(item_id)
            if item is None:
                raise said.ItemGone(f"item {item_id} is not there any more")
            return self._show(item, kind, content, shown, came_along=came_along)

    def _show(self, item: Item, kind: PictureKind, content: bytes, shown: str, *, came_along: bool) -> str:
        before = self._listed(item, kind)
        digest, ours = hashlib.sha256(content).hexdigest()[:12], shown.partition(":")[2]
        keys = {one.key for one in before if one.selected}
        if ours in keys and shown == f"{digest}:{ours}":
            return shown
        if self._is_theirs(item, kind, keys, ours, came_along=came_along):
            same = next((one for one in before if one.selected and self._is_of(item, kind, one, content)), None)
            return f"{digest}:{same.key}" if same else THEIRS
        known = [ours] if ours else []
        if self._target.standing_picture(item, kind, content, before, known) is Standing.LOCAL_FILE:
            return THEIRS
        picture = self._target.upload_picture(item, kind, content, before, known)
        if not picture.selected:
            picture = self._target.select_picture(item.item_id, kind, picture)
        if self._target.capabilities.has_lock(kind) and kind.value not in item.locked:
            self._target.edit(ItemChange(item, locks=(LockEdit(kind.value),)))
            # Until then the server's own first look at a new file may have chosen another.
            if picture.key and not any(one.selected and one.key == picture.key for one in self._listed(item, kind)):
                picture = self._target.select_picture(item.item_id, kind, picture)
        return f"{digest}:{picture.key or self._new_key(item, kind, keys)}"

    def _is_theirs(self, item: Item, kind: PictureKind, keys: set[str], ours: str, *, came_along: bool) -> bool:
        """Tell whether a person chose what is shown: it is not ours any more, is locked, or came with the file."""
        if ours:
            return bool(keys) and ours not in keys
        is_stacked = kind in self._target.capabilities.stacked
        return kind.value in item.locked or (came_along and bool(keys) and not is_stacked)

    def _is_of(self, item: Item, kind: PictureKind, picture: Picture, content: bytes) -> bool:
        return self._target.shows_bytes(item.item_id, kind, picture, upload_digest(content))

    def _listed(self, item: Item, kind: PictureKind) -> list[Picture]:
        return self._target.pictures(item.item_id, kind)

    def _new_key(self, item: Item, kind: PictureKind, before: set[str]) -> str:
        """Name a picture that the server tells only when it is asked again: the last of those that are new."""
        shown = [one.key for one in self._listed(item, kind) if one.selected]
        return next((key for key in reversed(shown) if key not in before), "")

    # --- the rest -----------------------------------------------------------------------------------------------

    def check(self) -> str:
        with self._translated():
            server = self._target.identify()
            number = len(self._finder.libraries())
        named = f"({quoted(server.name)})" if server.name else ""
        name = " ".join(filter(None, [self._target.name, server.version, named]))
        return f"{name} answers and has {number} {'library' if number == 1 else 'libraries'} with videos."

    def close(self) -> None:
        self._target.close()
        self._fetcher.close()

    @contextmanager
    def _translated(self, *, is_write: bool = False, is_picture: bool = False) -> Generator[None]:
        """Let only PublishError out of the block."""
        name = self._target.name
        try:
            yield
        except said.ItemNotFound as error:
            raise ItemNotIndexed(f"{name} does not show the item any more.") from error
        except said.ChangeRejected as error:
            if is_picture:
                raise PicturesFailed(f"{name} does not take the picture: {error}.") from error
            raise WriteRejected(f"{name} refuses what was to be written: {error}.") from error
        except (said.AccessDenied, said.WrongAddress, said.WrongServer, said.LibraryNotFound) as error:
            raise ServerRefuses(f"{name} cannot be used: {error}. {_ADVICE[type(error)]}") from error
        except said.TargetError as error:
            if error.status in _FAILED_INSIDE and is_picture:
                raise PicturesFailed(f"{name} failed inside: {error}.") from error
            if error.status in _FAILED_INSIDE and is_write:
                raise ServerFailed(f"{name} failed inside: {error}.") from error
            raise ServerAway(f"{name} does not answer as it should: {error}.") from error
        except OSError as error:
            if not is_picture:
                raise
            raise PicturesFailed(f"A picture of {name}'s cannot be kept ({error.strerror}), so it stays.") from error


_ADVICE: dict[type[said.TargetError], str] = {
    said.AccessDenied: "Set an API key or a token that may edit.",
    said.WrongAddress: "Check its address.",
    said.WrongServer: "If that is meant, restart the service.",
    said.LibraryNotFound: "Check the names of its libraries.",
}


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return -1
