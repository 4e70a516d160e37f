"""Scans: a server is asked to look into the folder of a new file, once per folder and short while."""

import logging

from matching.libraries import library_of
from model.errors import TargetError, TargetUnreachable, for_log
from model.server import Library
from runtime.clock import Clock
from sync.target import Target

log = logging.getLogger(__name__)

SCAN_EVERY_SECONDS = 90.0


class FolderScans:
    """Remembers which folders were asked for, so that a hundred new files in one folder make one scan."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._asked_at: dict[str, float] = {}

    def ask(self, client: Target, libraries: list[Library], path: str) -> bool:
        """Ask for the folder of this file, as the server sees it, unless no library has it; say if it is scanned."""
        folder = path.rpartition("/")[0]
        library = library_of(path, libraries)
        now = self._clock.monotonic()
        if library is None or not folder:
            return False
        if now - self._asked_at.get(folder, float("-inf")) < SCAN_EVERY_SECONDS:
            return True
        self._asked_at = {known: at for known, at in self._asked_at.items() if now - at < SCAN_EVERY_SECONDS}
        self._asked_at[folder] = now
        try:
            client.start_scan(library, folder)
            log.info("%s is asked to scan a folder of library '%s'.", client.name, library.title)
        except TargetUnreachable:
            raise
        except TargetError as error:
            log.warning("%s does not scan: %s", client.name, for_log(error))  # the file may be found without it
            return False
        return True
