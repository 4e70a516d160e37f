"""The headline of a scene's story on one target: its state, the sentence that says why, and what to do next. Pure."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from ledger.items import GIVEN_UP
from ledger.states import SceneState
from model.sentences import counted
from model.targets import TITLES
from tasks.queue.jobs import describe_job, describe_turn
from tasks.scenes.known import Known
from tasks.wording import ago, describe_kept, ended, named_fields

MOST_ITEMS = 5


class NextStep(NamedTuple):
    """What to do, in words for the page; and what to type for it, in which `{scene}` stands for the scene's id."""

    words: str
    command: str = ""


class Headline(NamedTuple):
    state: str
    sentence: str
    step: NextStep


NOTHING = NextStep("Nothing to do.")
SYNC_IT = NextStep("Sync it now, or wait for the next check of all scenes.", "sync {scene}")
UNLOCK_IT = NextStep(
    "Nothing, if that is right. To have what Stash says, unlock the field on the server and sync it.", "sync {scene}"
)


class Seen(Protocol):
    """What the servers said, as far as they were asked; see `AskedTarget`."""

    @property
    def is_gone(self) -> bool: ...

    @property
    def problems(self) -> list[str]: ...

    @property
    def verdict(self) -> str: ...

    @property
    def would_change(self) -> list[str]: ...

    @property
    def kept(self) -> str: ...

    @property
    def is_edited(self) -> bool: ...

    @property
    def is_found(self) -> bool: ...

    @property
    def lost_choice(self) -> str: ...


NEXT_STEPS = {
    SceneState.SYNCED: NOTHING,
    SceneState.WAITING: NextStep(
        "Nothing, if {server} is still scanning. If it has the file under another path than the one shown, correct "
        "{server}'s path map, or choose the item by hand.",
        "map {scene} ITEM",
    ),
    SceneState.AMBIGUOUS: NextStep(
        "Look at the candidates and choose the item by hand, or make the file names differ.", "map {scene} ITEM"
    ),
    SceneState.REFUSED: NextStep("Correct the value in Stash; saving the scene syncs it."),
    SceneState.SKIPPED: NextStep("Mark the scene as organized in Stash, or have scenes synced that are not."),
    SceneState.FAILED: NextStep("Mend the cause, then try it again.", "sync {scene}"),
    SceneState.UNDONE: NextStep("Edit it in Stash or sync it, if it is to be shown again.", "sync {scene}"),
    SceneState.IGNORED: NextStep("Nothing, or stop ignoring it.", "ignore {scene} --off"),
}


def next_step(state: SceneState, target: str) -> NextStep:
    """Say what to do about a scene in this state on a target."""
    step = NEXT_STEPS[state]
    return step._replace(words=step.words.replace("{server}", TITLES[target]))


def headline(known: Known, seen: Seen) -> Headline:
    """Take the first that applies: what is happening, then what went wrong, then what is remembered.

    Whichever it is, items that still show what was written for the scene, and are not its own now, are named.
    """
    if gone := _gone(known, seen):
        return gone
    said = _left_out(known) or _choice_gone(seen) or _in_queue(known) or _given_up(known) or _remembered(known, seen)
    return said._replace(sentence=" ".join([said.sentence, *_describe_left(known)]))


def _describe_left(known: Known) -> Iterator[str]:
    has_none = known.record is not None and known.record.state in {SceneState.WAITING, SceneState.AMBIGUOUS}
    own = [one for one in known.traces if one.shows_ours and one.scene_id == known.scene_id]
    for item in [one for one in own if has_none or one.left_at is not None][:MOST_ITEMS]:
        shows = f"{known.name}'s item {item.item_id}, which is not its own now, still shows"
        if item.left_at == GIVEN_UP:
            yield f"{shows} a picture that was written for it and cannot be taken back."
        else:
            yield f"{shows} what was written for it; to take that back: undo --scene {known.scene_id}."


def _left_out(known: Known) -> Headline | None:
    if known.record is None or not known.is_ignored:
        return None
    return Headline(str(known.record.state), known.record.sentence, next_step(known.record.state, known.target))


def _choice_gone(seen: Seen) -> Headline | None:
    if not seen.lost_choice:
        return None
    step = NextStep("Choose another item, or undo your choice: its files then say which it is.", "map {scene} --clear")
    return Headline(str(SceneState.WAITING), seen.lost_choice, step)


def _gone(known: Known, seen: Seen) -> Headline | None:
    if not seen.is_gone:
        return None
    sentence = " ".join([f"Stash has no scene {known.scene_id} any more.", *_describe_traces(known)])
    shows_it = any(item.shows_ours and item.scene_id == known.scene_id for item in known.traces)
    step = NextStep("Nothing, or undo what was written for it.", "undo --scene {scene}") if shows_it else NOTHING
    return Headline("gone", sentence, step)


def _describe_traces(known: Known) -> Iterator[str]:
    """Say what became of the items that showed a scene."""
    for item in [one for one in known.traces if one.shows_ours][:MOST_ITEMS]:
        if item.scene_id == known.scene_id:
            yield f"{known.name}'s item {item.item_id} still shows what was written for it."
        else:
            yield f"{known.name}'s item {item.item_id} is scene {item.scene_id}'s now."


def _in_queue(known: Known) -> Headline | None:
    job = known.job("scene")
    if job is None:
        return None
    said = describe_job(job, known.now)
    if job.is_claimed:
        return Headline("queued", said, NextStep("Nothing to do; look again in a moment."))
    if obstacle := known.obstacle:
        state = "outage" if known.outage else "blocked"
        return Headline(state, f"{ended(obstacle)} {said}", NextStep("Mend that; the job then goes on by itself."))
    if known.record is not None and known.record.state is SceneState.WAITING:
        sentence = f"{known.record.sentence} {describe_turn(job, known.now)}"
        return Headline("waiting", sentence, next_step(SceneState.WAITING, known.target))
    if not known.worker.alive:
        return Headline(
            "queued", f"{said} No worker is running.", NextStep("Edit a scene in Stash or run any task to start one.")
        )
    return Headline("queued", said, NextStep("Nothing to do; the worker takes it when it is due."))


def _given_up(known: Known) -> Headline | None:
    letter = known.letter("scene")
    if letter is None:
        return None
    is_refused = known.record is not None and known.record.state is SceneState.REFUSED
    state = SceneState.REFUSED if is_refused else SceneState.FAILED
    times = f" Given up after {counted(letter.attempts + 1, 'try')}, {ago(letter.last_at, known.now)}."
    step = NEXT_STEPS[state]
    if state is SceneState.FAILED:
        step = step._replace(command=f"retry {letter.id}")
    return Headline(str(state), f"{ended(letter.sentence)}{times}", step)


def _remembered(known: Known, seen: Seen) -> Headline:
    record = known.record
    if record is None:
        return _never_synced(known, seen)
    if record.state is SceneState.SYNCED:
        return _synced(known, seen)
    if seen.is_found and record.state in {SceneState.WAITING, SceneState.AMBIGUOUS}:
        return Headline(str(record.state), f"{record.sentence} But now its item is found.", SYNC_IT)
    return Headline(str(record.state), ended(record.sentence), next_step(record.state, known.target))


def _synced(known: Known, seen: Seen) -> Headline:
    assert known.record is not None
    when = f"Synced {ago(known.record.synced_at or known.record.recorded_at, known.now)}"
    if seen.would_change:
        return Headline("synced", f"{when}, but since then this differs: {named_fields(seen.would_change)}.", SYNC_IT)
    if seen.verdict and not seen.is_found:
        return Headline("synced", f"{when}, but a sync would now find it {seen.verdict}; see the plan.", SYNC_IT)
    first, *others = map(str, known.items)
    items = f"items {', '.join([first, *others[:-1]])} and {others[-1]}" if others else f"item {first}"
    return Headline("synced", *_describe_synced(f"{when} to {known.name}'s {items}.", known, seen))


def _describe_synced(synced: str, known: Known, seen: Seen) -> tuple[str, NextStep]:
    """Say whether the server still shows it, if it was asked, and what to do next."""
    if not seen.verdict and seen.is_edited:
        return f"{synced} It was edited in Stash since, which is not in {known.name} yet.", SYNC_IT
    if not seen.verdict:
        return f"{synced} {known.name} could not be asked whether it still shows that.", NOTHING
    if seen.kept or known.picture_text:
        kept = [describe_kept(seen.kept, known.name)] if seen.kept else []
        step = UNLOCK_IT if kept or known.keeps_picture else NOTHING
        return " ".join(filter(None, [synced, *kept, known.picture_text])), step
    return f"{synced} It shows what Stash says.", NOTHING


def _never_synced(known: Known, seen: Seen) -> Headline:
    if everything := known.job("all"):
        return Headline(
            "queued",
            f"All scenes are queued, this one among them. {describe_job(everything, known.now)}",
            NextStep("Wait."),
        )
    if seen.problems:
        return Headline(
            "new",
            "It was never synced, and the servers could not all be asked.",
            NextStep("See what could not be asked."),
        )
    return Headline(
        "new", "It was never synced: Stash has not reported it, and no check of all scenes has come by yet.", SYNC_IT
    )
