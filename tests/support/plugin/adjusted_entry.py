"""The entry of an installed copy that a test has adjusted: it changes names in modules as they are loaded.

It is copied over the plugin's own entry, which it runs in the end, so that hooks, tasks and workers all pass through
it. What to change lies beside it, as `adjustments.py` writes it. Everything else is the product's own.
"""

import functools
import importlib
import json
import os
import runpy
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ADJUSTMENTS = os.path.join(HERE, "adjustments.json")
OWN_ENTRY = os.path.join(HERE, "own_entry.py")


class AdjustingFinder:
    """Lets a module be found and loaded as always, and changes names in it right after that."""

    def __init__(self, adjustments):
        self._adjustments = adjustments

    def find_spec(self, name, path=None, target=None):
        mine = [one for one in self._adjustments if one["module"] == name]
        if not mine:
            return None
        others = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, others), None)
        if spec is not None:
            self._change_after_loading(spec.loader, mine)
        return spec

    @staticmethod
    def _change_after_loading(loader, adjustments):
        load = loader.exec_module

        def exec_module(module):
            load(module)
            for one in adjustments:
                change(module, one)

        loader.exec_module = exec_module


def change(module, adjustment):
    """Give a name in a module its other meaning."""
    *classes, name = adjustment["attribute"].split(".")
    owner = functools.reduce(getattr, classes, module)
    setattr(owner, name, KINDS[adjustment["kind"]](getattr(owner, name), adjustment))


def value(_original, adjustment):
    return adjustment["value"]


def double(_original, adjustment):
    """Give what stands in for a class; what it has to know are attributes of the class."""
    found = getattr(importlib.import_module(adjustment["double_module"]), adjustment["double"])
    for name, known in adjustment["knows"].items():
        setattr(found, name, known)
    return found


def killed_before(original, adjustment):
    @functools.wraps(original)
    def call(*args, **named):
        kill_once(adjustment["flag"])
        return original(*args, **named)

    return call


def killed_after(original, adjustment):
    @functools.wraps(original)
    def call(*args, **named):
        answer = original(*args, **named)
        kill_once(adjustment["flag"])
        return answer

    return call


def kill_once(flag):
    """Kill this process if the flag is set; whoever comes after it finds it no longer set."""
    if os.path.exists(flag):
        os.remove(flag)
        os.kill(os.getpid(), signal.SIGKILL)


KINDS = {"value": value, "double": double, "killed before": killed_before, "killed after": killed_after}


def main():
    with open(ADJUSTMENTS, encoding="utf-8") as file:
        sys.meta_path.insert(0, AdjustingFinder(json.load(file)))
    runpy.run_path(OWN_ENTRY, run_name="__main__")


if __name__ == "__main__":
    main()
