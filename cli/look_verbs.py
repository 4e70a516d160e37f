"""Verbs that look: status, list, explain, journal, doctor, preview."""

import time
from typing import Any, NamedTuple

from cli.call import Call
from cli.parser import DEAD
from cli.screen import print_json
from cli.show import (
    show_findings,
    show_journal,
    show_letters,
    show_preview,
    show_scenes,
    show_status,
    show_story,
)
from tasks.answers import DeadLetters, Entries, Health, Runs, Scenes, Status
from tasks.arguments import MOST_A_PAGE
from tasks.entry import answer_json
from tasks.status.collect import collect_status

LOOK_SECONDS = 2.0


def status(call: Call) -> int:
    """Show it; with --watch, again whenever something has changed. No worker is started by looking."""
    seen: Status | None = None
    while True:
        with call.context() as context:
            answer = collect_status(context)
        if answer != seen:
            if call.options.watch and call.options.json:
                print_json(answer_json(answer), on_one_line=True)
            else:
                if call.options.watch:
                    call.screen.begin_anew()
                call.show(answer, show_status)
            seen = answer
        if not call.options.watch:
            return 0
        time.sleep(LOOK_SECONDS)


def list_scenes(call: Call) -> int:
    state, limit = call.options.state, call.options.limit
    if state == DEAD:
        found = _pages(call, "dead_letters", "dead_letters", limit)
        call.show(DeadLetters(found.rows, found.next), show_letters)
    else:
        found = _pages(call, "scenes", "scenes", limit, state=state)
        call.show(Scenes(found.rows, found.next, found.last.total), show_scenes)
    return 0


def explain(call: Call) -> int:
    call.show(call.ask("explain", scene_id=call.options.scene), show_story)
    return 0


def journal(call: Call) -> int:
    run, scene = call.options.run, call.options.scene
    kind, name = (Runs, "runs") if run is None and scene is None else (Entries, "entries")
    found = _pages(call, "journal", name, call.options.limit, run_id=run, scene_id=scene)
    call.show(kind(found.rows, found.next), show_journal)
    return 0


def doctor(call: Call) -> int:
    """End with 1 if anything is unwell, so that a script can tell."""
    answer: Health = call.ask("health_check", quietly=True)
    call.show(answer, show_findings)
    return 0 if answer.ok else 1


def preview(call: Call) -> int:
    if call.options.scene is None:
        call.show(call.ask("preview"))
    else:
        call.show(call.ask("preview_scene", scene_id=call.options.scene), show_preview)
    return 0


class _Pages(NamedTuple):
    """Rows of several pages, where the next one begins, and the answer that brought the last of them."""

    rows: tuple[Any, ...]
    next: str | None
    last: Any


def _pages(call: Call, mode: str, name: str, limit: int, **args: Any) -> _Pages:
    """Ask for as many pages as it takes."""
    found: list[Any] = []
    after: str | None = None
    while True:
        answer = call.ask(mode, after=after, limit=min(limit - len(found), MOST_A_PAGE), **args)
        after = answer.next
        found += getattr(answer, name)
        if len(found) >= limit or after is None:
            return _Pages(tuple(found), after, answer)
