"""Libraries, with what their options do to what we write."""

from collections.abc import Sequence
from dataclasses import dataclass

from model.errors import AnswerGarbled, Kind
from validation.json_shapes import as_list, as_object, as_text

_WITHOUT_VIDEOS = frozenset({"music", "books", "boxsets", "playlists", "photos", "livetv"})


@dataclass(frozen=True, slots=True)
class Library:
    """One library of the server, of whatever type; `collection_type` is empty where it is mixed."""

    item_id: str
    name: str
    collection_type: str = ""
    locations: tuple[str, ...] = ()
    saves_pictures_beside: bool = False
    """Pictures are written into the folders of the videos."""
    saves_nfo: bool = False
    """Every change writes a file beside the video."""
    refresh_days: int = 0
    """Every so many days the providers run again; 0 is never."""
    watches_folders: bool = False
    """What changes in its folders is looked at right away, and not only by a scan."""
    status: str = ""
    """`Active`, `Queued` or `Idle`."""

    @property
    def holds_videos(self) -> bool:
        return self.collection_type not in _WITHOUT_VIDEOS

    @property
    def is_refreshing(self) -> bool:
        return self.status in ("Active", "Queued")


def read_libraries(answer: object) -> list[Library]:
    """Read a list of libraries, be it bare (Jellyfin) or wrapped (Emby)."""
    wrapped = as_object(answer)
    folders = as_list(wrapped.get("Items") if wrapped is not None else answer)
    if folders is None:
        raise AnswerGarbled("no list of libraries came", kind=Kind.OTHER_SHAPE)
    return [
        _library(folder) for folder in map(as_object, folders) if folder is not None and as_text(folder.get("ItemId"))
    ]


def _library(folder: dict[str, object]) -> Library:
    options = as_object(folder.get("LibraryOptions")) or {}
    days = options.get("AutomaticRefreshIntervalDays")
    return Library(
        item_id=as_text(folder.get("ItemId")),
        name=as_text(folder.get("Name")),
        collection_type=as_text(folder.get("CollectionType")),
        locations=_texts(folder.get("Locations")),
        saves_pictures_beside=options.get("SaveLocalMetadata") is True,
        saves_nfo=any("nfo" in one.lower() for one in _texts(options.get("MetadataSavers"))),
        refresh_days=days if isinstance(days, int) else 0,
        watches_folders=options.get("EnableRealtimeMonitor") is True,
        status=as_text(folder.get("RefreshStatus")),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in as_list(value) or () if isinstance(one, str))


def library_of(path: str, libraries: Sequence[Library]) -> Library | None:
    """Find the library that a path, as the server sees it, lies in: the one with the longest location above it."""
    above = [
        (len(location), library)
        for library in libraries
        for location in library.locations
        if _is_inside(path, location)
    ]
    return max(above, key=lambda one: one[0])[1] if above else None


def _is_inside(path: str, folder: str) -> bool:
    plain = folder.replace("\\", "/").rstrip("/")
    return path.replace("\\", "/").startswith(f"{plain}/")
