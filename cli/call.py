"""One call of the command line: the options, the folder, the screen, and the way to the actions."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cli.screen import JsonScreen, Screen, print_json
from model.user_error import UserError
from runtime.folder import DataFolder
from runtime.record import field_names
from tasks.context import TaskContext, open_context
from tasks.entry import answer_json, run_action
from tasks.table import OPERATIONS, TASKS

if TYPE_CHECKING:
    from sync.context import TargetOpener  # loads packages that may have to be installed first


class WrongUsage(UserError):
    """What was typed makes no sense; the text says why."""


@dataclass(frozen=True)
class Call:
    """What every verb is given. `opening` gives what opens targets; it is loaded when the first one is needed."""

    options: argparse.Namespace
    folder: DataFolder
    screen: Screen
    opening: Callable[[], TargetOpener]

    @contextmanager
    def context(self, *, quietly: bool = False) -> Generator[TaskContext]:
        with open_context(self.folder, None, JsonScreen() if quietly else self.screen, self.opening) as context:
            yield context

    def ask(self, mode: str, *, quietly: bool = False, **args: object) -> Any:
        """Do an action and return its typed answer; what it says on its way goes to the screen.

        An argument that is None is not given; `--target` is, to an action that knows it.
        """
        given = {name: value for name, value in args.items() if value is not None}
        action = TASKS.get(mode) or OPERATIONS[mode]
        if getattr(self.options, "target", None) and "target" in field_names(action.arguments):
            given["target"] = self.options.target
        with self.context(quietly=quietly) as context:
            return run_action(mode, context, given)

    def show(self, answer: Any, render: Callable[[Screen, Any], None] | None = None) -> None:
        """Print the answer: as JSON, or as `render` has it, or its sentence."""
        if self.options.json:
            print_json(answer_json(answer))
        elif render is not None:
            render(self.screen, answer)
        else:
            self.screen.line(answer.sentence)

    def confirm(self, question: str) -> None:
        """Go on only if the person says yes."""
        if self.options.yes:
            return
        if not sys.stdin or not sys.stdin.isatty():
            raise WrongUsage(f"{question} There is no terminal to ask at; say --yes.")
        self.screen.close()
        if input(f"{question} [y/N] ").strip().lower() not in {"y", "yes"}:
            raise UserError("Nothing was done.")
