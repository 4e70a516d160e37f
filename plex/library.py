"""Libraries, and which of them the settings mean."""

from xml.etree.ElementTree import Element

from model.item import ItemType
from model.server import Library, LibraryType
from plex.capabilities import TYPE_NUMBER
from plex.http.answers import whole_number


def parse_libraries(container: Element) -> list[Library]:
    """Read `/library/sections`."""
    libraries: list[Library] = []
    for directory in container.iterfind("Directory"):
        key = whole_number(directory, "key")
        if key is not None:
            libraries.append(
                Library(
                    key=str(key),
                    title=directory.get("title", ""),
                    type=directory.get("type", ""),
                    locations=tuple(place.get("path", "") for place in directory.iterfind("Location")),
                    is_refreshing=directory.get("refreshing") == "1",
                    scanned_at=float(whole_number(directory, "scannedAt") or 0),
                )
            )
    return libraries


def items_of(library: Library) -> int:
    """Give the number of the type of a library's items that carry files: films, or episodes."""
    return TYPE_NUMBER[ItemType.EPISODE if library.type == LibraryType.SHOW else ItemType.MOVIE]
