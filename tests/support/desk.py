"""A desk without Stash: run a task or an operation in this process, and remember what it told."""

from tasks.desk import open_desk
from tasks.entry import run_operation, run_task
from tasks.table import TASKS


class Told:
    """A teller that remembers."""

    def __init__(self):
        self.lines, self.fractions = [], []

    def say(self, sentence, *, ok=True):
        self.lines.append(sentence)

    def progress(self, fraction):
        self.fractions.append(fraction)


def ask(folder, mode, teller=None, **args):
    """Run it on the data folder as Stash would, and return its answer."""
    with open_desk(folder, None, {"mode": mode, **args}, teller or Told()) as desk:
        return run_task(mode, desk) if mode in TASKS else run_operation(mode, desk)
