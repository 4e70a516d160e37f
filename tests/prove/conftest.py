"""Proofs: each ends before the same judge, and all of them in one table."""

import time
from pathlib import Path

import pytest

from tests.prove.judge import verdict
from tests.prove.world import World

HERE = Path(__file__).parent
TABLE = []


@pytest.fixture
def world(tmp_path):
    with World(tmp_path) as running:
        yield running


@pytest.fixture
def prove(request):
    """End a proof: `prove(world, "what it was")` waits for the judge's verdict, and puts it into the table."""
    start = time.monotonic()

    def end(world):
        left = verdict(world)
        TABLE.append((request.node.name, world.edits, len(world.plex.requests), time.monotonic() - start, left))
        assert left == []

    return end


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.slow)


def pytest_terminal_summary(terminalreporter):
    if not TABLE:
        return
    write = terminalreporter.write_line
    write("")
    write(f"{'proof':82}{'edits':>6}{'requests':>10}{'seconds':>9}  verdict")
    for name, edits, requests, seconds, left in TABLE:
        write(f"{name[:80]:82}{edits:6}{requests:10}{seconds:9.1f}  {'right' if not left else f'WRONG: {left[0]}'}")
    wrong = sum(bool(left) for *_, left in TABLE)
    write(f"{len(TABLE)} proofs, {wrong} wrong.")
