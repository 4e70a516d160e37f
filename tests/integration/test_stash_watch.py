"""The watch on Stash, and the work it makes possible."""

import json
from pathlib import Path

import pytest

from ledger.states import SceneState
from runtime.folder import DataFolder
from runtime.privacy.redaction import MASK, Redactor
from sim.stash.faults import Fault
from sim.stash.simulator import SimStash
from stash.client import StashClient
from stash.exceptions import StashRefused
from sync.outcome import Done
from sync.retries.patience import PATIENT_ATTEMPTS
from sync.scenes.work import SceneWork
from sync.stash_connection import StashConnection
from sync_queue.dlq import DeadLetterQueue
from sync_queue.models import CHANGED
from sync_queue.operations import AT_ONCE, writing
from sync_queue.session import Session, read_session, remember_session
from tests.support.clocks import FakeClock
from tests.support.settings import COMPLETE, config
from worker.processor import SyncWorker, Why
from worker.stash.settings_page import SettingsPage
from worker.stash.watch import (
    DISABLED_SECONDS,
    GONE_AFTER_SECONDS,
    KEEP_COOKIE_EVERY_SECONDS,
    LOOK_EVERY_SECONDS,
    SILENT_LOOK_SECONDS,
)
from worker.wiring import build_worker


@pytest.fixture
def stash():
    with SimStash(scenes=12) as running:
        running.configure_plugin("Stash2Plex", COMPLETE)
        yield running


class Scene:
    """A worker's parts as `worker.wiring` joins them, on a clock that stands still; the watch is looked at by hand."""

    def __init__(self, stash, folder):
        self.stash = stash
        self.clock = FakeClock()
        self.redactor = Redactor()
        self.settings_file = folder / "stash2plex.json"
        self.folder = DataFolder(str(folder))
        self.parts = build_worker(self.folder, self.redactor, self.clock)
        self.queue, self.watch, self.conditions = self.parts.queue, self.parts.watch, self.parts.conditions
        self.jobs, (self.plex,) = self.parts.stash_jobs, self.parts.targets
        self.ledger = self.plex.ledger

    def asked(self):
        """Say why a sweep was asked for since the last time, if one was."""
        return self.parts.sweeper._take_asked()

    def close(self):
        self.watch._stash.disconnect()
        self.parts.close()

    def hook_brings_session(self, cookie=None, seen_at=None):
        cookie = self.stash.login().removeprefix("session=") if cookie is None else cookie
        session = Session("http", "0.0.0.0", self.stash.port, cookie, seen_at or self.clock.now())
        with writing(self.queue._connection):
            remember_session(self.queue._connection, session)

    def look_later(self, seconds=LOOK_EVERY_SECONDS):
        self.clock.advance(seconds)
        self.watch.tick()
        return self.conditions.get().obstacle

    @property
    def kept(self):
        return read_session(self.queue._connection)

    @property
    def on_page(self):
        """What Stash has stored of our settings."""
        return self.stash.settings.plugins["Stash2Plex"]

    def queued(self):
        """Say which jobs wait, and why; and forget them."""
        with writing(self.queue._connection) as _:
            rows = self.queue._connection.execute("SELECT key, data FROM ack_queue_default ORDER BY _id").fetchall()
            self.queue._connection.execute("DELETE FROM ack_queue_default")
        assert {json.loads(data)["reason"] for _, data in rows} <= {CHANGED}
        return [key for key, _ in rows]

    def know_all_scenes(self):
        for scene_id in self.stash.library.scenes:
            self.ledger.scenes.record_state(scene_id, SceneState.WAITING, "", self.clock.now())


@pytest.fixture
def scene(stash, tmp_path):
    scene = Scene(stash, tmp_path)
    yield scene
    scene.close()


def test_without_a_session_it_says_how_to_get_one(scene):
    assert "Edit any scene" in scene.look_later()


def test_a_new_session_is_used_at_once(scene):
    scene.look_later()
    scene.hook_brings_session()
    assert scene.look_later(0.0) is None
    assert scene.conditions.get().config == config()


def test_it_asks_now_and_then_and_not_more(scene):
    scene.hook_brings_session()
    for _ in range(30):
        scene.look_later(1.0)
    asked = sum(scene.stash.requests.values())
    assert asked <= 5  # three looks, and one more for the defaults


def test_the_defaults_are_shown_on_stashs_page_once(scene):
    scene.hook_brings_session()
    for _ in range(5):
        scene.look_later()
    assert scene.on_page["sync_tags"] is True
    assert scene.on_page["plex_token"] == COMPLETE["plex_token"]
    assert scene.stash.requests["ConfigurePlugin"] == 1


def test_a_page_that_was_open_before_takes_the_defaults_back_and_they_are_offered_again(scene):
    page = scene.stash.open_settings_page()
    scene.hook_brings_session()
    scene.look_later()
    page.change("Stash2Plex", "sync_rating", True)
    assert "sync_tags" not in scene.on_page
    scene.look_later()
    fresh = scene.stash.open_settings_page()
    assert fresh.shows("Stash2Plex", "sync_tags")
    assert fresh.shows("Stash2Plex", "sync_rating")
    assert fresh.shows("Stash2Plex", "max_tags") == 100
    assert scene.conditions.get().config.sync_rating


def test_what_a_page_that_was_open_before_takes_back_from_a_person_is_told_and_the_page_is_true(scene, caplog):
    page = scene.stash.open_settings_page()
    scene.hook_brings_session()
    scene.look_later()
    scene.stash.open_settings_page().change("Stash2Plex", "sync_tags", False)
    scene.look_later()
    page.change("Stash2Plex", "sync_studio", False)
    with caplog.at_level("WARNING"):
        scene.look_later()
    assert (scene.on_page["sync_tags"], scene.on_page["sync_studio"]) == (True, False)
    assert scene.conditions.get().config.sync_tags
    assert "sync_tags: no longer set in Stash" in caplog.text


def test_settings_written_anew_as_a_whole_hold_as_they_are(scene):
    """A script that replaces all of them means it: what it leaves out has its default again."""
    scene.hook_brings_session()
    scene.stash.configure_plugin("Stash2Plex", {**COMPLETE, "enabled": False, "max_tags": 7})
    scene.look_later()
    scene.stash.configure_plugin("Stash2Plex", COMPLETE)
    assert scene.look_later() is None
    assert (scene.on_page["enabled"], scene.on_page["max_tags"]) == (True, 100)


def test_what_a_person_types_while_the_worker_writes_is_never_overwritten(scene, monkeypatch):
    scene.hook_brings_session()
    state = StashClient.plugin_state

    def just_before(client):  # the worker's last look before it writes
        scene.on_page["max_tags"] = 7
        return state(client)

    monkeypatch.setattr(StashClient, "plugin_state", just_before)
    scene.look_later()
    assert scene.on_page["max_tags"] == 7
    assert scene.on_page["sync_tags"] is True
    scene.look_later()
    assert (scene.on_page["max_tags"], scene.conditions.get().config.max_tags) == (7, 7)


def test_an_emptied_field_stays_empty(scene):
    scene.hook_brings_session()
    scene.stash.settings.plugins["Stash2Plex"]["path_map"] = "/a=>/b"
    scene.look_later()
    scene.stash.settings.plugins["Stash2Plex"]["path_map"] = ""
    scene.look_later()
    assert (scene.on_page["path_map"], scene.conditions.get().config.path_map) == ("", "")


def test_another_stash_is_not_given_what_was_chosen_in_ours(scene):
    scene.hook_brings_session()
    scene.stash.settings.plugins["Stash2Plex"]["max_tags"] = 7
    scene.look_later()
    scene.stash.settings.config_dir = Path("/elsewhere")
    scene.stash.settings.plugins["Stash2Plex"] = {}
    assert "plex_token is not set" in scene.look_later()
    assert "plex_token" not in scene.on_page
    assert scene.on_page["max_tags"] == 100


def test_a_disk_that_is_full_is_no_reason_to_end(scene, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("worker.stash.settings_page.write_state", full)
    scene.hook_brings_session()
    for _ in range(3):
        assert scene.look_later() is None
    assert caplog.text.count("No space left") == 1


def test_changed_settings_take_effect_and_wrong_ones_stop_the_work_with_all_problems(scene):
    scene.hook_brings_session()
    scene.look_later()
    scene.stash.settings.plugins["Stash2Plex"].update(max_tags=7)
    scene.look_later()
    assert scene.conditions.get().config.max_tags == 7
    scene.stash.settings.plugins["Stash2Plex"].update(max_tags=0, plex_url="nonsense")
    obstacle = scene.look_later()
    assert "max_tags is 0" in obstacle
    assert "plex_url must be an address" in obstacle


def test_a_path_map_that_cannot_be_read_is_an_obstacle_like_any_other_wrong_setting(scene):
    scene.hook_brings_session()
    scene.stash.settings.plugins["Stash2Plex"].update(path_map="nonsense")
    assert "path_map" in scene.look_later()
    scene.stash.settings.plugins["Stash2Plex"].update(path_map="/a=>/b")
    assert scene.look_later() is None


def test_the_file_in_the_data_folder_is_heard_and_the_page_shows_it(scene):
    scene.settings_file.write_text(json.dumps({"max_tags": 9}))
    scene.hook_brings_session()
    scene.look_later()
    assert (scene.conditions.get().config.max_tags, scene.on_page["max_tags"]) == (9, 9)


def test_a_key_added_to_the_file_later_takes_effect_and_taken_out_again_has_none(scene):
    scene.hook_brings_session()
    scene.look_later()
    for text, tags, path_map in (('{"max_tags": 9, "path_map": "/a=>/b"}', 9, "/a=>/b"), ("{}", 100, "")):
        scene.settings_file.write_text(text)
        scene.look_later()
        chosen = scene.conditions.get().config
        assert (chosen.max_tags, chosen.path_map) == (tags, path_map)
        assert (scene.on_page["max_tags"], scene.on_page.get("path_map", "")) == (tags, path_map)


def test_a_key_of_the_file_that_a_person_has_overruled_on_the_page_is_named(scene):
    scene.hook_brings_session()
    scene.look_later()
    scene.on_page["max_tags"] = 60
    scene.settings_file.write_text('{"max_tags": 9}')
    assert scene.look_later() is None
    assert scene.conditions.get().config.max_tags == 60
    assert "stash2plex.json sets max_tags, but" in scene.watch.notice


def test_a_worker_that_died_between_its_book_and_the_page_takes_no_offer_for_a_choice(scene, monkeypatch):
    scene.hook_brings_session()
    scene.look_later()
    scene.settings_file.write_text('{"max_tags": 9}')
    monkeypatch.setattr(StashClient, "add_settings", lambda *_: None)  # the page still has the older offer
    monkeypatch.setattr("worker.stash.settings_page.SettingsPage._keep", once(SettingsPage._keep))
    scene.look_later()
    assert scene.on_page["max_tags"] == 100
    monkeypatch.undo()
    scene.look_later()
    assert (scene.conditions.get().config.max_tags, scene.on_page["max_tags"]) == (9, 9)


def once(act):
    """Do it the first time only."""
    calls = []
    return lambda *args: None if calls else calls.append(act(*args))


def test_a_value_of_another_plugin_of_our_id_is_named_and_stops_nothing(scene):
    scene.stash.settings.plugins["Stash2Plex"] |= {"reconcile_interval": "daily", "poll_interval": "often"}
    scene.hook_brings_session()
    assert scene.look_later() is None
    assert scene.conditions.get().config.reconcile_interval == 24
    assert "poll_interval is 'often', set in Stash" in scene.watch.notice
    assert scene.on_page["poll_interval"] == "often"


def test_a_settings_file_from_an_editor_of_windows_is_understood(scene):
    scene.settings_file.write_bytes(b'\xef\xbb\xbf{"max_tags": 9}')
    scene.hook_brings_session()
    assert scene.look_later() is None
    assert scene.conditions.get().config.max_tags == 9


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('{"max_tags": 5,}', "stash2plex.json is no JSON"),
        ("[1]", "must hold an object"),
        ('{"max_tag": 5}', "'max_tag', which is no setting"),
    ],
)
def test_a_settings_file_that_cannot_be_meant_is_named(scene, content, sentence):
    scene.settings_file.write_text(content)
    scene.hook_brings_session()
    assert sentence in scene.look_later()
    scene.settings_file.unlink()
    assert scene.look_later() is None


def test_switched_off_means_paused_and_on_again_means_work(scene):
    scene.hook_brings_session()
    scene.stash.settings.plugins["Stash2Plex"]["enabled"] = False
    assert "switched off" in scene.look_later()
    assert scene.watch.reason_to_leave() is None
    scene.stash.settings.plugins["Stash2Plex"]["enabled"] = True
    assert scene.look_later() is None


def test_a_stash_that_is_gone_is_waited_for_for_minutes_and_then_left(scene):
    scene.hook_brings_session()
    scene.look_later()
    scene.stash.go_away()
    assert "does not answer" in scene.look_later()
    assert scene.watch.reason_to_leave() is None
    scene.look_later(GONE_AFTER_SECONDS)
    assert scene.watch.reason_to_leave() == "Stash has not answered for five minutes"
    scene.stash.come_back()
    assert scene.look_later() is None
    assert scene.watch.reason_to_leave() is None


def test_a_stash_that_refuses_us_is_there(scene):
    scene.stash.set_credentials("me")
    scene.hook_brings_session(cookie="dead")
    assert "Generate an API key" in scene.look_later()
    scene.look_later(GONE_AFTER_SECONDS)
    assert scene.watch.reason_to_leave() is None
    scene.hook_brings_session()
    assert scene.look_later(0.0) is None


def switch(stash, word):
    stash.graphql(f"mutation{{setPluginsEnabled(enabledMap:{{Stash2Plex:{word}}})}}")


def test_a_plugin_disabled_in_stash_is_a_pause_and_after_an_hour_a_reason_to_leave(scene):
    scene.stash.install_plugin(Path(__file__).parents[2])
    scene.hook_brings_session()
    scene.look_later()
    switch(scene.stash, "false")
    assert "disabled in Stash" in scene.look_later()
    assert scene.watch.reason_to_leave() is None
    scene.look_later(DISABLED_SECONDS)
    assert scene.watch.reason_to_leave() == "the plugin has been disabled in Stash for an hour"


def test_a_plugin_enabled_again_compares_everything_for_no_hook_was_called_meanwhile(scene):
    scene.stash.install_plugin(Path(__file__).parents[2])
    scene.hook_brings_session()
    scene.look_later()
    switch(scene.stash, "false")
    scene.look_later()
    assert scene.asked() is None
    switch(scene.stash, "true")
    assert scene.look_later() is None
    assert scene.asked() == "the plugin is enabled again"
    scene.look_later(DISABLED_SECONDS)
    assert scene.watch.reason_to_leave() is None


def test_the_api_key_is_kept_for_the_time_when_the_cookie_is_dead(scene):
    scene.stash.set_credentials("me")
    key = scene.stash.generate_api_key()
    scene.hook_brings_session()
    scene.look_later()
    assert scene.kept.api_key == key
    scene.stash.sessions.forget_all()
    assert scene.look_later() is None


def test_a_changed_api_key_is_learnt_anew(scene):
    scene.stash.set_credentials("me")
    scene.stash.generate_api_key()
    scene.hook_brings_session()
    scene.look_later()
    key = scene.stash.generate_api_key()
    assert scene.look_later() is None
    assert scene.kept.api_key == key


def test_without_a_key_the_renewed_cookie_is_kept_now_and_then(scene):
    scene.stash.set_credentials("me")
    scene.hook_brings_session()
    first = scene.kept.cookie
    scene.look_later()
    second = scene.kept.cookie
    assert second != first
    scene.look_later()
    assert scene.kept.cookie == second
    scene.look_later(KEEP_COOKIE_EVERY_SECONDS)
    assert scene.kept.cookie != second


def test_secrets_are_learnt_for_the_log(scene):
    scene.stash.set_credentials("me")
    key = scene.stash.generate_api_key()
    scene.hook_brings_session()
    scene.look_later()
    for secret in (key, COMPLETE["plex_token"], scene.kept.cookie):
        assert scene.redactor.clean(f"<{secret}>") == f"<{MASK}>"


# The work


class Recorder:
    """A target that remembers."""

    def __init__(self):
        self.delivered, self.forgotten = {}, []

    def deliver(self, pairs, config):
        for job, scene in pairs:
            self.delivered[scene.id] = (scene.title, job.verify)
            yield job, Done()

    def rest(self, config):
        pass

    def forget(self, scene_id):
        self.forgotten.append(scene_id)
        return Done()


@pytest.fixture
def at_work(scene):
    scene.hook_brings_session()
    scene.look_later()
    scene.target = Recorder()
    connection = StashConnection(scene.queue)
    work = SceneWork(scene.queue, connection, scene.target, scene.parts.sweeper.ask, scene.clock)
    scene.worker = SyncWorker(scene.queue, work, scene.conditions, scene.plex.recovery, scene.clock, scene.redactor)

    def drain():
        while scene.worker.step().why is Why.WORKED:
            pass

    scene.drain = drain
    yield scene
    connection.disconnect()


WAITING_JOBS = "SELECT data FROM ack_queue_default"


def enqueue(scene, kind, *ids, verify=False):
    scene.queue.enqueue(kind, list(ids), "test", scene.clock.now(), due_at=AT_ONCE, verify=verify)


def test_the_target_gets_what_stash_says_when_the_job_is_worked_on(at_work):
    enqueue(at_work, "scene", 1, 2)
    at_work.stash.save_scene(1, title="The newest")
    at_work.drain()
    assert at_work.target.delivered[1] == ("The newest", False)
    assert at_work.stash.requests["ScenesByIds"] == 1


def test_a_scene_that_is_gone_is_forgotten(at_work):
    enqueue(at_work, "scene", 1, 999)
    at_work.drain()
    assert at_work.target.forgotten == [999]


@pytest.mark.parametrize("kind", ["performer", "studio", "tag", "group"])
def test_a_related_job_brings_all_its_scenes(at_work, kind):
    library = at_work.stash.library
    popular = max(range(1, 10), key=lambda one: len(library.scenes_with(kind, one)))
    enqueue(at_work, kind, popular)
    at_work.drain()
    assert sorted(at_work.target.delivered) == sorted(one.id for one in library.scenes_with(kind, popular))
    assert 0 < len(at_work.target.delivered) < 12


@pytest.mark.parametrize("kind", ["performer", "studio", "tag", "group"])
def test_an_object_that_was_destroyed_asks_for_a_sweep_for_nobody_knows_which_scenes_were_its(at_work, kind):
    enqueue(at_work, kind, 4711)
    at_work.drain()
    assert at_work.asked() == "test"
    assert at_work.queue.size == 0


def test_a_job_for_all_scenes_that_is_not_full_is_a_sweep(at_work):
    enqueue(at_work, "all", 0)
    at_work.drain()
    assert (at_work.asked(), at_work.target.delivered) == ("test", {})


def test_sync_all_reaches_every_scene_as_a_full_comparison(at_work):
    enqueue(at_work, "all", 0, verify=True)
    at_work.drain()
    assert {verify for _, verify in at_work.target.delivered.values()} == {True}
    assert len(at_work.target.delivered) == 12


def test_a_stash_that_goes_away_in_the_middle_costs_no_attempt(at_work):
    enqueue(at_work, "scene", 1)
    enqueue(at_work, "all", 0, verify=True)
    at_work.stash.go_away()
    for _ in range(20):
        at_work.drain()
        at_work.clock.advance(10)
    assert {json.loads(row[0])["attempts"] for row in at_work.queue._connection.execute(WAITING_JOBS)} == {0}
    at_work.stash.come_back()
    at_work.drain()
    assert len(at_work.target.delivered) == 12
    assert DeadLetterQueue(at_work.queue._connection).list() == []


@pytest.mark.parametrize("how", ["away", "another session"])
def test_while_stash_is_away_there_is_one_line_in_the_log_whatever_waits(at_work, caplog, how):
    enqueue(at_work, "scene", *range(1, 13))
    enqueue(at_work, "tag", 1, 2, 3)
    if how == "away":
        at_work.stash.go_away()
    else:
        at_work.stash.set_credentials("me")
        at_work.stash.sessions.forget_all()
    with caplog.at_level("INFO"):
        for _ in range(60):
            at_work.drain()
            at_work.look_later(2.0)
    (line,) = caplog.records
    assert line.levelname == "WARNING"
    caplog.clear()
    at_work.hook_brings_session()
    if how == "away":
        at_work.stash.come_back()
    with caplog.at_level("INFO"):
        for _ in range(10):
            at_work.look_later(2.0)
            at_work.drain()
    assert [line.message for line in caplog.records if "scenes queued" not in line.message] == ["Ready to work."]
    assert len(at_work.target.delivered) == 12


def test_a_stash_that_fails_a_job_is_looked_at_at_once_and_while_it_is_away_often(at_work):
    enqueue(at_work, "scene", 1)
    at_work.stash.go_away()
    at_work.drain()
    assert "does not answer" in at_work.look_later(2.0)
    at_work.stash.come_back()
    assert at_work.look_later(SILENT_LOOK_SECONDS) is None


def test_a_cookie_that_dies_is_replaced_by_the_next_hooks_one(at_work):
    at_work.stash.set_credentials("me")
    at_work.stash.sessions.forget_all()
    enqueue(at_work, "scene", 1)
    at_work.drain()
    assert at_work.target.delivered == {}
    at_work.clock.advance(10)
    at_work.hook_brings_session()
    at_work.drain()
    assert list(at_work.target.delivered) == [1]


def test_a_query_that_stash_refuses_for_an_hour_ends_as_a_dead_letter_in_its_words(at_work):
    at_work.stash.fail_with(Fault.DATABASE_LOCKED)
    enqueue(at_work, "scene", 1)
    for _ in range(PATIENT_ATTEMPTS):
        at_work.drain()
        at_work.clock.advance(1000)
    (letter,) = DeadLetterQueue(at_work.queue._connection).list()
    assert letter.attempts == PATIENT_ATTEMPTS
    assert "locked" in letter.sentence


def test_a_database_that_is_locked_for_a_minute_costs_nobody_anything(at_work):
    at_work.stash.fail_with(Fault.DATABASE_LOCKED)
    enqueue(at_work, "scene", *range(1, 11))
    for _ in range(12):
        at_work.drain()
        at_work.clock.advance(5)
    at_work.stash.heal()
    at_work.clock.advance(1000)
    at_work.drain()
    assert len(at_work.target.delivered) == 10
    assert DeadLetterQueue(at_work.queue._connection).list() == []


def test_one_scene_that_stash_cannot_answer_for_does_not_hold_up_the_others(at_work, monkeypatch):
    ask = StashClient.scenes

    def poisoned(client, ids):
        if 3 in ids:
            raise StashRefused("Stash refused a query: scene 3 is broken")
        return ask(client, ids)

    monkeypatch.setattr(StashClient, "scenes", poisoned)
    enqueue(at_work, "scene", 1, 2, 3, 4)
    at_work.drain()
    assert sorted(at_work.target.delivered) == [1, 2, 4]


def test_what_stash_is_doing_is_noted_with_every_look(scene):
    scene.hook_brings_session()
    with scene.stash.running_job("Scanning..."):
        scene.look_later()
        assert scene.jobs.is_busy
    scene.look_later()
    assert (scene.jobs.is_busy, scene.jobs.rests) == (False, 1)


def run_job(stash, description="Auto-tagging..."):
    stash.jobs.add(description, lambda _job: None).done.wait()


def test_a_job_that_began_and_ended_between_two_looks_is_noticed(scene):
    run_job(scene.stash, "Long ago")
    scene.hook_brings_session()
    scene.look_later()
    assert scene.jobs.rests == 0
    run_job(scene.stash)
    scene.look_later()
    assert scene.jobs.rests == 1
    for _ in range(3):
        scene.look_later()
    assert scene.jobs.rests == 1


def test_a_stash_that_was_restarted_counts_its_jobs_anew_and_is_followed(scene):
    run_job(scene.stash)
    scene.hook_brings_session()
    scene.look_later()
    scene.stash.clock.now = lambda: 2e9
    scene.stash.restart()
    run_job(scene.stash)
    scene.look_later()
    assert scene.jobs.rests == 1
    run_job(scene.stash)
    scene.look_later()
    assert scene.jobs.rests == 2


def test_short_tasks_of_plugins_are_none_of_stashs_own_jobs(scene):
    scene.hook_brings_session()
    scene.look_later()
    for number in range(30):
        run_job(scene.stash, f"Running plugin task: Sync {number}")
        if number % 7 == 0:
            scene.look_later()
    scene.look_later()
    assert scene.jobs.rests == 0


def test_a_plugins_task_is_none_of_stashs_own_jobs(scene):
    scene.hook_brings_session()
    with scene.stash.running_job("Running plugin task: Watch files"):
        scene.look_later()
        assert not scene.jobs.is_busy
    scene.look_later()
    assert scene.jobs.rests == 0


# What no hook tells


@pytest.fixture
def known(scene):
    """A watch that has looked once, over scenes that were all saved some time ago and are all known."""
    for record in (*scene.stash.library.scenes.values(), *scene.stash.library.performers.values()):
        record.updated_at = "2020-01-01T00:00:00Z"
    scene.know_all_scenes()
    scene.hook_brings_session()
    scene.look_later()
    assert scene.queued() == []
    return scene


def test_a_scene_that_was_changed_without_a_hook_is_queued_once(known):
    known.stash.events.auto_tag(3, (1,))
    known.look_later()
    assert known.queued() == ["scene:3"]
    known.look_later()
    assert known.queued() == []
    assert known.asked() is None


def test_a_job_that_waits_already_is_neither_doubled_nor_hurried(known):
    known.queue.enqueue("scene", [3], CHANGED, known.clock.now(), due_at=known.clock.now() + 500)
    known.stash.events.auto_tag(3, (1,))
    known.look_later()
    assert known.queue.next_due_at(known.clock.now()) > known.clock.now() + 400
    assert known.queued() == ["scene:3"]


def test_what_was_changed_without_a_hook_comes_before_all_that_a_full_sync_has_queued(known):
    known.queue.enqueue("scene", [1, 2, 3, 4], "Sync All", known.clock.now(), due_at=known.clock.now(), verify=True)
    known.queue.enqueue("scene", [5], "Scene.Update.Post", known.clock.now(), due_at=AT_ONCE)
    known.stash.events.auto_tag(3, (1,))
    known.look_later()
    jobs = known.queue.claim(known.clock.now(), 3)
    assert [(job.key, job.verify) for job in jobs[:2]] == [("scene:5", False), ("scene:3", True)]


def test_a_merge_of_scenes_queues_the_one_and_has_the_others_looked_for(known):
    known.stash.graphql('mutation{sceneMerge(input:{source:["2","5"],destination:"1"}){id}}')
    known.look_later()
    assert known.queued() == ["scene:1"]
    assert known.asked() == "scenes were merged or deleted in Stash"
    known.look_later()
    assert known.asked() is None


def test_a_deleted_scene_that_the_hook_told_of_is_not_looked_for(known):
    del known.stash.library.scenes[2]
    known.ledger.scenes.forget(2)
    known.look_later()
    assert (known.queued(), known.asked()) == ([], None)


def test_a_merge_of_performers_queues_the_one_that_is_left(known):
    known.stash.graphql('mutation{performerMerge(input:{source:["2"],destination:"1"}){id}}')
    known.look_later()
    assert known.queued() == ["performer:1"]


def test_an_edit_of_a_performer_is_left_to_its_hook(known):
    known.stash.graphql('mutation{performerUpdate(input:{id:"1",name:"Other"}){id}}')
    known.look_later()
    assert known.queued() == []


def test_more_changes_than_a_snapshot_tells_are_a_sweep(known, monkeypatch):
    monkeypatch.setattr("worker.stash.changes.NEWEST", 4)
    for scene_id in range(1, 6):
        known.stash.events.auto_tag(scene_id, (1,))
    known.look_later()
    assert (known.queued(), known.asked()) == ([], "many scenes were changed in Stash")


def test_scenes_that_move_up_because_others_are_gone_were_not_changed(known, monkeypatch):
    monkeypatch.setattr("stash.queries._NEWEST", 'filter: { sort: "updated_at", direction: DESC, per_page: 3 }')
    for scene_id, scene in known.stash.library.scenes.items():
        scene.updated_at = f"2021-01-01T00:00:{scene_id:02}Z"
    known.look_later()
    known.queued()
    del known.stash.library.scenes[12]
    known.ledger.scenes.forget(12)
    known.look_later()
    assert known.queued() == []


def test_a_database_that_is_busy_keeps_our_settings_from_nobody(known):
    known.stash.fail_with(Fault.DATABASE_LOCKED, times=1)
    known.stash.settings.plugins["Stash2Plex"]["max_tags"] = 8
    assert known.look_later() is None
    assert known.conditions.get().config.max_tags == 8
    known.stash.events.auto_tag(3, (1,))
    known.look_later()
    assert known.queued() == ["scene:3"]


def test_a_stash_that_takes_long_to_tell_is_asked_less_often(known, monkeypatch):
    known.stash.requests.clear()
    seen = StashClient.snapshot

    def slow(client, ids):
        known.clock.advance(5.0)
        return seen(client, ids)

    monkeypatch.setattr(StashClient, "snapshot", slow)
    for _ in range(20):
        known.look_later()
    assert known.stash.requests["Snapshot"] == 3
    assert known.stash.requests["PluginState"] == 17
