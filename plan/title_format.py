"""The title as the setting `title_format` wants it: `{performers} - {title}`. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from validation.metadata import SyncMetadata

_PLACE = re.compile(r"\{(performers|title|studio|date|code)\}")
_BRACKETS = re.compile(r"[()\[\]{}<>]")


def formatted_title(form: str, scene: SyncMetadata) -> str:
    """Fill in the form. What stands beside a value that is empty goes with it; without a form it is the title."""
    values = {
        "performers": ", ".join(scene.performers),
        "title": scene.title,
        "studio": scene.studio,
        "date": scene.date,
        "code": scene.tagline,
    }
    texts, names = _PLACE.split(form)[::2], _PLACE.findall(form)
    filled = [place for place, name in enumerate(names) if values[name]]
    if not filled:
        return scene.title
    opening = texts[0] if filled[0] == 0 else ""
    closing = texts[-1] if filled[-1] == len(names) - 1 else ""
    between = [*_between(texts, filled), closing]
    words = "".join(f"{values[names[place]]}{text}" for place, text in zip(filled, between, strict=True))
    return " ".join(f"{opening}{words}".split())


def _between(texts: Sequence[str], filled: Sequence[int]) -> Iterator[str]:
    """Give what parts each two neighbours: of several texts the first that is no bracket around what is not there."""
    for left, right in pairwise(filled):
        parting = texts[left + 1 : right + 1]
        whole = parting if len(parting) == 1 else [text for text in parting if not _BRACKETS.search(text)]
        yield whole[0] if whole else " "
