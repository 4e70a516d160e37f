"""A job, for people and for a page: where it stands, when it is tried, what went wrong."""

from model.sentences import counted
from sync_queue import dlq
from sync_queue.browse import SeenJob
from sync_queue.models import SWEEP
from sync_queue.operations import SOON
from tasks.answers import DeadLetter, Job
from tasks.wording import ended, iso, span

ACTS = {"Create": "new", "Update": "edited", "Destroy": "deleted", "Merge": "merged"}
REASONS = {SWEEP: "found by the check of all scenes"}


def describe_job(seen: SeenJob, now: float) -> str:
    """Say in a sentence where a job stands, and what went wrong with it."""
    said = f" Last: {ended(seen.job.last_error)}" if seen.job.last_error and not seen.is_claimed else ""
    return f"{describe_turn(seen, now)}{said}"


def describe_turn(seen: SeenJob, now: float) -> str:
    """Say when a job has its turn."""
    job = seen.job
    why = f" ({describe_reason(job.reason)})" if job.reason else ""
    if seen.is_claimed:
        return f"Being worked on now{why}."
    when = "due now" if job.due_at <= now else f"due in {span(job.due_at - now)}"
    tried = f" Tried {_times(job.attempts)} so far." if job.attempts else ""
    return f"Queued{why}, {when}.{tried}"


def describe_reason(reason: str) -> str:
    """Say why a job was queued; what a person asked for is a reason by itself."""
    subject, _, act = reason.removesuffix(".Post").partition(".")
    if subject == "Scene":
        return f"{ACTS.get(act, act)} in Stash"
    return f"its {subject.lower()} was {ACTS[act]} in Stash" if act in ACTS else REASONS.get(reason, reason)


def job_answer(seen: SeenJob, now: float) -> Job:
    job = seen.job
    return Job(
        kind=job.kind,
        state="claimed" if seen.is_claimed else "waiting",
        reason=job.reason,
        queued_at=iso(job.queued_at),
        due_at=iso(job.due_at if job.due_at > SOON else job.queued_at),
        attempts=job.attempts,
        last_error=job.last_error or None,
        verify=job.verify,
        sentence=describe_job(seen, now),
    )


def letter_answer(letter: dlq.DeadLetter) -> DeadLetter:
    kind, _, number = letter.key.partition(":")
    return DeadLetter(
        id=letter.id,
        key=letter.key,
        scene_id=int(number) if kind in {"scene", "picture"} and number.isdigit() else None,
        kind=letter.kind,
        sentence=letter.sentence,
        detail=letter.detail,
        attempts=letter.attempts,
        first_at=iso(letter.first_at),
        last_at=iso(letter.last_at),
    )


def _times(number: int) -> str:
    return "once" if number == 1 else counted(number, "time")
