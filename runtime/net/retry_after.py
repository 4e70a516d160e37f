"""Retry-After: how long a server asks us to wait, in seconds or until a moment of its own clock."""

import email.utils
from collections.abc import Mapping


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Give the seconds that an answer's headers ask for; None if they ask for none, or cannot be understood.

    A moment counts from the answer's own date: whose clock is right does not matter.
    """
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdecimal():
        return float(text)
    until, answered = _moment(text), _moment(headers.get("Date", ""))
    return max(0.0, until - answered) if until is not None and answered is not None else None


def _moment(text: str) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None
