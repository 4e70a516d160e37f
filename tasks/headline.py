"""The headline of a scene's story: its state, the sentence that says why, and what to do next. Pure."""

from typing import NamedTuple, Protocol

from ledger.states import SceneState
from tasks.explain_known import Known
from tasks.job_words import told_job, told_turn
from tasks.moments import ago
from tasks.sentences import ended
from tasks.table import Answer

SYNC_IT = "Sync it now (sync), or wait for the next sweep."
MAP_IT = "choose the item by hand (map)"


class Headline(NamedTuple):
    state: str
    sentence: str
    next_step: str


class Seen(Protocol):
    """What the servers said, as far as they were asked."""

    @property
    def is_gone(self) -> bool: ...

    @property
    def problems(self) -> list[str]: ...

    @property
    def verdict(self) -> str: ...

    @property
    def would_change(self) -> list[str]: ...

    @property
    def is_found(self) -> bool: ...

    def shown(self) -> Answer: ...


NEXT_STEPS = {
    SceneState.SYNCED: "Nothing to do.",
    SceneState.WAITING: (
        "Nothing, if Plex is still scanning. If Plex has the file under another path than the one shown, set path_map, "
        f"or {MAP_IT}."
    ),
    SceneState.AMBIGUOUS: f"Look at the candidates and {MAP_IT}, or make the file names differ.",
    SceneState.REFUSED: "Correct the value in Stash; saving the scene syncs it.",
    SceneState.SKIPPED: "Mark the scene as organized in Stash, or switch only_organized off.",
    SceneState.FAILED: "Mend the cause, then retry the dead letter.",
    SceneState.UNDONE: "Edit it in Stash or sync it (sync), if Plex is to show it again.",
}


def headline(known: Known, seen: Seen) -> Headline:
    """Take the first that applies: what is happening, then what went wrong, then what is remembered."""
    return _gone(known, seen) or _in_queue(known) or _given_up(known) or _remembered(known, seen)


def _gone(known: Known, seen: Seen) -> Headline | None:
    if not seen.is_gone:
        return None
    return Headline("gone", f"Stash has no scene {known.scene_id} any more.", "Nothing to do; what Plex shows stays.")


def _in_queue(known: Known) -> Headline | None:
    job = known.job("scene")
    if job is None:
        return None
    told = told_job(job, known.now)
    if job.is_claimed:
        return Headline("queued", told, "Nothing to do; look again in a moment.")
    if obstacle := known.obstacle:
        state = "outage" if known.outage else "blocked"
        return Headline(state, f"{ended(obstacle)} {told}", "Mend that; the job then goes on by itself.")
    if known.record is not None and known.record.state is SceneState.WAITING:
        return Headline(
            "waiting", f"{known.record.sentence} {told_turn(job, known.now)}", NEXT_STEPS[SceneState.WAITING]
        )
    if not known.worker.alive:
        return Headline(
            "queued", f"{told} No worker is running.", "Edit a scene in Stash or run any task to start one."
        )
    return Headline("queued", told, "Nothing to do; the worker takes it when it is due.")


def _given_up(known: Known) -> Headline | None:
    letter = known.letter("scene")
    if letter is None:
        return None
    is_refused = known.record is not None and known.record.state is SceneState.REFUSED
    state = SceneState.REFUSED if is_refused else SceneState.FAILED
    times = f" Given up after {letter.attempts + 1} attempts, {ago(letter.last_at, known.now)}."
    step = NEXT_STEPS[state] + (f" Its number is {letter.id}." if state is SceneState.FAILED else "")
    return Headline(str(state), f"{ended(letter.sentence)}{times}", step)


def _remembered(known: Known, seen: Seen) -> Headline:
    record = known.record
    if record is None:
        return _never_synced(known, seen)
    if record.state is SceneState.SYNCED:
        return _synced(known, seen)
    if seen.is_found and record.state in {SceneState.WAITING, SceneState.AMBIGUOUS}:
        return Headline(str(record.state), f"{record.sentence} But now its item is found.", SYNC_IT)
    return Headline(str(record.state), ended(record.sentence), NEXT_STEPS[record.state])


def _synced(known: Known, seen: Seen) -> Headline:
    assert known.record is not None
    when = f"Synced {ago(known.record.synced_at or known.record.recorded_at, known.now)}"
    if seen.would_change:
        return Headline("synced", f"{when}, but since then this differs: {', '.join(seen.would_change)}.", SYNC_IT)
    if seen.verdict and not seen.is_found:
        return Headline("synced", f"{when}, but a sync would now find it {seen.verdict}; see the plan.", SYNC_IT)
    return Headline("synced", f"{when} to Plex's item {known.record.rating_key}.", NEXT_STEPS[SceneState.SYNCED])


def _never_synced(known: Known, seen: Seen) -> Headline:
    if everything := known.job("all"):
        return Headline(
            "queued", f"All scenes are queued, this one among them. {told_job(everything, known.now)}", "Wait."
        )
    if seen.problems:
        return Headline(
            "new", "It was never synced, and the servers could not all be asked.", "See what could not be asked."
        )
    return Headline("new", "It was never synced: no hook told of it and no sweep has come by yet.", SYNC_IT)
