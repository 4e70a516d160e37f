"""PlexClient: everything the product asks of a Plex server, in typed values, with our errors."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from urllib.parse import quote

from model.capabilities import Capabilities
from model.change import ItemChange
from model.errors import AccessDenied, AnswerGarbled, FilterIgnored, ItemGone, ItemNotFound
from model.item import Changes, Item, ItemPage, ListedItem, Stamp
from model.picture import Picture, PictureKind, Standing
from model.server import Library, ServerIdentity
from plex.capabilities import PLEX
from plex.details import parse_details
from plex.device_identity import DeviceIdentity
from plex.editor import Editor
from plex.http.transport import Query, Transport
from plex.library import items_of, parse_libraries
from plex.listing import PAGE_SIZE, TRIM, contains_term, paging, parse_page, search_terms
from plex.pictures import Pictures
from plex.scan import Scan, Scanner

DETAILS_PER_REQUEST = 50
MOST_DETAILS = 100  # a batch, and what the one before it wrote
LOOKUP_PAGE = 200
LOOKUP_LIMIT = 1000  # as `sync.target` has it
MOST_ITEMS = 10_000_000
_OVERLAP = 1  # each page begins with the last item of the one before, or the list has shifted


class PlexClient:
    """One server. Connects when first asked; may be shared between threads."""

    def __init__(
        self,
        url: str,
        token: str,
        identity: DeviceIdentity,
        *,
        connect_timeout: float = 5.0,
        read_timeout: float = 30.0,
        expected_server: str | None = None,
        verify: bool | str = True,
        wait: Callable[[float], None] | None = None,
    ) -> None:
        timeouts = (connect_timeout, read_timeout)
        self._transport = Transport(
            url, token, identity, timeouts, expected_server=expected_server, verify=verify, wait=wait
        )
        self._editor = Editor(self._transport, self.details_of)
        self._pictures = Pictures(self._transport, connect_timeout)
        self._scanner = Scanner(self._transport)

    @property
    def name(self) -> str:
        return PLEX.name

    @property
    def capabilities(self) -> Capabilities:
        return PLEX

    def __repr__(self) -> str:
        return f"PlexClient({self._transport.url!r})"

    def close(self) -> None:
        self._transport.close()

    # --- the server ---------------------------------------------------------------------------------------------

    def identify(self) -> ServerIdentity:
        """Ask who the server is; proves address and token."""
        return self._transport.identify()

    def server(self) -> ServerIdentity:
        """Say which server this thread is connected to, asking only if it is not."""
        return self._transport.server()

    def probe(self) -> None:
        """Ask whether our server is there and up, as cheaply as can be."""
        self._transport.probe()

    def may_edit(self) -> bool:
        """Ask for what only the owner is shown: nobody else may edit."""
        return self.is_owner()

    def is_owner(self) -> bool:
        try:
            self._transport.read_xml("/activities")
        except AccessDenied:
            return False
        return True

    def libraries(self) -> list[Library]:
        """List all libraries, also those without videos."""
        return parse_libraries(self._transport.read_xml("/library/sections"))

    def advice(self, library_keys: Collection[str], *, with_collections: bool) -> list[str]:
        """Say nothing: what we write to Plex is locked, and lies nowhere but in its database."""
        del library_keys, with_collections
        return []

    # --- listings -----------------------------------------------------------------------------------------------

    def walk(self, library: Library) -> Iterator[ItemPage]:
        """Page through a library. The first item of each later page repeats the last of the one before it."""
        offset, page = 0, None
        while True:
            before, page = page, self._page(library, [*TRIM, ("sort", "id")], offset, PAGE_SIZE)
            _refuse_repetition(before, page, library, _OVERLAP)
            yield page
            reached = page.offset + page.count
            if reached >= page.total or page.count <= _OVERLAP or page.offset != offset:
                return
            offset = reached - _OVERLAP

    def changes_since(self, library: Library, moment: float) -> Changes:
        """List what was added or touched at or after a moment of the server's clock.

        Not all changes: Plex does not stamp an item whose file was moved or replaced. Raises FilterIgnored.
        """
        found: dict[str, ListedItem] = {}
        server_time: float | None = None
        for stamp in Stamp:
            for page in self._pages(library, (f"{stamp}>>", int(moment))):
                server_time = server_time or page.server_time
                if any(0 < item.stamped(stamp) < int(moment) for item in page.items):
                    raise FilterIgnored(f"this server cannot be asked by {stamp}").at(f"library {library.key}")
                found.update((item.item_id, item) for item in page.items)
        return Changes(tuple(found.values()), server_time)

    def find_file(self, library: Library, path: str) -> list[ListedItem]:
        """Find the items whose files may be this one, by its name. Raises FilterIgnored.

        `file=` means "contains", a comma in it means "or", and a server that does not know it sends everything.
        """
        for term in search_terms(path):
            items: list[ListedItem] = []
            for page in self._pages(library, ("file", term), size=LOOKUP_PAGE):
                items.extend(page.items)
                if any(item.parts and not contains_term(item, term) for item in page.items):
                    raise FilterIgnored("this server cannot be asked by file").at(f"library {library.key}")
                if len(items) >= LOOKUP_LIMIT:
                    break
            if items:
                return items
        return []

    def sized(self, items: Sequence[ListedItem]) -> list[ListedItem]:
        return list(items)

    def _pages(
        self, library: Library, condition: tuple[str, str | int], *, size: int = PAGE_SIZE
    ) -> Iterator[ItemPage]:
        """Page through what fits a condition."""
        offset, page = 0, None
        while True:
            before, page = page, self._page(library, [*TRIM, condition], offset, size)
            _refuse_repetition(before, page, library, 0)
            if page.offset != offset:
                raise AnswerGarbled("another part of a list came than was asked for").at(f"library {library.key}")
            yield page
            offset = page.offset + page.count
            if not page.count or offset >= page.total:
                return

    def _page(self, library: Library, query: Query, offset: int, size: int) -> ItemPage:
        path = f"/library/sections/{library.key}/all"
        body, headers = self._transport.read_page(path, [("type", items_of(library)), *query], paging(offset, size))
        return parse_page(body, headers, library.key, offset)

    # --- items --------------------------------------------------------------------------------------------------

    def details(self, item_ids: Sequence[str], values_of: Sequence[str] = ()) -> dict[str, Item]:
        """Read items in full, a hundred a request; those that are gone are missing from the answer."""
        wanted = dict.fromkeys((*item_ids, *values_of))
        keys = [key for key in wanted if key.isascii() and key.isdecimal()]  # no other id is Plex's
        found: dict[str, Item] = {}
        for start in range(0, len(keys), MOST_DETAILS):
            found.update(self._details(keys[start : start + MOST_DETAILS]))
        return found

    def details_of(self, item_id: str) -> Item:
        """Read one item in full, or raise ItemNotFound."""
        found = self._details([item_id]).get(item_id)
        if found is None:
            raise ItemGone(f"item {item_id} is not there any more", status=404)
        return found

    def _details(self, keys: Sequence[str]) -> dict[str, Item]:
        """Read one batch. Some servers answer 404 for all if one is gone: halve until it is found."""
        path = "/library/metadata/" + quote(",".join(map(str, keys)), safe=",")
        try:
            # Without skipRefresh each look makes Plex read the file and its agents anew.
            root = self._transport.read_xml(path, [("skipRefresh", 1)], paging(0, len(keys)))
        except ItemNotFound:
            half = len(keys) // 2
            return {**self._details(keys[:half]), **self._details(keys[half:])} if half else {}
        wanted = set(keys)
        return {item.item_id: item for item in parse_details(root) if item.item_id in wanted}

    def picture_details(self, item_ids: Sequence[str]) -> dict[str, Item]:
        return self.details(item_ids)

    def with_collections(self, item: Item) -> Item:
        """Give it as it is: Plex tells an item's collections with the item."""
        return item

    def prepare(self, changes: Sequence[ItemChange]) -> Collection[str]:  # noqa: ARG002 - the port's
        """Do nothing: one PUT carries all of a change, collections too."""
        return ()

    def edit(self, change: ItemChange) -> None:
        """Change one item, in one PUT where it fits. Never repeated: OutcomeUnknown means, read it again first."""
        self._editor.apply(change)

    def lock_all(self, items: Sequence[Item], names: Sequence[str]) -> None:
        """Lock these fields of up to fifty items at once; whether it came about, only a look at them tells."""
        self._editor.lock_all(items, names)

    # --- pictures -----------------------------------------------------------------------------------------------

    def pictures(self, item_id: str, kind: PictureKind) -> list[Picture]:
        return self._pictures.list(item_id, kind)

    def standing_picture(
        self,
        item: Item,  # noqa: ARG002 - Plex keeps whatever was ever shown, and where it lies beside the video
        kind: PictureKind,  # noqa: ARG002
        data: bytes,  # noqa: ARG002
        before: Sequence[Picture],  # noqa: ARG002
        ours: Collection[str],  # noqa: ARG002
    ) -> Standing | None:
        return None

    def upload_picture(
        self,
        item: Item,
        kind: PictureKind,
        data: bytes,
        before: Sequence[Picture],
        ours: Collection[str] = (),  # noqa: ARG002 - Plex keeps whatever was ever shown
    ) -> Picture:
        """Upload, unless these bytes are among those listed before; select it if it is not shown at once."""
        return self._pictures.upload(item, kind, data, before)

    def shows_bytes(self, item_id: str, kind: PictureKind, picture: Picture, digest: str) -> bool:  # noqa: ARG002 - its name says it
        return picture.is_upload_of(digest)

    def select_picture(self, item_id: str, kind: PictureKind, picture: Picture) -> Picture:
        self._pictures.select(item_id, kind, picture)
        return replace(picture, selected=True)

    def unset_picture(self, item_id: str, kind: PictureKind, picture: Picture) -> None:
        """Show none in the place of this picture, which Plex locks; raise ChangeRejected where it cannot."""
        self._pictures.unset(item_id, kind, picture)

    # --- scans --------------------------------------------------------------------------------------------------

    def scan_places(self, library: Library, folders: Sequence[str]) -> dict[str, str]:  # noqa: ARG002 - the port's
        return {folder: folder for folder in folders}

    def start_scan(self, library: Library, folder: str) -> Scan:
        """Have Plex look into one folder, given as Plex sees it; `look_at_scan` tells when it is over."""
        return self._scanner.start(library, folder)

    def look_at_scan(self, scan: Scan) -> Scan:
        """Look once whether a scan is over; `is_done` of the answer tells."""
        return self._scanner.look(scan)


def _refuse_repetition(before: ItemPage | None, page: ItemPage, library: Library, overlap: int) -> None:
    """Stop where a server or a proxy sends one page again and again, or promises more than any library has."""
    keys = {item.item_id for item in page.items}
    is_same = before is not None and page.count > overlap and keys <= {item.item_id for item in before.items}
    if is_same or page.total > MOST_ITEMS:
        raise AnswerGarbled("the list of a library does not come to an end").at(f"library {library.key}")
