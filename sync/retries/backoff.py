"""How long to wait before a job is tried again: the curves, with and without chance."""

import random
from dataclasses import dataclass
from typing import NamedTuple

DEFAULT_RETRIES = 5  # what the setting max_retries is by default


class Curve(NamedTuple):
    """How delays grow: from the base, doubled with every try, up to the cap."""

    base_seconds: float
    cap_seconds: float


SHORT = Curve(5.0, 80.0)  # a server calms down in seconds
LONG = Curve(30.0, 600.0)  # a scan, a migration, a locked database: minutes to an hour
COVER = Curve(15.0, 600.0)  # a scan makes the cover of a new scene a moment after it tells of the scene


@dataclass(frozen=True, slots=True)
class RetryParams:
    """The curve of the delays, and after how many tries it ends."""

    base_seconds: float
    cap_seconds: float
    attempts: int


def ceiling(retry_count: int, base: float, cap: float) -> float:
    """The curve without jitter: base, doubled with every retry, never above the cap."""
    return min(cap, base * 2.0 ** min(retry_count, 64))


def calculate_delay(retry_count: int, base: float, cap: float, jitter_seed: int | None = None) -> float:
    """Full jitter: anything between nothing and the curve, so that jobs that failed together come back apart."""
    chance = random.Random(jitter_seed)  # noqa: S311 - no secret hangs on it
    return chance.uniform(0.0, ceiling(retry_count, base, cap))
