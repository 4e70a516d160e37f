"""Verbs beside the tasks: logs, diagnostics, worker, demo. Each imports what only it needs."""

from cli.call import Call
from cli.log_tail import follow, last_lines
from cli.screen import print_json


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
    from cli.diagnostics import run_diagnostics  # noqa: PLC0415 - the other verbs have no use for it

    call.show(run_diagnostics(call.folder, call.options.out).as_output())
    return 0


def worker(call: Call) -> int:
    from worker.entry import run_worker  # noqa: PLC0415 - as above

    return run_worker(call.folder)


def demo(_call: Call) -> int:
    from cli.demo import run_demo  # noqa: PLC0415 - as above

    return run_demo()
