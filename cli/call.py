"""One call of the command line: the options, the folder, the screen, and the way to tasks and operations."""

import argparse
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from cli.screen import JsonScreen, Screen, print_json
from runtime.folder import DataFolder
from stash.wire import Refusal
from tasks.desk import Desk, open_desk
from tasks.entry import run_operation
from tasks.table import Answer, find_task


class WrongUsage(Refusal):
    """What was typed makes no sense; the text says why."""


@dataclass(frozen=True)
class Call:
    """What every verb is given."""

    options: argparse.Namespace
    folder: DataFolder
    screen: Screen

    @contextmanager
    def desk(self, **args: object) -> Generator[Desk]:
        with open_desk(self.folder, None, args, self.screen) as desk:
            yield desk

    def ask(self, operation: str, **args: object) -> Answer:
        with self.desk(**args) as desk:
            return run_operation(operation, desk)

    def run(self, mode: str, *, quietly: bool = False, **args: object) -> Answer:
        """Run a task; what it says on its way goes to the screen, its closing line is in the answer."""
        teller = JsonScreen() if quietly else self.screen
        with open_desk(self.folder, None, args, teller) as desk:
            return find_task(mode)(desk).as_output()

    def show(self, answer: Answer, render: Callable[[Screen, Answer], None] | None = None) -> None:
        """Print the answer: as JSON, or as `render` has it, or its sentence."""
        if self.options.json:
            print_json(answer)
        elif render is not None:
            render(self.screen, answer)
        else:
            self.screen.line(str(answer["sentence"]))

    def confirm(self, question: str) -> None:
        """Go on only if a person says yes."""
        if self.options.yes:
            return
        if not sys.stdin or not sys.stdin.isatty():
            raise WrongUsage(f"{question} There is no terminal to ask at; say --yes.")
        self.screen.close()
        if input(f"{question} [y/N] ").strip().lower() not in {"y", "yes"}:
            raise Refusal("Nothing was done.")
