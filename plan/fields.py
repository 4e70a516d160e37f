"""The fields: where each comes from in Stash, where it goes in Plex, and the setting that switches it."""

from collections.abc import Callable
from dataclasses import dataclass

from plex.item import Field, ItemType, TagKind
from validation.config import Stash2PlexConfig
from validation.metadata import SyncMetadata


@dataclass(frozen=True, slots=True)
class ScalarField:
    """A field with one value. It is kept where a person chose the one it `follows`, which is decided before."""

    name: str
    field: Field
    read: Callable[[SyncMetadata], str]
    setting: str | None = None
    has_locks: bool = True
    follows: str | None = None


@dataclass(frozen=True, slots=True)
class SetField:
    """A source of names for a list; two sources may feed one list."""

    name: str
    kind: TagKind
    read: Callable[[SyncMetadata, Stash2PlexConfig], tuple[str, ...]]
    setting: str


def _rating(metadata: SyncMetadata) -> str:
    return "" if metadata.rating is None else f"{metadata.rating:g}"


def _one(name: str) -> tuple[str, ...]:
    return (name,) if name else ()


SCALARS = (
    ScalarField("title", Field.TITLE, lambda scene: scene.title),
    ScalarField("sort_title", Field.TITLE_SORT, lambda scene: scene.title, follows="title"),
    ScalarField("summary", Field.SUMMARY, lambda scene: scene.summary, "sync_summary"),
    ScalarField("studio", Field.STUDIO, lambda scene: scene.studio, "sync_studio"),
    ScalarField("date", Field.DATE, lambda scene: scene.date, "sync_date"),
    ScalarField("tagline", Field.TAGLINE, lambda scene: scene.tagline, "sync_tagline"),
    ScalarField("rating", Field.USER_RATING, _rating, "sync_rating", has_locks=False),
)

SETS = (
    SetField("performers", TagKind.ACTOR, lambda scene, _: scene.performers, "sync_performers"),
    SetField("tags", TagKind.GENRE, lambda scene, config: scene.tags[: config.max_tags], "sync_tags"),
    SetField("director", TagKind.DIRECTOR, lambda scene, _: _one(scene.director), "sync_director"),
    SetField("collection", TagKind.COLLECTION, lambda scene, _: _one(scene.studio), "sync_collection"),
    SetField("groups", TagKind.COLLECTION, lambda scene, _: scene.groups, "sync_groups"),
)

# plexapi finds no editor for these on an episode, and Plex shows none.
_NOT_ON_EPISODES = frozenset({"studio", "tagline", "tags"})


def exists_on(name: str, item_type: ItemType) -> bool:
    return item_type is not ItemType.EPISODE or name not in _NOT_ON_EPISODES


def is_on(setting: str | None, config: Stash2PlexConfig) -> bool:
    return config.sync_master and (setting is None or bool(getattr(config, setting)))


def settings_text(config: Stash2PlexConfig) -> str:
    """Spell out the settings that match or plan depend on, for a fingerprint: what they change is looked at anew."""
    names = sorted({one.setting for one in (*SCALARS, *SETS) if one.setting})
    names += ["sync_master", "max_tags", "preserve_plex_edits", "only_organized", "strict_matching"]
    names += ["plex_library", "path_map"]
    return " ".join(f"{name}={getattr(config, name)}" for name in names)
