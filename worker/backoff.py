"""How long to wait before a job is tried again."""

import random


def ceiling(retry_count: int, base: float, cap: float) -> float:
    """The curve without jitter: base, doubled with every retry, never above the cap."""
    return min(cap, base * 2.0 ** min(retry_count, 64))


def calculate_delay(retry_count: int, base: float, cap: float, jitter_seed: int | None = None) -> float:
    """Full jitter: anything between nothing and the curve, so that jobs that failed together come back apart."""
    chance = random.Random(jitter_seed)  # noqa: S311 - no secret hangs on it
    return chance.uniform(0.0, ceiling(retry_count, base, cap))
