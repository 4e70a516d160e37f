"""An edit: what the parameters of a PUT ask for, read whole before anything is changed."""

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import unquote

from sim.plex.library.library import Library
from sim.plex.library.records import Item, Tagging, Value
from sim.plex.library.storing import stored_text, stored_value
from sim.plex.library.tags import TAG_ELEMENTS
from sim.plex.quirks import Quirks
from sim.plex.web.exchange import Refused

_VALUE = re.compile(r"^(\w+)\.value$")
_LOCKED = re.compile(r"^(\w+)\.locked$")
_ADDED = re.compile(r"^(\w+)\[(\d+)\]\.(tag\.tag|tag\.thumb|tag\.tagKey|tagging\.text)$")
_REMOVED = re.compile(r"^(\w+)\[\]\.tag\.tag-$")
_CLEARED = re.compile(r"^(\w+)\[\]\.tag$")
_PICTURE_LOCKS = frozenset({"thumb", "art", "clearLogo", "squareArt", "theme"})


def _text(value: str) -> Value:
    return value


def _epoch(value: str) -> Value:
    """Anything but seconds makes the real server fall over."""
    if not value.isdigit():
        raise Refused(500)
    return int(value)


def _day(value: str) -> Value:
    if value == "":
        return value
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise Refused(500) from None


def _score(value: str) -> Value:
    if value == "":
        return value
    try:
        number = float(value)
    except ValueError:
        raise Refused(500) from None
    if not math.isfinite(number) or not 0 <= number <= 10:
        raise Refused(400)
    return number


SCALARS: dict[str, Callable[[str], Value]] = {
    "title": _text,
    "titleSort": _text,
    "originalTitle": _text,
    "summary": _text,
    "tagline": _text,
    "studio": _text,
    "contentRating": _text,
    "editionTitle": _text,
    "originallyAvailableAt": _day,
    "addedAt": _epoch,
    "rating": _score,
    "audienceRating": _score,
    "userRating": _score,
}
LOCKABLE = SCALARS.keys() | TAG_ELEMENTS.keys() | _PICTURE_LOCKS


@dataclass(slots=True)
class Added:
    """`genre[0].tag.tag=` and, for an actor, the role and the photo that came with the same number."""

    kind: str
    name: str = ""
    text: str = ""
    thumb: str | None = None


@dataclass(frozen=True, slots=True)
class Removed:
    """`genre[].tag.tag-=`: some names, or with None all of the kind (`genre[].tag=`)."""

    kind: str
    names: frozenset[str] | None


@dataclass(slots=True)
class Edit:
    values: dict[str, Value] = field(default_factory=dict[str, Value])
    locks: dict[str, bool] = field(default_factory=dict[str, bool])
    steps: list[Added | Removed] = field(default_factory=list[Added | Removed])

    @classmethod
    def parse(cls, params: Iterable[tuple[str, str]]) -> "Edit":
        """Read the parameters; what no field or kind of tag is called is ignored, in silence."""
        edit, added = cls(), dict[tuple[str, str], Added]()
        for name, value in params:
            if (match := _VALUE.match(name)) and match[1] in SCALARS:
                edit.values[match[1]] = SCALARS[match[1]](value)
            elif (match := _LOCKED.match(name)) and match[1] in LOCKABLE:
                edit.locks[match[1]] = value == "1"
            elif (match := _ADDED.match(name)) and match[1] in TAG_ELEMENTS:
                step = added.get((match[1], match[2]))
                if step is None:
                    step = added[match[1], match[2]] = Added(match[1])
                    edit.steps.append(step)
                _complete(step, match[3], value)
            elif (match := _REMOVED.match(name)) and match[1] in TAG_ELEMENTS:
                edit.steps.append(Removed(match[1], frozenset(unquote(one) for one in value.split(","))))
            elif (match := _CLEARED.match(name)) and match[1] in TAG_ELEMENTS:
                edit.steps.append(Removed(match[1], None))
        return edit


def _complete(step: Added, what: str, value: str) -> None:
    if what == "tag.tag":
        step.name = value
    elif what == "tagging.text":
        step.text = value
    elif what == "tag.thumb":
        step.thumb = value


class Editor:
    def __init__(self, library: Library, quirks: Quirks) -> None:
        self._library = library
        self._quirks = quirks

    def apply(self, edit: Edit, item: Item) -> None:
        if item.kind == "collection" and (title := edit.values.get("title")):
            self._library.collections.rename(item, str(title))
        if edit.values:
            self._write(edit, item)
        for kind in dict.fromkeys(step.kind for step in edit.steps):
            steps = [step for step in edit.steps if step.kind == kind]
            self._library.set_tags(item, kind, self._after(steps, self._library.tags(item).get(kind, ())))
        if edit.locks:
            self._library.lock(item, edit.locks)

    def _write(self, edit: Edit, item: Item) -> None:
        values = {name: stored_value(name, value, self._quirks) for name, value in edit.values.items()}
        if "userRating" in values:
            values["lastRatedAt"] = self._library.now() if values["userRating"] != "" else ""
        self._library.write(item, values)

    def _after(self, steps: list[Added | Removed], before: tuple[Tagging, ...]) -> list[Tagging]:
        """Step by step, in the order of the query: who sends the list before `[].tag=` ends up with nothing."""
        registry = self._library.registry
        replaces = self._quirks.tag_mode == "replace" and any(isinstance(step, Added) for step in steps)
        tags = {} if replaces else {tagging.tag_id: tagging for tagging in before}
        for step in steps:
            if isinstance(step, Added):
                if name := stored_text(step.name, self._quirks):
                    tag = registry.obtain(step.kind, name)
                    tag.thumb = tag.thumb if step.thumb is None else step.thumb
                    tags[tag.id] = Tagging(tag.id, step.text or (tags[tag.id].text if tag.id in tags else ""))
            elif step.names is None:
                tags.clear()
            else:
                for name in step.names:
                    if tag := registry.get(step.kind, name):
                        tags.pop(tag.id, None)
        return list(tags.values())
