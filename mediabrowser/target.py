"""MediaBrowserTarget: an Emby or Jellyfin server behind the engine's port, in the words of `model`."""

import logging
import threading
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from mediabrowser.client import MediaBrowserClient
from mediabrowser.dialect import Product
from mediabrowser.pictures.gallery import Gallery
from mediabrowser.pictures.saved import SavedPictures
from mediabrowser.port.advice import advice_on
from mediabrowser.port.capabilities import PICTURES, capabilities_of, lock_word
from mediabrowser.port.changes import document_edit, is_as_read, is_of_document
from mediabrowser.port.documents import Documents
from mediabrowser.port.items import item_of, listed_item, parts_of
from mediabrowser.port.libraries import LibraryKeys, own_library, shown_library
from mediabrowser.port.memberships import Memberships
from mediabrowser.reading.document import ItemDocument
from mediabrowser.reading.listing import ListedItem as Listed
from mediabrowser.reading.listing import read_item
from mediabrowser.scans import deepest_known
from mediabrowser.writing.edit import DocumentEdit
from model.capabilities import Capabilities
from model.change import ItemChange, LockEdit
from model.errors import (
    AccessDenied,
    ChangeRejected,
    ItemChanged,
    ItemGone,
    ItemNotFound,
    Kind,
    OutcomeUnknown,
    TargetBusy,
    TargetError,
)
from model.item import Changes, Item, ItemPage, ListedItem, Tag, TagKind, name_key
from model.paths import lookup_key, native, normalise
from model.picture import Picture, PictureKind, Standing
from model.server import Library, ServerIdentity

log = logging.getLogger(__name__)

UNPROBED_SECONDS = 60.0  # so long a new item is given for the first pass of the server's own providers
FOLDERS_SECONDS = 1.0  # so long the folders of a library are not listed again: scans are asked for together
NEWEST_SECONDS = 5.0  # so long the newest items of a library are not asked for again


class MediaBrowserTarget:
    """One server. Connects when first asked; may be shared between threads.

    `pictures` is the folder for pictures that ours take the place of. Without `collections` items are shown as if they
    were in none: what a collection holds has to be read from each of them. `client` and the target have one life.
    """

    def __init__(
        self,
        client: MediaBrowserClient,
        product: Product,
        pictures: str,
        clock: Callable[[], float] = time.monotonic,
        *,
        collections: bool = True,
    ) -> None:
        self._client = client
        self._reads_collections = collections
        self._clock = clock
        self._capabilities = capabilities_of(product)
        self._documents = Documents(client.reader, clock)
        self._memberships = Memberships(client.collections, clock)
        self._library_keys = LibraryKeys(client.reader, clock)
        self._gallery = Gallery(client.pictures, client.reader, SavedPictures(pictures), self._library_keys, clock)
        self._unsaved: set[str] = set()
        self._unprobed: dict[str, float] = {}
        self._newest: dict[str, tuple[list[ListedItem], float]] = {}
        self._folders: dict[str, tuple[dict[str, str], float]] = {}
        self._has_seen_locks = False
        self._added_ahead: dict[str, set[str]] = {}
        """By item, collections that it was put into before its own change was sent: until then it is shown without."""
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"MediaBrowserTarget({self._client!r})"

    @property
    def name(self) -> str:
        return self._capabilities.name

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    def close(self) -> None:
        self._client.close()

    # --- the server ---------------------------------------------------------------------------------------------

    def identify(self) -> ServerIdentity:
        """Ask who the server is; proves address and key, and that it is up."""
        self._client.identify()
        return self.server()

    def server(self) -> ServerIdentity:
        """Say which server this is, asking only if it is not known or there was an outage."""
        found = self._client.server()
        return ServerIdentity(found.server_id, found.name, found.version)

    def probe(self) -> None:
        self._client.probe()

    def may_edit(self) -> bool:
        """Ask for what only an administrator is shown: nobody else may edit. A key that is wrong raises."""
        self._client.identify()
        try:
            self._client.scans.tasks()
        except AccessDenied:
            return False
        return True

    def libraries(self) -> list[Library]:
        return [shown_library(one) for one in self._client.libraries()]

    def advice(self, library_keys: Collection[str], *, with_collections: bool) -> list[str]:
        """Say what in the options of server and libraries will undo or spill our work, and what to do about it."""
        dialect, libraries = self._client.server().dialect, self._client.libraries()
        chosen = [one for one in libraries if one.item_id in library_keys]
        groups = with_collections and self._client.reader.groups_films()
        return [*filter(None, [dialect.trouble]), *advice_on(chosen, self.name, groups_films=groups)]

    # --- listings -----------------------------------------------------------------------------------------------

    def walk(self, library: Library) -> Iterator[ItemPage]:
        """Page through a library. What has no file of ours, an extra or a disc, comes without parts."""
        for page in self._client.walk(own_library(library)):
            items = self._listed(page.items, library.key)
            yield ItemPage(page.offset, page.count, page.total, items, page.server_time)

    def changes_since(self, library: Library, moment: float) -> Changes:
        """List what was saved at or after a moment of the server's clock, whoever saved it; never what is gone."""
        found = self._client.changes_since(own_library(library), moment)
        return Changes(tuple(self._listed(found.items, library.key)), found.server_time)

    def find_file(self, library: Library, path: str) -> list[ListedItem]:
        """Find the item at this path: Emby can be asked for it, of Jellyfin only the newest items are looked at."""
        if self._client.server().dialect.is_emby:
            return self._listed(self._client.find_file(own_library(library), native(normalise(path))), library.key)
        wanted = lookup_key(path)
        return [one for one in self._newest_of(library) if any(lookup_key(part.path) == wanted for part in one.parts)]

    def sized(self, items: Sequence[ListedItem]) -> list[ListedItem]:
        found = {one.item_id: one for one in self._client.sized([one.item_id for one in items])}
        keys = {item.item_id: part.library_key for item in items for part in item.parts}
        return [listed_item(found[item_id], key) for item_id, key in keys.items() if item_id in found]

    def _newest_of(self, library: Library) -> list[ListedItem]:
        now = self._clock()
        known = self._newest.get(library.key)
        if known is None or now - known[1] >= NEWEST_SECONDS:
            known = (self._listed(self._client.reader.newest(own_library(library)), library.key), now)
            self._newest[library.key] = known
        return known[0]

    def _listed(self, items: Sequence[Listed], library_key: str) -> list[ListedItem]:
        return [listed_item(one, library_key) for one in self._client.completed(items)]

    # --- items --------------------------------------------------------------------------------------------------

    def details(self, item_ids: Sequence[str], values_of: Sequence[str] = ()) -> dict[str, Item]:
        """Read items in full; those that are gone are missing. On Emby one by one: only so it tells of locks."""
        wanted = self._real(item_ids)
        documents = self._read(wanted, [one for one in self._real(values_of) if one not in set(wanted)])
        self._documents.keep(documents)
        ids = [one.item_id for one in documents] if self._reads_collections else []
        found = self._items(documents, self._collections_of(ids) if ids else {})
        return found | {item_id: replace(found[item_id], parts=()) for item_id in self._young(documents)}

    def _collections_of(self, item_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        held = self._memberships.names_of(item_ids)
        with self._lock:
            ahead = {item_id: self._added_ahead.get(item_id, set()) for item_id in item_ids}
        return {one: tuple(name for name in names if name_key(name) not in ahead[one]) for one, names in held.items()}

    def with_collections(self, item: Item) -> Item:
        """Give an item with the collections that hold it, also where no setting has them read."""
        names = self._memberships.names_of([item.item_id])[item.item_id]
        return replace(item, tags={**item.tags, TagKind.COLLECTION: tuple(map(Tag, names))})

    def _young(self, documents: Sequence[ItemDocument]) -> list[str]:
        """Name the items that the server has only just found: what is written to them, its first pass overwrites.

        They are shown without their files, as if they were not there yet. One whose file it cannot read stays so, and
        is let through after a while.
        """
        now, unprobed = self._clock(), [one.item_id for one in documents if not one.is_probed]
        with self._lock:
            for one in documents:
                if one.is_probed:
                    self._unprobed.pop(one.item_id, None)
            return [one for one in unprobed if now - self._unprobed.setdefault(one, now) < UNPROBED_SECONDS]

    def details_of(self, item_id: str) -> Item:
        found = self.details([item_id]).get(item_id)
        if found is None:
            raise ItemGone(f"item {item_id} is not there any more", status=404)
        return found

    def picture_details(self, item_ids: Sequence[str]) -> dict[str, Item]:
        """Read where the files of items are and what pictures they show: a hundred a request, on Emby too."""
        documents = list(self._client.reader.glance(self._real(item_ids)).values())
        self._gallery.keep(documents)
        return self._items(documents, {})

    def _real(self, item_ids: Iterable[str]) -> list[str]:
        """Keep what can be an id here: asked for nothing but nonsense, the server would send everything."""
        is_id = self._client.server().dialect.is_id
        return [one for one in dict.fromkeys(item_ids) if is_id(one)]

    def _read(self, whole: Sequence[str], values_of: Sequence[str]) -> list[ItemDocument]:
        for item_id in sorted(self._unsaved.intersection(whole)):
            self._save_again(item_id)
        if not self._client.server().dialect.is_emby:
            return list(self._client.details([*whole, *values_of]).values())
        found: list[ItemDocument] = []
        for item_id in whole:
            with suppress(ItemNotFound):
                found.append(self._client.document(item_id))
        return [*found, *self._client.details(values_of).values()]

    def _items(self, documents: Sequence[ItemDocument], collections: Mapping[str, Sequence[str]]) -> dict[str, Item]:
        listed = [read_item(document.raw, "details") for document in documents]
        dialect, found = self._client.server().dialect, dict[str, Item]()
        for document, item in zip(documents, self._client.completed(listed), strict=True):
            library_key = self._library_keys.of(document.path)
            parts, names = parts_of(item, library_key), collections.get(document.item_id, ())
            found[document.item_id] = item_of(document, dialect, library_key, parts, names)
        return found

    # --- writing ------------------------------------------------------------------------------------------------

    def prepare(self, changes: Sequence[ItemChange]) -> Collection[str]:
        """Add all of them to their collections at once, and ask about all their documents at once."""
        self._documents.expect([change.item.item_id for change in changes])
        edits = [(change.item.item_id, edit) for change in changes for edit in change.tags]
        wanted = {item_id: edit.want for item_id, edit in edits if edit.kind is TagKind.COLLECTION}
        if not wanted:
            return ()
        held = self._memberships.names_of(list(wanted))
        members: dict[str, list[str]] = {}
        for item_id, names in wanted.items():
            for tag in names:
                if tag.name not in held[item_id]:
                    members.setdefault(tag.name, []).append(item_id)
        begun = {item_id for item_ids in members.values() for item_id in item_ids}
        with self._lock:
            for name, item_ids in members.items():
                for item_id in item_ids:
                    self._added_ahead.setdefault(item_id, set()).add(name_key(name))
        self._memberships.add_all(members)
        return begun

    def edit(self, change: ItemChange) -> None:
        """Change one item, and nothing on it that the change does not name: first itself, then who holds it."""
        if is_of_document(change, self._client.server().dialect):
            self._write(change)
        item_id = change.item.item_id
        wanted = next((edit.want for edit in change.tags if edit.kind is TagKind.COLLECTION), None)
        with self._lock:
            was_added_ahead = self._added_ahead.pop(item_id, None) is not None
        if wanted is None and was_added_ahead:  # it is not wanted there any more
            wanted = change.item.tags.get(TagKind.COLLECTION, ())
        if wanted is not None:
            self._memberships.set_names(item_id, [tag.name for tag in wanted])

    def lock_all(self, items: Sequence[Item], names: Sequence[str]) -> None:
        """Lock what the server has locks for, item by item; it has none for pictures."""
        dialect = self._client.server().dialect
        locks = tuple(LockEdit(name) for name in names if lock_word(name, dialect))
        for item in items if locks else ():
            self.edit(ItemChange(item, locks=locks))

    def _write(self, change: ItemChange) -> None:
        item_id = change.item.item_id
        now = self._documents.current(item_id)
        if now.etag != change.item.version or not now.etag:
            self._refuse_if_changed(change, now)
        try:
            self._send(change, now)
        except ChangeRejected as error:
            raise ChangeRejected(str(error), kind=error.kind, status=error.status, fields=change.names) from error
        finally:
            self._documents.forget(item_id)

    def _refuse_if_changed(self, change: ItemChange, now: ItemDocument) -> None:
        """Let a change pass whose item was saved since, if nothing came of it that we know of."""
        if not is_as_read(change, self._items([now], {})[now.item_id]):
            raise ItemChanged(f"somebody edited item {now.item_id} since it was read")

    def _send(self, change: ItemChange, now: ItemDocument) -> None:
        """Send a change, and once more where the server failed in the middle of it."""
        try:
            self._post(change, now)
        except OutcomeUnknown as error:
            if not _failed_inside(error):
                raise
            # What it shows it may not have saved, so it has to be sent again whatever it shows.
            with self._lock:
                self._unsaved.add(now.item_id)
            try:
                self._post(change, self._client.document(now.item_id))
            except OutcomeUnknown as again:
                if not _failed_inside(again):
                    raise
                raise TargetBusy("the server failed inside", status=again.status) from again
            with self._lock:
                self._unsaved.discard(now.item_id)

    def _post(self, change: ItemChange, now: ItemDocument) -> None:
        edit = document_edit(change, now, self._client.server().dialect)
        self._client.write(now, edit)
        if edit.locks and not self._has_seen_locks:
            self._look_at_locks(now.item_id, edit)

    def _look_at_locks(self, item_id: str, edit: DocumentEdit) -> None:
        """Look once whether the server keeps the locks that it is sent: some versions have lost them."""
        self._has_seen_locks = True
        missing = (edit.locks or frozenset()).difference(self._client.document(item_id, people=False).locks)
        if missing:
            log.warning("%s does not keep locks (%s); is there a newer version of it?", self.name, ", ".join(missing))

    def _save_again(self, item_id: str) -> None:
        """Have the server save what it shows, after it failed in the middle of an update."""
        with suppress(ItemNotFound):
            self._client.write(self._client.document(item_id, people=False), DocumentEdit())
        with self._lock:
            self._unsaved.discard(item_id)

    # --- pictures -----------------------------------------------------------------------------------------------

    def pictures(self, item_id: str, kind: PictureKind) -> list[Picture]:
        return self._gallery.list(item_id, PICTURES[kind])

    def standing_picture(
        self, item: Item, kind: PictureKind, data: bytes, before: Sequence[Picture], ours: Collection[str]
    ) -> Standing | None:
        return self._gallery.standing(item.item_id, PICTURES[kind], data, before, ours)

    def upload_picture(
        self, item: Item, kind: PictureKind, data: bytes, before: Sequence[Picture], ours: Collection[str] = ()
    ) -> Picture:
        with _naming(kind):
            return self._gallery.put(item.item_id, PICTURES[kind], data, before, ours)

    def shows_bytes(self, item_id: str, kind: PictureKind, picture: Picture, digest: str) -> bool:
        return self._gallery.shows(item_id, PICTURES[kind], picture.key, digest)

    def select_picture(self, item_id: str, kind: PictureKind, picture: Picture) -> Picture:
        with _naming(kind):
            return self._gallery.select(item_id, PICTURES[kind], picture)

    def unset_picture(self, item_id: str, kind: PictureKind, picture: Picture) -> None:
        with _naming(kind):
            self._gallery.remove(item_id, PICTURES[kind], picture)

    # --- scans --------------------------------------------------------------------------------------------------

    def scan_places(self, library: Library, folders: Sequence[str]) -> dict[str, str]:
        known = self._known_folders(library)
        return {folder: deepest_known(folder, known) for folder in folders}

    def start_scan(self, library: Library, folder: str) -> None:
        """Have the deepest folder looked into that the server knows at or above this one."""
        known = self._known_folders(library)
        self._client.scans.refresh(known.get(deepest_known(folder, known), library.key))

    def _known_folders(self, library: Library) -> dict[str, str]:
        known = self._folders.get(library.key)
        if known is None or self._clock() - known[1] >= FOLDERS_SECONDS:
            known = (self._client.scans.folders(own_library(library)), self._clock())
            self._folders = {library.key: known}
        return known[0]


@contextmanager
def _naming(kind: PictureKind) -> Generator[None, None, None]:
    """Name the picture in what the server refuses."""
    try:
        yield
    except ChangeRejected as error:
        raise ChangeRejected(str(error), kind=error.kind, status=error.status, fields=(kind.value,)) from error


def _failed_inside(error: OutcomeUnknown) -> bool:
    """Tell a failure in the middle of an update from an answer that was lost."""
    return isinstance(error.__cause__, TargetError) and error.__cause__.kind is Kind.SERVER_ERROR
