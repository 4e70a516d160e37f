"""A snapshot of an item: what a person would see in Plex at this moment, for tests to look at."""

from dataclasses import dataclass

from sim.plex.library.records import Item, Value
from sim.plex.world import World


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`tags` has the names by kind (genre, actor, …), `roles` the text of each actor, `locks` the locked fields."""

    item_id: str
    section_id: int
    kind: str
    values: dict[str, Value]
    tags: dict[str, tuple[str, ...]]
    roles: dict[str, str]
    locks: frozenset[str]
    files: tuple[str, ...]
    poster: str
    art: str
    updated_at: int

    @property
    def title(self) -> str:
        return str(self.values.get("title", ""))

    @property
    def genres(self) -> tuple[str, ...]:
        return self.tags.get("genre", ())

    @property
    def actors(self) -> tuple[str, ...]:
        return self.tags.get("actor", ())

    @property
    def collections(self) -> tuple[str, ...]:
        return self.tags.get("collection", ())


def take(world: World, item: Item) -> Snapshot:
    registry, tags = world.library.registry, world.library.tags(item)
    names = {kind: tuple(registry[tagging.tag_id].name for tagging in kept) for kind, kept in tags.items()}
    return Snapshot(
        item_id=str(item.item_id),
        section_id=item.section_id,
        kind=item.kind,
        values=world.library.values(item),
        tags={kind: kept for kind, kept in names.items() if kept},
        roles={registry[tagging.tag_id].name: tagging.text for tagging in tags.get("actor", ())},
        locks=item.locks,
        files=item.files,
        poster=world.pictures.selected(item, "posters"),
        art=world.pictures.selected(item, "arts"),
        updated_at=item.updated_at,
    )
