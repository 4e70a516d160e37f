"""A library to start with: as many videos as wanted, and a little of everything else."""

from dataclasses import dataclass

from sim.mediabrowser.world.records import Item, Library, MediaFile
from sim.mediabrowser.world.world import World
from sim.plex.seed import Shape as Names
from sim.plex.seed import scene_path

_SCAN_PERIOD = 97
"""Seconds between two items being added."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Where the oddities are: every so many items one has two versions, two parts, an extra, is a link."""

    two_versions: int = 211
    two_parts: int = 307
    extra: int = 101
    link: int = 89
    awkward_name: int = 17


def sow(world: World, items: int, shape: Shape, scenes_type: str) -> None:
    """Fill the libraries: films, scenes (`items` of them), shows, clips of no kind, music that holds no video."""
    make = world.maker
    movies = make.library("Movies", "movies", ("/data/movies",))
    scenes = make.library("Scenes", scenes_type, ("/data/scenes", "/data/archive"))
    shows = make.library("Shows", "tvshows", ("/data/tv",))
    clips = make.library("Clips", "", ("/data/clips",))
    make.library("Music", "music", ("/data/music",))
    for number in range(min(items, 12)):
        name = f"Film {number:02} ({1990 + number})"
        make.video(movies, MediaFile(f"/data/movies/{name}/{name}.mkv", 4_000_000_000 + number, 5400.0))
    for number in range(items):
        _scene(world, scenes, number, shape)
    for number in range(min(items, 3)):
        _series(world, shows, number)
        make.video(clips, MediaFile(f"/data/clips/clip {number}.mp4", 1_000_000 + number, 60.0))


def _scene(world: World, library: Library, number: int, shape: Shape) -> None:
    path, odd = scene_path(number, Names(awkward_name=shape.awkward_name)), number + 1
    size, seconds = 200_000_000 + number * 7919 % 3_000_000_000, 600.0 + number * 104.729 % 3000.0
    target = path.replace("/data/", "/mnt/pool/") if odd % shape.link == 0 else ""
    files = [MediaFile(path, size, seconds, target)]
    if odd % shape.two_parts == 0:
        files.append(MediaFile(path.replace(".mp4", "-cd2.mp4"), size // 2, seconds / 2))
    created_at = world.clock() - 86_400 - number * _SCAN_PERIOD
    item = world.maker.video(library, *files, created_at=created_at)
    if odd % shape.two_versions == 0:
        world.maker.version(item, MediaFile(path.replace(".mp4", " - 2160p.mkv"), size + 1, seconds))
    if odd % shape.extra == 0:
        extra = MediaFile(path.replace(".mp4", "-behindthescenes.mp4"), 1_000_000, 60.0)
        world.maker.video(library, extra, kind="Video", extra_type="BehindTheScenes")


def _series(world: World, library: Library, number: int) -> None:
    place = f"/data/tv/Series {number}"
    series = _folder(world, library, "Series", place, f"Series {number}", library.item_id)
    season = _folder(world, library, "Season", f"{place}/Season 01", "Season 1", series.id)
    for index in (1, 2, 3):
        path = f"{place}/Season 01/Series {number} - S01E{index:02}.mkv"
        episode = world.maker.video(library, MediaFile(path, 900_000_000 + index, 2700.0))
        episode.values |= {"IndexNumber": index, "ParentIndexNumber": 1}
        episode.parent_id = season.id


def _folder(world: World, library: Library, kind: str, path: str, name: str, parent_id: str) -> Item:
    folder = Item(world.store.new_id(kind, path), kind, path, library.item_id, parent_id=parent_id)
    folder.values |= {"Name": name, "LockData": False, "LockedFields": [], "Genres": [], "Tags": [], "Studios": []}
    folder.values |= {"Taglines": [], "People": [], "ProviderIds": {}}
    return world.store.add(folder)
