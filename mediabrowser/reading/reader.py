"""Reading: libraries, every file, what changed, items in full."""

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from mediabrowser.connection import Connection, JsonAnswer, Query, ServerInfo
from mediabrowser.reading.document import ItemDocument, read_document
from mediabrowser.reading.library import Library, read_libraries, read_substitutions
from mediabrowser.reading.listing import ItemPage, ListedFile, ListedItem, read_item, read_page
from model.errors import AccessDenied, AnswerGarbled, FilterIgnored, ItemGone, Kind, LibraryNotFound
from model.sentences import counted
from validation.json_shapes import as_list, as_object, as_text

log = logging.getLogger(__name__)

PAGE_SIZE = 500
NEWEST = 100
IDS_PER_REQUEST = 100  # a request line of theirs has 8 kB
MOST_PAGES = 20_000
_MOST_OF_A_PATH = 10  # a path is one item, or a few where two libraries share a folder
_PAGES_AT_ONCE = (1, 10)  # where items sort alike, one may slip between two pages: then longer ones are asked for
_GROUPING = ("EnableGroupingMoviesIntoCollections", "EnableGroupingIntoCollections")  # since 10.11, and before
_OVERLAP = 1  # each page begins with the last item of the one before
_VIDEOS = "Movie,Video,Episode,MusicVideo"
_WHOLE = "LockData"  # by it an answer is known to hold the settings that were asked for
_NOT_NEEDED = "Chapters,MediaStreams"  # the media sources tell versions and sizes; they are never sent back


@dataclass(frozen=True, slots=True)
class Changes:
    """What was saved since a moment, and when the server said so by its own clock."""

    items: tuple[ListedItem, ...]
    server_time: float | None


class Reader:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._administrator: tuple[str, str] = ("", "")
        self._versions: tuple[ServerInfo | None, bool] = (None, False)
        self._finding = threading.Lock()

    def libraries(self) -> list[Library]:
        """List all libraries, also those without videos. Only an administrator may: it proves the right to write."""
        if self._connection.dialect.is_emby:
            return read_libraries(self._connection.read("/Library/VirtualFolders/Query").value)
        found = read_libraries(self._connection.read("/Library/VirtualFolders").value)
        substitutions = read_substitutions(self._connection.read("/System/Configuration").value)
        return [one.substituted(substitutions) for one in found]

    def groups_films(self) -> bool:
        """Ask whether films hide behind the collections that hold them; on Emby every user says so for himself."""
        if self._connection.dialect.is_emby:
            return False
        options = as_object(self._connection.read("/System/Configuration").value) or {}
        return any(options.get(name) is True for name in _GROUPING)

    # --- listings -------------------------------------------------------------------------------------------------

    def walk(self, library: Library) -> Iterator[ItemPage]:
        """Page through a library, newcomers last. Offsets are no snapshot: see `ItemPage.is_joined`."""
        before: ItemPage | None = None
        offset = 0
        for _ in range(MOST_PAGES):
            page = self._page(library, (), offset)
            if before is not None:
                is_joined = [one.item_id for one in page.items[:1]] == [one.item_id for one in before.items[-1:]]
                page = replace(page, is_joined=is_joined)
            yield page
            reached = offset + page.count
            if reached >= page.total or page.count <= _OVERLAP:
                return
            before, offset = page, reached - _OVERLAP
        raise AnswerGarbled(f"library {library.name}: it does not come to an end", kind=Kind.OTHER_SHAPE)

    def changes_since(self, library: Library, moment: float) -> Changes:
        """List what was saved at or after a moment of the server's clock, whoever saved it; never what is gone.

        Raises FilterIgnored where not all of it can be had: only a walk tells then.
        """
        text = f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%S.%f}Z"
        found: dict[str, ListedItem] = {}
        server_time: float | None = None
        total = 0
        for times in _PAGES_AT_ONCE:
            total = 0
            changed = ((self._connection.dialect.changed_since, text),)
            for page in self._pages(library, changed, PAGE_SIZE * times):
                server_time, total = server_time or page.server_time, page.total
                found.update((item.item_id, item) for item in page.items)
            if len(found) >= total:
                return Changes(tuple(found.values()), server_time)
        text = f"library {library.name}: {len(found)} came of {counted(total, 'changed item')}"
        log.info("%s", text)
        raise FilterIgnored(text)

    def _pages(self, library: Library, more: Query, size: int | None = None) -> Iterator[ItemPage]:
        offset = 0
        for _ in range(MOST_PAGES):
            page = self._page(library, more, offset, size)
            yield page
            offset += page.count
            if offset >= page.total or not page.count:
                return
        raise AnswerGarbled(f"library {library.name}: what it lists does not come to an end", kind=Kind.OTHER_SHAPE)

    def _page(self, library: Library, more: Query, offset: int, size: int | None = None) -> ItemPage:
        size = size or PAGE_SIZE
        dialect, named = self._connection.dialect, {name for name, _ in more}
        fixed: list[tuple[str, str | int]] = [
            ("ParentId", library.item_id),
            ("Recursive", "true"),
            ("IncludeItemTypes", _VIDEOS),
            ("Fields", dialect.walk_fields),
            ("EnableUserData", "false"),
            ("EnableImages", "false"),
            ("SortBy", "DateCreated,SortName"),
            ("SortOrder", "Ascending"),
            ("StartIndex", offset),
            ("Limit", size),
            dialect.no_grouping,
            *dialect.no_virtual,
        ]
        query = [*(one for one in fixed if one[0] not in named), *more]
        answer = self._connection.read("/Items", query)
        page = read_page(answer.value, offset, answer.server_time, f"library {library.name}")
        if page.count > size:
            raise FilterIgnored(f"library {library.name}: {counted(page.count, 'item')} came instead of {size}")
        for item in page.items:
            self._connection.check_server(item.server_id)
        if any(not library.holds(file.path) for item in page.items for file in item.files[:1]):
            self._check_there(library)
        return page

    def _check_there(self, library: Library) -> None:
        """Raise LibraryNotFound if a library is gone: asked for what is in it, a server may answer with everything."""
        if library.locations and all(one.item_id != library.item_id for one in self.libraries()):
            raise LibraryNotFound(f"the library '{library.name}' is not there any more", status=404)

    def completed(self, items: Sequence[ListedItem]) -> list[ListedItem]:
        """Fill in the further versions and parts of those that have some; a version that is listed itself is none."""
        if not self._lists_versions():
            several = [item.item_id for item in items if item.version_count > len(item.files)]
            sources = {item.item_id: item for item in self._sources(several)}
            items = [sources.get(item.item_id, item) for item in items]
        return [self._with_parts(item) for item in self._without_listed(items)]

    def _without_listed(self, items: Sequence[ListedItem]) -> Sequence[ListedItem]:
        """Leave to each item its own file where the server lists the other versions as items, too."""
        several = next((item for item in items if len(item.files) > 1), None)
        if several is None:
            return items
        if self._lists_versions() is None:
            self._learn_versions(several)
        return [item._replace(files=item.files[:1]) for item in items] if self._lists_versions() else items

    def _lists_versions(self) -> bool | None:
        """Say whether each version of a film is listed as an item of its own; None if that was not seen yet.

        It depends on the version, on whether the key is a user's, and on what nobody has verified.
        """
        of_server, is_listed = self._versions
        return is_listed if of_server == self._connection.server() else None

    def _learn_versions(self, item: ListedItem) -> None:
        """Look into the folder of a film with several versions, whether the others are listed there, too."""
        others = {file.path for file in item.files[1:]} | {file.version_id for file in item.files[1:]}
        raw = as_object(next(iter(self._items([item.item_id], "ParentId")), None)) or {}
        folder = Library(as_text(raw.get("ParentId")), "versions")
        pages = self._pages(folder, ()) if folder.item_id else ()
        listed = (one for page in pages for one in page.items if one.item_id != item.item_id)
        is_listed = any(one.item_id in others or any(file.path in others for file in one.files[:1]) for one in listed)
        self._versions = (self._connection.server(), is_listed)

    def sized(self, item_ids: Sequence[str]) -> list[ListedItem]:
        """Read the sizes of the items' files, which a walk tells on Emby alone; those that are gone are missing."""
        return list(self._without_listed(self._sources(item_ids)))

    def _sources(self, item_ids: Sequence[str]) -> list[ListedItem]:
        asked = (self._items(chunk, "Path,MediaSources") for chunk in _chunks(list(item_ids)))
        return [read_item(one, "sources") for chunk in asked for one in chunk]

    def _with_parts(self, item: ListedItem) -> ListedItem:
        if item.part_count == 1:
            return item
        fields = (("Fields", "Path"),) if self._connection.dialect.is_emby else ()
        answer = self._connection.read(f"/Videos/{item.item_id}/AdditionalParts", fields).value
        parts = [read_item(one, "parts") for one in as_list((as_object(answer) or {}).get("Items")) or ()]
        further = [ListedFile(item.item_id, item.item_id, file.path) for part in parts for file in part.files[:1]]
        return item._replace(files=(*item.files, *further))

    def find_file(self, library: Library, path: str) -> list[ListedItem]:
        """Find the item of a file in a library, on Emby.

        Jellyfin has no such filter, and would answer with the whole library. Whether Emby heeds the library beside a
        path nobody knows: what lies in none of its folders is left out.
        """
        if not self._connection.dialect.is_emby:
            raise ValueError("Jellyfin cannot be asked for a path")
        query = (
            ("ParentId", library.item_id),
            ("Recursive", "true"),
            ("IncludeItemTypes", _VIDEOS),
            ("Path", path),
            ("Fields", "Path,Etag,MediaSources"),
            ("Limit", _MOST_OF_A_PATH),
            self._connection.dialect.no_grouping,
        )
        answer = self._connection.read("/Items", query)
        page = read_page(answer.value, 0, answer.server_time, "file")
        if any(file.path != path for item in page.items for file in item.files[:1]):
            raise FilterIgnored("Path is no filter on this server")
        for item in page.items:
            self._connection.check_server(item.server_id)
        return [one for one in page.items if any(library.holds(file.path) for file in one.files[:1])]

    # --- items ----------------------------------------------------------------------------------------------------

    def details(self, item_ids: Sequence[str], *, people: bool = True) -> dict[str, ItemDocument]:
        """Read items, a hundred a request; those that are gone are missing from the answer.

        On Jellyfin they are whole. On Emby they are for comparing: their locks come with `document` alone.
        """
        dialect = self._connection.dialect
        fields = dialect.detail_fields(people=people)
        found: dict[str, ItemDocument] = {}
        for chunk in _chunks(item_ids):
            for item in self._items(chunk, fields):
                is_whole = not dialect.is_emby and _WHOLE in (as_object(item) or {})
                document = read_document(item, "details", is_whole=is_whole)
                found[document.item_id] = document
        return found

    def document(self, item_id: str, *, people: bool = True) -> ItemDocument:
        """Read one item whole, right before it is written; raise ItemGone if it is not there."""
        if not self._connection.dialect.is_emby:
            found = self.details([item_id], people=people).get(item_id)
            if found is None:
                raise ItemGone(f"item {item_id} is not there any more")
            return found
        try:
            return self._seen_by(self.administrator(), item_id)
        except ItemGone:
            if not self._items([item_id], "Path"):
                raise
        return self._seen_by_another(item_id)

    def _seen_by(self, user_id: str, item_id: str) -> ItemDocument:
        answer = self._connection.read(f"/Users/{user_id}/Items/{item_id}", (("ExcludeFields", _NOT_NEEDED),))
        document = read_document(answer.value, "item", is_whole=True)
        self._connection.check_server(document.server_id)
        if document.item_id != item_id:
            raise FilterIgnored("another item came than was asked for")
        return document

    def _seen_by_another(self, item_id: str) -> ItemDocument:
        """Read an item that is there and was not shown: the administrator is gone, or may not see all libraries."""
        for user_id in self._administrators():
            with suppress(ItemGone):
                document = self._seen_by(user_id, item_id)
                with self._finding:
                    self._administrator = (self._connection.server().server_id, user_id)
                return document
        text = "no administrator of the server may see this item; let one see all libraries, with nothing blocked"
        raise AccessDenied(text, kind=Kind.PERMISSION)

    def glance(self, item_ids: Sequence[str]) -> dict[str, ItemDocument]:
        """Read of items where their files are and what pictures they show, a hundred a request; those gone are missing.

        Never enough to compare or to write.
        """
        fields = f"{self._connection.dialect.walk_fields},ParentId"
        found = (item for chunk in _chunks(item_ids) for item in self._items(chunk, fields))
        documents = (read_document(item, "pictures", is_whole=False) for item in found)
        return {document.item_id: document for document in documents}

    def etags(self, item_ids: Sequence[str]) -> dict[str, str]:
        """Read when items were saved last, as cheaply as can be."""
        found = (item for chunk in _chunks(item_ids) for item in self._items(chunk, "Etag"))
        documents = (read_document(item, "etags", is_whole=False) for item in found)
        return {document.item_id: document.etag for document in documents}

    def newest(self, library: Library) -> list[ListedItem]:
        """List the items that came last into a library."""
        return list(self._page(library, (("SortOrder", "Descending"),), 0, NEWEST).items)

    def _items(self, item_ids: Sequence[str], fields: str) -> list[object]:
        """Ask for items by their ids, and believe only an answer that holds no other."""
        query = (("Ids", ",".join(item_ids)), ("Fields", fields), ("EnableUserData", "false"))
        answer: JsonAnswer = self._connection.read("/Items", query)
        items = as_list((as_object(answer.value) or {}).get("Items"))
        if items is None:
            raise AnswerGarbled("details: no list of items came", kind=Kind.OTHER_SHAPE)
        for item in map(as_object, items):
            if item is None or as_text(item.get("Id")) not in item_ids:
                raise FilterIgnored("items came that were not asked for")
            self._connection.check_server(as_text(item.get("ServerId")))
        return items

    def administrator(self) -> str:
        """Give the id of a user with all rights: some answers come only for a user."""
        server = self._connection.server()
        with self._finding:
            if self._administrator[0] != server.server_id:
                self._administrator = (server.server_id, self._administrators()[0])
            return self._administrator[1]

    def _administrators(self) -> list[str]:
        """List the users with all rights, those first who see everything and are not shut out."""
        path = "/Users/Query" if self._connection.dialect.is_emby else "/Users"
        found = _administrators(self._connection.read(path).value)
        if not found:
            raise AccessDenied("the key sees no administrator among the server's users", kind=Kind.PERMISSION)
        return found


def _administrators(answer: object) -> list[str]:
    wrapped = as_object(answer)
    users = as_list(wrapped.get("Items") if wrapped is not None else answer) or ()
    ranked: list[tuple[bool, str]] = []
    for user in filter(None, map(as_object, users)):
        policy = as_object(user.get("Policy")) or {}
        if policy.get("IsAdministrator") is True and as_text(user.get("Id")):
            is_narrow = policy.get("IsDisabled") is True or policy.get("EnableAllFolders") is False
            ranked.append((is_narrow, as_text(user.get("Id"))))
    return [user_id for _, user_id in sorted(ranked, key=lambda one: one[0])]


def _chunks(item_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (item_ids[start : start + IDS_PER_REQUEST] for start in range(0, len(item_ids), IDS_PER_REQUEST))
