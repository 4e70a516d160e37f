"""Settings for every test."""

import os
import sys

import pytest
from hypothesis import HealthCheck, settings

from tests.prove.table import print_table
from tests.support.machine import own_namespace
from tests.ui.support.chromium import print_not_tried

# The first draw builds hypothesis' tables of Unicode, which on a busy machine takes longer than it allows itself.
settings.register_profile(
    "patient",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "100")),  # more with `make fuzz`
)
settings.load_profile("patient")

SYSTEMS = {os.name, sys.platform}


def pytest_collection_modifyitems(config, items):
    """Leave out what makes no sense on this system: nothing skips, so that a test that was not run is never news."""
    elsewhere = [item for item in items if any(mark.args[0] not in SYSTEMS for mark in item.iter_markers("only_on"))]
    config.hook.pytest_deselected(items=elsewhere)
    items[:] = [item for item in items if item not in elsewhere]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    """Have what mounts a disk run by anybody; True: it has been run."""
    if not own_namespace.is_needed(item):
        return None
    own_namespace.run(item)
    return True


def pytest_terminal_summary(terminalreporter):
    """Print the proofs' table. Here, because a process that only hands tests out to others reads no conftest below."""
    print_table(terminalreporter)
    print_not_tried(terminalreporter)
