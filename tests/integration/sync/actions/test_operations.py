"""Operations on both servers: explain, preview, mapping, the connection, the coverage of the path map."""

import pytest

from model.user_error import UserError
from runtime.state_file import write_state
from runtime.version import VERSION
from sync.connection import REFRESH_EVERY_SECONDS
from sync_queue.browse import JobBrowser
from tests.integration.sync.conftest import STASH_ROOT
from tests.support.actions import RecordingReporter, ask

# Explain


def test_a_synced_scene_tells_its_whole_story(counter):
    counter.shop.sync(1)
    story = counter.explain(1)
    key = counter.shop.key(1)
    assert (story["state"], story["next_step"]) == ("synced", "Nothing to do.")
    assert story["sentence"].endswith(f"to Plex's item {key}. It shows what Stash says.")
    (file,) = story["files"][:1]
    assert file["path"].startswith(STASH_ROOT)
    assert story["item_path"] == counter.shop.path(1)
    assert story["item_url"].startswith(f"{counter.shop.plex.url}/web/index.html#!/server/")
    assert story["item_url"].endswith(f"%2Flibrary%2Fmetadata%2F{key}")
    match = story["match"]
    assert (match["item_id"], match["confidence"], match["source"]) == (key, "high", "server")
    assert match["candidates"][0] == {
        "item_id": key,
        "path": counter.shop.path(1),
        "size": file["size"],
        "title": None,
        "is_taken": True,
        "why": "it fits best",
    }
    assert story["plan"]["verdict"] == "right"
    assert story["last_sync"]["item_id"] == key
    assert (story["not_asked"], story["queue"], story["dead_letters"], story["obstacle"]) == ([], [], [], None)


def test_a_change_that_fired_no_hook_is_named(counter):
    counter.shop.sync(1)
    counter.shop.edit(1, title="Renamed behind our back")
    story = counter.explain(1)
    assert "but since then this differs: title" in story["sentence"]
    (title, *_) = story["plan"]["changes"]
    assert (title["new"], title["why"]) == ("Renamed behind our back", "changed in Stash")


def test_a_scene_that_was_never_synced_says_so(counter):
    story = counter.explain(3)
    assert (story["state"], story["plan"]["verdict"], story["last_sync"]) == ("new", "would change", None)


def test_a_queued_scene_says_when_it_is_due(counter):
    now = counter.shop.clock.now()
    counter.shop.queue.enqueue("scene", [1], "edited", now, due_at=now + 500)
    story = counter.explain(1)
    assert story["state"] == "queued"
    assert story["sentence"].startswith("Queued (edited), due in ")
    assert story["queue"][0]["state"] == "waiting"
    counter.shop.queue.claim(now + 501, 1)
    assert counter.explain(1)["queue"][0]["state"] == "claimed"


def test_all_scenes_queued_counts_for_each(counter):
    now = counter.shop.clock.now()
    counter.shop.queue.enqueue("all", [0], "Sync All", now, due_at=now)
    assert "All scenes are queued" in counter.explain(1)["sentence"]


def test_a_file_that_plex_lacks_is_waited_for(counter):
    counter.shop.plex.delete(counter.shop.key(2))
    counter.shop.sync(2)
    story = counter.explain(2)
    assert story["state"] == "waiting"
    assert "Not in Plex yet" in story["sentence"]
    assert "path map" in story["next_step"]
    assert story["queue"][0]["attempts"] == 1
    assert story["match"]["confidence"] == "none"


def test_several_candidates_are_named_and_one_can_be_chosen(counter):
    shop = counter.shop
    (file, *_) = shop.stash.library.scenes[2].files
    shop.plex.delete(shop.key(2))
    name = shop.path(2).rpartition("/")[2]
    keys = [shop.plex.add_item(f"/data/scenes/{place}/{name}", file.size, 1000) for place in ("one", "two")]
    shop.clock.advance(REFRESH_EVERY_SECONDS)
    shop.sync(2)
    story = counter.explain(2)
    assert story["state"] == "ambiguous"
    assert {one["item_id"] for one in story["match"]["candidates"]} == set(keys)
    assert all(one["title"] for one in story["match"]["candidates"])  # a person chooses by it
    answer = counter.ask("map_scene", scene_id=2, item_id=keys[1])
    assert (answer["ok"], answer["item_path"]) == (True, f"/data/scenes/two/{name}")
    assert {seen.job.key for seen in JobBrowser(shop.queue._connection).jobs_with(["scene:2"])} == {"scene:2"}
    shop.work()
    story = counter.explain(2)
    assert (story["state"], story["pinned_to"], story["match"]["rule"]) == ("synced", keys[1], "pinned")
    assert "matched by its files again" in counter.ask("unmap_scene", scene_id=2)["sentence"]
    shop.work()
    assert shop.ledger.pins.of([2]) == {}


def test_a_refused_value_is_named_with_what_to_do(counter):
    counter.shop.edit(4, date="yesterday")
    counter.shop.sync(4)
    story = counter.explain(4)
    assert story["state"] == "refused"
    assert "date: 'yesterday' is not a date" in story["sentence"]
    assert "Correct the value in Stash" in story["next_step"]
    assert story["dead_letters"][0]["scene_id"] == 4


def test_a_scene_that_is_not_organized_says_so(counter):
    counter.configure(only_organized=True)
    counter.shop.edit(5, organized=False)
    counter.shop.sync(5)
    story = counter.explain(5)
    assert (story["state"], story["sentence"]) == ("skipped", "Not organized, and only_organized is on.")
    assert story["plan"]["verdict"] == "skipped"


def test_a_scene_that_is_gone_from_stash_says_so(counter):
    counter.shop.sync(6)
    with counter.shop.stash.library.lock:
        counter.shop.stash.library.scenes.pop(6)
    assert counter.explain(6)["state"] == "gone"


def test_a_scene_nobody_knows_is_refused_in_a_sentence(counter):
    with pytest.raises(UserError, match="Stash has no scene 99999, and none of that number was ever synced"):
        counter.explain(99999)


def test_with_plex_away_the_rest_is_told_and_the_index_is_asked(counter):
    counter.shop.sync(1, 2)
    counter.ask("explain", scene_id=1)
    counter.shop.plex.stop()
    counter.shop.edit(2, title="Waiting for Plex")
    counter.shop.sync(2)
    story = counter.explain(2)
    assert len(story["not_asked"]) == 1
    assert story["not_asked"][0].startswith("Plex: ")
    assert story["title"] == "Waiting for Plex"
    assert (story["match"]["source"], story["match"]["item_id"]) == (
        "index",
        counter.shop.ledger.scenes.get(2).item_id,
    )
    assert story["plan"] is None
    assert story["queue"][0]["last_error"]
    state = {"state": "open", "opened_at": 1000.0, "probe_at": 0, "kind": "refused", "sentence": "nothing answers"}
    write_state(counter.folder.target("plex").circuit, state)
    story = counter.explain(2)
    assert story["state"] == "outage"
    assert "Plex is down since 1970-01-01 " in story["sentence"]
    assert ": nothing answers." in story["sentence"]


def test_with_stash_away_what_we_know_is_told(counter):
    counter.shop.sync(1)
    counter.shop.stash.go_away()
    story = counter.explain(1)
    assert story["state"] == "synced"
    assert "Stash does not answer" in story["not_asked"][0]
    assert (story["title"], story["files"], story["match"]) == (None, [], None)
    assert counter.explain(12)["state"] == "new"


def test_settings_that_need_a_person_are_told(counter):
    counter.shop.stash.configure_plugin("Stash2Plex", {})
    assert "plex_url is not set" in counter.explain(1)["not_asked"][0]


def test_what_the_living_worker_says_is_told(counter):
    write_state(counter.folder.worker_state, {"version": VERSION, "started_at": 1.0, "obstacle": "Nobody is home."})
    counter.shop.queue.enqueue("scene", [1], "edited", counter.shop.clock.now(), due_at=0.0)
    story = counter.explain(1)
    assert story["state"] == "blocked"
    assert story["sentence"].startswith("Nobody is home. Queued (edited), due now.")


# Preview of a scene


def test_a_preview_shows_the_plan_and_writes_nothing(counter):
    counter.shop.forget_requests()
    answer = counter.preview(1)
    assert answer["verdict"] == "would change"
    assert "title" in [change["field"] for change in answer["changes"]]
    assert counter.shop.writes() == []
    with pytest.raises(UserError, match="Stash has no scene 777"):
        counter.preview(777)


def test_a_preview_with_plex_away_is_refused_in_a_sentence(counter):
    counter.shop.plex.stop()
    with pytest.raises(UserError, match="nothing answers"):
        counter.preview(1)


# Mapping


def test_only_what_exists_can_be_mapped(counter):
    refused = {
        "Plex has no item 987654": counter.ask("map_scene", scene_id=1, item_id=987654),
        "Stash has no scene 777": counter.ask("map_scene", scene_id=777, item_id=counter.shop.key(1)),
        "Scene 1 is not mapped by hand": counter.ask("unmap_scene", scene_id=1),
    }
    for sentence, answer in refused.items():
        assert (answer["ok"], sentence in answer["sentence"]) == (False, True)
    assert counter.shop.ledger.pins.of([1, 777]) == {}


# Undo


def test_undo_takes_a_scope_and_refuses_what_it_does_not_know(counter):
    counter.shop.sync(1, 2)
    counter.shop.work()
    assert counter.ask("undo", scene_id="2", run_id=None)["scenes"] == 1
    assert counter.explain(2)["state"] == "undone"
    with pytest.raises(UserError, match="not several"):
        counter.ask("undo", scene_id=1, all=True)
    with pytest.raises(UserError, match="undo has no argument 'scene'; it takes: target, run_id, scene_id, ids, all"):
        counter.ask("undo", scene=1)
    assert counter.ask("undo")["scenes"] == 1


# The servers


def test_a_good_connection_is_said(counter):
    answer = counter.ask("test_connection")
    assert answer["ok"] is True
    assert {finding["part"] for finding in answer["findings"]} == {"Stash", "Settings", "Plex", "Token", "Libraries"}


def test_a_guests_token_is_found_out(counter):
    counter.configure(plex_token=counter.shop.plex.guest_token)
    answer = counter.ask("test_connection")
    assert answer["ok"] is False
    assert "not the owner's" in answer["sentence"]
    assert counter.shop.plex.guest_token not in str(answer)


def test_the_coverage_names_what_is_not_found(counter):
    shop = counter.shop
    shop.plex.delete(shop.key(1))
    answer = counter.ask("path_map")
    assert answer["source"] == "derived"
    assert answer["rules"] == [{"from": "/data", "to": "/data/scenes", "found": answer["found"]}]
    assert (answer["found"], answer["proposal"]) == (answer["total"] - len(answer["not_found"]), None)
    assert {"path": shop.stash.library.scenes[1].path, "item_path": shop.path(1)} in answer["not_found"]
    (target,) = counter.ask("status")["targets"]
    assert (target["coverage"]["found"], target["coverage"]["rules"]) == (answer["found"], 1)
    counter.configure(path_map="/data=>/elsewhere")
    answer = counter.ask("path_map")
    assert (answer["source"], answer["found"], answer["rules"][0]["found"]) == ("setting", 0, 0)
    assert answer["proposal"] == "/data=>/data/scenes"
    assert "set path_map" in answer["sentence"]
    counter.configure(path_map="nonsense")
    with pytest.raises(UserError, match="must read /stash/prefix"):
        counter.ask("path_map")


# The health check


def test_the_health_check_looks_at_every_part(counter):
    reporter = RecordingReporter()
    write_state(counter.folder.worker_state, {"version": VERSION, "started_at": 1e12, "obstacle": None})
    answer = ask(counter.folder, "health_check", reporter)
    assert {finding["part"]: finding["sentence"] for finding in answer["findings"] if not finding["ok"]} == {}
    parts = [finding["part"] for finding in answer["findings"]]
    assert parts == [
        "Python",
        "Data folder",
        "Packages",
        "Queue",
        "Given up",
        "Worker",
        "Sending",
        "Stash",
        "Settings",
        "Plex",
        "Token",
        "Libraries",
        "Path map",
    ]
    assert answer["sentence"] == "All 13 parts are well."
    assert {one["part"] for one in answer["findings"] if one["target"] == "plex"} == {
        "Sending",
        "Plex",
        "Token",
        "Libraries",
        "Path map",
    }
    assert "Path map: " in reporter.lines[-1]


def test_the_health_check_says_what_is_wrong(counter):
    counter.shop.edit(4, date="yesterday")
    counter.shop.sync(4)
    write_state(
        counter.folder.target("plex").circuit, {"state": "open", "opened_at": 1000.0, "sentence": "nothing answers"}
    )
    write_state(counter.folder.worker_state, {"version": "0.0.1", "started_at": 1.0, "pid": 7})
    counter.shop.plex.stop()
    answer = counter.ask("health_check")
    bad = {finding["part"]: finding["sentence"] for finding in answer["findings"] if not finding["ok"]}
    assert set(bad) == {"Given up", "Worker", "Sending", "Plex"}
    assert "is older than the plugin's files" in bad["Worker"]
    assert "Plex is down since 1970-01-01 " in bad["Sending"]
    assert answer["sentence"] == f"4 of {len(answer['findings'])} parts need you."


# A scene that is gone, an item that is gone


def destroy(shop, scene_id, **args):
    fields = "".join(f", {name}: {value}" for name, value in args.items())
    shop.stash.graphql(f'mutation {{ sceneDestroy(input: {{ id: "{scene_id}"{fields} }}) }}')
    shop.sync(scene_id)


def test_a_deleted_scene_is_told_with_the_item_that_still_shows_it_and_how_to_take_that_back(counter):
    shop = counter.shop
    before, key = shop.item(1), shop.key(1)
    shop.sync(1)
    shop.work()
    destroy(shop, 1)
    story = counter.explain(1)
    assert story["state"] == "gone"
    assert f"Plex's item {key} still shows what was written for it" in story["sentence"]
    assert story["command"] == "undo --scene 1"
    (left,) = counter.ask("scenes", state="left")["scenes"]
    assert (left["scene_id"], left["item_id"], left["item_path"]) == (1, key, before.files[0])
    assert str(key) in left["sentence"]
    counter.ask("undo", scene_id=1)
    assert shop.plex.item(key).title == before.title
    assert counter.ask("scenes", state="left")["scenes"] == []
    assert "still shows" not in counter.explain(1)["sentence"]


def test_a_deleted_scene_whose_item_is_gone_too_has_left_nothing(counter):
    shop = counter.shop
    shop.sync(1)
    key = shop.key(1)
    destroy(shop, 1, delete_file="true")
    shop.plex.delete(key)
    shop.connection.index(shop.conditions.get().config).refresh(shop.clock.now(), full=True)
    assert counter.explain(1)["state"] == "gone"
    assert "still shows" not in counter.explain(1)["sentence"]
    assert counter.ask("scenes", state="left")["scenes"] == []


def test_a_merged_scene_is_told_with_whose_its_item_is_now(counter):
    shop = counter.shop
    shop.sync(1, 2)
    key = shop.key(2)
    shop.stash.graphql(
        'mutation { sceneMerge(input: { source: ["2"], destination: "1", values: { id: "1" } }) { id } }'
    )
    shop.sync(1, 2)
    story = counter.explain(2)
    assert story["state"] == "gone"
    assert f"Plex's item {key} is scene 1's now" in story["sentence"]
    assert counter.ask("scenes", state="left")["scenes"] == []


@pytest.mark.parametrize("is_synced_since", [True, False])
def test_an_item_chosen_by_hand_that_is_gone_is_named_with_what_to_do(counter, is_synced_since):
    shop = counter.shop
    key = shop.plex.add_item("/data/archive/elsewhere.mp4", 5, 5)
    counter.ask("map_scene", scene_id=1, item_id=key)
    shop.work()
    assert shop.plex.item(key).title == shop.stash.library.scenes[1].title
    others = shop.others()
    shop.plex.delete(key)
    del others[key]
    if is_synced_since:
        shop.edit(1, title="Since")
        shop.sync(1)
        assert shop.others() == others  # its own file's item is not what the person chose
    story = counter.explain(1)
    assert f"The item that was chosen by hand ({key}) is gone from Plex" in story["sentence"]
    assert story["command"] == "map 1 --clear"
    assert str(key) in story["plan"]["sentence"]
    counter.ask("unmap_scene", scene_id=1)
    shop.work()
    assert shop.item(1).title == shop.stash.library.scenes[1].title
