"""The fields: where each comes from in Stash, where it goes on the server, and the setting that switches it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from model.item import Field, TagKind
from plan.title_format import formatted_title
from validation.config import Stash2PlexConfig
from validation.metadata import InvalidMetadata, SyncMetadata


@dataclass(frozen=True, slots=True)
class ScalarField:
    """A field with one value. It is kept where a person chose the one it `follows`, which is decided before."""

    name: str
    field: Field
    read: Callable[[SyncMetadata, Stash2PlexConfig], str]
    setting: str | None = None
    follows: str | None = None


def _always(_: Stash2PlexConfig) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class SetField:
    """A source of names for a list; two sources may feed one list.

    One that is switched on and not chosen by the settings takes back what it once put there.
    """

    name: str
    kind: TagKind
    source: Callable[[SyncMetadata, Stash2PlexConfig], tuple[str, ...]]
    setting: str
    is_chosen: Callable[[Stash2PlexConfig], bool] = _always

    def read(self, metadata: SyncMetadata, config: Stash2PlexConfig) -> tuple[str, ...]:
        return self.source(metadata, config) if self.is_chosen(config) else ()


def _title(scene: SyncMetadata, config: Stash2PlexConfig) -> str:
    return formatted_title(config.title_format, scene)


def _rating(scene: SyncMetadata, _: Stash2PlexConfig) -> str:
    return "" if scene.rating is None else f"{scene.rating:g}"


def _one(name: str) -> tuple[str, ...]:
    return (name,) if name else ()


def _tags(scene: SyncMetadata, config: Stash2PlexConfig) -> tuple[str, ...]:
    return scene.tags[: config.max_tags]


def _collections(
    read: Callable[[SyncMetadata], tuple[str, ...]],
) -> Callable[[SyncMetadata, Stash2PlexConfig], tuple[str, ...]]:
    """Have these names be those of collections, with the prefix that the settings ask for, and a space after it."""
    return lambda scene, config: tuple(f"{config.collection_prefix} {name}".lstrip() for name in read(scene))


SCALARS = (
    ScalarField("title", Field.TITLE, _title),
    ScalarField("sort_title", Field.TITLE_SORT, _title, follows="title"),
    ScalarField("summary", Field.SUMMARY, lambda scene, _: scene.summary, "sync_summary"),
    ScalarField("studio", Field.STUDIO, lambda scene, _: scene.studio, "sync_studio"),
    ScalarField("date", Field.DATE, lambda scene, _: scene.date, "sync_date"),
    ScalarField("tagline", Field.TAGLINE, lambda scene, _: scene.tagline, "sync_tagline"),
    ScalarField("rating", Field.USER_RATING, _rating, "sync_rating"),
    ScalarField("content_rating", Field.CONTENT_RATING, lambda _, config: config.content_rating),
    ScalarField("stash_id", Field.STASH_ID, lambda scene, _: str(scene.scene_id)),
)

SETS = (
    SetField("performers", TagKind.ACTOR, lambda scene, _: scene.performers, "sync_performers"),
    SetField("tags", TagKind.GENRE, _tags, "sync_tags", lambda config: config.tags_as != "tags"),
    SetField("labels", TagKind.LABEL, _tags, "sync_tags", lambda config: config.tags_as != "genres"),
    SetField("director", TagKind.DIRECTOR, lambda scene, _: _one(scene.director), "sync_director"),
    SetField("collection", TagKind.COLLECTION, _collections(lambda scene: _one(scene.studio)), "sync_collection"),
    SetField("groups", TagKind.COLLECTION, _collections(lambda scene: scene.groups), "sync_groups"),
    SetField(
        "parent_studio", TagKind.COLLECTION, _collections(lambda scene: _one(scene.parent_studio)), "sync_parent_studio"
    ),
    SetField(
        "performer_collections",
        TagKind.COLLECTION,
        _collections(lambda scene: scene.performers),
        "sync_performer_collections",
    ),
)

FIELDS: Mapping[str, Field] = {one.name: one.field for one in SCALARS}
KINDS: Mapping[str, TagKind] = {one.name: one.kind for one in SETS}


def is_on(setting: str | None, config: Stash2PlexConfig) -> bool:
    return config.sync_master and (setting is None or bool(getattr(config, setting)))


def wants_collections(config: Stash2PlexConfig) -> bool:
    """Tell whether any setting asks for collections; if none does, nobody has to know which hold an item."""
    return any(is_on(one.setting, config) for one in SETS if one.kind is TagKind.COLLECTION)


def unusable_values(metadata: SyncMetadata, config: Stash2PlexConfig) -> InvalidMetadata | None:
    """Name the values that are kept back although their fields are to be synced, as one complaint."""
    settings = {one.name: one.setting for one in SCALARS}
    problems = [(name, why) for name, why in metadata.unusable if is_on(settings[name], config)]
    if not problems:
        return None
    (field, complaint), *others = problems
    return InvalidMetadata(field, " ".join([complaint, *(f"{name}: {why}" for name, why in others)]))


_LATER = (
    "sync_parent_studio",
    "sync_performer_collections",
    "tags_as",
    "content_rating",
    "title_format",
    "collection_prefix",
)
"""Settings that older versions did not have: at their defaults they leave a fingerprint as it was."""


def settings_text(config: Stash2PlexConfig, target: str) -> str:
    """Spell out the settings that match or plan depend on, for a fingerprint: what they change is looked at anew."""
    names = sorted({one.setting for one in (*SCALARS, *SETS) if one.setting} - set(_LATER))
    names += ["sync_master", "max_tags", "preserve_plex_edits", "only_organized", "strict_matching"]
    defaults = type(config).model_fields
    later = [f"{name}={getattr(config, name)}" for name in _LATER if getattr(config, name) != defaults[name].default]
    of_target = config.target(target)
    places = [f"{target}_library={of_target.library}", f"path_map={of_target.path_map}"]
    return " ".join([*(f"{name}={getattr(config, name)}" for name in names), *places, *later])
