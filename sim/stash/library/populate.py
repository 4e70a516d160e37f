"""A made-up library, the same for the same seed, with the awkward scenes every real one has."""

import random

from sim.stash.library.library import Library
from sim.stash.library.records import Group, Performer, Scene, SceneGroup, StashId, Studio, Tag

FIRST = ("Jane", "Zoë", "Máire", "Anna", "Łucja", "Björk", "李", "Ольга", "Chloé", "Ines")
LAST = ("Doe", "Ünïcode", "O'Hara", "Smith-Jones", "van der Berg", "García", "明", "Иванова", "Lee", "St. John")
TAGS = ("Outdoor", "4K", "Comedy & Fun", "Black, White", "Été", "Interview", '"Quoted"', "B-Roll", "Night", "Zürich")


def populate(library: Library, scenes: int, *, seed: int = 1, root: str = "/data/clips") -> None:
    """Fill an empty library. Scene 1 is complete; later ones lack a title, a cover, a file, a studio …"""
    dice = random.Random(seed)
    _people(library, max(3, min(2000, scenes // 10)))
    _labels(library, max(10, min(500, scenes // 20)))
    now = library.clock.now()  # one scene a minute until now
    for age in range(scenes, 0, -1):
        _fill(library, library.new_scene(library.clock.text(now - age * 60)), dice, root)


def _people(library: Library, count: int) -> None:
    now = library.clock.stamp()
    for number in range(count):
        name = f"{FIRST[number % 10]} {LAST[number // 10 % 10]}" + (f" {number // 100}" if number >= 100 else "")
        library.performers.put(Performer(number + 1, name, now, now))
    for number in range(max(2, count // 10)):
        parent = 1 if number and number % 3 == 0 else None
        library.studios.put(Studio(number + 1, f"Studio {number + 1}", now, now, parent_id=parent))
    for number in range(3):
        library.groups.put(Group(number + 1, f"Group {number + 1}", now, now))


def _labels(library: Library, count: int) -> None:
    now = library.clock.stamp()
    for number in range(count):
        name = TAGS[number % 10] + (f" {number // 10}" if number >= 10 else "")
        library.tags.put(Tag(number + 1, name, now, now, parent_ids=(1,) if number % 5 == 4 else ()))


def _fill(library: Library, scene: Scene, dice: random.Random, root: str) -> None:
    number = scene.id
    scene.title = "" if number % 7 == 0 else f"Scene Number {number}"
    scene.date = _date(number)
    scene.details = "" if number % 5 == 0 else f"What happens in scene {number}.\nSecond line."
    scene.code = f"ABC-{number:03}" if number % 2 else ""
    scene.director = "Dir Ector" if number % 4 == 1 else ""
    scene.rating100 = None if number % 3 == 0 else number % 10 * 10
    scene.organized = number % 2 == 1
    scene.urls = (f"https://example.com/{number}",) if number % 2 else ()
    scene.studio_id = None if number % 6 == 0 else dice.randint(1, len(library.studios))
    scene.performer_ids = _pick(dice, len(library.performers), 0 if number % 8 == 0 else 2)
    scene.tag_ids = _pick(dice, len(library.tags), 4)
    scene.groups = (SceneGroup(number % 3 + 1, number),) if number % 10 == 1 else ()
    scene.cover_version = 0 if number % 11 == 0 else 1
    if number % 12 == 1:
        scene.stash_ids = (StashId("https://stashdb.org/graphql", f"{number:08x}-0000", scene.created_at),)
    if number % 29:
        _add_files(library, scene, root)


def _pick(dice: random.Random, count: int, size: int) -> tuple[int, ...]:
    return tuple(sorted({int(dice.random() * count) + 1 for _ in range(size)}))


def _date(number: int) -> str | None:
    """Partial dates are allowed since v0.30."""
    if number % 9 == 0:
        return None
    year, month, day = 2000 + number % 25, number % 12 + 1, number % 28 + 1
    if number % 13 == 0:
        return f"{year}"
    return f"{year}-{month:02}" if number % 14 == 0 else f"{year}-{month:02}-{day:02}"


def _add_files(library: Library, scene: Scene, root: str) -> None:
    names = [f"{root}/{scene.id // 1000}/Studio{scene.studio_id or 0}.Scene Number {scene.id}.mp4"]
    if scene.id % 17 == 0:
        names.append(f"{root}/other/Scene Number {scene.id} (copy).mp4")
    scene.files = tuple(library.new_file(name, 50_000 + scene.id, scene.created_at) for name in names)
