"""Proofs on Emby and Jellyfin: each ends before their own judge, and in the same table as the others."""

import time

import pytest

from sim.mediabrowser.flavours import FLAVOURS
from tests.prove.table import PROOF
from tests.prove.targets.judge import not_undone, verdict


@pytest.fixture(params=list(FLAVOURS))
def flavour(request):
    return request.param


@pytest.fixture
def prove(request):
    """End a proof: `prove(world)` waits for the judge's verdict, undoes everything, and puts both into the table."""
    start = time.monotonic()

    def end(world):
        left = verdict(world)
        if not left:
            said = world.undo_everything().document
            left = [f"undone ({said}), yet {one}" for one in not_undone(world)]
        requests = sum(len(side.sim.requests) for side in world.sides)
        seconds = time.monotonic() - start
        request.node.user_properties.append((PROOF, (world.edits, requests, seconds, left)))
        assert left == []

    return end
