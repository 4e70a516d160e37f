"""The settings for a page: in groups, with defaults, what is allowed, where each value comes from, what is wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args

from model.targets import TARGETS
from model.user_error import UserError
from tasks.answers import Bounds, SettingGroup, SettingProblem, SettingRow, SettingsSchema
from tasks.arguments import Nothing
from tasks.context import TaskContext
from tasks.servers import open_stash, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from validation.config import Settings

GROUPS = {
    "general": "General",
    "plex": "Plex",
    "emby": "Emby",
    "jellyfin": "Jellyfin",
    "fields": "What is written",
    "matching": "Matching",
    "advanced": "Timing and logs",
}
_GROUP_OF = {
    "enabled": "general",
    "only_organized": "general",
    "preserve_plex_edits": "general",
    "strict_matching": "matching",
    "trigger_plex_scan": "matching",
    "path_map": "plex",
    "max_tags": "fields",
    "tags_as": "fields",
    "content_rating": "fields",
    "title_format": "fields",
    "collection_prefix": "fields",
}
_WORDS = {"url": "address", "plex": "Plex", "emby": "Emby", "jellyfin": "Jellyfin", "api": "API"}


def settings_schema(context: TaskContext, _asked: Nothing) -> SettingsSchema:
    """Read the settings from Stash, the file and the environment, and describe each.

    Which targets they switch on is kept, so that the next status knows it before a worker has read them.
    """
    with open_stash(context) as stash:
        from stash.exceptions import StashError  # noqa: PLC0415 - only now are its packages sure to be there
        from sync.settings import keep_targets  # noqa: PLC0415 - as above

        try:
            client = stash.client()
            settings, in_stash = settings_of(context, client), client.plugin_state().settings
        except StashError as problem:
            raise UserError(str(problem)) from problem
    keep_targets(context.folder, settings.config)
    return schema_of(settings, in_stash)


def schema_of(settings: Settings, in_stash: Mapping[str, Any]) -> SettingsSchema:
    """Describe settings as they were found."""
    from sync.connection import path_map_problems  # noqa: PLC0415 - as above
    from validation.config import KEYS  # noqa: PLC0415 - as above

    problems = problems_of([*settings.problems, *path_map_problems(settings.config)])
    warnings = problems_of(settings.warnings)
    said = {one.key: one.sentence for one in reversed([*problems, *warnings]) if one.key}
    rows = {key: _row(key, settings, in_stash, said.get(key)) for key in KEYS}
    groups = [
        SettingGroup(group, title, tuple(row for key, row in rows.items() if group_of(key) == group))
        for group, title in GROUPS.items()
    ]
    return SettingsSchema(tuple(group for group in groups if group.settings), problems, warnings)


def problems_of(texts: Iterable[str]) -> tuple[SettingProblem, ...]:
    """Take sentences about settings apart, and say of each which setting it is about."""
    from validation.config import KEYS  # noqa: PLC0415 - as above

    names = "|".join(sorted(KEYS, key=len, reverse=True))
    found: list[SettingProblem] = []
    for text in texts:
        about = re.sub(rf"^\w+ is left out: (?=(?:{names})\b)", "", text)
        for sentence in re.split(rf"(?<=\.) (?=(?:{names}) (?:is|must|has|knows)\b)", about):
            key = re.match(rf"(?:{names})\b", sentence)
            found.append(SettingProblem(key[0] if key else None, sentence))
    return tuple(found)


def group_of(key: str) -> str:
    """Say in which group a setting is; those of a target in the target's."""
    if key in _GROUP_OF:
        return _GROUP_OF[key]
    target = key.partition("_")[0]
    if target in TARGETS:
        return target
    return "fields" if key.startswith("sync_") else "advanced"


def _row(key: str, settings: Settings, in_stash: Mapping[str, Any], problem: str | None) -> SettingRow:
    from validation.config import DEFAULTS, SECRETS, Stash2PlexConfig  # noqa: PLC0415 - as above

    field, is_secret = Stash2PlexConfig.model_fields[key], key in SECRETS
    default = None if is_secret else DEFAULTS[key]
    source = settings.sources[key]
    value = getattr(settings.config, key) if settings.config is not None else in_stash.get(key, default)
    return SettingRow(
        key=key,
        title=title_of(key),
        description=str(field.description),
        type=type_of(key),
        default=default,
        allowed=allowed_of(key),
        value=None if is_secret else _plain(value),
        is_set=source != "default",
        source=source.lower(),
        problem=problem,
    )


def title_of(key: str) -> str:
    """Make a title of a key: `plex_url` is "Plex address"."""
    words = [_WORDS.get(word, word) for word in key.split("_")]
    return " ".join([words[0][:1].upper() + words[0][1:], *words[1:]])


def type_of(key: str) -> str:
    from validation.config import DEFAULTS, SECRETS, Stash2PlexConfig  # noqa: PLC0415 - as above

    if key in SECRETS:
        return "secret"
    if key.endswith("path_map"):
        return "path_map"
    if isinstance(DEFAULTS[key], bool):
        return "boolean"
    if isinstance(DEFAULTS[key], int | float):
        return "number"
    return "choice" if get_args(Stash2PlexConfig.model_fields[key].annotation) else "text"


def allowed_of(key: str) -> Bounds | tuple[str, ...] | None:
    """Say what a number or a choice may be."""
    from validation.config import Stash2PlexConfig  # noqa: PLC0415 - as above

    field, kind = Stash2PlexConfig.model_fields[key], type_of(key)
    if kind == "choice":
        return get_args(field.annotation)
    if kind != "number":
        return None
    low, high = (next(getattr(one, name) for one in field.metadata if hasattr(one, name)) for name in ("ge", "le"))
    return Bounds(low, high)


def _plain(value: Any) -> str | float | bool | None:
    return value if isinstance(value, str | int | float) else None
