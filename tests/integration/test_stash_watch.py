"""The watch on Stash, and the work it makes possible."""

import json
from pathlib import Path

import pytest

from runtime.folder import DataFolder
from runtime.redaction import MASK, Redactor
from sim.stash.faults import Fault
from sim.stash.simulator import SimStash
from stash.client import StashClient
from stash.exceptions import StashRefused
from sync_queue.dlq import DeadLetterQueue
from sync_queue.manager import QueueManager
from sync_queue.operations import AT_ONCE, writing
from sync_queue.session import Session, read_session, remember_session
from tests.support.clocks import FakeClock
from tests.support.recovery import NoProbe
from tests.support.settings import COMPLETE, config
from worker.conditions import ConditionsBoard
from worker.outcome import Done
from worker.processor import SyncWorker, Why
from worker.recovery import RecoveryScheduler
from worker.scene_work import ATTEMPTS, SceneWork
from worker.stash_jobs import StashJobs
from worker.stash_line import StashLine
from worker.stash_watch import GONE_AFTER_SECONDS, KEEP_COOKIE_EVERY_SECONDS, LOOK_EVERY_SECONDS, StashWatch


@pytest.fixture
def stash():
    with SimStash(scenes=12) as running:
        running.configure_plugin("Stash2Plex", COMPLETE)
        yield running


class Scene:
    """Everything around a watch: a queue with a session, a board, a clock that stands still."""

    def __init__(self, stash, folder):
        self.stash = stash
        self.clock = FakeClock()
        self.queue = QueueManager.begin(str(folder / "queue"), 0.0)
        self.board = ConditionsBoard()
        self.jobs = StashJobs()
        self.asked = []
        self.redactor = Redactor()
        self.settings_file = folder / "stash2plex.json"
        self.line = StashLine(self.queue)
        self.watch = StashWatch(
            self.queue, self.line, self.board, self.jobs, self.clock, str(self.settings_file), self.redactor
        )

    def hook_brings_session(self, cookie=None, seen_at=None):
        cookie = self.stash.login().removeprefix("session=") if cookie is None else cookie
        session = Session("http", "0.0.0.0", self.stash.port, cookie, seen_at or self.clock.now())
        with writing(self.queue._connection):
            remember_session(self.queue._connection, session)

    def look_later(self, seconds=LOOK_EVERY_SECONDS):
        self.clock.advance(seconds)
        self.watch.look()
        return self.board.read().obstacle

    @property
    def kept(self):
        return read_session(self.queue._connection)


@pytest.fixture
def scene(stash, tmp_path):
    scene = Scene(stash, tmp_path)
    yield scene
    scene.line.hang_up()
    scene.queue.close()


def test_without_a_session_it_says_how_to_get_one(scene):
    assert "Edit any scene" in scene.look_later()


def test_a_new_session_is_used_at_once(scene):
    scene.look_later()
    scene.hook_brings_session()
    assert scene.look_later(0.0) is None
    assert scene.board.read().config == config()


def test_it_asks_now_and_then_and_not_more(scene):
    scene.hook_brings_session()
    for _ in range(30):
        scene.look_later(1.0)
    assert scene.stash.requests["PluginState"] <= 5  # three looks, and one more for the defaults


def test_the_defaults_are_shown_on_stashs_page_once(scene):
    scene.hook_brings_session()
    for _ in range(5):
        scene.look_later()
    assert scene.stash.settings.plugins["Stash2Plex"]["sync_tags"] is True
    assert scene.stash.settings.plugins["Stash2Plex"]["plex_token"] == COMPLETE["plex_token"]
    assert scene.stash.requests["ConfigurePlugin"] == 1


def test_changed_settings_take_effect_and_wrong_ones_stop_the_work_with_all_problems(scene):
    scene.hook_brings_session()
    scene.look_later()
    scene.stash.settings.plugins["Stash2Plex"].update(max_tags=7)
    scene.look_later()
    assert scene.board.read().config.max_tags == 7
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


def test_the_file_in_the_data_folder_is_heard(scene):
    scene.settings_file.write_text(json.dumps({"max_tags": 9}))
    scene.hook_brings_session()
    scene.look_later()
    assert scene.board.read().config.max_tags == 9
    assert "max_tags" not in scene.stash.settings.plugins["Stash2Plex"]


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


def test_a_plugin_disabled_in_stash_is_a_reason_to_leave(scene):
    scene.stash.install_plugin(Path(__file__).parents[2])
    scene.hook_brings_session()
    scene.look_later()
    scene.stash.graphql("mutation{setPluginsEnabled(enabledMap:{Stash2Plex:false})}")
    scene.look_later()
    assert scene.watch.reason_to_leave() == "the plugin was disabled in Stash"


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
            self.delivered[scene.id] = (scene.title, job.full)
            yield job, Done()

    def rest(self):
        pass

    def forget(self, scene_id):
        self.forgotten.append(scene_id)
        return Done()


@pytest.fixture
def at_work(scene):
    scene.hook_brings_session()
    scene.look_later()
    scene.target = Recorder()
    line = StashLine(scene.queue)
    work = SceneWork(scene.queue, line, scene.target, scene.asked.append, scene.clock)
    recovery = RecoveryScheduler(DataFolder(scene.queue.path), NoProbe(), scene.clock, scene.redactor)
    scene.worker = SyncWorker(scene.queue, work, scene.board, recovery, scene.clock, scene.redactor)

    def drain():
        while scene.worker.step().why is Why.WORKED:
            pass

    scene.drain = drain
    yield scene
    line.hang_up()


WAITING_JOBS = "SELECT data FROM ack_queue_default"


def enqueue(scene, kind, *ids, full=False):
    scene.queue.enqueue(kind, list(ids), "test", scene.clock.now(), due_at=AT_ONCE, full=full)


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
    assert at_work.asked == ["test"]
    assert at_work.queue.size == 0


def test_a_job_for_all_scenes_that_is_not_full_is_a_sweep(at_work):
    enqueue(at_work, "all", 0)
    at_work.drain()
    assert (at_work.asked, at_work.target.delivered) == (["test"], {})


def test_sync_all_reaches_every_scene_as_a_full_comparison(at_work):
    enqueue(at_work, "all", 0, full=True)
    at_work.drain()
    assert {full for _, full in at_work.target.delivered.values()} == {True}
    assert len(at_work.target.delivered) == 12


def test_a_stash_that_goes_away_in_the_middle_costs_no_attempt(at_work):
    enqueue(at_work, "scene", 1)
    enqueue(at_work, "all", 0, full=True)
    at_work.stash.go_away()
    for _ in range(20):
        at_work.drain()
        at_work.clock.advance(10)
    assert {json.loads(row[0])["attempts"] for row in at_work.queue._connection.execute(WAITING_JOBS)} == {0}
    at_work.stash.come_back()
    at_work.drain()
    assert len(at_work.target.delivered) == 12
    assert DeadLetterQueue(at_work.queue._connection).list() == []


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
    for _ in range(ATTEMPTS):
        at_work.drain()
        at_work.clock.advance(1000)
    (letter,) = DeadLetterQueue(at_work.queue._connection).list()
    assert letter.attempts == ATTEMPTS
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


def test_a_plugins_task_is_none_of_stashs_own_jobs(scene):
    scene.hook_brings_session()
    with scene.stash.running_job("Running plugin task: Watch files"):
        scene.look_later()
        assert not scene.jobs.is_busy
    scene.look_later()
    assert scene.jobs.rests == 0
