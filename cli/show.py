"""Answers on a screen: what a person wants to see first, first."""

from collections.abc import Iterable, Mapping
from typing import Any

from cli.screen import Screen

Shown = Mapping[str, Any]
MOST_LETTERS = 60


def show_status(screen: Screen, answer: Shown) -> None:
    screen.line(answer["outage"] or answer["worker"]["obstacle"] or "Nothing is in the way.", _alarm(answer))
    queue, worker = answer["queue"], answer["worker"]
    jobs = f"{queue['due']} due, {queue['later']} later, {queue['claimed']} being worked on, {queue['dead']} given up"
    scenes = ", ".join(f"{number} {state}" for state, number in answer["scenes"].items() if number)
    old = ", older than the plugin's files" if worker["is_outdated"] else ""
    stash = answer["stash"]
    run = answer["last_run"]
    screen.facts(
        [
            ("Jobs", jobs),
            ("Scenes", scenes or "none known yet"),
            (
                "Worker",
                f"version {worker['version']}, process {worker['pid']}{old}" if worker["alive"] else "not running",
            ),
            (
                "Stash",
                f"{stash['url']}, heard of {stash['seen_at']}" if stash else "nobody has told us yet where it is",
            ),
            ("Last run", f"number {run['id']} ({run['kind']}), {run['began_at']}" if run else "nothing written yet"),
        ]
    )


def _alarm(answer: Shown) -> str:
    return "!" if answer["outage"] or answer["worker"]["obstacle"] else "OK"


def show_scenes(screen: Screen, answer: Shown) -> None:
    rows = [(one["scene_id"], one["state"], one.get("rating_key"), one["sentence"]) for one in answer["scenes"]]
    _table(screen, ("scene", "state", "item", "why"), rows, answer, "No scenes.")


def show_letters(screen: Screen, answer: Shown) -> None:
    rows = [(one["id"], one["key"], one["attempts"], one["last_at"], one["sentence"]) for one in answer["dead_letters"]]
    _table(screen, ("number", "job", "tries", "last", "why"), rows, answer, "No job was given up.")


def show_journal(screen: Screen, answer: Shown) -> None:
    if "runs" in answer:
        rows = [
            (one["run_id"], one["kind"], one["began_at"], one["scenes"], one["written"], one["undone"])
            for one in answer["runs"]
        ]
        _table(
            screen, ("run", "kind", "began", "scenes", "written", "undone"), rows, answer, "Nothing was written yet."
        )
        return
    entries = [
        (one["run_id"], one["scene_id"], one["field"], _short(one["old"]), _short(one["new"]), one["undone_at"] or "")
        for one in answer["entries"]
    ]
    _table(screen, ("run", "scene", "field", "old", "new", "undone"), entries, answer, "Nothing was written.")


def show_findings(screen: Screen, answer: Shown) -> None:
    rows = [("OK" if one["ok"] else "!", one["part"], one["sentence"]) for one in answer["findings"]]
    screen.table(("", "part", "what"), rows)
    screen.line(answer["sentence"], "OK" if answer["ok"] else "!")


def show_plan(screen: Screen, answer: Shown) -> None:
    screen.line(answer["sentence"], answer["verdict"])
    changes = [(one["field"], _short(one["old"]), _short(one["new"]), one["why"]) for one in answer["changes"]]
    kept = [(one["field"], _short(one["old"]), "(kept)", one["why"]) for one in answer["kept"]]
    if changes or kept:
        screen.table(("field", "Plex has", "becomes", "why"), [*changes, *kept])


def show_story(screen: Screen, answer: Shown) -> None:
    title = f": {answer['title']}" if answer["title"] else ""
    screen.line(f"Scene {answer['scene_id']}{title}", "bold")
    last = answer["last_sync"]
    screen.facts(
        [
            ("State", answer["state"]),
            ("Why", answer["sentence"]),
            ("Next", answer["next_step"]),
            ("Last sync", f"{last['at']}, item {last['rating_key']}" if last else "never"),
            *(("File", f"{one['path']} → {one['plex_path'] or 'not known'}") for one in answer["files"]),
            *(("Job", f"{one['kind']}: {one['sentence']}") for one in answer["queue"]),
            *(("Given up", f"number {one['id']}: {one['sentence']}") for one in answer["dead_letters"]),
            *(("Picture", f"{one['place']}: {one['state']}. {one['sentence']}") for one in answer["pictures"]),
            *([("By hand", f"mapped to item {answer['pinned_to']}")] if answer["pinned_to"] else []),
            *(("Not asked", one) for one in answer["not_asked"]),
        ]
    )
    if match := answer["match"]:
        _show_match(screen, match)
    if answer["plan"]:
        show_plan(screen, answer["plan"])


def _show_match(screen: Screen, match: Shown) -> None:
    source = "" if match["source"] == "plex" else ", as Plex was when it was last read"
    screen.line(f"Match: {match['confidence']} ({match['rule']}, score {match['score']}){source}")
    rows = [
        ("taken" if one["is_taken"] else "", one["rating_key"], one["path"], one["why"]) for one in match["candidates"]
    ]
    if rows:
        screen.table(("", "item", "file in Plex", "why"), rows)


def _table(screen: Screen, columns: tuple[str, ...], rows: list[tuple[Any, ...]], answer: Shown, nothing: str) -> None:
    if not rows:
        screen.line(nothing)
        return
    screen.table(columns, rows)
    if answer["next"] is not None:
        screen.line(f"There are more than these {len(rows)}; see --limit.", "dim")


def _short(value: str | Iterable[str]) -> str:
    text = value if isinstance(value, str) else ", ".join(value)
    line = " ".join(text.split())
    return line if len(line) <= MOST_LETTERS else line[: MOST_LETTERS - 1] + "…"
