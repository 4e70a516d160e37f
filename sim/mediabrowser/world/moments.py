"""Moments as .NET has them: ticks of 100 ns, and dates as text."""

import re
from datetime import UTC, datetime, timedelta

TICKS_A_SECOND = 10_000_000
_DATE = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,16}))?)?(?:(Z)|([+-])(\d\d):(\d\d))?)?", re.ASCII
)


def ticks_of(seconds: float) -> int:
    return round(seconds * TICKS_A_SECOND)


def text_of(ticks: int) -> str:
    """Write a moment as the servers do: seven digits and a Z."""
    whole, rest = divmod(ticks, TICKS_A_SECOND)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=whole)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='seconds')}.{rest:07}Z"


def parse(text: str, utc_offset_hours: float) -> int | None:
    """Read a date of a query: one without a zone is the server's local time."""
    return _parse(text, unspecified_hours=utc_offset_hours, shown_hours=0.0)


def parse_stamped(text: str, utc_offset_hours: float) -> int | None:
    """Read a date of an update: an offset becomes the server's local time, and that is called UTC."""
    return _parse(text, unspecified_hours=0.0, shown_hours=utc_offset_hours)


def _parse(text: str, *, unspecified_hours: float, shown_hours: float) -> int | None:
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    fraction, zulu, sign, hours, minutes = match.groups()[6:]
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        if sign:
            offset = timedelta(hours=int(hours), minutes=int(minutes))
            moment += (-offset if sign == "+" else offset) + timedelta(hours=shown_hours)
        elif not zulu:
            moment -= timedelta(hours=unspecified_hours)
    except (ValueError, OverflowError):
        return None
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    return seconds * TICKS_A_SECOND + int(f"{fraction or '':0<7}"[:7])
