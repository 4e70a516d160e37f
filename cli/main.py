"""The command line: `python Stash2Plex.py <verb>`, for a terminal."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, cast

from cli.call import Call, WrongUsage
from cli.find_folder import find_folder
from cli.parser import VERBS, build_parser
from cli.screen import PlainScreen, open_screen, print_json
from model.user_error import UserError
from runtime.folder import DataFolder

if TYPE_CHECKING:
    from sync.context import TargetOpener  # loads packages that may have to be installed first

PLAIN = frozenset({"logs", "worker", "demo", "diagnostics", "intake"})  # they need no package, or see to it themselves
NEEDS_NO_FOLDER = frozenset({"demo", "intake"})
FOUNDING = frozenset({"worker", *NEEDS_NO_FOLDER})  # they may work on a folder that is not there yet


def run_command_line(arguments: list[str], opening: Callable[[], TargetOpener]) -> int:
    """Do what the arguments say; `opening` is called when a target has to be opened, and not before.

    0: done. 1: it could not be done, or is unwell. 2: the arguments are wrong.
    """
    os.umask(0o077)
    _be_lenient()
    options = build_parser(for_scripts="--json" in arguments).parse_args(arguments or ["--help"])
    try:
        return _run(options, opening)
    except UserError as error:
        _tell(error, as_json=options.json)
        return 2 if isinstance(error, WrongUsage) else 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _tell(error: UserError, *, as_json: bool) -> None:
    """Give the sentence to the person, or to the script in the shape that Stash gets it in."""
    if as_json:
        print_json({"error": str(error)})
    else:
        print(f"Stash2Plex: {error}", file=sys.stderr)


def _run(options: argparse.Namespace, opening: Callable[[], TargetOpener]) -> int:
    folder = _folder(options)
    screen = PlainScreen() if options.verb in PLAIN else open_screen(folder, as_json=options.json)
    try:
        return _find(options.verb)(Call(options, folder, screen, opening))
    finally:
        screen.close()


def _find(verb: str) -> Callable[[Call], int]:
    module, _, function = VERBS[verb].partition(":")
    return cast("Callable[[Call], int]", getattr(import_module(module), function))


def _folder(options: argparse.Namespace) -> DataFolder:
    if options.verb in NEEDS_NO_FOLDER:
        return DataFolder(os.curdir)
    folder = DataFolder(options.data_dir) if options.data_dir else find_folder()
    if options.verb not in FOUNDING:
        _check(folder)
    return folder


def _check(folder: DataFolder) -> None:
    """Refuse what would make a second folder, or files that Stash's user cannot open."""
    if not os.path.isdir(folder.queue_dir):
        raise UserError(f"{folder.root} is not the plugin's data folder: it has no queue. Name it with --data-dir.")
    if hasattr(os, "geteuid") and os.geteuid() != os.stat(folder.root).st_uid:
        raise UserError(f"{folder.root} belongs to another user; run this as the user that Stash runs as.")


def _be_lenient() -> None:
    """Print a letter that the terminal cannot show as a question mark, instead of ending."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")
