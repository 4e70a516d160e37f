"""The words of a scene on Emby and Jellyfin: written once, kept where a person's, taken back without a trace."""

from dataclasses import replace

import pytest

from ledger.states import SceneState
from sync.context import TargetContext
from sync.preview import Preview, Verdict
from sync.stash_connection import StashConnection
from sync.undo.run import UndoRun
from sync.undo.scope import UndoScope
from tests.support.actions import RecordingReporter

SCENE, OTHER = 1, 2
EDIT = {
    "title": "A Title",
    "details": "Words.",
    "studio": "House",
    "date": "2024-05-01",
    "code": "ABC-1",
    "director": "Max",
    "performers": ["Ann", "Zoe"],
    "tags": ["Blue", "Red"],
}


def later(shop, seconds=40.0):
    """Let what is remembered for a moment be forgotten."""
    shop.clock.advance(seconds)


def run(shop, *scene_ids, verify=False, **edits):
    if edits:
        shop.edit(scene_ids[0], **edits)
    later(shop)
    shop.sync(*scene_ids, verify=verify)
    shop.work()


def context(shop):
    config = shop.conditions.get().config
    stash = StashConnection(shop.queue)
    return TargetContext(
        shop.name, shop.name, RecordingReporter(), config, shop.ledger, shop.connection, lambda _: None, stash
    )


def undo(shop, **scope):
    later(shop)
    return UndoRun(context(shop), lambda _: set()).run(UndoScope(**scope))


def preview(shop, scene_id):
    later(shop)
    scene = StashConnection(shop.queue).client().scenes([scene_id])[scene_id]
    (look,) = Preview(context(shop)).results([scene])
    return look


def names(shop, scene_id=SCENE):
    return {one.id: one.values["Name"] for one in shop.server.world.collections.all()}


def test_a_first_sync_writes_everything(shop):
    was = shop.item(SCENE)
    run(shop, SCENE, **EDIT)
    now = shop.item(SCENE)
    assert shop.record(SCENE).state is SceneState.SYNCED
    assert (now["Name"], now["Overview"], now["Studios"]) == ("A Title", "Words.", ["House"])
    assert (now["PremiereDate"][:10], now["ProductionYear"]) == ("2024-05-01", 2024)
    assert (now["Taglines"], sorted(now["Genres"])) == (["ABC-1"], ["Blue", "Red"])
    people = {(one["Name"], one["Type"]) for one in now["People"]}
    assert people == {("Ann", "Actor"), ("Zoe", "Actor"), ("Max", "Director")}
    assert now["ProviderIds"] == {"Stash": str(SCENE)}
    assert [names(shop)[one] for one in now["Collections"]] == ["House"]
    assert {"Name", "Overview", "Studios", "Genres", "Cast"} <= set(now["LockedFields"])
    assert {name: now.get(name) for name in ("Path", "Files", "Pictures", "LockData")} == {
        name: was.get(name) for name in ("Path", "Files", "Pictures", "LockData")
    }


def test_what_is_unchanged_is_not_written(shop):
    shop.sync_all()
    later(shop)
    shop.forget_requests()
    run(shop, *range(1, 11))
    shop.sync_all()
    assert shop.writes() == []
    assert preview(shop, SCENE).verdict is Verdict.RIGHT


def test_an_edit_is_one_write(shop):
    run(shop, *range(1, 11))
    shop.forget_requests()
    run(shop, SCENE, title="Another")
    assert [call.kind for call in shop.writes()] == ["update"]
    assert shop.item(SCENE)["Name"] == "Another"


def test_a_first_sync_costs_a_write_a_scene_and_few_reads(shop, flavour):
    shop.configure(sync_collection=False)
    shop.connection.index(shop.conditions.get().config)
    shop.forget_requests()
    run(shop, *range(1, 11))
    counts = shop.server.journal.counts()
    updates = counts.pop("update")
    singles = counts.pop("single", 0)
    assert updates == 10
    if flavour.startswith("emby"):
        assert singles <= 12  # one by one, for their locks, and once to see whether locks are kept
    assert sum(counts.values()) <= 9  # who is there, the libraries, what changed, the collections, the details


# --- what people do ---------------------------------------------------------------------------------------------------


def test_a_persons_edit_is_kept(shop):
    run(shop, SCENE, **EDIT)
    shop.server.edit_by_person(shop.key(SCENE), Name="Hers")
    run(shop, SCENE, verify=True)
    assert shop.item(SCENE)["Name"] == "Hers"
    assert f"in {shop.connection.client(shop.conditions.get().config).name} and" in shop.record(SCENE).sentence
    run(shop, SCENE, title="Newer")
    assert shop.item(SCENE)["Name"] == "Hers"
    shop.configure(preserve_plex_edits=False)
    run(shop, SCENE, verify=True)
    assert shop.item(SCENE)["Name"] == "Newer"


def test_what_has_no_lock_is_ours_until_a_person_changes_it(shop):
    shop.server.edit_by_person(shop.key(SCENE), lock=False, PremiereDate="1999-01-01T00:00:00.0000000Z")
    run(shop, SCENE, **EDIT)
    assert shop.item(SCENE)["PremiereDate"][:10] == "2024-05-01"
    hers = {"PremiereDate": "2001-02-03T00:00:00.0000000Z", "ProductionYear": 2001}
    shop.server.edit_by_person(shop.key(SCENE), **hers)
    run(shop, SCENE, verify=True)
    assert shop.item(SCENE)["PremiereDate"][:10] == "2001-02-03"
    shop.configure(preserve_plex_edits=False)
    run(shop, SCENE, verify=True)
    assert shop.item(SCENE)["PremiereDate"][:10] == "2024-05-01"


def test_lists_are_merged_by_element(shop):
    shop.server.edit_by_person(shop.key(SCENE), lock=False, Genres=["Theirs"], People=[("Wim", "", "Writer")])
    run(shop, SCENE, **EDIT)
    assert sorted(shop.item(SCENE)["Genres"]) == ["Blue", "Red", "Theirs"]
    shop.server.edit_by_person(shop.key(SCENE), Genres=["Theirs", "Red", "Hers"])  # she takes Blue out
    run(shop, SCENE, tags=["Blue", "Green"], performers=["Ann"])
    assert sorted(shop.item(SCENE)["Genres"]) == ["Green", "Hers", "Theirs"]
    people = {(one["Name"], one["Type"]) for one in shop.item(SCENE)["People"]}
    assert people == {("Wim", "Writer"), ("Ann", "Actor"), ("Max", "Director")}


def test_an_edit_between_our_read_and_our_write_is_planned_anew(shop, flavour):
    run(shop, SCENE, **EDIT)
    key = shop.key(SCENE)
    kind = "single" if flavour.startswith("emby") else "details"
    shop.server.after(kind, lambda: shop.server.edit_by_person(key, Overview="Hers"))
    run(shop, SCENE, title="Newer")
    now = shop.item(SCENE)
    assert (now["Name"], now["Overview"]) == ("Newer", "Hers")
    assert shop.record(SCENE).state is SceneState.SYNCED


def test_tags_become_tags_where_wanted(shop):
    run(shop, SCENE, **EDIT)
    shop.configure(tags_as="tags", content_rating="XXX", title_format="{studio}: {title}", collection_prefix="Stash")
    run(shop, SCENE)
    now = shop.item(SCENE)
    assert (now["Genres"], sorted(now["Tags"])) == ([], ["Blue", "Red"])
    assert (now["OfficialRating"], now["Name"]) == ("XXX", "House: A Title")
    assert [names(shop)[one] for one in now["Collections"]] == ["Stash House"]


# --- undo -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("filled", [False, True])
def test_an_undo_leaves_the_whole_document_as_it_was(shop, filled):
    typed = {
        "Name": "Before",
        "ForcedSortName": "before, the",
        "Overview": "Old.",
        "Genres": ["Old"],
        "Tags": ["Old"],
        "Studios": ["A", "B"],
        "Taglines": ["Old"],
        "ProductionYear": 1990,
        "People": [("Ann", "Herself", "Actor"), ("Wim", "", "Writer")],
        "ProviderIds": {"Imdb": "tt1"},
        "LockedFields": ["Runtime"],
    }
    for scene_id in range(1, 11):
        if filled:
            shop.server.edit_by_person(shop.key(scene_id), lock=False, **typed)
    before = {scene_id: shop.item(scene_id) for scene_id in range(1, 11)}
    run(shop, *range(1, 11))
    run(shop, SCENE, **EDIT)
    run(shop, SCENE, title="Newer", tags=["Green"], performers=["Zoe"], studio="Other", date="2020-01-01")
    assert shop.item(SCENE) != before[SCENE]
    report = undo(shop, everything=True)
    assert report.failed == 0
    after = {scene_id: shop.item(scene_id) for scene_id in range(1, 11)}
    assert after == before


def test_what_a_person_edited_since_stays_in_an_undo(shop):
    before = shop.item(SCENE)
    run(shop, SCENE, **EDIT)
    shop.server.edit_by_person(shop.key(SCENE), Overview="Hers")
    undo(shop, scene_id=SCENE)
    now = shop.item(SCENE)
    assert (now["Overview"], now["Name"], now["Genres"]) == ("Hers", before["Name"], before["Genres"])
    shop.sync(SCENE)
    assert shop.record(SCENE).state is SceneState.UNDONE


# --- files that move --------------------------------------------------------------------------------------------------


def leave(shop, scene_id):
    """Have a scene leave its item for another, and give that one's id."""
    scene = shop.stash.library.scenes[scene_id]
    moved = shop.path(scene_id).replace(".mp4", " - moved.mp4")
    new = shop.server.add_item(moved, scene.files[0].size + 1, 1.0)
    with shop.stash.library.lock:
        stash_path = scene.path.replace(".mp4", " - moved.mp4")
        scene.files = (replace(scene.files[0], path=stash_path, size=scene.files[0].size + 1),)
        shop.stash.library.touch(scene)
    shop.clock.advance(400.0)
    shop.sync(scene_id)
    return new


def test_what_was_written_to_an_item_that_a_scene_left_is_taken_back(shop):
    before, old = shop.item(SCENE), shop.key(SCENE)
    run(shop, SCENE, **EDIT)
    new = leave(shop, SCENE)
    assert shop.record(SCENE).item_id == new
    assert shop.server.item_json(new)["Name"] == "A Title"
    shop.work_for(120.0)
    left = {name: value for name, value in shop.server.item_json(old).items() if value != ""}
    assert left == before


def test_a_moved_file_is_found_again(shop, flavour):
    run(shop, SCENE, **EDIT)
    old, path = shop.key(SCENE), shop.path(SCENE)
    new_path = path.replace("/clips/", "/clips/moved/")
    later(shop)
    shop.server.move_file(path, new_path)
    shop.server.start_scan()
    shop.clock.advance(100.0)
    new = shop.server.find(new_path)
    assert new != old
    scene = shop.stash.library.scenes[SCENE]
    with shop.stash.library.lock:
        scene.files = (replace(scene.files[0], path=scene.path.replace("/clips/", "/clips/moved/")),)
        shop.stash.library.touch(scene)
    shop.clock.advance(24 * 3600.0 + 1)
    shop.save(SCENE)
    shop.work_for(60.0)
    assert shop.record(SCENE).item_id == new
    assert shop.server.item_json(new)["Name"] == "A Title"
