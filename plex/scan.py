"""A scan of one folder, and knowing when it is over.

Plex answers the request at once and gives no number to ask after. It is over when no activity scans the library, the
library is not refreshing, and nothing waits to be processed, twice in a row: between these steps a server looks idle.
"""

from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from model.errors import AccessDenied, LibraryNotFound
from model.paths import native, normalise
from model.server import Library
from plex.http.answers import whole_number
from plex.http.transport import Transport, query_string
from plex.library import parse_libraries

IDLE_LOOKS = 2
_SCANNING = "library.update.section"


@dataclass(frozen=True, slots=True)
class Scan:
    """A scan that was asked for, and how often its library has looked idle since."""

    library_key: str
    folder: str
    idle_looks: int = 0

    @property
    def is_done(self) -> bool:
        return self.idle_looks >= IDLE_LOOKS


class Scanner:
    """Starts scans and looks after them; waiting between the looks is the caller's."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def start(self, library: Library, folder: str) -> Scan:
        """Have one folder scanned, given as Plex sees it. Asking twice does no harm, so a lost answer is no mystery."""
        place = native(normalise(folder))
        self._transport.write("GET", f"/library/sections/{library.key}/refresh" + query_string([("path", place)]))
        return Scan(library.key, place)

    def look(self, scan: Scan) -> Scan:
        """Look once."""
        idle = not (self._is_active(scan) or self._is_refreshing(scan) or self._has_queue(scan))
        return replace(scan, idle_looks=scan.idle_looks + 1 if idle else 0)

    def _is_active(self, scan: Scan) -> bool:
        try:
            root = self._transport.read_xml("/activities")
        except AccessDenied:  # only the owner may look; the library's own word must do
            return False
        return any(_concerns(activity, scan.library_key) for activity in root.iterfind("Activity"))

    def _is_refreshing(self, scan: Scan) -> bool:
        libraries = parse_libraries(self._transport.read_xml("/library/sections"))
        return any(library.is_refreshing for library in libraries if library.key == scan.library_key)

    def _has_queue(self, scan: Scan) -> bool:
        try:
            root = self._transport.read_xml(f"/library/sections/{scan.library_key}/timeline")
        except LibraryNotFound:  # the library was there a moment ago: this server has no such page
            return False
        return bool(whole_number(root, "updateQueueSize"))


def _concerns(activity: Element, library_key: str) -> bool:
    """Tell whether this activity scans our library; its context comes a moment late, and until then it might."""
    if activity.get("type") != _SCANNING:
        return False
    context = activity.find("Context")
    return context is None or context.get("librarySectionID") in {None, library_key}
