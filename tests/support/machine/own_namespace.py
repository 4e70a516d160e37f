"""A test that mounts a disk, run for whoever is not root: in a process with user and mounts of its own."""

import os
import subprocess
import sys
import time
from pathlib import Path

from pytest import TestReport  # noqa: PT013 - the class, not a fixture

ROOT = Path(__file__).parents[3]
COMMAND = ("unshare", "--user", "--map-root-user", "--mount", sys.executable, "-m", "pytest")
OPTIONS = ("--override-ini=addopts=", "--import-mode=importlib", "--timeout=600", "-p", "no:cacheprovider", "-q")


def is_needed(item):
    return os.name == "posix" and os.geteuid() != 0 and item.get_closest_marker("mounts") is not None


def run(item):
    """Run one test as root of a namespace; report it as if it had been run here."""
    began_at = time.time()
    done = subprocess.run(
        [*COMMAND, *OPTIONS, item.nodeid], cwd=ROOT, capture_output=True, text=True, check=False, timeout=900
    )
    said = None if done.returncode == 0 else done.stdout + done.stderr
    outcome = "passed" if said is None else "failed"
    report = TestReport(item.nodeid, item.location, {}, outcome, said, "call", duration=time.time() - began_at)
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
