"""Undo beside everything else that goes on: it puts back what was there, and nothing that never was."""

import pytest

from ledger.states import SceneState
from sim.plex import faults

SCENE, OTHER = 1, 2


@pytest.fixture
def shop(counter):
    return counter.shop


def run(shop, *scene_ids, **edits):
    """Edit and sync as one run."""
    if edits:
        shop.edit(scene_ids[0], **edits)
    shop.clock.advance(1.0)
    shop.sync(*scene_ids)
    shop.target.rest()


def test_what_arrived_of_a_refused_edit_is_undone(shop, counter):
    was = shop.item(SCENE)
    shop.plex.faults.add(faults.status(400), method="PUT", path="*/all", times=2)  # the whole, and its first piece
    run(shop, SCENE, title="First", details="New")
    assert shop.record(SCENE).state is SceneState.REFUSED
    assert shop.record(SCENE).sentence.startswith("title: ")
    assert shop.item(SCENE).values["summary"] == "New"
    counter.ask("undo", all=True)
    now = shop.item(SCENE)
    assert (now.values.get("summary", ""), now.locks) == (was.values.get("summary", ""), was.locks)


def test_a_collection_that_studio_and_group_both_gave_and_took_does_not_come_by_an_undo(shop, counter):
    counter.configure(sync_groups=True)
    before = shop.item(SCENE).collections
    run(shop, SCENE, studio="Vixen", groups=["Vixen"])
    run(shop, SCENE, studio="", groups=[])
    counter.ask("undo", all=True)
    assert shop.item(SCENE).collections == before
