"""What a person's choice keeps out of Plex is counted and named with both values, and nobody claims what is not so."""

import re

import pytest

from sim.plex import faults
from sim.stash.library.pictures import png
from tests.integration.sync.pictures.test_pictures import choose_by_person
from tests.support.actions import RecordingReporter, ask

SCENE, OTHER = 1, 2
LIE = "Plex shows what Stash says"


@pytest.fixture
def shop(shop):
    shop.edit(SCENE, title="Ours", details="Ours", tags=["A", "B", "C"])
    shop.sync_all()
    return shop


@pytest.fixture
def kept(shop):
    """Of the scene a person has typed a title, and taken out two tags; both sides changed since."""
    shop.plex.edit_by_person(shop.key(SCENE), title="Theirs", genre=["B"])
    shop.edit(SCENE, title="Ours anew", details="Ours anew")
    shop.sync(SCENE)
    return shop


def listed(counter, scene_id, **args):
    """Give a scene as the list has it, whose clock runs."""
    one = next(one for one in counter.ask("scenes", **args)["scenes"] if one["scene_id"] == scene_id)
    return one | {"sentence": re.sub(r"\d+ seconds? ago", "just now", one["sentence"])}


# --- preview ------------------------------------------------------------------------------------------------------


def test_the_preview_of_a_scene_names_what_is_kept_with_both_values(counter, kept):
    answer = counter.preview(SCENE)
    assert LIE not in answer["sentence"]
    assert "title is 'Theirs' in Plex and 'Ours anew' in Stash" in answer["sentence"]
    assert "tags without 'A', 'C'" in answer["sentence"]
    assert [(one["field"], one["old"], one["stash"], one["why"]) for one in answer["kept"]] == [
        ("title", "Theirs", "Ours anew", "changed in Stash and in Plex; Plex keeps its own"),
        ("tags", ["B"], ["A", "C"], "taken out in Plex"),
    ]


def test_the_sort_title_of_a_kept_title_is_not_called_a_persons(counter, kept):
    counter.shop.plex.edit_by_person(counter.shop.key(SCENE), titleSort="Theirs")
    answer = counter.preview(SCENE)
    assert "sort_title" not in str(answer["kept"]) + answer["sentence"]


def test_the_preview_of_all_counts_and_names_what_is_kept(counter, kept):
    reporter = RecordingReporter()
    answer = ask(counter.folder, "preview", reporter)
    assert answer["kept"] == 1
    assert answer["kept_fields"] == {"title": 1, "tags": 1}
    assert "Kept as a person's in Plex: 2 values of 1 scene (title 1, tags 1)." in answer["sentence"]
    assert [line for line in reporter.lines if line.startswith(f"scene {SCENE}: kept as a person's: title is 'Theirs'")]


def test_what_would_change_and_what_is_kept_are_told_together(counter, kept):
    counter.shop.edit(SCENE, details="Ours once more")
    sentence = counter.preview(SCENE)["sentence"]
    assert sentence.startswith("A sync would change: summary. Kept as a person's in Plex: title is")


def test_where_nothing_is_kept_it_is_said_as_before(counter, shop):
    assert counter.preview(OTHER)["sentence"] == f"{LIE}."
    assert counter.preview(OTHER)["kept"] == []
    assert "Kept as a person's" not in counter.ask("preview")["sentence"]


# --- list ---------------------------------------------------------------------------------------------------------


def test_the_list_says_when_it_was_synced_and_what_is_kept(counter, kept):
    assert LIE not in str(counter.ask("scenes"))
    assert listed(counter, OTHER)["sentence"] == "Synced just now."
    sentence = listed(counter, SCENE)["sentence"]
    assert sentence.startswith("Synced just now. Kept as a person's in Plex: title is 'Theirs' in Plex and ")
    assert "tags without 'A', 'C'" in sentence


def test_scenes_of_which_something_is_kept_can_be_listed(counter, kept):
    assert [one["scene_id"] for one in counter.ask("scenes", state="kept")["scenes"]] == [SCENE]
    counter.shop.plex.edit_by_person(counter.shop.key(SCENE), title="Ours anew", genre=["A", "B", "C"])
    counter.shop.sync(SCENE, verify=True)
    assert counter.ask("scenes", state="kept")["scenes"] == []


def test_the_list_says_that_an_edit_waits(counter, shop):
    shop.queue.enqueue("scene", [SCENE], "Scene.Update.Post", shop.clock.now(), due_at=0.0)
    one = listed(counter, SCENE)
    assert one["is_queued"]
    assert one["sentence"].startswith("Synced just now. Queued")


def test_the_list_says_that_an_edit_waits_for_an_outage(counter, shop):
    shop.plex.faults.add(faults.MAINTENANCE)
    shop.clock.advance(60)
    shop.edit(SCENE, title="In the outage")
    for _ in range(6):
        shop.sync(SCENE)
        shop.clock.advance(2)
    assert shop.recovery.is_outage()
    sentence = listed(counter, SCENE)["sentence"]
    assert "Plex" in sentence
    assert "maintenance" in sentence
    assert LIE not in sentence


def test_the_list_says_that_a_scene_is_to_be_looked_at_again(counter, shop):
    shop.ledger.pins.set(SCENE, shop.key(SCENE), shop.connection.server_id(shop.conditions.get().config))
    assert listed(counter, SCENE)["sentence"] == "Synced just now, and to be looked at again."


# --- explain ------------------------------------------------------------------------------------------------------


def test_explain_names_what_is_kept_and_what_one_can_do(counter, kept):
    story = counter.explain(SCENE)
    assert story["state"] == "synced"
    assert "title is 'Theirs' in Plex and 'Ours anew' in Stash" in story["sentence"]
    assert "nlock" in story["next_step"]
    assert LIE not in str(story)


def test_explain_claims_nothing_of_a_plex_that_was_not_asked(counter, shop):
    shop.plex.stop()
    story = counter.explain(SCENE)
    assert story["sentence"].endswith("Plex could not be asked whether it still shows that.")
    assert LIE not in str(story)
    shop.edit(SCENE, title="Edited meanwhile")  # and no hook told of it
    story = counter.explain(SCENE)
    assert "It was edited in Stash since, which is not in Plex yet" in story["sentence"]
    shop.plex.start()


def test_explain_of_a_scene_that_is_right_says_that_plex_was_asked(counter, shop):
    assert counter.explain(OTHER)["sentence"].endswith("It shows what Stash says.")


def test_the_log_names_what_is_kept(kept, caplog):
    caplog.set_level("INFO")
    kept.sync(SCENE, verify=True)
    assert "kept as a person's: title, tags" in caplog.text


# --- pictures -----------------------------------------------------------------------------------------------------


def sentences(counter):
    """All that is said of the scene: by explain, by its plan, by the preview and by the list."""
    story = counter.explain(SCENE)
    rows = counter.ask("scenes", state="synced")["scenes"]
    row = next(one["sentence"] for one in rows if one["scene_id"] == SCENE)
    return [story["sentence"], story["plan"]["sentence"], counter.preview(SCENE)["sentence"], row]


def test_a_poster_that_a_person_chose_is_named_wherever_a_scene_is_told_of(counter, shop):
    counter.configure(sync_poster=True, sync_background=True)
    choose_by_person(shop, png("a person's"))
    shop.sync(SCENE)
    shop.pictures()
    for said in sentences(counter):
        assert "Somebody chose another poster in Plex; it is kept." in said
        assert "shows what Stash says" not in said
    assert [one["scene_id"] for one in counter.ask("scenes", state="kept")["scenes"]] == [SCENE]
    assert "unlock" in counter.explain(SCENE)["next_step"]


def test_a_cover_that_waits_is_named_wherever_a_scene_is_told_of(counter, shop):
    counter.configure(sync_poster=True, sync_background=True)
    shop.sync(SCENE)
    for said in sentences(counter):
        assert "Its cover is still to be looked at." in said
        assert "shows what Stash says" not in said
    shop.pictures()
    assert "shows what Stash says" in counter.explain(SCENE)["sentence"]
    assert counter.ask("scenes", state="kept")["scenes"] == []
