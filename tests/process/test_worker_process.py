"""The worker as a process: always one, never two, killed without harm, gone when there is nothing to stay for."""

import itertools
import json
import os
import random
import re
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from runtime.lock import is_held
from runtime.state_file import read_state
from sync_queue.dlq import DeadLetterQueue
from sync_queue.queue_file import connect
from tests.support.plugin.plugin import wait_until
from tests.support.settings import COMPLETE


def counts(plugin):
    connection = connect(plugin.data.queue_dir)
    rows = dict(connection.execute("SELECT key, status FROM ack_queue_default").fetchall())
    dead = DeadLetterQueue(connection).list()
    connection.close()
    return rows, dead


def assert_never_worked_twice_at_once(work):
    """Between a begin and its end nobody else begins the same scene, unless the first one was killed."""
    begun = {}
    for word, scene, pid, _ in work:
        if word == "begin":
            assert scene not in begun or begun[scene] != pid
            begun[scene] = pid
        else:
            assert begun.pop(scene) == pid


def test_an_edit_in_stash_is_worked_on_and_the_save_does_not_wait(plugin, stash):
    stash.save_scene(1, title="First")
    pid = plugin.wait_for_worker()
    wait_until(lambda: 1 in plugin.finished_scenes())
    start = time.time()
    stash.save_scene(2, title="Second")
    wait_until(lambda: 2 in plugin.finished_scenes())
    assert time.time() - start < 2
    assert plugin.worker_pids() == [pid]
    assert [run.exit_code for run in stash.hook_runs] == [0, 0]
    assert not [entry for entry in stash.logs if entry.level in ("warning", "error")]


def test_a_bulk_edit_in_stash_reaches_the_worker_whole(plugin, stash):
    ids = ", ".join(f'"{one}"' for one in range(1, 31))
    stash.graphql(f"mutation {{ bulkSceneUpdate(input: {{ ids: [{ids}], rating100: 60 }}) {{ id }} }}")
    wait_until(lambda: plugin.finished_scenes() >= set(range(1, 31)))


def test_a_renamed_tag_brings_its_scenes(plugin, stash):
    expected = {scene.id for scene in stash.library.scenes_with("tag", 1)}
    stash.graphql('mutation { tagUpdate(input: { id: "1", name: "New name" }) { id } }')
    wait_until(lambda: plugin.finished_scenes() == expected)


def test_two_hundred_hooks_eight_at_a_time_lose_nothing_and_make_one_worker(plugin, stash):
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda scene: plugin.hook(scene, stash.port), range(1, 201)))
    assert {answer.document["output"].split(":")[0] for answer in answers} == {"ok"}
    wait_until(lambda: plugin.finished_scenes() == set(range(1, 201)), 60)
    plugin.wait_for_worker()
    work = plugin.work_done()
    assert len({pid for _, _, pid, _ in work}) == 1
    assert_never_worked_twice_at_once(work)
    assert plugin.log().count("Worker 0.1.0 begins") == 1
    assert "locked" not in plugin.log()


ROUNDS = 12


def test_killed_hooks_and_workers_lose_no_job_that_was_answered_with_ok(plugin, stash):
    """Each round fires hooks, kills some of them and the worker at random moments, and lets the next hook revive it."""
    chance = random.Random(7)
    plugin.record_work(seconds=0.01)
    promised = {}
    scenes = iter(range(1, 251))
    for _ in range(ROUNDS):
        started = [(one, plugin.start(hook_request(plugin, one, stash.port))) for one in itertools.islice(scenes, 6)]
        time.sleep(chance.uniform(0, 0.25))
        for _, process in chance.sample(started, 2):
            process.kill()
        if chance.random() < 0.7:
            time.sleep(chance.uniform(0, 0.4))
            for pid in plugin.worker_pids():
                os.kill(pid, signal.SIGKILL)
        for one, process in started:
            answer, _ = process.communicate()
            if answer and "output" in json.loads(answer):
                promised[one] = time.time()
    last = next(scenes)
    assert plugin.hook(last, stash.port).output == f"ok: scene {last} queued"
    wait_until(lambda: plugin.finished_scenes() >= {*promised, last}, 60)
    plugin.wait_for_worker()
    assert len(promised) > 3 * ROUNDS
    assert_never_worked_twice_at_once(plugin.work_done())
    wait_until(lambda: counts(plugin) == ({}, []))


def hook_request(plugin, scene, port):
    context = {"id": scene, "type": "Scene.Update.Post", "input": None}
    return plugin.request({"mode": "hook", "hookContext": context}, port)


def test_what_a_killed_worker_had_claimed_is_worked_by_the_next(plugin, stash):
    plugin.record_work(seconds=30)
    plugin.hook(1, stash.port)
    wait_until(plugin.work_done)
    plugin.kill_workers()
    assert counts(plugin)[0] == {"scene:1": 2}
    plugin.record_work(seconds=0)
    plugin.hook(2, stash.port)
    wait_until(lambda: plugin.finished_scenes() == {1, 2})


def test_a_terminated_worker_finishes_the_job_in_hand_and_leaves(plugin, stash):
    plugin.record_work(seconds=1)
    plugin.hook(1, stash.port)
    wait_until(plugin.work_done)
    plugin.kill_workers(signal.SIGTERM)
    assert plugin.finished_scenes() == {1}
    assert counts(plugin)[0] == {}
    assert "Worker ends (leave)" in plugin.log()
    assert not is_held(plugin.data.worker_lock)


def test_an_edit_made_while_the_worker_is_leaving_is_worked_on(plugin, stash):
    plugin.record_work(seconds=2)
    plugin.hook(1, stash.port)
    wait_until(plugin.work_done)
    (leaving,) = plugin.worker_pids()
    os.kill(leaving, signal.SIGTERM)
    time.sleep(0.2)
    plugin.hook(2, stash.port)
    wait_until(lambda: plugin.finished_scenes() == {1, 2})
    assert plugin.wait_for_worker() != leaving


def test_deleting_the_lock_file_makes_no_second_worker(plugin, stash):
    plugin.record_work(seconds=2)
    plugin.hook(1, stash.port)
    wait_until(plugin.work_done)
    os.unlink(plugin.data.worker_lock)
    plugin.hook(2, stash.port)
    wait_until(lambda: plugin.finished_scenes() == {1, 2}, 40)
    assert_never_worked_twice_at_once(plugin.work_done())
    assert [scene for word, scene, _, _ in plugin.work_done() if word == "begin"] == [1, 2]


def test_a_worker_that_cannot_be_started_does_not_fail_the_hook(plugin):
    plugin.data.make()
    os.mkdir(plugin.data.worker_stderr)
    done = plugin.hook(1)
    done.assert_protocol()
    assert done.output == "ok: scene 1 queued"
    assert b"no worker can be started" in done.stderr


def test_a_task_and_an_operation_start_a_worker_too(plugin, stash):
    stash.graphql('mutation { runPluginTask(plugin_id: "Stash2Plex", task_name: "Sync All") }')
    plugin.wait_for_worker()
    wait_until(lambda: plugin.finished_scenes() == set(range(1, 251)), 60)
    plugin.kill_workers()
    stash.graphql('mutation { runPluginOperation(plugin_id: "Stash2Plex", args: { mode: "health_check" }) }')
    plugin.wait_for_worker()


def test_an_updated_plugin_is_taken_over_by_its_new_version(plugin, stash):
    plugin.adjust("worker.process.BEAT_SECONDS", 0.2)
    plugin.hook(1, stash.port)
    old = plugin.wait_for_worker()
    wait_until(lambda: plugin.finished_scenes() == {1})
    plugin.install_version("0.1.1")
    wait_until(lambda: plugin.worker_pids() not in ([], [old]), 60)
    assert plugin.wait_for_worker() != old
    wait_until(lambda: "Worker 0.1.1 begins" in plugin.log())
    plugin.hook(2, stash.port)
    wait_until(lambda: plugin.finished_scenes() == {1, 2})


def disable(stash, *, on=False):
    stash.graphql(f"mutation {{ setPluginsEnabled(enabledMap: {{ Stash2Plex: {str(on).lower()} }}) }}")


def test_a_plugin_that_is_disabled_in_stash_pauses_and_enabled_again_finds_what_was_edited_meanwhile(plugin, stash):
    plugin.adjust("worker.stash.watch.LOOK_EVERY_SECONDS", 0.5)
    plugin.hook(1, stash.port)
    pid = plugin.wait_for_worker()
    wait_until(lambda: plugin.finished_scenes() == {1})
    disable(stash)
    wait_until(lambda: "disabled in Stash" in plugin.log())
    stash.save_scene(2, title="Nobody tells us")
    time.sleep(2)
    assert plugin.finished_scenes() == {1}
    disable(stash, on=True)
    wait_until(lambda: 2 in plugin.finished_scenes())
    assert plugin.worker_pids() == [pid]


def test_a_plugin_that_stays_disabled_has_no_worker_and_enabled_again_loses_nothing(plugin, stash):
    plugin.adjust("worker.stash.watch.LOOK_EVERY_SECONDS", 0.5)
    plugin.adjust("worker.stash.watch.DISABLED_SECONDS", 1.0)
    plugin.hook(1, stash.port)
    plugin.wait_for_worker()
    wait_until(lambda: plugin.finished_scenes() == {1})
    disable(stash)
    wait_until(lambda: not plugin.worker_pids(), 30)
    stash.save_scene(2, title="Nobody tells us")
    assert plugin.worker_pids() == []
    disable(stash, on=True)
    stash.save_scene(3, title="Here we are again")
    wait_until(lambda: {2, 3} <= plugin.finished_scenes())


def test_a_stash_that_is_gone_for_long_is_left_and_what_waits_is_kept(plugin, stash):
    plugin.adjust("worker.stash.watch.GONE_AFTER_SECONDS", 2.0)
    plugin.adjust("worker.stash.watch.LOOK_EVERY_SECONDS", 0.5)
    plugin.hook(1, stash.port)
    plugin.wait_for_worker()
    wait_until(lambda: plugin.finished_scenes() == {1})
    stash.go_away()
    plugin.hook(2, stash.port)
    wait_until(lambda: not plugin.worker_pids(), 30)
    assert counts(plugin)[0] == {"scene:2": 1} or counts(plugin)[0] == {"scene:2": 0}
    stash.come_back()
    plugin.hook(3, stash.port)
    wait_until(lambda: plugin.finished_scenes() == {1, 2, 3})


def test_a_worker_that_waits_for_stash_goes_on_by_itself_when_it_is_back(plugin, stash):
    plugin.adjust("worker.stash.watch.LOOK_EVERY_SECONDS", 0.5)
    stash.go_away()
    plugin.hook(1, stash.port)
    plugin.wait_for_worker()
    wait_until(lambda: "does not answer" in plugin.log())
    stash.come_back()
    wait_until(lambda: plugin.finished_scenes() == {1})


def test_settings_that_need_a_person_stop_the_work_and_nothing_else(plugin, stash):
    plugin.adjust("worker.stash.watch.LOOK_EVERY_SECONDS", 0.5)
    stash.configure_plugin("Stash2Plex", {**COMPLETE, "title_format": "{nobody}"})
    assert plugin.hook(1, stash.port).output == "ok: scene 1 queued"
    wait_until(lambda: "title_format" in plugin.log())
    status = stash.graphql('mutation { runPluginOperation(plugin_id: "Stash2Plex", args: { mode: "queue_status" }) }')
    assert "title_format" in status["runPluginOperation"]["worker"]["obstacle"]
    stash.configure_plugin("Stash2Plex", COMPLETE)
    wait_until(lambda: plugin.finished_scenes() == {1})


def test_a_number_out_of_bounds_is_named_and_stops_nothing(plugin, stash):
    stash.configure_plugin("Stash2Plex", {**COMPLETE, "max_tags": -1})
    assert plugin.hook(1, stash.port).output == "ok: scene 1 queued"
    wait_until(lambda: "max_tags is -1" in plugin.log() and plugin.finished_scenes() == {1})


def test_a_queue_removed_under_the_worker_is_begun_anew(plugin, stash):
    plugin.hook(1, stash.port)
    pid = plugin.wait_for_worker()
    wait_until(lambda: plugin.finished_scenes() == {1})
    stash.library.scenes[5].title = "Its job was in the queue"
    shutil.rmtree(plugin.data.queue_dir)
    plugin.hook(2, stash.port)
    wait_until(lambda: plugin.finished_scenes() == {1, 2, 5})
    assert plugin.worker_pids() == [pid]


def test_a_queue_damaged_under_the_worker_is_put_aside_and_everything_is_compared(plugin, stash):
    plugin.hook(1, stash.port)
    pid = plugin.wait_for_worker()
    wait_until(lambda: plugin.finished_scenes() == {1})
    wait_until(lambda: counts(plugin)[0] == {} and "Sweep ends" in plugin.log())
    path = Path(plugin.data.queue_dir, "data.db")
    with path.open("r+b") as file:
        file.write(b"\0" * path.stat().st_size)
    stash.library.scenes[2].title = "Edited while the queue was damaged"
    assert "it is damaged" in plugin.hook(2, stash.port).error
    wait_until(lambda: plugin.finished_scenes() == {1, 2}, 60)
    wait_until(lambda: [name for name in os.listdir(plugin.data.queue_dir) if ".damaged-" in name])
    assert plugin.worker_pids() == [pid]


def test_a_data_folder_that_is_removed_takes_its_worker_with_it(plugin, stash):
    plugin.hook(1, stash.port)
    old = plugin.wait_for_worker()
    wait_until(lambda: plugin.finished_scenes() == {1})
    shutil.rmtree(plugin.data.root)
    plugin.hook(2, stash.port)
    wait_until(lambda: plugin.finished_scenes() >= {1, 2})
    wait_until(lambda: old not in plugin.worker_pids())
    plugin.wait_for_worker()


def test_a_second_worker_leaves_at_once(plugin, stash):
    plugin.hook(1, stash.port)
    plugin.wait_for_worker()
    start = time.monotonic()
    done = plugin.run(b"", "worker", "--data-dir", plugin.data.root)
    assert (done.code, done.stdout) == (0, b"")
    assert time.monotonic() - start < 20
    plugin.wait_for_worker()


def test_no_secret_is_in_a_log_a_state_file_or_a_process_list(plugin, stash):
    stash.set_credentials("me")
    key = stash.generate_api_key()
    stash.configure_plugin("Stash2Plex", {**COMPLETE, "plex_token": "tok+en/with%odd&chars", "debug_logging": True})
    stash.save_scene(1, title="First")
    pid = plugin.wait_for_worker()
    wait_until(lambda: plugin.finished_scenes() == {1})
    command = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
    texts = {path: path.read_bytes() for path in Path(plugin.data.root).iterdir() if path.is_file()}
    for secret in (key, "tok+en/with%odd&chars", "tok%2Ben%2Fwith%25odd%26chars"):
        assert secret not in command
        for path, text in texts.items():
            assert secret.encode() not in text, path
        assert not [entry for entry in stash.logs if secret in entry.text]


@pytest.mark.parametrize(
    "mode", ["queue_status", "clear_queue", "clear_dlq", "purge_dlq", "retry_failed", "reconcile", "all"]
)
def test_every_task_on_the_queue_answers_in_numbers_and_a_sentence(plugin, stash, mode):
    done = plugin.run(plugin.request({"mode": mode}, stash.port))
    done.assert_protocol()
    assert done.output["sentence"].endswith(".")
    assert f"\x01i\x02{done.output['sentence']}".encode() in done.stderr


def test_a_worker_that_starts_finds_what_changed_while_there_was_none(plugin, stash):
    stash.library.scenes[7].title = "Changed without a hook"
    stash.graphql('mutation { runPluginOperation(plugin_id: "Stash2Plex", args: { mode: "health_check" }) }')
    wait_until(lambda: plugin.finished_scenes() == {7})


def test_reconcile_sweeps_now_and_the_status_tells_of_it(plugin, stash):
    plugin.hook(1, stash.port)
    wait_until(lambda: "Sweep ends: 250 scenes compared, 0 queued" in plugin.log())
    stash.library.scenes[7].title = "Changed without a hook"
    stash.graphql('mutation { runPluginTask(plugin_id: "Stash2Plex", task_name: "Reconcile") }')
    wait_until(lambda: plugin.finished_scenes() == {1, 7})
    status = plugin.request({"mode": "queue_status"}, stash.port)
    wait_until(lambda: read_state(plugin.data.worker_state)["sweep"]["last"]["reason"] == "Reconcile")
    told = plugin.run(status).output
    assert (told["sweep"]["is_running"], bool(told["sweep"]["last_at"]), bool(told["sweep"]["next_at"])) == (
        False,
        True,
        True,
    )
    assert re.search(r"compared 250 scenes in [\d.]+ s and queued 1\.", told["sentence"])


def test_a_sweep_waits_for_the_jobs_of_stash_and_comes_after_them(plugin, stash):
    plugin.adjust("worker.stash.watch.LOOK_EVERY_SECONDS", 0.5)
    with stash.running_job("Auto-tagging..."):
        plugin.hook(1, stash.port)
        wait_until(lambda: plugin.finished_scenes() == {1})
        stash.events.auto_tag(9, (1, 2, 3, 4, 5, 6, 7, 8))
        status = plugin.request({"mode": "queue_status"}, stash.port)
        wait_until(lambda: "waits for Stash's own jobs" in plugin.run(status).output["sentence"])
        assert stash.requests["SweepPage"] == 0
    wait_until(lambda: plugin.finished_scenes() == {1, 9})


def test_process_queue_waits_until_all_is_done(plugin, stash):
    plugin.record_work(seconds=0.02)
    plugin.hook(1, stash.port, sent={"ids": [str(one) for one in range(1, 101)]}, fields=("ids", "title"))
    done = plugin.run(plugin.request({"mode": "process_queue"}, stash.port))
    done.assert_protocol()
    assert (done.output["left"], done.output["obstacle"]) == (0, None)
    assert plugin.finished_scenes() == set(range(1, 101))
    assert done.stderr.count(b"\x01p\x02") >= 2


def test_process_queue_says_what_is_in_the_way(plugin, stash):
    stash.configure_plugin("Stash2Plex", {"plex_token": "t" * 20})
    plugin.adjust("tasks.queue.process.LOOK_SECONDS", 0.1)
    plugin.hook(1, stash.port)
    done = plugin.run(plugin.request({"mode": "process_queue"}, stash.port))
    assert "plex_url is not set" in done.output["sentence"]


def test_sync_recent_queues_what_changed_in_the_last_day(plugin, stash):
    plugin.hook(250, stash.port)
    stash.library.scenes.need(3).updated_at = "2020-01-01T00:00:00Z"
    done = plugin.run(plugin.request({"mode": "recent"}, stash.port, cookie=stash.login().removeprefix("session=")))
    assert done.output["queued"] == 249
    wait_until(lambda: plugin.finished_scenes() >= set(range(1, 251)) - {3}, 60)


def test_the_command_line_reads_the_plugins_own_folder(plugin, stash):
    plugin.hook(1, stash.port)
    wait_until(lambda: plugin.finished_scenes() == {1})
    done = plugin.run(b"", "status", "--json")
    assert json.loads(done.stdout)["worker"]["alive"] is True
    assert b"0 due, 0 later, 0 being worked on, 0 given up" in plugin.run(b"", "status").stdout


def test_the_command_line_never_makes_a_folder_of_its_own(plugin):
    done = plugin.run(b"", "status", environment={"HOME": str(plugin.config_dir / "nobody")})
    assert done.code == 1
    assert b"name it with --data-dir" in done.stderr
    assert not Path(plugin.data.root).exists()
    assert plugin.run(b"", "explode").code == 2
    typo = str(plugin.config_dir / "typo")
    assert plugin.run(b"", "status", "--data-dir", typo).code == 1
    assert not Path(typo).exists()


def test_a_terminal_sees_no_protocol(plugin, stash):
    plugin.hook(1, stash.port)
    done = plugin.run(b"", "doctor")
    assert b"\x01" not in done.stdout + done.stderr
    assert b"\x1b" not in done.stdout + done.stderr
    assert re.search(rb"OK +Python +OK, ", done.stdout)


def test_the_health_check_asks_stash(plugin, stash):
    plugin.hook(1, stash.port)
    plugin.wait_for_worker()
    stash.go_away()
    health = plugin.run(plugin.request({"mode": "health_check"}, stash.port)).output
    (finding,) = [one for one in health["findings"] if one["part"] == "Stash"]
    assert (finding["ok"], "does not answer" in finding["sentence"]) == (False, True)
