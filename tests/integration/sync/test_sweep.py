"""The sweep: what changed without a hook is in Plex after it, and what did not change costs nothing."""

import threading

import pytest

from ledger.states import SceneState
from model.errors import TargetBusy
from sim.stash.faults import Fault
from sync.connection import REFRESH_EVERY_SECONDS
from sync.pictures.covers import SETTLES_AFTER_SECONDS
from sync_queue.models import SWEEP
from sync_queue.operations import AT_ONCE
from tests.support.plugin.plugin import wait_until
from worker.sweeping.rules import A_DAY, LOOK_AGAIN_AFTER

ALL = {f"scene:{scene_id}" for scene_id in range(1, 13)}


@pytest.fixture
def swept(shop):
    """Everything synced by a first sweep."""
    shop.sweep_and_work()
    assert shop.ledger.scenes.counts()[SceneState.SYNCED] == 12
    shop.forget_requests()
    return shop


def shown_tags(shop, scene_id):
    return set(shop.item(scene_id).tags["genre"])


# --- what it catches ----------------------------------------------------------------------------------------------


def test_the_first_sweep_is_the_first_sync(shop):
    assert shop.sweep() == ALL
    shop.work()
    assert shop.item(1).title == "Scene Number 1"
    assert shop.sweep() == set()


def test_a_missed_hook_is_made_up_for(swept):
    swept.edit(3, title="Nobody told us")
    assert swept.sweep() == {"scene:3"}
    swept.work()
    assert swept.item(3).title == "Nobody told us"


def test_a_performer_renamed_without_a_hook_is_renamed_in_plex(swept):
    performer = swept.stash.library.scenes[1].performer_ids[0]
    swept.stash.library.performers[performer].name = "Her New Name"
    swept.sweep_and_work()
    scenes = [scene.id for scene in swept.stash.library.scenes_with("performer", performer)]
    assert all("Her New Name" in swept.item(scene_id).tags["actor"] for scene_id in scenes)
    assert len(swept.writes()) == len(scenes)


def test_two_performers_merged_in_stash_which_fires_no_hook_are_one_in_plex(swept):
    one, other = 1, 2
    names = [swept.stash.library.performers[key].name for key in (one, other)]
    scenes = [scene.id for scene in swept.stash.library.scenes_with("performer", other)]
    merge = f'mutation {{ performerMerge(input: {{ source: ["{other}"], destination: "{one}" }}) {{ id }} }}'
    swept.stash.graphql(merge)
    swept.sweep_and_work()
    assert scenes
    for scene_id in scenes:
        assert names[0] in swept.item(scene_id).tags["actor"]
        assert names[1] not in swept.item(scene_id).tags["actor"]


def test_a_tag_merged_into_another_is_that_one_in_plex(swept):
    library = swept.stash.library
    source = library.scenes[1].tag_ids[0]
    target = next(key for key in library.tags if key not in library.scenes[1].tag_ids)
    old, new = library.tags[source].name, library.tags[target].name
    swept.stash.graphql(
        f'mutation {{ tagsMerge(input: {{ source: ["{source}"], destination: "{target}" }}) {{ id }} }}'
    )
    swept.sweep_and_work()
    assert new in shown_tags(swept, 1)
    assert old not in shown_tags(swept, 1)


def test_auto_tag_reaches_plex(swept):
    new = next(key for key in swept.stash.library.tags if key not in swept.stash.library.scenes[2].tag_ids)
    swept.stash.events.auto_tag(2, (new,))
    assert swept.sweep() == {"scene:2"}
    swept.work()
    assert swept.stash.library.tags[new].name in shown_tags(swept, 2)


def test_a_merged_scene_shows_the_destinations_values_and_the_source_is_forgotten(swept):
    swept.stash.graphql('mutation { sceneMerge(input: { source: ["2"], destination: "1", values: '
                        '{ id: "1", title: "Both in one" } }) { id } }')  # fmt: skip
    assert swept.sweep() == {"scene:1", "scene:2"}
    swept.work()
    assert swept.item(1).title == "Both in one"
    assert swept.record(2) is None
    assert swept.sweep() == set()


def test_scenes_that_are_gone_from_stash_are_forgotten_wherever_their_ids_lie(swept):
    for scene_id in (1, 7, 12):
        del swept.stash.library.scenes[scene_id]
    assert swept.sweep() == {"scene:1", "scene:7", "scene:12"}
    swept.work()
    assert [one.scene_id for one in swept.ledger.sweep_records(0, 99, 99)] == [2, 3, 4, 5, 6, 8, 9, 10, 11]


def test_a_stash_without_any_scene_makes_us_forget_nothing(swept):
    """It may have been started with the wrong database."""
    kept = dict(swept.stash.library.scenes)
    swept.stash.library.scenes.clear()
    assert swept.sweep() == set()
    swept.stash.library.scenes.update(kept)
    assert swept.sweep() == set()


def test_a_stash_with_another_database_makes_no_choice_of_a_person_be_forgotten_or_meant_for_another(swept):
    library, key, other = swept.stash.library, swept.key(2), swept.item(2)
    swept.ledger.pins.set(1, key, swept.plex.server_id)
    swept.ledger.pins.set(3, swept.key(4), swept.plex.server_id)
    swept.sweep_and_work()
    swept.work_for(120)
    kept = dict(library.scenes)
    library.scenes.clear()
    stranger = library.draft_scene()  # of the number of a scene of ours, with a file of its own
    stranger.id, stranger.title, stranger.files = 1, "Another", (library.new_file("/other/film.mp4", 4711),)
    library.scenes.put(stranger)
    swept.sweep_and_work()
    assert swept.record(3) is None
    assert (swept.record(1).state, swept.plex.item(key).title) == (SceneState.WAITING, "Scene Number 1")
    library.scenes.clear()
    library.scenes.update(kept)
    swept.edit(1, title="Back again")
    swept.edit(3, title="And this one")
    swept.sweep_and_work()
    assert swept.plex.item(key).title == "Back again"
    assert swept.item(4).title == "And this one"
    assert other.title != "Back again"


def test_a_folder_renamed_in_stash_and_in_plex_is_followed(swept):
    """Stash moves no updated_at then; only the paths differ."""
    before = {scene_id: swept.path(scene_id) for scene_id in swept.stash.library.scenes}
    swept.stash.events.rename_folder("/data/clips/0", "/data/clips/moved")
    for scene_id, path in before.items():
        swept.plex.move_file(path, swept.path(scene_id))
    swept.plex.world.scans.start(swept.plex.section("Scenes"), None)
    swept.clock.advance(3600)
    assert swept.sweep() == ALL
    swept.work()
    assert all(swept.record(scene_id).state is SceneState.SYNCED for scene_id in before)
    assert all(swept.record(scene_id).path == swept.path(scene_id) for scene_id in before)
    assert swept.item(2).title == "Scene Number 2"
    assert swept.sweep() == set()


def test_an_item_rebuilt_in_plex_is_told_everything_once_a_walk_has_noticed(swept):
    swept.plex.rebuild(swept.key(1))
    assert swept.sweep() == set()  # nobody has told us
    swept.clock.advance(25 * 3600)
    swept.edit(2, title="Anything")
    swept.sync(2)  # the first work of the day walks the library
    assert swept.sweep() == {"scene:1"}
    swept.work()
    assert swept.item(1).title == swept.stash.library.scenes[1].title
    assert swept.sweep() == set()


@pytest.mark.parametrize("change", ["rebuild", "delete"])
def test_a_walk_that_is_due_is_made_although_nobody_edits_and_what_is_gone_is_swept(swept, change):
    key = swept.key(1)
    getattr(swept.plex, change)(key)
    swept.clock.advance(23 * 3600)
    swept.work()
    assert swept.plex.requests == []
    swept.clock.advance(2 * 3600)
    swept.sweep()
    swept.work()
    assert swept.sweeper.reason() == "items are gone from Plex"
    assert swept.sweep() == {"scene:1"}
    swept.work()
    assert swept.record(1).state is (SceneState.SYNCED if change == "rebuild" else SceneState.WAITING)
    assert swept.sweeper.reason() is None
    swept.forget_requests()
    swept.work()
    assert swept.plex.requests == []


def test_a_walk_that_finds_everything_in_its_place_asks_for_nothing(swept):
    swept.sweep()
    swept.clock.advance(25 * 3600)
    swept.sweep()
    swept.work()
    assert swept.plex.requests
    assert swept.sweeper.reason() is None


def test_a_walk_that_is_due_while_another_server_answers_forgets_nothing(swept):
    swept.clock.advance(25 * 3600)
    swept.plex.become_another_server()
    swept.work()
    assert "another Plex server" in swept.trouble
    assert swept.connection._store.count_parts() >= 12


def test_a_walk_that_is_due_while_plex_is_down_is_made_when_it_is_back(swept):
    swept.plex.rebuild(swept.key(1))
    swept.clock.advance(25 * 3600)
    swept.sweep()
    swept.plex.stop()
    swept.work()
    swept.plex.start()
    swept.work()
    assert swept.sweeper.reason() == "items are gone from Plex"


@pytest.mark.parametrize("seconds", [-86_400 * 400, -7200])
def test_a_walk_dated_in_the_future_blocks_no_other(swept, seconds):
    swept.clock.set_wall(seconds)
    swept.plex.delete(swept.key(1))
    swept.clock.advance(600)
    swept.sweep()
    swept.work()
    assert swept.sweeper.reason() == "items are gone from Plex"


def test_an_item_rebuilt_in_plex_is_not_ambiguous_while_the_index_has_it_twice(swept):
    swept.plex.rebuild(swept.key(1))
    swept.clock.advance(400)
    swept.edit(1, title="On the new one")
    swept.sync(1)
    assert swept.record(1).state is SceneState.SYNCED
    assert swept.item(1).title == "On the new one"


def test_an_emptied_queue_loses_no_edit(swept):
    swept.edit(4, title="Queued and cleared")
    swept.queue.enqueue("scene", [4], "hook", swept.clock.now(), due_at=AT_ONCE)
    with swept.queue._writing() as connection:
        connection.execute("DELETE FROM ack_queue_default")
    swept.sweep_and_work()
    assert swept.item(4).title == "Queued and cleared"


def test_changed_settings_bring_every_scene(swept):
    swept.edit(1, rating100=80)
    swept.sweep_and_work()
    swept.configure(sync_rating=True)
    assert swept.sweep() == ALL
    swept.work()
    assert float(swept.item(1).values["userRating"]) == 8.0
    assert swept.sweep() == set()


def test_another_plex_server_is_told_everything(swept):
    swept.ledger.values.set(f"machine {swept.plex.url}", "another")
    assert swept.sweep() == ALL


# --- covers -------------------------------------------------------------------------------------------------------


@pytest.fixture
def pictured(shop):
    shop.configure(sync_poster=True, sync_background=True)
    shop.sweep_and_work()
    shop.work_for(4 * 3600, every=600)  # who has no cover is waited for
    shop.forget_requests()
    return shop


def test_a_cover_generated_later_reaches_plex(pictured):
    before = pictured.item(1).poster
    pictured.clock.advance(5)
    pictured.stash.events.generate_cover(1)
    pictured.clock.advance(SETTLES_AFTER_SECONDS)
    assert pictured.sweep() == {"scene:1"}
    pictured.work()
    pictured.pictures()
    assert pictured.item(1).poster != before
    assert pictured.sweep() == set()


def test_the_cover_of_a_scene_that_had_none_reaches_plex(pictured):
    assert not pictured.item(11).poster.startswith("upload://")
    pictured.stash.events.generate_cover(11)
    pictured.sweep_and_work()
    assert pictured.item(11).poster.startswith("upload://")


def test_unchanged_covers_and_missing_ones_cost_nothing(pictured):
    assert pictured.sweep() == set()
    assert pictured.plex.requests == []


def test_a_cover_that_plex_refuses_is_not_tried_by_every_sweep(pictured, monkeypatch):
    def refuse(*_):
        raise TargetBusy("Plex cannot take it")

    monkeypatch.setattr("plex.client.PlexClient.upload_picture", refuse)
    pictured.clock.advance(5)
    pictured.stash.events.generate_cover(1)
    pictured.sweep_and_work()
    pictured.work_for(3600, every=100)
    assert "Plex cannot take it" in pictured.letters()["picture:1"]
    assert pictured.sweep() == set()


def test_a_picture_whose_item_is_gone_has_its_scene_looked_for_again(pictured):
    pictured.plex.delete(pictured.key(1))
    pictured.clock.advance(5)
    pictured.stash.events.generate_cover(1)
    pictured.sweep_and_work()
    assert pictured.record(1).state is SceneState.WAITING
    pictured.sweep_and_work()
    assert "gone" in pictured.record(1).sentence
    key = pictured.add_to_plex(1)
    pictured.clock.advance(REFRESH_EVERY_SECONDS)
    pictured.sweep_and_work()
    assert pictured.sweeper.reason() == "Plex has new files"
    pictured.sweep_and_work()
    assert pictured.plex.item(key).poster.startswith("upload://")


# --- what it leaves alone -----------------------------------------------------------------------------------------


def test_unchanged_scenes_cost_one_request_and_no_job(swept):
    assert swept.sweep() == set()
    assert dict(swept.stash.requests) == {"SweepPage": 1}
    assert swept.plex.requests == []


def test_a_hundred_scenes_a_page_are_all_seen(swept, monkeypatch):
    for module in ("stash.client", "worker.sweeping.sweep"):
        monkeypatch.setattr(f"{module}.PAGE_SIZE", 4)
    swept.edit(9, title="On the third page")
    del swept.stash.library.scenes[4]
    assert swept.sweep() == {"scene:4", "scene:9"}
    assert swept.sweeper.status()["last"]["scenes"] == 11


def test_every_state_has_its_rule():
    assert set(LOOK_AGAIN_AFTER) == set(SceneState)


def test_a_skipped_scene_is_queued_again_only_when_it_was_organized(shop):
    shop.configure(only_organized=True)
    shop.sweep_and_work()
    assert shop.record(2).state is SceneState.SKIPPED
    assert shop.sweep() == set()
    shop.edit(2, organized=True)
    assert shop.sweep() == {"scene:2"}
    shop.work()
    assert shop.record(2).state is SceneState.SYNCED


def test_a_refused_scene_is_queued_again_only_when_it_was_mended(shop):
    shop.edit(2, date="not a date")
    shop.sweep_and_work()
    assert shop.record(2).state is SceneState.REFUSED
    assert shop.sweep() == set()
    shop.edit(2, date="neither is this")
    assert shop.sweep() == {"scene:2"}
    shop.work()
    shop.edit(2, date="2024-05")
    shop.sweep_and_work()
    assert shop.record(2).state is SceneState.SYNCED


@pytest.fixture
def ambiguous(shop):
    """Scene 1's file has another name in Plex twice, so that nobody can tell."""
    key = shop.key(1)
    shop.plex.delete(key)
    name = shop.path(1).rpartition("/")[2]
    for folder in ("one", "two"):
        shop.plex.add_item(f"/data/scenes/{folder}/{name}", 1, 1)
    shop.sweep_and_work()
    assert shop.record(1).state is SceneState.AMBIGUOUS
    return shop


def test_an_ambiguous_scene_is_looked_at_once_a_day(ambiguous):
    assert ambiguous.sweep() == set()
    ambiguous.clock.advance(A_DAY)
    assert ambiguous.sweep() == {"scene:1"}


def test_an_ambiguous_scene_that_a_person_settled_is_synced(ambiguous):
    key = ambiguous.plex.find(f"/data/scenes/one/{ambiguous.path(1).rpartition('/')[2]}")
    ambiguous.ledger.pins.set(1, key, ambiguous.plex.server_id)
    ambiguous.sweep_and_work()
    assert ambiguous.plex.item(key).title == "Scene Number 1"


@pytest.mark.parametrize("change", [{}, {"sync_rating": True}])
def test_an_undone_scene_stays_undone_whatever_the_settings_until_it_is_edited(swept, change):
    fingerprint = swept.record(1).fingerprint
    swept.ledger.scenes.record_state(1, SceneState.UNDONE, "Taken back.", swept.clock.now(), fingerprint=fingerprint)
    swept.configure(**change)
    assert "scene:1" not in swept.sweep()
    swept.work()
    assert swept.record(1).state is SceneState.UNDONE
    swept.edit(1, title="Edited again")
    swept.sweep_and_work()
    assert swept.item(1).title == "Edited again"


@pytest.fixture
def lacking(swept):
    """Scene 1 was edited, and Plex has its file no longer."""
    swept.plex.delete(swept.key(1))
    swept.clock.advance(REFRESH_EVERY_SECONDS)
    swept.edit(1, title="Where is it")
    assert swept.sweep() == {"scene:1"}
    swept.work()
    assert any("file=" in entry.query for entry in swept.reads())  # asked by name, this once
    assert swept.record(1).state is SceneState.WAITING
    swept.forget_requests()
    return swept


def test_what_plex_does_not_have_costs_a_sweep_neither_a_job_nor_a_byte(lacking):
    at = lacking.record(1).recorded_at
    for _ in range(3):
        lacking.clock.advance(3600)
        noted, queued = lacking.ledger._db._connection.total_changes, lacking.queue._connection.total_changes
        assert lacking.sweep() == set()
        lacking.work()
        assert lacking.ledger._db._connection.total_changes == noted + 1  # that there was a sweep
        assert lacking.queue._connection.total_changes == queued
        assert lacking.sweeper.reason() is None
        assert not any("file=" in entry.query for entry in lacking.reads())
    assert lacking.record(1).recorded_at == at


def test_what_plex_did_not_have_is_found_after_the_next_sweep(lacking):
    lacking.add_to_plex(1)
    lacking.clock.advance(REFRESH_EVERY_SECONDS)
    assert lacking.sweep() == set()
    lacking.work()  # the lane reads what is new, because something is waited for
    assert lacking.sweeper.reason() == "Plex has new files"
    assert lacking.sweep() == {"scene:1"}
    lacking.work()
    assert lacking.item(1).title == "Where is it"


def test_new_files_in_plex_that_nobody_waits_for_are_not_even_asked_for(swept):
    swept.clock.advance(REFRESH_EVERY_SECONDS)
    swept.plex.add_item("/data/scenes/new.mp4", 1, 1)
    swept.sweep()
    swept.work()
    assert swept.plex.requests == []


def test_a_file_that_a_rule_of_the_path_map_renames_is_found_by_its_new_name(swept):
    old = swept.stash.library.scenes[1].path
    swept.plex.delete(swept.key(1))
    swept.configure(path_map=f"{old}=>/data/scenes/other.mp4; /data/clips=>/data/scenes/clips")
    swept.clock.advance(REFRESH_EVERY_SECONDS)
    swept.sweep_and_work()
    assert swept.record(1).state is SceneState.WAITING
    key = swept.plex.add_item("/data/scenes/other.mp4", 1, 1)
    swept.clock.advance(REFRESH_EVERY_SECONDS)
    swept.sweep_and_work()
    swept.sweep_and_work()
    assert swept.plex.item(key).title == swept.stash.library.scenes[1].title


def test_a_job_that_waits_for_its_retry_is_not_hurried(swept):
    swept.edit(1, title="Later")
    due_at = swept.clock.now() + 500
    swept.queue.enqueue("scene", [1], "hook", swept.clock.now(), due_at=due_at)
    assert swept.sweep() == set()
    assert swept.jobs()["scene:1"].due_at == due_at


# --- quirks ------------------------------------------------------------------------------------------------------


def test_it_does_not_run_beside_a_job_of_stash_and_runs_after_it(swept):
    swept.edit(1, title="In the middle of a scan")
    with swept.stash.running_job("Scanning..."):
        assert swept.sweep() == set()
        assert swept.sweeper.status()["waits_for_stash"]
        assert swept.sweeper.reason() is None
    swept.stash_jobs.note([])
    assert swept.sweeper.reason() == "Stash's own jobs have ended"
    assert swept.sweep() == {"scene:1"}


def test_a_job_of_stash_that_begins_in_the_middle_breaks_it_off(swept, monkeypatch):
    for module in ("stash.client", "worker.sweeping.sweep"):
        monkeypatch.setattr(f"{module}.PAGE_SIZE", 4)
    swept.edit(1, title="First page")
    swept.edit(12, title="Third page")
    pages = []
    enqueue = swept.sweeper._sweep._enqueue

    def begin_scan(target, ids):
        pages.append(ids)
        enqueue(target, ids)
        scan.__enter__()

    monkeypatch.setattr(swept.sweeper._sweep, "_enqueue", begin_scan)
    scan = swept.stash.running_job()
    assert swept.sweep() == {"scene:1"}
    scan.__exit__(None, None, None)
    assert pages == [[1]]


def test_a_plugins_task_holds_it_up_for_nothing(swept):
    swept.edit(1, title="Meanwhile")
    with swept.stash.running_job("Running plugin task: Watch files"):
        assert swept.sweep() == {"scene:1"}


def test_a_persons_edit_goes_first_and_the_sweep_waits_for_it(swept):
    swept.edit(1, title="Of the sweep")
    swept.edit(2, title="Of a person")
    swept.queue.enqueue("scene", [2], "hook", swept.clock.now(), due_at=AT_ONCE)
    thread = threading.Thread(target=swept.sweeper.sweep, args=("test",))
    thread.start()
    thread.join(0.5)
    assert swept.stash.requests["SweepPage"] == 0
    swept.work()
    assert swept.item(2).title == "Of a person"
    thread.join(30)
    swept.work()
    assert swept.item(1).title == "Of the sweep"


def test_an_edit_overtakes_what_a_sweep_has_queued(shop):
    shop.sweep()
    shop.queue.enqueue("scene", [12], "hook", shop.clock.now(), due_at=AT_ONCE)
    assert shop.queue.claim(shop.clock.now(), 1)[0].id == 12


def test_a_person_who_never_stops_does_not_stop_the_sweep_for_ever(swept, monkeypatch):
    monkeypatch.setattr("worker.sweeping.sweep.PATIENCE_SECONDS", 0.3)
    swept.queue.enqueue("scene", [2], "hook", swept.clock.now(), due_at=AT_ONCE)
    swept.edit(1, title="At last")
    assert swept.sweep() == {"scene:1"}


def test_a_stash_that_goes_away_in_the_middle_is_tried_again(swept):
    swept.edit(1, title="Behind an outage")
    swept.stash.fail_with(Fault.DATABASE_LOCKED)
    swept.sweeper.ask("Reconcile")
    swept.sweep()
    assert "locked" in swept.sweeper.status()["problem"]
    assert swept.sweeper.reason() is None
    swept.stash.heal()
    swept.clock.advance(60)
    assert swept.sweeper.reason() == "Reconcile"
    assert swept.sweep() == {"scene:1"}
    assert swept.sweeper.status()["problem"] is None


# --- when ---------------------------------------------------------------------------------------------------------


def test_one_at_start_and_then_by_the_interval(shop):
    assert shop.sweeper.reason() == "the worker has started"
    shop.sweep()
    assert shop.sweeper.reason() is None
    shop.clock.advance(3599)
    assert shop.sweeper.reason() is None
    shop.clock.advance(1)
    assert shop.sweeper.reason() == "it is time"


def test_an_interval_of_zero_means_only_at_start(shop):
    shop.configure(reconcile_interval=0)
    shop.sweep()
    shop.clock.advance(1e6)
    assert shop.sweeper.reason() is None


def test_none_while_there_is_an_obstacle(shop):
    shop.obstruct("Syncing is switched off.")
    assert shop.sweeper.reason() is None
    shop.configure()
    assert shop.sweeper.reason() == "the worker has started"


def test_an_obstacle_that_comes_up_breaks_it_off(swept):
    swept.edit(1, title="Not now")
    swept.obstruct("Syncing is switched off.")
    assert swept.sweep() == set()


def test_changed_settings_are_a_reason_and_others_are_none(swept):
    swept.configure(debug_logging=True, poll_interval=1)
    assert swept.sweeper.reason() is None
    swept.configure(sync_poster=True)
    assert swept.sweeper.reason() == "the settings have changed"


def test_whoever_asks_in_the_middle_gets_another(swept):
    enqueue = swept.queue.enqueue
    swept.edit(1, title="x")
    swept.queue.enqueue = lambda *args, **more: (swept.sweeper.ask("Reconcile"), enqueue(*args, **more))[1]
    swept.sweep()
    assert swept.sweeper.reason() == "Reconcile"


def test_it_runs_in_a_thread_of_its_own_and_its_result_survives_the_worker(shop):
    shop.sweeper.tick()
    wait_until(lambda: shop.sweeper.status()["last"] is not None)
    assert shop.sweeper.stop(20)
    last = shop.sweeper.status()["last"]
    assert (last["scenes"], last["differing"], last["reason"]) == (12, 12, "the worker has started")
    shop.restart()
    assert shop.sweeper.status()["last"] == last
    assert {job.reason for job in shop.jobs().values()} == {SWEEP}
