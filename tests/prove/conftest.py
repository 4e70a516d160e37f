"""Proofs: each ends before the same judge, and all of them in one table."""

import time
from pathlib import Path

import pytest

from tests.prove.judge import not_undone, verdict
from tests.prove.table import PROOF
from tests.prove.world import World

HERE = Path(__file__).parent


@pytest.fixture
def world(tmp_path):
    with World(tmp_path) as running:
        yield running


@pytest.fixture
def prove(request):
    """End a proof: `prove(world)` waits for the judge's verdict, and puts it into the table.

    `undo`: afterwards all of it is undone, and Plex must be as it was before we came.
    """
    start = time.monotonic()

    def end(world, *, undo=False):
        left = verdict(world)
        if undo and not left:
            said = world.undo_everything().document
            left = [f"undone ({said}), yet {one}" for one in not_undone(world)]
        seconds = time.monotonic() - start
        request.node.user_properties.append((PROOF, (world.edits, len(world.plex.requests), seconds, left)))
        assert left == []

    return end


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.slow)
