"""What a hook is told: the context of each trigger, key by key as the recordings show it."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sim.stash.library.records import Scene

Input = Mapping[str, Any]

SCENE_KEYS = (
    "clientMutationId", "id", "title", "code", "details", "director", "url", "urls", "date", "rating100",
    "o_counter", "organized", "studio_id", "gallery_ids", "performer_ids", "movies", "groups", "tag_ids",
    "cover_image", "stash_ids", "resume_time", "play_duration", "play_count", "primary_file_id",
)  # fmt: skip
PERFORMER_KEYS = (
    "id", "name", "disambiguation", "url", "urls", "gender", "birthdate", "ethnicity", "country", "eye_color",
    "height", "height_cm", "measurements", "fake_tits", "penis_length", "circumcised", "career_length", "tattoos",
    "piercings", "aliases", "alias_list", "twitter", "instagram", "favorite", "tag_ids", "image", "stash_ids",
    "rating100", "details", "death_date", "hair_color", "weight", "ignore_auto_tag",
)  # fmt: skip
STUDIO_KEYS = (
    "id", "name", "url", "urls", "parent_id", "image", "stash_ids", "rating100", "favorite", "details", "aliases",
    "tag_ids", "ignore_auto_tag",
)  # fmt: skip
NO_CUSTOM_FIELDS = {"full": None, "partial": None, "remove": None}


@dataclass(frozen=True)
class HookEvent:
    type: str
    id: int
    input: Any = None
    input_fields: tuple[str, ...] = ()

    def context(self) -> dict[str, Any]:
        found: dict[str, Any] = {"id": self.id, "type": self.type, "input": self.input}
        if self.input_fields:
            found["inputFields"] = list(self.input_fields)
        return found


def sent(fields: Input) -> tuple[str, ...]:
    """The names a client sent, in the random order of a Go map."""
    names = list(fields)
    random.shuffle(names)
    return tuple(names)


def scene_input(fields: Input) -> dict[str, Any]:
    """A whole SceneUpdateInput: what was not sent is null."""
    return _all(SCENE_KEYS, fields)


def performer_input(fields: Input) -> dict[str, Any]:
    return _all(PERFORMER_KEYS, fields) | {"custom_fields": dict(NO_CUSTOM_FIELDS)}


def studio_input(fields: Input) -> dict[str, Any]:
    return _all(STUDIO_KEYS, fields)


def set_only(fields: Input) -> dict[str, Any]:
    """Inputs of generated Go types leave out whatever is null, even if the client sent the null."""
    return {key: value for key, value in fields.items() if value is not None}


def destroyed(scene: Scene, fields: Input) -> HookEvent:
    """The input, and what is left of the scene. The input is empty when a clean took the scene away."""
    keys = ("ids",) if "ids" in fields else ("id",)
    shown = _all((*keys, "delete_file", "delete_generated"), fields or {"id": ""})
    remains = {"checksum": "", "oshash": scene.files[0].oshash if scene.files else "", "path": scene.path}
    return HookEvent("Scene.Destroy.Post", scene.id, shown | remains)


def _all(keys: Iterable[str], fields: Input) -> dict[str, Any]:
    return {key: fields.get(key) for key in keys}
