"""Dates: a day and a year, which these servers keep apart, as one text that loses neither.

Mostly it is a day, `2024-05-01`. A year without a day is `2024`. What else others have left there, another year than
the day's or a time of the day, is spelled out, so that it can be put back as it was: `2024-05-01 (2023)`. What is no
date at all is kept letter for letter, always with its year: `unknown (no year)`.
"""

import re
from datetime import UTC, datetime
from typing import Any

_MIDNIGHT = re.compile(r"T00:00:00(?:\.0+)?Z?")
_YEAR = re.compile(r"\d{1,4}")
_DATE = re.compile(r"(?P<day>\d{4}-\d\d-\d\d)(?P<time>T[\d:.]+Z?)?(?: \((?P<year>\d{1,4}|no year)\))?")
_OFFSET = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?")
_OPAQUE = re.compile(r"(?P<text>.+) \((?P<year>\d{1,4}|no year)\)", re.DOTALL)
_DAY_LENGTH = len("2024-05-01")


def utc_text(moment: str) -> str:
    """Write a moment with an offset without it, as UTC: sent with one, it would become the server's local time."""
    if not _OFFSET.fullmatch(moment):
        return moment
    try:
        return f"{datetime.fromisoformat(moment).astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}0Z"
    except (ValueError, OverflowError):
        return moment


def date_text(premiere: str, year: int | None) -> str:
    """Write what the server has as one text."""
    premiere = utc_text(premiere)
    if not premiere:
        return "" if year is None else str(year)
    shown_year = "no year" if year is None else str(year)
    if not _MOMENT.fullmatch(premiere):
        return f"{premiere} ({shown_year})"
    day, time = premiere[:_DAY_LENGTH], premiere[_DAY_LENGTH:]
    is_plain = not time or _MIDNIGHT.fullmatch(time)
    moment = day if is_plain else premiere
    return moment if year == int(day[:4]) else f"{moment} ({shown_year})"


def date_properties(text: str) -> dict[str, Any]:
    """Give what has to be sent for a text.

    A day is midnight UTC, for an offset becomes the server's local time; nobody derives the year from it.
    """
    if not text:
        return {"PremiereDate": None, "ProductionYear": None}
    if _YEAR.fullmatch(text):
        return {"PremiereDate": None, "ProductionYear": int(text)}
    found = _DATE.fullmatch(text)
    if found is None:
        return _opaque_properties(text)
    time = found["time"] or "T00:00:00.0000000Z"
    return {"PremiereDate": found["day"] + time, "ProductionYear": _year(found["year"] or found["day"][:4])}


def _opaque_properties(text: str) -> dict[str, Any]:
    """Give back what was no date as it came."""
    found = _OPAQUE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no day")
    return {"PremiereDate": found["text"], "ProductionYear": _year(found["year"])}


def _year(text: str) -> int | None:
    return None if text == "no year" else int(text)
