"""What a test changes in an installed copy of the plugin, by name: fast clocks, doubles, moments to be killed at.

No source is rewritten: the copy's entry becomes adjusted_entry.py, which changes names as their modules are loaded.
Every name is looked up in this source tree when it is given, so that one that the product has no more is an error.
"""

import importlib
import importlib.util
import inspect
import json
import os
import shutil
from pathlib import Path

SUPPORT = Path(__file__).parent
ENTRY = "Stash2Plex.py"
OWN_ENTRY = "own_entry.py"


class Adjustments:
    """The adjustments of one copy. The entry is left alone until there is one."""

    def __init__(self, plugin_dir):
        self._dir = plugin_dir
        self._all = {}

    @property
    def own_entry(self):
        """The product's own entry, wherever it lies."""
        return self._dir / (OWN_ENTRY if self._all else ENTRY)

    def set_value(self, name, value):
        _, found = find(name)
        assert type(found) is type(value), f"{name} is {found!r}"
        self._add(name, "value", value=value)

    def set_double(self, name, double, knows):
        """Let a class of tests/support stand in for one of the product's."""
        module, _, class_name = double.partition(":")
        _, found = find(f"{module}.{class_name}")
        find(name)
        for one in knows:
            assert hasattr(found, one), f"{double} has no {one}"
        copy = self._dir / f"{module.rpartition('.')[2]}.py"
        if not copy.exists():  # a worker that sees a new file takes it for an update
            shutil.copy(SUPPORT / copy.name, copy)
        self._add(name, "double", double_module=copy.stem, double=class_name, knows=knows)

    def set_kill(self, when, name, flag):
        check_moment(when, name)
        self._add(name, f"killed {when}", flag=str(flag))

    def _add(self, name, kind, **more):
        (module, attribute), _ = find(name)
        if not self._all:
            os.rename(self._dir / ENTRY, self._dir / OWN_ENTRY)
            shutil.copy(SUPPORT / "adjusted_entry.py", self._dir / ENTRY)
        self._all[name, kind] = {"module": module, "attribute": attribute, "kind": kind, **more}
        fresh = self._dir / "adjustments.json.new"
        fresh.write_text(json.dumps(list(self._all.values())))
        os.replace(fresh, self._dir / "adjustments.json")  # a process that starts now reads either


def find(name):
    """Return where a dotted name is, as its module and the rest, and what it means; fails if there is no such thing."""
    parts = name.split(".")
    length = next((one for one in range(len(parts) - 1, 0, -1) if _is_module(parts[:one])), 0)
    assert length, f"there is no module for {name}"
    module, attribute = ".".join(parts[:length]), ".".join(parts[length:])
    found = importlib.import_module(module)
    for part in parts[length:]:
        assert part in vars(found), f"there is no {name}"
        found = vars(found)[part]
    return (module, attribute), found


def _is_module(parts):
    try:
        return importlib.util.find_spec(".".join(parts)) is not None
    except ModuleNotFoundError:  # its parent is none
        return False


def check_moment(when, name):
    """Fail unless this is a moment that a process can be killed at: before or after a function of the product."""
    assert when in ("before", "after"), when
    _, found = find(name)
    assert inspect.isfunction(found), f"{name} is no function"
    # A call of one that yields is over before its work has begun.
    assert when == "before" or not inspect.isgeneratorfunction(found), f"{name} yields"
