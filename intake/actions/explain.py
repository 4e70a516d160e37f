"""A row's story: where it stands, why, what comes next, and what a person can do."""

from dataclasses import dataclass

from intake.moving.plan import MovePlan
from intake.naming.shown import quoted
from intake.sources.work import parse_json
from intake.store.row import Row, Status, Step
from model.sentences import counted
from validation.json_shapes import as_list, as_object, as_text

_WHERE = {
    Status.PENDING: "It waits for the files' lane.",
    Status.PROCESSING: "A worker is finding out what it is, or moving it.",
    Status.MOVED: "It is in its place and waits to be published.",
    Status.EMBY_PENDING: "It is in its place; the servers are being told.",
    Status.COMPLETED: "It is done.",
    Status.ERROR: "It stopped.",
}
_ADVICE = {
    "no_code": "Say what it is: intake set-code {id} CODE",
    "several": "Choose one: intake set-code {id} CODE, or put a sidecar (.json, .nfo) beside the file and retry.",
    "exists": "Keep the better file, or rename one of them; then: intake retry {id}",
    "gone": "If the file was moved by hand, nothing needs to be done. If it comes back, it goes on by itself.",
    "undoing": "If nobody is at it any more: intake undo {id}",
    "same_name": "Keep the better file, or rename one of them; then: intake retry {id}",
    "unknown": "If the code is wrong: intake set-code {id} CODE",
    "undone": "To have it taken in again: intake retry {id}",
    "ambiguous": "Look at the items that have this name on the server; then: intake retry {id}",
}


@dataclass(frozen=True, slots=True)
class Story:
    """Sentences in the order in which a person wants them."""

    sentences: tuple[str, ...]
    candidates: tuple[str, ...]


def explain(row: Row, now: float) -> Story:
    """Tell a row's story; `now` is the moment that its times are compared with."""
    sentences = [f"{quoted(row.file_path)} is {row.status} (last step: {row.step}). {_WHERE[row.status]}"]
    if row.error_message:
        sentences.append(row.error_message)
    if row.movie_code:
        sentences.append(f"Its code is {row.movie_code}{', as a person said' if row.is_pinned else ''}.")
    if row.step is Step.PLANNED and row.plan_json:
        sentences.append(_planned(row))
    if row.new_path:
        sentences.append(f"It was brought to {quoted(row.new_path)}.")
    if (when := _next(row, now)) is not None:
        sentences.append(when)
    if row.error_kind in _ADVICE:
        sentences.append(_ADVICE[row.error_kind].format(id=row.id))
    return Story(tuple(sentences), _candidates(row))


def _planned(row: Row) -> str:
    plan = MovePlan.from_json(row.plan_json)
    target = next((file.target for file in plan.files if file.source == row.file_path), "")
    return f"It is on its way to {quoted(target)}."


def _next(row: Row, now: float) -> str | None:
    if row.status in (Status.PROCESSING, Status.EMBY_PENDING):
        return f"{row.claimed_by or 'A worker'} has it in hand."
    at = row.due_at if row.status in (Status.PENDING, Status.MOVED) else row.next_retry_at
    if row.status is Status.COMPLETED and at is None:
        return None
    if at is None:
        return "It is not tried again by itself."
    where = f" on {row.host}" if row.host else " on a machine that sees the file"
    return f"It is due now{where}." if at <= now else f"It is tried again in {_span(at - now)}{where}."


def _span(seconds: float) -> str:
    for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return counted(round(seconds), "second")


def _candidates(row: Row) -> tuple[str, ...]:
    shown = [as_object(one) or {} for one in as_list(parse_json(row.candidates_json or "[]")) or []]
    return tuple(f"{as_text(one.get('movie_code'))} {as_text(one.get('title'))}".strip() for one in shown)
