"""A work: what a source knows of the film in a file. Its JSON has the names that the table's other users know."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from validation.json_shapes import as_list, as_object, as_text
from validation.sanitizers import distinct_names, full_date, one_line, paragraphs

_MOST_NAMES = 100


@dataclass(frozen=True, slots=True)
class Work:
    """Every text is clean and may be empty; `release_date` is YYYY-MM-DD."""

    code: str = ""
    title: str = ""
    original_title: str = ""
    overview: str = ""
    performers: tuple[str, ...] = ()
    genres: tuple[str, ...] = ()
    release_date: str = ""
    series: str = ""
    maker: str = ""
    label: str = ""
    image_url: str = ""
    raw_image_url: str = ""
    source: str = ""

    @property
    def studio(self) -> str:
        return self.label or self.maker

    def filled_from(self, other: "Work") -> "Work":
        """Take from another answer to the same question what this one lacks."""
        lacking = {name: getattr(other, name) for name in JSON_NAMES if not getattr(self, name)}
        return replace(self, **lacking)

    def to_json(self) -> str:
        values = {key: getattr(self, name) for name, key in JSON_NAMES.items()}
        return json.dumps({**values, "source": self.source}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Work":
        """Read what `to_json`, or another program, has kept in `metadata_json`."""
        raw = as_object(parse_json(text)) or {}
        return read_work(raw, JSON_NAMES, as_text(raw.get("source")))


JSON_NAMES: Mapping[str, str] = {
    "code": "movie_code",
    "title": "title",
    "original_title": "original_title",
    "overview": "overview",
    "performers": "actress",
    "genres": "genre",
    "release_date": "release_date",
    "series": "series",
    "maker": "maker",
    "label": "label",
    "image_url": "image_cropped",
    "raw_image_url": "raw_image_url",
}
"""The fields of a work and what they are called in JSON; a setting may name others for a source."""


def read_work(raw: Mapping[str, object], names: Mapping[str, str], source: str) -> Work:
    """Read a work from a JSON object whose keys are `names`. A value of another shape than it should have is none."""
    found = {name: raw.get(key) for name, key in names.items()}
    texts = {name: one_line(_text(found.get(name))) for name in _LINES}
    return Work(
        **texts,
        overview=paragraphs(_text(found.get("overview"))),
        performers=_names(found.get("performers")),
        genres=_names(found.get("genres")),
        release_date=_date(_text(found.get("release_date"))),
        image_url=_address(found.get("image_url")),
        raw_image_url=_address(found.get("raw_image_url")),
        source=source,
    )


_LINES = ("code", "title", "original_title", "series", "maker", "label")


def _text(value: object) -> str:
    """Read a text; of an object its name, of a list its first member, as different plug-ins have it."""
    if (named := as_object(value)) is not None:
        return as_text(named.get("name"))
    if members := as_list(value):
        return as_text(members[0])
    return as_text(value)


def _names(value: object) -> tuple[str, ...]:
    """Read names from a list of texts or objects, or from one text with commas."""
    members = value.replace("、", ",").split(",") if isinstance(value, str) else as_list(value) or []
    return distinct_names(_text(member) for member in members[:_MOST_NAMES])


def _date(text: str) -> str:
    try:
        return full_date(text[:10])
    except ValueError:
        return ""


def _address(value: object) -> str:
    text = as_text(value).strip()
    is_address = text.startswith(("http://", "https://")) and text.isprintable() and " " not in text
    return text if is_address else ""


def parse_json(data: bytes | str) -> Any:
    """Read JSON that anybody may have written; None if it is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
