"""Verbs beside the actions: logs, diagnostics, worker, intake, demo. Each imports what only it needs."""

from cli.call import Call
from cli.log_tail import follow, last_lines
from cli.screen import print_json
from model.user_error import UserError


def logs(call: Call) -> int:
    """Needs no package, so that it can say why there are none."""
    _show_lines(call, last_lines(call.folder.worker_log, call.options.lines))
    if call.options.follow:
        for line in follow(call.folder.worker_log):
            _show_lines(call, [line])
    return 0


def _show_lines(call: Call, lines: list[str]) -> None:
    if call.options.json:
        print_json({"lines": lines}, on_one_line=True)
        return
    for line in lines:
        call.screen.line(line)


def diagnostics(call: Call) -> int:
    from cli.diagnostics.bundle import run_diagnostics  # noqa: PLC0415 - the other verbs have no use for it

    call.show(run_diagnostics(call.folder, call.opening, call.options.out))
    return 0


def worker(call: Call) -> int:
    from worker.entry import run_worker  # noqa: PLC0415 - as above

    return run_worker(call.folder)


def intake(call: Call) -> int:
    """Reached only where an option stands before the verb; else the entry script goes there at once."""
    from cli.intake.main import run_intake  # noqa: PLC0415 - as above

    named = ["--data-dir", call.options.data_dir] if call.options.data_dir else []
    return run_intake([*named, *(["--json"] if call.options.json else []), *call.options.arguments])


def demo(_call: Call) -> int:
    """Reached only where the entry script has found no simulated servers, or an option stands beside the verb."""
    raise UserError(
        "The demo needs the simulated servers, which are in the source but not in the released plugin. There, type it "
        "alone: Stash2Plex.py demo"
    )
