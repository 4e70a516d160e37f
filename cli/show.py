"""Answers on a screen: what a person wants to see first, first."""

from collections.abc import Iterable, Sequence

from cli.screen import Screen
from model.targets import TITLES
from runtime.record import field_names
from tasks.answers import (
    Change,
    DeadLetters,
    Entries,
    Explanation,
    Health,
    MatchFound,
    Plan,
    Runs,
    ScenePreview,
    Scenes,
    Status,
    TargetExplanation,
    TargetPreview,
    TargetStatus,
)

MOST_LETTERS = 60
Rows = Sequence[tuple[object, ...]]


def show_status(screen: Screen, answer: Status) -> None:
    trouble = _trouble(answer)
    screen.line(trouble or "Nothing is in the way.", "!" if trouble else "OK")
    queue, worker, stash = answer.queue, answer.worker, answer.stash
    old = ", older than the plugin's files" if worker.is_outdated else ""
    running = f"version {worker.version}, process {worker.pid}{old}" if worker.alive else "not running"
    jobs = f"{queue.due} due, {queue.later} later, {queue.claimed} being worked on, {queue.dead} given up"
    screen.facts(
        [
            ("Jobs", jobs),
            *(fact for target in answer.targets for fact in _target_facts(target)),
            ("Worker", running),
            ("Stash", f"{stash.url}, heard of {stash.seen_at}" if stash else "not known yet where it is"),
            *(("Needs you", need.sentence) for need in answer.needs_you if need.sentence != trouble),
        ]
    )


def _target_facts(target: TargetStatus) -> Iterable[tuple[str, object]]:
    counts = {state: getattr(target.scenes, state) for state in field_names(target.scenes)}
    scenes = ", ".join(f"{number} {state}" for state, number in counts.items() if number)
    yield target.name, scenes or "no scenes known yet"
    if target.speed_per_minute:
        left = f", {target.seconds_left} s left" if target.seconds_left else ""
        yield "Speed", f"{target.speed_per_minute:g} a minute{left}"
    run = target.last_run
    yield "Last run", f"number {run.run_id} ({run.kind}), {run.began_at}" if run else "nothing written yet"


def _trouble(answer: Status) -> str | None:
    said = [text for target in answer.targets for text in (target.outage, target.pictures) if text]
    return (
        next((target.outage for target in answer.targets if target.outage), None)
        or answer.worker.obstacle
        or next(iter(said), None)
    )


def show_scenes(screen: Screen, answer: Scenes) -> None:
    rows = [(one.scene_id, one.state, one.item_id, one.sentence) for one in answer.scenes]
    _table(screen, ("scene", "state", "item", "why"), rows, answer.next, "No scenes.")


def show_letters(screen: Screen, answer: DeadLetters) -> None:
    rows = [(one.id, one.key.replace(":", " "), one.attempts, one.last_at, one.sentence) for one in answer.dead_letters]
    _table(screen, ("number", "job", "tries", "last", "why"), rows, answer.next, "No job was given up.")


def show_journal(screen: Screen, answer: Runs | Entries) -> None:
    if isinstance(answer, Runs):
        rows = [(one.run_id, one.kind, one.began_at, one.scenes, one.written, one.undone) for one in answer.runs]
        columns = ("run", "kind", "began", "scenes", "written", "undone")
        _table(screen, columns, rows, answer.next, "Nothing was written yet.")
        return
    entries = [
        (one.run_id, one.scene_id, one.field, _short(one.old), _short(one.new), one.undone_at or "")
        for one in answer.entries
    ]
    _table(screen, ("run", "scene", "field", "old", "new", "undone"), entries, answer.next, "Nothing was written.")


def show_findings(screen: Screen, answer: Health) -> None:
    rows = [("OK" if one.ok else "!", one.part, one.sentence) for one in answer.findings]
    screen.table(("", "part", "what"), rows)
    screen.line(answer.sentence, "OK" if answer.ok else "!")


def show_preview(screen: Screen, answer: ScenePreview) -> None:
    for one in answer.targets:
        if len(answer.targets) > 1:
            screen.line(TITLES[one.target], "bold")
        show_plan(screen, one)


def show_plan(screen: Screen, plan: Plan | TargetPreview) -> None:
    screen.line(plan.sentence, plan.verdict)
    changes = [(one.field, _short(one.old), _short(one.new), one.why) for one in plan.changes]
    kept = [(one.field, _short(one.old), f"(kept; Stash has {_withheld(one)})", one.why) for one in plan.kept]
    if changes or kept:
        screen.table(("field", "is", "becomes", "why"), [*changes, *kept])


def _withheld(change: Change) -> str:
    return _short(change.stash or "")


def show_story(screen: Screen, answer: Explanation) -> None:
    title = f": {answer.title}" if answer.title else ""
    screen.line(f"Scene {answer.scene_id}{title}", "bold")
    if answer.files:
        screen.facts([("File", one.path) for one in answer.files])
    for one in answer.targets:
        if len(answer.targets) > 1:
            screen.line(one.name, "bold")
        _show_target(screen, one)


def _show_target(screen: Screen, story: TargetExplanation) -> None:
    last = story.last_sync
    screen.facts(
        [
            ("State", story.state),
            ("Why", story.sentence),
            ("Next", story.next_step),
            *([("Type", story.command)] if story.command else []),
            ("Last sync", f"{last.at}, item {last.item_id}" if last else "never"),
            *([("Item", story.item_url)] if story.item_url else []),
            *(("Job", f"{one.kind}: {one.sentence}") for one in story.queue),
            *(("Given up", f"number {one.id}: {one.sentence}") for one in story.dead_letters),
            *(("Picture", f"{one.place}: {one.state}. {one.sentence}") for one in story.pictures),
            *([("By hand", f"mapped to item {story.pinned_to}")] if story.pinned_to else []),
            *(("Not asked", one) for one in story.not_asked),
        ]
    )
    if story.match:
        _show_match(screen, story.match)
    if story.plan:
        show_plan(screen, story.plan)


def _show_match(screen: Screen, match: MatchFound) -> None:
    source = "" if match.source == "server" else ", as the server was when it was last read"
    screen.line(f"Match: {match.confidence} ({match.rule}, score {match.score}){source}")
    rows = [("taken" if one.is_taken else "", one.item_id, one.title, one.path, one.why) for one in match.candidates]
    if rows:
        screen.table(("", "item", "title", "its file", "why"), rows)


def _table(screen: Screen, columns: tuple[str, ...], rows: Rows, following: str | None, nothing: str) -> None:
    if not rows:
        screen.line(nothing)
        return
    screen.table(columns, rows)
    if following is not None:
        screen.line(f"There are more than these {len(rows)}; see --limit.", "dim")


def _short(value: str | Iterable[str]) -> str:
    text = value if isinstance(value, str) else ", ".join(value)
    line = " ".join(text.split())
    return line if len(line) <= MOST_LETTERS else line[: MOST_LETTERS - 1] + "…"
