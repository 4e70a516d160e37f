"""Libraries, with what their options do to what we write."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from model.errors import AnswerGarbled, Kind
from model.paths import lookup_key
from validation.json_shapes import as_list, as_object, as_text

_WITHOUT_VIDEOS = frozenset({"music", "books", "boxsets", "playlists", "photos", "livetv"})


@dataclass(frozen=True, slots=True)
class Library:
    """One library of the server, of whatever type; `collection_type` is empty where it is mixed."""

    item_id: str
    name: str
    collection_type: str = ""
    locations: tuple[str, ...] = ()
    """Its folders, also as the server spells them in `Path` where it substitutes network paths."""
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

    def holds(self, path: str) -> bool:
        """Tell whether a path, as the server sees it, lies in one of its folders."""
        return any(_is_inside(path, location) for location in self.locations)

    def substituted(self, pairs: Sequence[tuple[str, str]]) -> "Library":
        """Add its folders as they look after the server's path substitutions, `(from, to)` each."""
        more = [after for one in self.locations for old, new in pairs if (after := _replaced(one, old, new))]
        return replace(self, locations=tuple(dict.fromkeys((*self.locations, *more))))


def read_libraries(answer: object) -> list[Library]:
    """Read a list of libraries, be it bare (Jellyfin) or wrapped (Emby)."""
    wrapped = as_object(answer)
    folders = as_list(wrapped.get("Items") if wrapped is not None else answer)
    if folders is None:
        raise AnswerGarbled("no list of libraries came", kind=Kind.OTHER_SHAPE)
    return [
        _library(folder) for folder in map(as_object, folders) if folder is not None and as_text(folder.get("ItemId"))
    ]


def read_substitutions(configuration: object) -> list[tuple[str, str]]:
    """Read by which prefixes the server replaces others wherever it shows a path."""
    pairs = map(as_object, as_list((as_object(configuration) or {}).get("PathSubstitutions")) or ())
    found = [(as_text(one.get("From")), as_text(one.get("To"))) for one in pairs if one is not None]
    return [(old, new) for old, new in found if old and new]


def _library(folder: dict[str, object]) -> Library:
    options = as_object(folder.get("LibraryOptions")) or {}
    infos = map(as_object, as_list(options.get("PathInfos")) or ())
    network = [as_text(one.get("NetworkPath")) for one in infos if one is not None]
    days = options.get("AutomaticRefreshIntervalDays")
    return Library(
        item_id=as_text(folder.get("ItemId")),
        name=as_text(folder.get("Name")),
        collection_type=as_text(folder.get("CollectionType")),
        locations=tuple(dict.fromkeys((*_texts(folder.get("Locations")), *filter(None, network)))),
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
    """Compare without case: a server on Windows or macOS spells a path as whoever typed it did."""
    return lookup_key(path).startswith(f"{lookup_key(folder)}/")


def _replaced(path: str, old: str, new: str) -> str:
    """Replace a prefix of a path; empty if it does not begin with it."""
    whole, prefix = lookup_key(path), lookup_key(old)
    if whole != prefix and not whole.startswith(f"{prefix}/"):
        return ""
    rest = path.rstrip("/\\")[len(old.rstrip("/\\")) :]
    return new.rstrip("/\\") + rest
