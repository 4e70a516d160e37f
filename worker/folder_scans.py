"""Scans: Plex is asked to look into the folder of a new file, once per folder and short while."""

import logging

from plex.client import PlexClient
from plex.exceptions import PlexError, PlexUnreachable
from plex.library import Library, library_of
from worker.clock import Clock

log = logging.getLogger(__name__)

SCAN_EVERY_SECONDS = 90.0


class FolderScans:
    """Remembers which folders were asked for, so that a hundred new files in one folder make one scan."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._asked_at: dict[str, float] = {}

    def ask(self, client: PlexClient, libraries: list[Library], plex_path: str) -> bool:
        """Ask for the folder of this file, as Plex sees it, unless it lies in no library; say whether it is scanned."""
        folder = plex_path.rpartition("/")[0]
        library = library_of(plex_path, libraries)
        now = self._clock.monotonic()
        if library is None or not folder:
            return False
        if now - self._asked_at.get(folder, float("-inf")) < SCAN_EVERY_SECONDS:
            return True
        self._asked_at = {known: at for known, at in self._asked_at.items() if now - at < SCAN_EVERY_SECONDS}
        self._asked_at[folder] = now
        try:
            client.start_scan(library, folder)
            log.info("Plex is asked to scan a folder of library '%s'.", library.title)
        except PlexUnreachable:
            raise
        except PlexError as error:
            log.warning("Plex does not scan: %s", error)  # the file may be found without it
            return False
        return True
