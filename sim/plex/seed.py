"""A library to start with: as many videos as wanted, and a little of everything else."""

from dataclasses import dataclass

from sim.plex.library.library import Library
from sim.plex.library.records import Item, Section

_STUDIOS = ("Amber Hall", "Blue Door", "Cinder Path", "Deep Water", "Even Ground", "Far & Near", "Glass House")
_WORDS = ("Harbour", "Lantern", "Meadow", "Orchard", "Quarry", "Ridge", "Tide", "Valley", "Winter", "Yard")
_AWKWARD = (
    "{}",
    "{}, part two",
    "{} & friends",
    "100% {}",
    "{} [1080p]",
    "Cafe\u0301 {}",
    "{} \U0001f3ac",
    "Über {} #1",
)
_SCAN_PERIOD = 97
"""Seconds between two items being added."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Where the oddities are: every so many items one has two files, two parts, no `updatedAt`."""

    two_media: int = 211
    two_parts: int = 307
    never_updated: int = 13
    awkward_name: int = 17


def sow(library: Library, items: int, shape: Shape) -> None:
    """Sections 1 to 6: movies, scenes (`items` of them), shows, music, photos, clips."""
    movies = _section(library, "Movies", "movie", ("/data/movies",), agent="tv.plex.agents.movie", scanner="Plex Movie")
    scenes = _personal(library, "Scenes", ("/data/scenes", "/data/archive"), "com.plexapp.agents.none")
    shows = _section(
        library, "TV Shows", "show", ("/data/tv",), agent="tv.plex.agents.series", scanner="Plex TV Series"
    )
    music = _section(library, "Music", "artist", ("/data/music",), agent="tv.plex.agents.music", scanner="Plex Music")
    photos = _section(
        library, "Photos", "photo", ("/data/photos",), agent="com.plexapp.agents.none", scanner="Plex Photo Scanner"
    )
    clips = _personal(library, "Clips", ("/data/clips",), "tv.plex.agents.none")
    for number in range(min(items, 12)):
        _film(
            library, movies, f"/data/movies/Film {number:02} ({1990 + number})/Film {number:02} ({1990 + number}).mkv"
        )
    for number in range(items):
        _scene(library, scenes, number, shape)
    for number in range(min(items, 3)):
        _series(library, shows, number)
        library.add_item(Item(0, music.id, "artist", library.now(), told={"title": f"Band {number}"}))
        library.add_item(Item(0, photos.id, "photoalbum", library.now(), told={"title": f"Album {number}"}))
        _film(library, clips, f"/data/clips/clip {number}.mp4")


def _section(
    library: Library, title: str, kind: str, locations: tuple[str, ...], *, agent: str, scanner: str
) -> Section:
    return library.add_section(title, kind, locations, agent=agent, scanner=scanner, language="en-US")


def _personal(library: Library, title: str, locations: tuple[str, ...], agent: str) -> Section:
    """Make what Plex calls "Other Videos"."""
    return library.add_section(title, "movie", locations, agent=agent, scanner="Plex Video Files Scanner")


def _film(library: Library, section: Section, path: str) -> None:
    part = library.new_part(path, 4_000_000_000 + len(path), 5_400_000)
    now = library.now()
    library.add_item(Item(0, section.id, "movie", now, (library.new_media(part),), now), many=True)


def scene_path(number: int, shape: Shape) -> str:
    """Deterministic: the same number, the same path."""
    studio, year = _STUDIOS[number % len(_STUDIOS)], 2010 + number % 14
    name = f"{_WORDS[number % 10]} {_WORDS[number // 10 % 10]} {number:06}"
    if number % shape.awkward_name == 0:
        name = _AWKWARD[number // shape.awkward_name % len(_AWKWARD)].format(name)
    root = "/data/archive" if number % 10 == 9 else "/data/scenes"
    return f"{root}/{studio}/{year}/{studio} - {name}.mp4"


def _scene(library: Library, section: Section, number: int, shape: Shape) -> None:
    path, odd = scene_path(number, shape), number + 1
    size, duration = 200_000_000 + number * 7919 % 3_000_000_000, 600_000 + number * 104_729 % 3_000_000
    parts = [library.new_part(path, size, duration)]
    if odd % shape.two_parts == 0:
        parts.append(library.new_part(path.replace(".mp4", " - pt2.mp4"), size // 2, duration // 2))
    media = [library.new_media(*parts)]
    if odd % shape.two_media == 0:
        media.append(library.new_media(library.new_part(path.replace(".mp4", ".mkv"), size + 1, duration)))
    added_at = library.now() - 86_400 - number * _SCAN_PERIOD
    updated_at = 0 if odd % shape.never_updated == 0 else added_at + 60
    library.add_item(Item(0, section.id, "movie", added_at, tuple(media), updated_at), many=True)


def _series(library: Library, section: Section, number: int) -> None:
    now = library.now()
    show = library.add_item(Item(0, section.id, "show", now, told={"title": f"Series {number}"}))
    season = Item(0, section.id, "season", now, parent=show.item_id, index=1, told={"title": "Season 1"})
    library.add_item(season)
    for index in (1, 2, 3):
        path = f"/data/tv/Series {number}/Season 01/Series {number} - S01E{index:02}.mkv"
        media = (library.new_media(library.new_part(path, 900_000_000 + index, 2_700_000)),)
        episode = Item(0, section.id, "episode", now, media, now, parent=season.item_id, index=index)
        episode.told = {"title": f"Episode {index}"}
        library.add_item(episode)
