"""A job in words: where it stands, when it is tried, what went wrong."""

from sync_queue.browse import SeenJob
from tasks.moments import iso, span
from tasks.sentences import ended


def told_job(seen: SeenJob, now: float) -> str:
    """Say in a sentence where a job stands, and what went wrong with it."""
    said = f" Last: {ended(seen.job.last_error)}" if seen.job.last_error and not seen.is_claimed else ""
    return f"{told_turn(seen, now)}{said}"


def told_turn(seen: SeenJob, now: float) -> str:
    """Say when a job has its turn."""
    job = seen.job
    why = f" ({job.reason})" if job.reason else ""
    if seen.is_claimed:
        return f"Being worked on now{why}."
    when = "due now" if job.due_at <= now else f"due in {span(job.due_at - now)}"
    tried = f" Tried {_times(job.attempts)} so far." if job.attempts else ""
    return f"Queued{why}, {when}.{tried}"


def shown_job(seen: SeenJob, now: float) -> dict[str, object]:
    job = seen.job
    return {
        "kind": job.kind,
        "state": "claimed" if seen.is_claimed else "waiting",
        "reason": job.reason,
        "queued_at": iso(job.queued_at),
        "due_at": iso(job.due_at or job.queued_at),
        "attempts": job.attempts,
        "last_error": job.last_error or None,
        "full": job.full,
        "sentence": told_job(seen, now),
    }


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
