"""Collections on Emby and Jellyfin: read and written only where a setting asks for them."""

import pytest

from sim.stash.library.records import Studio
from tests.integration.sync_targets.test_scenes import EDIT, SCENE, later, names, run, undo

ABOUT_COLLECTIONS = {"create collection", "add to collection", "remove from collection"}


def asked_for_collections(shop):
    """List the requests that have to do with collections: writes, and lists of them or of what is in one."""
    found = [call.kind for call in shop.server.requests if call.kind in ABOUT_COLLECTIONS]
    return found + [call.query for call in shop.server.requests if "IncludeItemTypes=BoxSet" in call.query]


def test_nobody_asks_for_collections_where_no_setting_does(shop):
    shop.configure(sync_collection=False)
    run(shop, *range(1, 11))
    run(shop, SCENE, verify=True, **EDIT)
    run(shop, SCENE, title="Newer")
    assert shop.item(SCENE)["Name"] == "Newer"
    assert asked_for_collections(shop) == []


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("sync_collection", ["House"]),
        ("sync_groups", ["Best of"]),
        ("sync_performer_collections", ["Ann", "Zoe"]),
        ("sync_parent_studio", ["Network"]),
    ],
)
@pytest.mark.parametrize("prefix", ["", "Stash"])
def test_each_setting_brings_its_collections(shop, setting, expected, prefix):
    shop.configure(**{"sync_collection": False, setting: True}, collection_prefix=prefix)
    shop.edit(SCENE, **EDIT, groups=["Best of"])
    library = shop.stash.library
    with library.lock:
        parent = shop._record(library.studios, Studio, "Network")
        library.studios[library.scenes[SCENE].studio_id].parent_id = parent
    run(shop, SCENE)
    held = sorted(names(shop)[one] for one in shop.item(SCENE)["Collections"])
    assert held == [f"{prefix} {name}".strip() for name in expected]


def test_a_setting_that_is_switched_on_counts_at_once(shop):
    shop.configure(sync_collection=False)
    run(shop, SCENE, **EDIT)
    assert shop.item(SCENE)["Collections"] == []
    shop.configure(sync_collection=True)
    run(shop, SCENE)
    assert [names(shop)[one] for one in shop.item(SCENE)["Collections"]] == ["House"]


def test_what_was_put_into_a_collection_is_taken_out_by_an_undo_after_the_setting_was_switched_off(shop):
    before = shop.item(SCENE)
    run(shop, SCENE, **EDIT)
    assert shop.item(SCENE)["Collections"]
    shop.configure(sync_collection=False)
    report = undo(shop, everything=True)
    assert (report.failed, shop.item(SCENE)) == (0, before)


@pytest.mark.parametrize("every", [1, 3])
def test_what_a_batch_began_and_did_not_come_to_send_is_ours_all_the_same(shop, every):
    """All scenes of a batch go into their collection at once; a slow server lets only the first be written in time."""
    ids = list(range(1, 9))
    for scene_id in ids:
        shop.edit(scene_id, studio="House", title=f"Title {scene_id}")
    before = {one: shop.item(one) for one in ids}
    for nth in range(every, 40, every):
        shop.server.after("update", lambda: shop.clock.advance(3.0), nth=nth)
    later(shop)
    shop.sync(*ids)
    shop.work_for(600.0)
    assert all([names(shop)[held] for held in shop.item(one)["Collections"]] == ["House"] for one in ids)
    assert all(shop.item(one)["Name"] == f"Title {one}" for one in ids)
    if shop.name == "emby":
        assert all("Collections" in shop.item(one)["LockedFields"] for one in ids)
    undo(shop, everything=True)
    assert {one: shop.item(one) for one in ids} == before
