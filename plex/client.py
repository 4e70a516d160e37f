"""PlexClient: everything the product asks of a Plex server, in typed values, with our errors."""

from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote

from plex.details import parse_details
from plex.device_identity import DeviceIdentity
from plex.edit import ItemEdit
from plex.editor import Editor
from plex.exceptions import FilterIgnored, ItemGone, ItemNotFound, PlexGarbled, PlexUnauthorized
from plex.file_lookup import contains_term, search_terms
from plex.item import Changes, ItemDetails, ItemPage, ListedItem, Stamp
from plex.library import Library, parse_libraries
from plex.listing import PAGE_SIZE, TRIM, paging, parse_page
from plex.pictures import Picture, PictureKind, Pictures
from plex.scan import Scan, Scanner
from plex.transport import Query, ServerIdentity, Transport

DETAILS_PER_REQUEST = 50
LOOKUP_PAGE = 200
LOOKUP_LIMIT = 1000  # a name like "1.mp4" is contained in many
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
        expected_machine: str | None = None,
        verify: bool | str = True,
        wait: Callable[[float], None] | None = None,
    ) -> None:
        timeouts = (connect_timeout, read_timeout)
        self._transport = Transport(
            url, token, identity, timeouts, expected_machine=expected_machine, verify=verify, wait=wait
        )
        self._editor = Editor(self._transport, self.details_of)
        self._pictures = Pictures(self._transport, connect_timeout)
        self._scanner = Scanner(self._transport)

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

    def is_owner(self) -> bool:
        """Ask for what only the owner is shown: nobody else may edit."""
        try:
            self._transport.read_xml("/activities")
        except PlexUnauthorized:
            return False
        return True

    def libraries(self) -> list[Library]:
        """List all libraries, also those without videos."""
        return parse_libraries(self._transport.read_xml("/library/sections"))

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
        found: dict[int, ListedItem] = {}
        server_time: float | None = None
        for stamp in Stamp:
            for page in self._pages(library, (f"{stamp}>>", int(moment))):
                server_time = server_time or page.server_time
                if any(0 < item.stamped(stamp) < int(moment) for item in page.items):
                    raise FilterIgnored(f"library {library.key}: {stamp} is no filter on this server")
                found.update((item.rating_key, item) for item in page.items)
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
                    raise FilterIgnored(f"library {library.key}: file is no filter on this server")
                if len(items) >= LOOKUP_LIMIT:
                    break
            if items:
                return items
        return []

    def _pages(
        self, library: Library, condition: tuple[str, str | int], *, size: int = PAGE_SIZE
    ) -> Iterator[ItemPage]:
        """Page through what fits a condition."""
        offset, page = 0, None
        while True:
            before, page = page, self._page(library, [*TRIM, condition], offset, size)
            _refuse_repetition(before, page, library, 0)
            if page.offset != offset:
                raise PlexGarbled(f"library {library.key}: another page came than was asked for")
            yield page
            offset = page.offset + page.count
            if not page.count or offset >= page.total:
                return

    def _page(self, library: Library, query: Query, offset: int, size: int) -> ItemPage:
        path = f"/library/sections/{library.key}/all"
        body, headers = self._transport.read_page(path, [("type", library.item_type), *query], paging(offset, size))
        return parse_page(body, headers, library.key, offset)

    # --- items --------------------------------------------------------------------------------------------------

    def details(self, rating_keys: Sequence[int]) -> dict[int, ItemDetails]:
        """Read items in full, fifty a request; those that are gone are missing from the answer."""
        keys = list(dict.fromkeys(rating_keys))
        found: dict[int, ItemDetails] = {}
        for start in range(0, len(keys), DETAILS_PER_REQUEST):
            found.update(self._details(keys[start : start + DETAILS_PER_REQUEST]))
        return found

    def details_of(self, rating_key: int) -> ItemDetails:
        """Read one item in full, or raise ItemNotFound."""
        found = self._details([rating_key]).get(rating_key)
        if found is None:
            raise ItemGone(f"item {rating_key} is not there any more", status=404)
        return found

    def _details(self, keys: Sequence[int]) -> dict[int, ItemDetails]:
        """Read one batch. Some servers answer 404 for all if one is gone: halve until it is found."""
        path = "/library/metadata/" + quote(",".join(map(str, keys)), safe=",")
        try:
            # Without skipRefresh each look makes Plex read the file and its agents anew.
            root = self._transport.read_xml(path, [("skipRefresh", 1)], paging(0, len(keys)))
        except ItemNotFound:
            half = len(keys) // 2
            return {**self._details(keys[:half]), **self._details(keys[half:])} if half else {}
        wanted = set(keys)
        return {item.rating_key: item for item in parse_details(root) if item.rating_key in wanted}

    def edit(self, edit: ItemEdit) -> None:
        """Change one item, in one PUT where it fits. Never repeated: OutcomeUnknown means, read it again first."""
        self._editor.apply(edit)

    # --- pictures -----------------------------------------------------------------------------------------------

    def pictures(self, rating_key: int, kind: PictureKind) -> list[Picture]:
        return self._pictures.list(rating_key, kind)

    def upload_picture(self, rating_key: int, kind: PictureKind, data: bytes, before: list[Picture]) -> Picture:
        """Upload, unless these bytes are among those listed before; select it if it is not shown at once."""
        return self._pictures.upload(rating_key, kind, data, before)

    def select_picture(self, rating_key: int, kind: PictureKind, picture: Picture) -> None:
        self._pictures.select(rating_key, kind, picture)

    # --- scans --------------------------------------------------------------------------------------------------

    def start_scan(self, library: Library, folder: str) -> Scan:
        """Have Plex look into one folder, given as Plex sees it."""
        return self._scanner.start(library, folder)

    def look_at_scan(self, scan: Scan) -> Scan:
        """Look once whether a scan is over; `is_done` of the answer tells."""
        return self._scanner.look(scan)


def _refuse_repetition(before: ItemPage | None, page: ItemPage, library: Library, overlap: int) -> None:
    """Stop where a server or a proxy sends one page again and again, or promises more than any library has."""
    keys = {item.rating_key for item in page.items}
    is_same = before is not None and page.count > overlap and keys <= {item.rating_key for item in before.items}
    if is_same or page.total > MOST_ITEMS:
        raise PlexGarbled(f"library {library.key}: the list does not come to an end")
