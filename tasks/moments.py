"""Moments as people and programs read them."""

import time


def iso(moment: float | None) -> str | None:
    """Write a moment as ISO 8601 in UTC, without the import of datetime."""
    return None if moment is None else time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(moment))


def ago(moment: float, now: float) -> str:
    """Say roughly how long ago a moment was."""
    return f"{span(now - moment)} ago"


def span(seconds: float) -> str:
    """Say roughly how long something lasts."""
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 2 * size or (size == 86400 and seconds >= size):  # noqa: PLR2004 - "2 hours" reads better than "1"
            return _counted(int(seconds // size), name)
    return _counted(max(int(seconds), 0), "second")


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"
