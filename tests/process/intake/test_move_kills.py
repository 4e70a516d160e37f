"""A move that is killed at any system call loses nothing, and is finished by the next process."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "support" / "intake" / "kill_moves.py"


@pytest.fixture
def in_memory():
    folder = Path(tempfile.mkdtemp(dir="/dev/shm"))
    yield folder
    shutil.rmtree(folder)


def kill_at_every_call(name, source, target, *, second=0):
    ran = subprocess.run(
        [sys.executable, PROGRAM, name, source, target, str(second)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize("way", ["rename", "link", "reserve", "hardlink", "copy", "blocked", "undo"])
def test_killed_at_every_call_on_one_device(way, in_memory):
    found = kill_at_every_call(way, in_memory / "watch", in_memory / "library", second=4)
    assert found["deaths"] > 20
    assert found["second_deaths"] > 20


@pytest.mark.parametrize("way", ["rename", "reserve", "blocked", "undo"])
def test_killed_at_every_call_across_devices(way, tmp_path, in_memory):
    assert tmp_path.stat().st_dev != in_memory.stat().st_dev
    found = kill_at_every_call(way, tmp_path / "watch", in_memory / "library", second=9)
    assert found["deaths"] > 80
    assert found["second_deaths"] > 20
