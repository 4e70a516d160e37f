"""The entry that tests adjust: names are changed before they are imported, and a process dies when it is told to."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.plugin.adjustments import SUPPORT


@pytest.fixture
def entry(tmp_path):
    """The entry of a plugin that has one module."""
    (tmp_path / "own_entry.py").write_text("from probe.part import Part, SECONDS\nprint(Part().act(), SECONDS)\n")
    part = "SECONDS = 60.0\nclass Part:\n    def act(self):\n        print('acts', flush=True)\n        return 'real'\n"
    (tmp_path / "probe").mkdir()
    (tmp_path / "probe" / "part.py").write_text(part)
    return Path(shutil.copy(SUPPORT / "adjusted_entry.py", tmp_path))


def run(entry, adjustments):
    """Run it with these adjustments; give what it printed, and how it ended."""
    (entry.parent / "adjustments.json").write_text(json.dumps(adjustments))
    command = [sys.executable, "-E", "-S", str(entry)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    assert done.stderr == ""
    return done.stdout.split(), done.returncode


def step(attribute, kind, **more):
    return {"module": "probe.part", "attribute": attribute, "kind": kind, **more}


def test_names_are_changed_before_anybody_has_imported_them(entry, tmp_path):
    assert run(entry, [step("SECONDS", "value", value=0.5)]) == (["acts", "real", "0.5"], 0)
    (tmp_path / "stand_in.py").write_text(
        "class Double:\n    word = ''\n    def act(self):\n        return self.word\n"
    )
    double = step("Part", "double", double_module="stand_in", double="Double", knows={"word": "double"})
    assert run(entry, [double]) == (["double", "60.0"], 0)


@pytest.mark.parametrize(("when", "printed"), [("before", []), ("after", ["acts"])])
def test_a_process_is_killed_once_for_each_time_that_the_flag_is_set(entry, tmp_path, when, printed):
    flag = tmp_path / "flag"
    flag.touch()
    killed = [step("Part.act", f"killed {when}", flag=str(flag))]
    assert run(entry, killed) == (printed, -9)
    assert run(entry, killed) == (["acts", "real", "60.0"], 0)
