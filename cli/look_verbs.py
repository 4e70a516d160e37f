"""Verbs that look: status, list, explain, journal, doctor, preview."""

import time
from typing import Any, cast

from cli.call import Call
from cli.parser import DEAD
from cli.screen import print_json
from cli.show import (
    show_findings,
    show_journal,
    show_letters,
    show_plan,
    show_scenes,
    show_status,
    show_story,
)
from tasks.arguments import MOST_A_PAGE
from tasks.entry import API
from tasks.status import look_around
from tasks.table import Answer

LOOK_SECONDS = 2.0


def status(call: Call) -> int:
    seen: Answer | None = None
    while True:
        with call.desk() as desk:
            answer = {"api": API, **look_around(desk)}
        if answer != seen:
            if call.options.watch and call.options.json:
                print_json(answer, on_one_line=True)
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
        call.show(_pages(call, "dead_letters", "dead_letters", limit), show_letters)
    else:
        call.show(_pages(call, "scenes", "scenes", limit, state=state), show_scenes)
    return 0


def explain(call: Call) -> int:
    call.show(call.ask("explain", scene_id=call.options.scene), show_story)
    return 0


def journal(call: Call) -> int:
    of = {"run_id": call.options.run, "scene_id": call.options.scene}
    name = "runs" if of["run_id"] is None and of["scene_id"] is None else "entries"
    call.show(_pages(call, "journal", name, call.options.limit, **of), show_journal)
    return 0


def doctor(call: Call) -> int:
    """End with 1 if anything is unwell, so that a script can tell."""
    answer = call.run("health_check", quietly=True)
    call.show(answer, show_findings)
    return 0 if answer["ok"] else 1


def preview(call: Call) -> int:
    if call.options.scene is None:
        call.show(call.run("preview"))
    else:
        call.show(call.ask("preview_scene", scene_id=call.options.scene), show_plan)
    return 0


def _pages(call: Call, operation: str, name: str, limit: int, **args: object) -> Answer:
    """Ask for as many pages as it takes; the answer looks as if it had been one."""
    found: list[Any] = []
    after: object = 0
    answer: Answer = {}
    while len(found) < limit and after is not None:
        answer = call.ask(operation, **args, after=after, limit=min(limit - len(found), MOST_A_PAGE))
        found += cast("list[Any]", answer[name])
        after = answer["next"]
    return {**answer, name: found}
