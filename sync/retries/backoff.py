"""How long to wait before a job is tried again, and how often."""

import random
from dataclasses import dataclass

from model.errors import ItemNotFound

DEFAULT_RETRIES = 5  # what the setting max_retries is by default


@dataclass(frozen=True, slots=True)
class RetryParams:
    """The curve of the delays, and after how many tries it ends."""

    base_seconds: float
    cap_seconds: float
    attempts: int


def get_retry_params(error: Exception, max_retries: int = DEFAULT_RETRIES) -> RetryParams:
    """Return how patient to be after this error: Plex may take an hour to scan a new file, and seconds to calm down."""
    if isinstance(error, ItemNotFound):
        return RetryParams(30.0, 600.0, 12)
    return RetryParams(5.0, 80.0, max_retries)


def ceiling(retry_count: int, base: float, cap: float) -> float:
    """The curve without jitter: base, doubled with every retry, never above the cap."""
    return min(cap, base * 2.0 ** min(retry_count, 64))


def calculate_delay(retry_count: int, base: float, cap: float, jitter_seed: int | None = None) -> float:
    """Full jitter: anything between nothing and the curve, so that jobs that failed together come back apart."""
    chance = random.Random(jitter_seed)  # noqa: S311 - no secret hangs on it
    return chance.uniform(0.0, ceiling(retry_count, base, cap))
