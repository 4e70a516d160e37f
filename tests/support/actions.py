"""Actions without Stash: run one in this process, as Stash or a page would, and remember what it reported."""

from tasks.context import open_context
from tasks.entry import answer_json, run_action
from worker import wiring


class RecordingReporter:
    """A reporter that remembers."""

    def __init__(self):
        self.lines, self.fractions = [], []

    def log(self, sentence, *, ok=True):
        self.lines.append(sentence)

    def progress(self, fraction):
        self.fractions.append(fraction)


def opening():
    """Open targets as the plugin does."""
    return wiring


def ask(folder, mode, reporter=None, **args):
    """Run it on the data folder, and return its answer as JSON has it."""
    return answer_json(run(folder, mode, reporter, **args))


def run(folder, mode, reporter=None, **args):
    """Run it on the data folder, and return its typed answer."""
    with open_context(folder, None, reporter or RecordingReporter(), opening) as context:
        return run_action(mode, context, {"mode": mode, **args})
