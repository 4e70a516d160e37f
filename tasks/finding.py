"""A finding of the health check: one part, OK or what to do."""

from typing import NamedTuple


class Finding(NamedTuple):
    part: str
    ok: bool
    sentence: str


def well(part: str, sentence: str = "") -> Finding:
    return Finding(part, ok=True, sentence=f"OK, {sentence}" if sentence else "OK.")


def ill(part: str, sentence: str) -> Finding:
    return Finding(part, ok=False, sentence=sentence)
