"""The command line as a person has it: the real script, a terminal or a pipe, with and without packages."""

import json
import re
import subprocess
import sys

import pytest

from tests.process.installed.test_packages import relocated_python
from tests.support.machine.terminal import run_in_terminal
from tests.support.plugin.plugin import InstalledPlugin, wait_until


def test_a_terminal_gets_colours_and_a_pipe_does_not(plugin, stash):
    plugin.hook(1, stash.port)
    wait_until(lambda: plugin.finished_scenes() == {1})
    seen, code = run_in_terminal(plugin, "status")
    assert code == 0
    assert "\x1b[" in seen
    assert "0 due" in seen
    piped = plugin.run(b"", "status")
    assert b"\x1b[" not in piped.stdout + piped.stderr
    seen, code = run_in_terminal(plugin, "status", "--json")
    assert json.loads(seen)["queue"]["due"] == 0


def test_without_packages_help_and_logs_work_and_doctor_says_what_to_type(tmp_path):
    plugin = InstalledPlugin(tmp_path / "config", relocated_python(tmp_path / "bare", pip=False, managed=False))
    try:
        plugin.hook(1)
        wait_until(lambda: "has no pip" in plugin.log())
        assert plugin.run(b"", "--help").stdout.startswith(b"usage: Stash2Plex.py")
        assert b"examples:" in plugin.run(b"", "sync", "--help").stdout
        assert b"has no pip" in plugin.run(b"", "logs", "-n", "5").stdout
        assert b"1 due" in plugin.run(b"", "status").stdout
        assert b"No scenes." in plugin.run(b"", "list").stdout
        doctor = plugin.run(b"", "doctor")
        assert doctor.code == 1
        assert b"has no pip" in doctor.stdout
        story = json.loads(plugin.run(b"", "explain", "1", "--json").stdout)
        (target,) = story["targets"]
        assert target["state"] == "blocked"
        assert "has no pip" in target["not_asked"][0]
        seen, code = run_in_terminal(plugin, "status")
        assert code == 0
        assert "has no pip" in seen
        assert "1 due" in seen
    finally:
        plugin.kill_workers()


def test_a_queue_is_drained_while_the_person_waits(plugin, stash):
    plugin.hook(1, stash.port, sent={"ids": [str(one) for one in range(1, 31)]}, fields=("ids", "title"))
    done = plugin.run(b"", "sync", "--wait")
    assert done.code == 0
    assert re.search(
        rb"none is left. Given up: 0; to be tried later: 0|Nothing was due; to be tried later: 0", done.stdout
    )
    assert plugin.finished_scenes() == set(range(1, 31))
    assert len(plugin.worker_pids()) == 1


def test_a_reader_that_has_seen_enough_gets_no_traceback(plugin, stash):
    plugin.hook(1, stash.port)
    command = [sys.executable, str(plugin.script), "status", "--watch", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/") as process:
        process.stdout.readline()
        process.stdout.close()
        plugin.hook(2, stash.port)
        plugin.hook(3, stash.port)
        wait_until(lambda: plugin.finished_scenes() == {1, 2, 3})
        plugin.hook(4, stash.port)
        try:
            assert process.wait(15) == 1
        except subprocess.TimeoutExpired:  # nothing changed between two looks
            process.kill()
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize("verb", ["status", "explain"])
def test_verbs_of_old_and_bad_ids_are_told(plugin, stash, verb):
    plugin.hook(1, stash.port)
    done = plugin.run(b"", *((verb, "0") if verb == "explain" else ("health_check",)))
    assert done.code == 2
    assert b"usage: Stash2Plex.py" in done.stderr
