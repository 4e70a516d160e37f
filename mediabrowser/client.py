"""MediaBrowserClient: everything the product asks of an Emby or Jellyfin server, in typed values, with our errors."""

from collections.abc import Callable, Iterator, Sequence

from mediabrowser.collections import Collections
from mediabrowser.connection import Connection, ServerInfo, Timeouts
from mediabrowser.dialect import Product
from mediabrowser.pictures.files import PictureFiles
from mediabrowser.reading.document import ItemDocument
from mediabrowser.reading.library import Library
from mediabrowser.reading.listing import ItemPage, ListedItem
from mediabrowser.reading.reader import Changes, Reader
from mediabrowser.scans import Scanner
from mediabrowser.writing.edit import DocumentEdit
from mediabrowser.writing.writer import Writer


class MediaBrowserClient:
    """One server. Connects when first asked; may be shared between threads."""

    def __init__(
        self,
        url: str,
        key: str,
        product: Product,
        *,
        device_id: str,
        version: str = "",
        timeouts: Timeouts | None = None,
        expected_server: str | None = None,
        verify: bool | str = True,
        wait: Callable[[float], None] | None = None,
    ) -> None:
        self.connection = Connection(
            url,
            key,
            product,
            device_id=device_id,
            version=version,
            timeouts=timeouts,
            expected_server=expected_server,
            verify=verify,
            wait=wait,
        )
        self.reader = Reader(self.connection)
        self.writer = Writer(self.connection, self.reader)
        self.pictures = PictureFiles(self.connection, self.reader)
        self.scans = Scanner(self.connection, self.reader)
        self.collections = Collections(self.connection)

    def __repr__(self) -> str:
        return f"MediaBrowserClient({self.connection.url!r})"

    def close(self) -> None:
        self.connection.close()

    def identify(self) -> ServerInfo:
        """Ask who the server is; proves address, key and that it is up."""
        return self.connection.identify()

    def server(self) -> ServerInfo:
        """Say which server this is, asking only if it is not known."""
        return self.connection.server()

    def probe(self) -> None:
        """Ask whether our server is there, up, and lets us in."""
        self.connection.probe()

    def libraries(self) -> list[Library]:
        return self.reader.libraries()

    def walk(self, library: Library) -> Iterator[ItemPage]:
        return self.reader.walk(library)

    def changes_since(self, library: Library, moment: float) -> Changes:
        return self.reader.changes_since(library, moment)

    def completed(self, items: Sequence[ListedItem]) -> list[ListedItem]:
        return self.reader.completed(items)

    def sized(self, item_ids: Sequence[str]) -> list[ListedItem]:
        return self.reader.sized(item_ids)

    def find_file(self, library: Library, path: str) -> list[ListedItem]:
        return self.reader.find_file(library, path)

    def details(self, item_ids: Sequence[str], *, people: bool = True) -> dict[str, ItemDocument]:
        return self.reader.details(item_ids, people=people)

    def document(self, item_id: str, *, people: bool = True) -> ItemDocument:
        return self.reader.document(item_id, people=people)

    def write(self, document: ItemDocument, edit: DocumentEdit) -> None:
        self.writer.write(document, edit)

    def write_unless_changed(self, item_id: str, etag: str, edit: DocumentEdit) -> None:
        self.writer.write_unless_changed(item_id, etag, edit)
