"""How fast jobs are done: counted by the hour for a day, and by the minute for a while.

The worker keeps these counts in the statistics of a target, and the status reads them. Standard library only, and
little of it: a status waits for every import made here.
"""

from __future__ import annotations

from runtime.record import dataclass
from validation.json_shapes import as_list

TYPE_CHECKING = False  # typing takes time that only a type checker has
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HOUR, MINUTE = 3600, 60
MOST_HOURS = 24
MOST_MINUTES = 10
IDLE_AFTER_SECONDS = 120.0
LEAST_SECONDS = 15.0  # after less than that, a speed would be a guess
END_OF_TIME = 2.5e11


@dataclass(frozen=True, slots=True)
class Bucket:
    """What was done and given up from a moment on, for an hour or a minute."""

    at: int
    done: int
    failed: int


def counted_in(
    buckets: Sequence[Bucket], size: int, most: int, now: float, *, done: int, failed: int
) -> tuple[Bucket, ...]:
    """Count into the bucket of this moment; those that are too old, or of a clock that was wrong, go."""
    at = int(now // size) * size
    current = next((one for one in buckets if one.at == at), Bucket(at, 0, 0))
    kept = [one for one in buckets if at - most * size < one.at < at]
    return (*kept, Bucket(at, current.done + done, current.failed + failed))


def read_buckets(state: Mapping[str, object], name: str) -> tuple[Bucket, ...]:
    """Read buckets from a state that may have been written by anybody; what makes no sense counts as nothing."""
    rows = map(_bucket, as_list(state.get(name)) or ())
    return tuple(sorted((one for one in rows if one), key=lambda one: one.at))


def last_day(hours: Sequence[Bucket], now: float) -> tuple[Bucket, ...]:
    """Return the hours of the last day in which something was done."""
    return tuple(one for one in hours if 0 <= now - one.at < MOST_HOURS * HOUR)


def speed_per_minute(minutes: Sequence[Bucket], now: float) -> float | None:
    """Say how many jobs are done in a minute of late; None if none was for a while."""
    recent = [one for one in minutes if 0 <= now - one.at < MOST_MINUTES * MINUTE]
    if not recent or now - recent[-1].at > IDLE_AFTER_SECONDS:
        return None
    done = sum(one.done + one.failed for one in recent)
    return round(done * MINUTE / max(now - recent[0].at, LEAST_SECONDS), 1) or None


def _bucket(raw: object) -> Bucket | None:
    values = as_list(raw) or []
    numbers = [one for one in values if isinstance(one, int) and not isinstance(one, bool) and 0 <= one < END_OF_TIME]
    return Bucket(*numbers) if len(numbers) == len(values) == 3 else None  # noqa: PLR2004 - a bucket's three numbers
