"""Verbs that look: status, list, explain, preview, code, doctor."""

import sys
import time
from typing import Any

from cli.intake.main import IntakeCall
from cli.intake.rows import row_lines, row_object
from cli.screen import clean, print_json
from intake.naming.codes import find_codes
from intake.naming.shown import printable
from intake.store.row import Status


def status(call: IntakeCall) -> int:
    with call.store() as store:
        counts = store.counts()
    lines = [f"  {name + ':':<13}{number:>6}" for name, number in counts.items()]
    total = f"  {'total:':<13}{sum(counts.values()):>6}"
    call.answer({str(name): number for name, number in counts.items()}, "Queue Status:", *lines, "  " + "─" * 21, total)
    return 0


def list_rows(call: IntakeCall) -> int:
    config = call.config()
    wanted = Status(call.options.status) if call.options.status else None
    with call.store(config) as store:
        rows = store.rows(wanted, call.options.limit)
    call.answer([row_object(row) for row in rows], *(row_lines(rows, config.max_retries) if rows else ["No rows."]))
    return 0


def explain_row(call: IntakeCall) -> int:
    from intake.actions.explain import explain  # noqa: PLC0415 - the other verbs have no use for it

    with call.store() as store:
        row = store.get(call.options.id)
    story = explain(row, time.time())
    answer = {**row_object(row), "sentences": list(story.sentences), "choices": list(story.candidates)}
    call.answer(answer, *map(clean, story.sentences), *(f"  - {clean(one)}" for one in story.candidates))
    return 0


def preview_file(call: IntakeCall) -> int:
    from intake.actions.preview import preview  # noqa: PLC0415 - as above
    from intake.wiring import NEEDED_TO_RUN, make_rules, make_sources  # noqa: PLC0415 - as above

    config = call.config(*NEEDED_TO_RUN)
    sources = make_sources(call.folder, config)
    found = preview(call.options.path, make_rules(config), sources)
    for source in sources:
        source.close()
    files = [{"source": one.source, "target": one.target} for one in found.plan.files] if found.plan else []
    named = _code_object(found.path, found.candidates)
    answer = {**named, "work": _work_object(found.work), "files": files, "sentence": found.sentence}
    lines = [f"code: {one.code.text}{'' if one.is_certain else ' (a guess)'}" for one in found.candidates]
    lines += [f"title: {found.work.title} ({found.work.source})"] if found.work else []
    lines += [found.sentence, *(f"  {one['source']} → {one['target']}" for one in files)]
    call.answer(answer, *map(clean, lines))
    return 0 if found.plan else 1


def code(call: IntakeCall) -> int:
    if call.options.name == "-":
        for line in sys.stdin.buffer:
            name = line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")
            print_json(_code_object(name, find_codes(name)), on_one_line=True)
        return 0
    found = find_codes(call.options.name)
    lines = [f"{one.code.text}  {'certain' if one.is_certain else 'a guess'}" for one in found] or ["No code."]
    call.answer(_code_object(call.options.name, found), *map(clean, lines))
    return 0


def doctor(call: IntakeCall) -> int:
    from intake.actions.doctor import examine  # noqa: PLC0415 - as above

    checks = list(examine(call.folder))
    shown = {True: "OK  ", False: "FAIL", None: "note"}
    answer = [{"name": one.name, "ok": one.is_ok is not False, "sentence": one.sentence} for one in checks]
    call.answer({"checks": answer}, *(f"{shown[one.is_ok]}  {one.name}: {clean(one.sentence)}" for one in checks))
    return 0 if all(one.is_ok is not False for one in checks) else 1


def _code_object(name: str, found: Any) -> dict[str, Any]:
    return {
        "name": printable(name),
        "code": found[0].code.text if found else None,
        "certain": bool(found) and found[0].is_certain,
        "candidates": [{"code": one.code.text, "certain": one.is_certain} for one in found],
    }


def _work_object(work: Any) -> Any:
    from intake.sources.work import parse_json  # noqa: PLC0415 - as above

    return parse_json(work.to_json()) if work else None
