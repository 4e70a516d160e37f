"""The port to a server that shows scenes: Plex, Emby, Jellyfin. Everything above it names no vendor.

An adapter translates between the server and the words of `model`, and raises the family of `TargetError`, nothing
else. Reads are repeated where the network failed; a write never is: after a lost answer it looks before it says
`OutcomeUnknown`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from model.capabilities import Capabilities
from model.change import ItemChange
from model.item import Changes, Item, ItemPage, ListedItem
from model.picture import Picture, PictureKind, Standing
from model.server import Library, ServerIdentity

LOOKUP_LIMIT = 1000  # items that a look-up by name gives at most: a name like "1.mp4" is contained in many


class Target(Protocol):
    """One server. Connects when first asked; may be shared between threads."""

    @property
    def name(self) -> str:
        """What people call the server: Plex, Emby, Jellyfin. Asks nobody."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """Say what this server can hold. Asks nobody."""
        ...

    def close(self) -> None: ...

    # --- the server ---------------------------------------------------------------------------------------------

    def identify(self) -> ServerIdentity:
        """Ask who the server is; proves address and key. Raises WrongServer if it is another than was expected."""
        ...

    def server(self) -> ServerIdentity:
        """Say which server this thread is connected to, asking only if it is not."""
        ...

    def probe(self) -> None:
        """Ask whether our server is there and up, as cheaply as can be."""
        ...

    def may_edit(self) -> bool:
        """Ask whether the key or token may change items."""
        ...

    def libraries(self) -> list[Library]:
        """List all libraries, also those without videos."""
        ...

    def advice(self, library_keys: Collection[str], *, with_collections: bool) -> list[str]:
        """Say what in the options of server and libraries will undo or spill our work, and what to do about it."""
        ...

    # --- listings -----------------------------------------------------------------------------------------------

    def walk(self, library: Library) -> Iterator[ItemPage]:
        """Page through a library. The first item of each later page repeats the last of the one before it."""
        ...

    def changes_since(self, library: Library, moment: float) -> Changes:
        """List what was added or touched at or after a moment of the server's clock. Raises FilterIgnored."""
        ...

    def find_file(self, library: Library, path: str) -> list[ListedItem]:
        """Find the items whose files may be this one, by its name. Raises FilterIgnored where it cannot be asked."""
        ...

    def sized(self, items: Sequence[ListedItem]) -> list[ListedItem]:
        """Fill in the sizes of files that a listing does not tell; items that are gone are missing."""
        ...

    # --- items --------------------------------------------------------------------------------------------------

    def details(self, item_ids: Sequence[str], values_of: Sequence[str] = ()) -> dict[str, Item]:
        """Read items in full; those that are gone are missing from the answer. Of `values_of` locks may be missing."""
        ...

    def details_of(self, item_id: str) -> Item:
        """Read one item in full, or raise ItemGone."""
        ...

    def with_collections(self, item: Item) -> Item:
        """Give an item with the collections that hold it, also where no setting has them read."""
        ...

    def picture_details(self, item_ids: Sequence[str]) -> dict[str, Item]:
        """Read of items what pictures need: files, what is shown, the locks of pictures. Values may be missing."""
        ...

    def prepare(self, changes: Sequence[ItemChange]) -> Collection[str]:
        """Do at once what these changes, each to be sent by `edit` in a moment, have in common; they need it not.

        Give the ids of the items on which something of their change is there now.
        """
        ...

    def edit(self, change: ItemChange) -> None:
        """Change one item, and nothing on it that the change does not name.

        `change.item` is the item as it was read. Raises ItemChanged if somebody has edited it since, and nothing was
        written; ChangeRejected names the fields that the server does not take.
        """
        ...

    def lock_all(self, items: Sequence[Item], names: Sequence[str]) -> None:
        """Lock these names on several items, as far as the server has such locks."""
        ...

    # --- pictures -----------------------------------------------------------------------------------------------

    def pictures(self, item_id: str, kind: PictureKind) -> list[Picture]:
        """List what the item could show; what is shown is `selected`, of a kind that is stacked it may be several."""
        ...

    def standing_picture(
        self, item: Item, kind: PictureKind, data: bytes, before: Sequence[Picture], ours: Collection[str]
    ) -> Standing | None:
        """Say why these bytes are not to be put up; None if they may be. To be asked right before `upload_picture`."""
        ...

    def upload_picture(
        self, item: Item, kind: PictureKind, data: bytes, before: Sequence[Picture], ours: Collection[str]
    ) -> Picture:
        """Have the item hold these bytes, unless they lie there; say which picture it is and whether it is shown.

        What was shown before and is not among `ours`, the keys of pictures that we had it show, can be shown again by
        `select_picture`. Of a kind that is stacked, the others stay and ours go.
        """
        ...

    def shows_bytes(self, item_id: str, kind: PictureKind, picture: Picture, digest: str) -> bool:
        """Tell whether a picture that the item has is made of the bytes with this SHA-1."""
        ...

    def select_picture(self, item_id: str, kind: PictureKind, picture: Picture) -> Picture:
        """Show this picture; say which it is then."""
        ...

    def unset_picture(self, item_id: str, kind: PictureKind, picture: Picture) -> None:
        """Show none in the place of this picture; raise ChangeRejected where the server cannot."""
        ...

    # --- scans --------------------------------------------------------------------------------------------------

    def scan_places(self, library: Library, folders: Sequence[str]) -> Mapping[str, str]:
        """Say for each folder which one is looked into if `start_scan` is asked for it: it, or one above it.

        Empty stands for the whole library. Who asks for several scans folders of the same place once.
        """
        ...

    def start_scan(self, library: Library, folder: str) -> object:
        """Have one folder scanned, given as the server sees it. Asking twice does no harm."""
        ...
