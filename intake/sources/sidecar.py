"""A sidecar as a source: `film.nfo` (Kodi's XML) or `film.json` beside `film.mp4`, put there by a person or program."""

import os
from collections.abc import Sequence
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from intake.sources.port import Offer, Question, SourceAway
from intake.sources.work import JSON_NAMES, Work, parse_json, read_work
from validation.json_shapes import as_object

MAX_BYTES = 1_000_000
_DEEPEST = 50

_ELEMENTS: dict[str, tuple[str, ...]] = {
    "code": ("num", "code", "uniqueid[@type='num']"),
    "title": ("title",),
    "original_title": ("originaltitle",),
    "overview": ("plot", "outline"),
    "release_date": ("premiered", "releasedate", "release", "year"),
    "series": ("set/name", "set"),
    "maker": ("maker", "studio"),
    "label": ("label", "publisher"),
    "image_url": ("cover", "poster", "thumb"),
}
_LISTS = {"performers": "actor/name", "genres": "genre"}


class SidecarSource:
    """Reads what lies beside the file; a text that is no sidecar of ours, such as a release's notes, is none."""

    name = "sidecar"

    def find(self, question: Question) -> Sequence[Offer]:
        stem = os.path.splitext(question.path)[0]
        readers = ((".json", _work_of_json), (".nfo", _work_of_nfo))
        works = [read(data) for suffix, read in readers if (data := _content(stem + suffix)) is not None]
        return [Offer(work, is_of_file=True) for work in works if work is not None][:1]

    def check(self) -> str:
        return "Sidecars (.json, .nfo) are read where they lie beside a file."

    def close(self) -> None:
        pass


def _content(path: str) -> bytes | None:
    try:
        if os.path.getsize(path) > MAX_BYTES:
            return None
        with open(path, "rb") as file:
            return file.read(MAX_BYTES)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    except OSError as error:
        raise SourceAway(f"The sidecar {path} cannot be read: {error.strerror}.") from error


def _work_of_json(data: bytes) -> Work | None:
    raw = as_object(parse_json(data))
    raw = as_object((raw or {}).get("data")) or raw  # an answer of the search, kept as it came
    return _if_it_says_anything(read_work(raw, JSON_NAMES, "a sidecar")) if raw else None


def _work_of_nfo(data: bytes) -> Work | None:
    root = parse_nfo(data)
    if root is None:
        return None
    raw: dict[str, object] = {name: _first(root, places) for name, places in _ELEMENTS.items()}
    raw |= {name: [element.text or "" for element in root.iterfind(place)] for name, place in _LISTS.items()}
    return _if_it_says_anything(read_work(raw, {name: name for name in raw}, "a sidecar"))


def _if_it_says_anything(work: Work) -> Work | None:
    return work if work.title or work.code or work.performers else None


def _first(root: Element, places: Sequence[str]) -> str:
    found = (root.findtext(place) for place in places)
    return next((text.strip() for text in found if text and text.strip()), "")


class _Refused(Exception):
    """This is markup that grows as it is read, or no sidecar."""


def parse_nfo(data: bytes) -> Element | None:
    """Parse XML of a bounded depth without a document type; what stands behind its end is left alone, as Kodi does."""
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    depth, ended = 0, False

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise _Refused
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth, ended
        depth -= 1
        ended = depth == 0
        builder.end(tag)

    def refuse(*_: object) -> None:
        raise _Refused

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)  # noqa: FBT003 - expat's signature
    except _Refused:
        return None
    except expat.ExpatError:
        if not ended:
            return None
    return builder.close()
