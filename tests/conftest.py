"""Settings for every test."""

import os

from hypothesis import HealthCheck, settings

from tests.prove.table import print_table
from tests.ui.support.chromium import print_not_tried

# The first draw builds hypothesis' tables of Unicode, which on a busy machine takes longer than it allows itself.
settings.register_profile(
    "patient",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "100")),  # more with `make fuzz`
)
settings.load_profile("patient")


def pytest_terminal_summary(terminalreporter):
    """Print the proofs' table. Here, because a process that only hands tests out to others reads no conftest below."""
    print_table(terminalreporter)
    print_not_tried(terminalreporter)
