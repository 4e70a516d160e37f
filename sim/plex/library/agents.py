"""The agents: what Plex knows of an item before anybody edits it. Computed, not stored."""

import re
from datetime import UTC, datetime

from sim.plex.library.records import Item, Section, Value

GENRES = ("Adventure", "Animation", "Comedy", "Drama", "Fantasy", "Mystery", "Romance", "Western")
PEOPLE = tuple(
    f"{first} {last}"
    for first in ("Ada", "Bruno", "Clara", "Dario", "Edda", "Felix")
    for last in ("Alder", "Birch", "Cedar", "Elm", "Hazel", "Juniper", "Rowan", "Willow")
)
STUDIOS = ("North Light", "Paper Moon", "Quiet River", "Salt & Stone")
RATINGS = ("G", "PG", "PG-13", "R")
SENTENCES = (
    "A lighthouse keeper finds a door that was not there the night before.",
    "Two brothers cross the country in a van that runs on nothing but luck.",
    "The town agrees to forget one summer; one child does not.",
    "An orchestra rehearses for a concert nobody has ordered.",
)
_YEAR = re.compile(r"^(?P<title>.+) \((?P<year>\d{4})\)$")


def stem(path: str) -> str:
    """Cut folder and extension off, on either kind of file system."""
    name = re.split(r"[/\\]", path)[-1]
    return name.rpartition(".")[0] or name


def says(section: Section, item: Item) -> dict[str, Value]:
    """Give the scalars of an item by its agent. One that looks nothing up has the file's name and its date."""
    if item.first_part is None:
        return dict(item.told)
    name = stem(item.first_part.file)
    if section.is_personal:
        day = datetime.fromtimestamp(item.added_at, UTC).date()
        known: dict[str, Value] = {"title": name, "originallyAvailableAt": day.isoformat()}
    else:
        known = _looked_up(name, item.item_id)
    known.update(item.told)
    return known


def _looked_up(name: str, seed: int) -> dict[str, Value]:
    match = _YEAR.match(name)
    title, year = (match["title"], int(match["year"])) if match else (name, 1950 + seed % 70)
    return {
        "title": title,
        "summary": " ".join(SENTENCES[(seed + step) % len(SENTENCES)] for step in range(1 + seed % 4)),
        "studio": STUDIOS[seed % len(STUDIOS)],
        "contentRating": RATINGS[seed % len(RATINGS)],
        "rating": 5 + seed % 50 / 10,
        "tagline": f"Number {seed} of many.",
        "originallyAvailableAt": f"{year}-{1 + seed % 12:02}-{1 + seed % 28:02}",
    }


def names(section: Section, item: Item) -> dict[str, tuple[str, ...]]:
    """Give the tags of an item by its agent: none in a personal library, plenty elsewhere."""
    if section.is_personal or item.first_part is None:
        return {}
    seed = item.item_id
    people = [PEOPLE[(seed * 7 + step * 5) % len(PEOPLE)] for step in range(12)]
    if item.kind != "movie":
        return {"director": (people[0],), "writer": tuple(people[1:3])}
    return {
        "genre": tuple(GENRES[(seed + step) % len(GENRES)] for step in range(4)),
        "country": ("Norway", "Portugal", "Japan")[: 1 + seed % 3],
        "director": (people[0],),
        "writer": tuple(people[1:4]),
        "producer": tuple(people[4:6]),
        "actor": (*people[6:12], *_extras(seed)),
    }


def _extras(seed: int) -> tuple[str, ...]:
    """Name the rest of a long cast, as recorded films have: too many to be sent again in one request."""
    return tuple(f"Extra {number} of film {seed}" for number in range(194)) if seed % 3 == 0 else ()
