"""Scans: have the server look into one folder, without letting any provider overwrite anything."""

import json
from collections.abc import Collection, Sequence

from mediabrowser.connection import Connection
from mediabrowser.reading.library import Library, library_of
from mediabrowser.reading.listing import read_page
from mediabrowser.reading.reader import PAGE_SIZE, Reader
from model.errors import FilterIgnored
from validation.json_shapes import as_list, as_object, as_text

# Without a mode Jellyfin makes items that no provider ever looks at; with any other than these ours are overwritten.
_MODES = (
    ("MetadataRefreshMode", "Default"),
    ("ImageRefreshMode", "Default"),
    ("ReplaceAllMetadata", "false"),
    ("ReplaceAllImages", "false"),
)


class Scanner:
    def __init__(self, connection: Connection, reader: Reader) -> None:
        self._connection = connection
        self._reader = reader

    def scan(self, path: str, libraries: Sequence[Library]) -> Library | None:
        """Have the deepest known folder above a path looked into; None if it lies in none of the libraries.

        Asking is queued by the server and answered at once; nothing but the item appearing tells that it is done.
        """
        library = library_of(path, libraries)
        if library is None:
            return None
        known = self.folders(library)
        folder = path.replace("\\", "/").rpartition("/")[0]
        self.refresh(known.get(deepest_known(folder, known), library.item_id))
        return library

    def refresh(self, folder_id: str) -> None:
        """Have a folder, or a whole library by its id, looked into."""
        dialect = self._connection.dialect
        query = (("Recursive", "true"), *_MODES) if dialect.is_emby else _MODES
        self._connection.write("POST", f"/Items/{folder_id}/Refresh", query, dialect.refresh_body)

    def report(self, paths: Sequence[str]) -> None:
        """Report changed paths, once: the server acts a minute or more after the last report below a folder."""
        updates = [{"Path": path, "UpdateType": "Created"} for path in paths]
        self._connection.write("POST", "/Library/Media/Updated", body=json.dumps({"Updates": updates}).encode())

    def tasks(self) -> list[dict[str, object]]:
        """List what the server does by itself, which only an administrator is shown."""
        tasks = as_list(self._connection.read("/ScheduledTasks").value) or ()
        return [task for task in map(as_object, tasks) if task is not None]

    def is_scanning(self) -> bool:
        """Tell whether a scan of everything, or of a whole library, runs or waits."""
        scans = [task for task in self.tasks() if task.get("Key") == "RefreshLibrary"]
        if any(as_text(scan.get("State")) != "Idle" for scan in scans):
            return True
        return any(library.is_refreshing for library in self._reader.libraries())

    def folders(self, library: Library) -> dict[str, str]:
        """List the folders of a library by path. Only Emby could be asked for one by its path."""
        found: dict[str, str] = {}
        offset, total = 0, 1
        while offset < total:
            query = (
                ("ParentId", library.item_id),
                ("Recursive", "true"),
                ("IncludeItemTypes", "Folder"),
                ("Fields", "Path"),
                ("SortBy", "DateCreated,SortName"),
                ("StartIndex", offset),
                ("Limit", PAGE_SIZE),
            )
            page = read_page(self._connection.read("/Items", query).value, offset, None, f"library {library.name}")
            if any(item.type != "Folder" for item in page.items):
                raise FilterIgnored(f"library {library.name}: other things than folders came")
            found.update((file.path.replace("\\", "/"), item.item_id) for item in page.items for file in item.files[:1])
            if not page.count:
                break
            offset, total = offset + page.count, page.total
        return found


def deepest_known(folder: str, known: Collection[str]) -> str:
    """Choose the deepest folder that the server knows at or above this one; empty if it knows none."""
    folder = folder.replace("\\", "/").rstrip("/")
    while folder and folder not in known:
        folder = folder.rpartition("/")[0]
    return folder
