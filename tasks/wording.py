"""Moments and sentences, as people and programs read them. Standard library only, and little of it."""

from __future__ import annotations

import time

from model.sentences import counted

SECONDS_A_DAY = 86400
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import overload

    @overload
    def iso(moment: float) -> str: ...
    @overload
    def iso(moment: float | None) -> str | None: ...


def iso(moment: float | None) -> str | None:
    """Write a moment as ISO 8601 in UTC, without the import of datetime."""
    return None if moment is None else time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(moment))


def ago(moment: float, now: float) -> str:
    """Say roughly how long ago a moment was."""
    return f"{span(now - moment)} ago"


def span(seconds: float) -> str:
    """Say roughly how long something lasts."""
    for size, name in ((SECONDS_A_DAY, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 2 * size or (size == SECONDS_A_DAY and seconds >= size):  # "2 hours" reads better than "1"
            return counted(int(seconds // size), name)
    return counted(max(int(seconds), 0), "second")


def ended(text: str) -> str:
    """Return the text with a stop at its end: the errors of servers have none."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def describe_kept(kept: str, name: str = "Plex") -> str:
    """Say what a person's choice keeps out of a server."""
    return f"Kept as a person's in {name}: {kept}."


def named_fields(names: Iterable[str]) -> str:
    """List fields as people call them."""
    return ", ".join(name.replace("_", " ") for name in names)
