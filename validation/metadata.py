"""A scene as Plex may be told it: every value clean, within its limit, or refused by name."""

import hashlib
import json
import ntpath
import posixpath
from collections.abc import Sequence
from functools import lru_cache
from types import ModuleType
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from model.scene import Scene, SceneFile
from validation.sanitizers import (
    MAX_CHARACTERS,
    distinct_names,
    fit_encoded,
    full_date,
    one_line,
    paragraphs,
    whole_characters,
)

# Proxies cut the request line at 8 kB, and a summary sent alone shares it with an address, a lock, a proxy's own path.
MAX_SUMMARY_BYTES = 8192 - 600
MAX_QUOTED = 80
SCENE_DIGITS, SETTINGS_DIGITS, COVER_DIGITS = 40, 24, 16
_EDIT_WAITS = "an edit waits"

Line = Annotated[str, Field(max_length=MAX_CHARACTERS)]


class InvalidMetadata(ValueError):
    """A value of a scene cannot be mended; the text is a sentence for a person, and `field` names the value."""

    def __init__(self, field: str, complaint: str) -> None:
        super().__init__(f"{field}: {complaint}")
        self.field = field
        self.complaint = complaint

    def fingerprint(self, settings_part: str) -> str:
        """Stand in for the fingerprint of a scene that has none: it changes with the complaint and the settings."""
        return _fingerprint(str(self), settings_part)


class SyncMetadata(BaseModel):
    """All of a scene that can reach Plex. An empty text or list: Stash has none. The first file is the primary one."""

    model_config = ConfigDict(frozen=True)

    scene_id: int
    title: Annotated[Line, Field(min_length=1)]
    has_own_title: bool
    summary: str = ""
    studio: Line = ""
    date: str = Field("", pattern=r"^(\d{4}-\d{2}-\d{2})?$")
    tagline: Line = ""
    director: Line = ""
    rating: float | None = Field(None, ge=0, le=10)
    performers: tuple[Line, ...] = ()
    tags: tuple[Line, ...] = ()
    groups: tuple[Line, ...] = ()
    parent_studio: Line = ""
    organized: bool = False
    files: tuple[SceneFile, ...] = ()
    unusable: tuple[tuple[str, str], ...] = ()
    """Fields whose value makes no sense and is kept back, each with a sentence for a person."""

    @classmethod
    def of(cls, scene: Scene) -> "SyncMetadata":
        """Mend what can be mended, and keep back what cannot; raise InvalidMetadata if there is not even a title."""
        own_title = one_line(scene.title)
        date, not_a_date = _date(scene.date)
        rating, not_a_rating = _rating(scene.rating100)
        return cls(
            scene_id=scene.id,
            title=own_title or _title_of_file(scene.files),
            has_own_title=bool(own_title),
            summary=fit_encoded(paragraphs(scene.details), MAX_SUMMARY_BYTES),
            studio=one_line(scene.studio),
            date=date,
            tagline=one_line(scene.code),
            director=one_line(scene.director),
            rating=rating,
            performers=distinct_names(scene.performers),
            tags=distinct_names(scene.tags),
            groups=distinct_names(scene.groups),
            parent_studio=one_line(scene.parent_studio),
            organized=scene.organized,
            files=tuple(_file(file) for file in scene.files),
            unusable=tuple((name, why) for name, why in (("date", not_a_date), ("rating", not_a_rating)) if why),
        )

    @property
    def is_blank(self) -> bool:
        """Nobody has filled the scene in yet: it says nothing, and so must not empty anything."""
        texts = (self.summary, self.studio, self.date, self.tagline, self.director)
        names = (self.performers, self.tags, self.groups)
        return not (self.has_own_title or any(texts) or any(names) or self.rating is not None)

    def fingerprint(self, settings_part: str = "") -> str:
        """Tell by one text whether anything that Plex shows or is found by has changed, or the settings given.

        The same in every process and on every Python. The cover is not in it: pictures are compared by their bytes.
        """
        shown: dict[str, Any] = self.model_dump(exclude={"files"})
        for later in ("unusable", "parent_studio"):  # without one, a scene is as an older version knew it
            if not shown[later]:
                del shown[later]
        shown["paths"] = [file.path for file in self.files]
        return _fingerprint(json.dumps(shown, sort_keys=True), settings_part)


def fingerprint_of(scene: Scene, settings_part: str) -> str:
    """Return the fingerprint a scene is judged by, whether it can be mended or not."""
    try:
        return SyncMetadata.of(scene).fingerprint(settings_part)
    except InvalidMetadata as problem:
        return problem.fingerprint(settings_part)


def is_same_scene(one: str, other: str) -> bool:
    """Tell whether two fingerprints differ in the settings at most."""
    return one[:SCENE_DIGITS] == other[:SCENE_DIGITS]


def undone_mark(fingerprint: str, cover: str | None) -> str:
    """Add the version of the cover to the fingerprint of a scene that a person took back; None: it is edited anyway."""
    digits = _EDIT_WAITS if cover is None else _digits(cover)[:COVER_DIGITS]
    return fingerprint[: SCENE_DIGITS + SETTINGS_DIGITS] + digits


def is_as_undone(mark: str, fingerprint: str, cover: str) -> bool:
    """Tell whether nobody has edited a scene since it was taken back, not even its cover; settings count not."""
    is_same_cover = mark[SCENE_DIGITS + SETTINGS_DIGITS :] in {"", _digits(cover)[:COVER_DIGITS]}
    return is_same_cover and is_same_scene(mark, fingerprint)


def _fingerprint(shown: str, settings_part: str) -> str:
    """Join the digits of a scene and of the settings, so that each can be compared alone."""
    return _digits(shown)[:SCENE_DIGITS] + _settings_digits(settings_part)


@lru_cache(maxsize=4)  # a sweep asks a hundred thousand times for the same
def _settings_digits(settings_part: str) -> str:
    return _digits(settings_part)[:SETTINGS_DIGITS]


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _title_of_file(files: Sequence[SceneFile]) -> str:
    name = _base_name(files[0].path) if files else ""
    title = one_line(posixpath.splitext(name)[0]) or one_line(name)
    if not title:
        raise InvalidMetadata("title", "there is none, and no file to take it from; give the scene a title in Stash.")
    return title


def _base_name(path: str) -> str:
    """Drop the folders. A path that does not start at the root is a Windows one, where both slashes part folders."""
    flavour: ModuleType = posixpath if path.startswith("/") else ntpath
    return flavour.basename(path)


def _date(text: str) -> tuple[str, str]:
    """Return the day, or why there is none."""
    cleaned = one_line(text)
    try:
        return full_date(cleaned) if cleaned else "", ""
    except ValueError:
        return "", f"{_quoted(cleaned)} is not a date; correct it in Stash."


def _rating(rating100: int | None) -> tuple[float | None, str]:
    """Return the rating, or why there is none."""
    if rating100 is None:
        return None, ""
    if rating100 not in range(101):
        return None, f"{_quoted(rating100)} is not between 0 and 100; correct it in Stash."
    return rating100 / 10, ""


def _quoted(value: object) -> str:
    return f"{value!r}"[:MAX_QUOTED]


def _file(file: SceneFile) -> SceneFile:
    return SceneFile(path=whole_characters(file.path), size=file.size, duration=file.duration)
