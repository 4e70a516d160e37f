"""The command line: `python Stash2Plex.py <verb>`, for a terminal."""

import argparse
import json
import os
import sys

from cli.find_folder import find_folder
from runtime.folder import OVERRIDE, DataFolder
from runtime.version import VERSION
from stash.wire import Refusal
from tasks.desk import open_desk
from tasks.report import Report
from tasks.table import TASKS, find_task


def run_command_line(arguments: list[str]) -> int:
    """Do what the arguments say. 0: done. 1: it could not be done. 2: the arguments are wrong."""
    os.umask(0o077)
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except Refusal as refusal:
        print(f"Stash2Plex: {refusal}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="Stash2Plex.py", description="What you type in Stash is in Plex.")
    parser.add_argument("verb", choices=["demo", "diagnostics", "status", "worker", *TASKS], help="what to do")
    parser.add_argument("--data-dir", help=f"Stash's config folder + /stash2plex (default: {OVERRIDE}, else searched)")
    parser.add_argument("--days", type=int, help="for purge_dlq: how old a dead letter must be (default: 30)")
    parser.add_argument("--out", help="for diagnostics: the zip to write (default: a new one in this folder)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--version", action="version", version=f"Stash2Plex {VERSION}")
    return parser


class TerminalTeller:
    """Tells a person at a terminal, beside the result on stdout."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet

    def say(self, sentence: str, *, ok: bool = True) -> None:
        if not self._quiet:
            print(f"{'  ' if ok else '! '}{sentence}", file=sys.stderr)

    def progress(self, fraction: float) -> None:
        if not self._quiet and sys.stderr.isatty():
            print(f"\r{fraction:4.0%} ", end="" if fraction < 1 else "\n", file=sys.stderr, flush=True)


def _check(folder: DataFolder) -> None:
    """Refuse what would make a second folder, or files that Stash's user cannot open."""
    if not os.path.isdir(folder.queue_dir):
        raise Refusal(f"{folder.root} is not the plugin's data folder: it has no queue. Name it with --data-dir.")
    if hasattr(os, "geteuid") and os.geteuid() != os.stat(folder.root).st_uid:
        raise Refusal(f"{folder.root} belongs to another user; run this as the user that Stash runs as.")


def _run(options: argparse.Namespace) -> int:
    if options.verb == "demo":
        from cli.demo import run_demo  # noqa: PLC0415 - sets up packages that nothing else here needs

        return run_demo()
    folder = DataFolder(options.data_dir) if options.data_dir else find_folder()
    if options.verb == "worker":
        from worker.entry import run_worker  # noqa: PLC0415 - the other verbs have no use for it

        return run_worker(folder)
    _check(folder)
    report = _report(folder, options)
    print(json.dumps(report.as_output(), indent=1) if options.json else report.sentence)
    return 0


def _report(folder: DataFolder, options: argparse.Namespace) -> Report:
    if options.verb == "diagnostics":
        from cli.diagnostics import run_diagnostics  # noqa: PLC0415 - as above

        return run_diagnostics(folder, options.out)
    args = {} if options.days is None else {"days": options.days}
    with open_desk(folder, None, args, TerminalTeller(quiet=options.json)) as desk:
        return find_task("queue_status" if options.verb == "status" else options.verb)(desk)
