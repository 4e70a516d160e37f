"""Tasks on the queue: look at it, hurry it, clear it, give the dead letters another chance."""

import time

from ledger.kept_names import TRY_AT
from runtime.lock import is_held
from runtime.state_file import read_state
from stash import wire
from sync_queue import operations
from sync_queue.dlq import DeadLetterQueue
from tasks.dead_letters import shown_letter
from tasks.desk import Desk
from tasks.ledger_desk import open_ledger
from tasks.plex_standing import outage_words, plex_standing
from tasks.report import Report
from tasks.sweep_standing import sweep_words
from validation.events import parse_id
from validation.json_shapes import as_object

DEFAULT_PURGE_DAYS = 30
SECONDS_A_DAY = 86400.0
LOOK_SECONDS = 0.5
_LOOKS_TO_INSIST = (1, 10)  # the first may come before the worker has looked
PATIENT_LOOKS = 20  # a worker that was just started needs a moment to ask Stash for the settings


def queue_status(desk: Desk) -> Report:
    """Say how many jobs stand where, whether a worker lives, and what is in its way."""
    counts = operations.count(desk.connection, desk.now())
    alive = is_held(desk.folder.worker_lock)
    state = read_state(desk.folder.worker_state)
    sweep = as_object(state.get("sweep")) or {}
    letters = [shown_letter(letter) for letter in DeadLetterQueue(desk.connection).list(limit=20)]
    worker = "a worker is running" if alive else "no worker is running"
    sentence = (
        f"{counts['due']} jobs due, {counts['later']} waiting for their time, {counts['claimed']} being worked on, "
        f"{counts['dead']} given up; {worker}.{_said(desk, state, counts, alive=alive)}"
        f"{sweep_words(sweep, desk.now())}"
    )
    known = {"worker": alive, "obstacle": state.get("obstacle"), "notice": state.get("notice"), "sweep": sweep}
    plex = plex_standing(desk.folder, counts, desk.now())
    return Report(sentence, {**counts, **known, "dead_letters": letters, **plex})


def _said(desk: Desk, state: dict[str, object], counts: dict[str, int], *, alive: bool) -> str:
    """Add what is in the way: the outage as it stands now, or else what the worker said."""
    outage = outage_words(desk.folder, counts, desk.now())
    obstacle, notice = state.get("obstacle"), state.get("notice")
    said = outage or (obstacle if alive or not obstacle else f"The last one said: {obstacle}")
    return "".join(f" {part}" for part in (said, notice) if part)


def process_queue(desk: Desk) -> Report:
    """Make everything due now, and watch the worker until it is done. There is never a second drainer."""
    dead_before = operations.count(desk.connection, desk.now())["dead"]
    with desk.writing():
        operations.hasten_all(desk.connection)
    most, looks_in_vain = 0, 0
    while left := _unfinished(desk):
        most = max(most, left)
        desk.teller.progress(1 - left / most)
        desk.wake_worker()
        obstacle = _obstacle(desk)
        looks_in_vain = looks_in_vain + 1 if obstacle else 0
        if looks_in_vain in _LOOKS_TO_INSIST:
            _ask_to_try(desk)
        if obstacle and looks_in_vain > PATIENT_LOOKS:
            return Report(f"{left} jobs are left in the queue. {obstacle}", {"left": left, "obstacle": obstacle})
        time.sleep(LOOK_SECONDS)
    counts = operations.count(desk.connection, desk.now())
    given_up = max(counts["dead"] - dead_before, 0)
    sentence = (
        f"{most} jobs were due and none is left: {given_up} were given up, {counts['later']} wait for another try."
        if most
        else f"No job was due; {counts['later']} wait for their time."
    )
    return Report(sentence, {**counts, "most": most, "given_up": given_up, "left": 0})


def _ask_to_try(desk: Desk) -> None:
    """Have the worker ask Plex now: whoever runs this task knows that it is back, or wants to know."""
    with open_ledger(desk) as ledger:
        ledger.keep_value(TRY_AT, str(desk.now()))


def _obstacle(desk: Desk) -> str | None:
    """Say what keeps the queue from becoming empty: what the worker says, or that none stays."""
    if obstacle := read_state(desk.folder.worker_state).get("obstacle"):
        return str(obstacle)
    if not is_held(desk.folder.worker_lock):
        return f"No worker stays alive; look at {desk.folder.worker_log}."
    return None


def retry_failed(desk: Desk) -> Report:
    with desk.writing():
        revived = DeadLetterQueue(desk.connection).revive(desk.now())
    if revived:
        desk.wake_worker()
    return Report(f"{revived} jobs that were given up are tried again.", {"revived": revived})


def clear_queue(desk: Desk) -> Report:
    with desk.writing():
        cleared = operations.clear_waiting(desk.connection)
    return Report(
        f"{cleared} waiting jobs were removed. The next sweep finds what they stood for; the task Reconcile is one.",
        {"cleared": cleared},
    )


def clear_dlq(desk: Desk) -> Report:
    with desk.writing():
        purged = DeadLetterQueue(desk.connection).purge(older_than=float("inf"))
    return Report(f"{purged} dead letters were removed.", {"purged": purged})


def purge_dlq(desk: Desk) -> Report:
    days = parse_id(desk.args.get("days", DEFAULT_PURGE_DAYS))
    if days is None:
        raise wire.Refusal(f"days must be a whole number above 0; it is {desk.args.get('days')!r}.")
    with desk.writing():
        purged = DeadLetterQueue(desk.connection).purge(desk.now() - days * SECONDS_A_DAY)
    return Report(f"{purged} dead letters older than {days} days were removed.", {"purged": purged, "days": days})


def _unfinished(desk: Desk) -> int:
    counts = operations.count(desk.connection, desk.now())
    return counts["due"] + counts["claimed"]
