"""The command line of intake: `python Stash2Plex.py intake <verb>`."""

import argparse
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from cli.intake.parser import NEEDS_NO_FOLDER, VERBS, build_intake_parser
from cli.screen import print_json
from runtime.folder import NAME, OVERRIDE, DataFolder
from runtime.launch import entry_script

if TYPE_CHECKING:
    from intake.store.port import IntakeStore
    from validation.intake_config import IntakeConfig


class CannotDo(Exception):
    """It could not be done; the text says why and what to do."""


@dataclass(frozen=True)
class IntakeCall:
    """What every verb is given."""

    options: argparse.Namespace
    folder: DataFolder

    @property
    def as_json(self) -> bool:
        return bool(self.options.json)

    def config(self, *needed: str) -> "IntakeConfig":
        """Return the settings, with these of them set, and what they need importable."""
        from intake.wiring import load_packages, read_intake_settings, require  # noqa: PLC0415 - help needs none of it

        config = require(read_intake_settings(self.folder), *needed)
        load_packages(self.folder, config)
        return config

    @contextmanager
    def store(self, config: "IntakeConfig | None" = None) -> Generator["IntakeStore"]:
        from intake.wiring import open_store  # noqa: PLC0415 - as above

        store = open_store(self.folder, config or self.config(), f"a person ({os.getpid()})")
        try:
            yield store
        finally:
            store.close()

    def answer(self, answer: object, *lines: str) -> None:
        """Print the answer: as JSON for programs, as lines for people."""
        if self.as_json:
            print_json(answer)
        else:
            for line in lines:
                print(line)


def run_intake(arguments: list[str]) -> int:
    """Do what the arguments say. 0: done. 1: it could not be done, or is unwell. 2: the arguments are wrong."""
    os.umask(0o077)
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")
    options = build_intake_parser(for_scripts="--json" in arguments).parse_args(arguments or ["--help"])
    try:
        return _run(options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read us has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(options: argparse.Namespace) -> int:
    from cli.intake.refusals import REFUSALS  # noqa: PLC0415 - help needs none of it

    try:
        return _find(options.verb)(IntakeCall(options, _folder(options)))
    except (CannotDo, *REFUSALS) as refusal:
        if options.json:
            print_json({"error": str(refusal)})
        else:
            print(f"Stash2Plex: {refusal}", file=sys.stderr)
        return 1


def _find(verb: str) -> Callable[[IntakeCall], int]:
    module, _, function = VERBS[verb].partition(":")
    return cast("Callable[[IntakeCall], int]", getattr(import_module(module), function))


def _folder(options: argparse.Namespace) -> DataFolder:
    """Return the folder with our state: the one that is named, or the plugin's."""
    if options.verb in NEEDS_NO_FOLDER:
        return DataFolder(os.curdir)
    if chosen := options.data_dir or os.environ.get(OVERRIDE):
        return _made(DataFolder(chosen))
    for parent in _parents(os.path.dirname(entry_script())):
        candidate = os.path.join(parent, NAME)
        if os.path.isdir(os.path.join(candidate, "queue")):
            return DataFolder(candidate)
    raise CannotDo(f"Set {OVERRIDE} to a folder where intake may keep its state, or name it with --data-dir.")


def _made(folder: DataFolder) -> DataFolder:
    try:
        folder.make()
    except OSError as error:
        raise CannotDo(f"The data folder {folder.root} cannot be made: {error.strerror}.") from error
    return folder


def _parents(path: str) -> list[str]:
    parents = [os.path.dirname(path)]
    while os.path.dirname(parents[-1]) != parents[-1]:
        parents.append(os.path.dirname(parents[-1]))
    return parents
