"""Undo beside everything else that goes on: it puts back what was there, and nothing that never was."""

import pytest

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


def test_a_collection_that_studio_and_group_both_gave_and_took_does_not_come_by_an_undo(shop, counter):
    counter.configure(sync_groups=True)
    before = shop.item(SCENE).collections
    run(shop, SCENE, studio="Vixen", groups=["Vixen"])
    run(shop, SCENE, studio="", groups=[])
    counter.ask("undo", all=True)
    assert shop.item(SCENE).collections == before
