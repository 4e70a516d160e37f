"""Operations that need neither Stash nor Plex: status, lists, dead letters, the journal."""

import builtins
import os
import time
from contextlib import closing

import pytest

from ledger.baseline import Baseline
from ledger.index_store import IndexStore
from ledger.records import ItemSync, JournalEntry
from ledger.states import SceneState
from ledger.store import Ledger
from model.item import ListedItem, Part
from model.server import Library
from model.user_error import UserError
from runtime.database import sqlite3
from runtime.folder import DataFolder
from runtime.lock import FileLock
from runtime.state_file import write_state
from runtime.version import VERSION
from sync_queue.manager import QueueManager
from sync_queue.session import Session
from tests.support.actions import ask


@pytest.fixture
def folder(tmp_path):
    """A data folder whose worker seems to live, so that none is started."""
    data = DataFolder(str(tmp_path))
    lock = FileLock(data.worker_lock)
    assert lock.acquire()
    yield data
    lock.release()


@pytest.fixture
def queue(folder):
    opened = QueueManager(folder.queue_dir)
    yield opened
    opened.close()


@pytest.fixture
def ledger(folder):
    opened = Ledger(folder.target("plex").ledger)
    yield opened
    opened.close()


def bury(queue, *ids, sentence="Plex rejects it"):
    queue.enqueue("scene", list(ids), "test", 100.0, due_at=0.0)
    for job in queue.claim(100.0, len(ids)):
        queue.bury(job, "bad_request", sentence, "", 100.0)


def test_the_status_of_an_empty_installation(folder):
    answer = ask(folder, "status")
    assert (answer["api"], answer["version"]) == (2, VERSION)
    assert answer["queue"] == {"due": 0, "later": 0, "claimed": 0, "dead": 0}
    (target,) = answer["targets"]
    assert (target["target"], target["name"], target["queue"]) == ("plex", "Plex", answer["queue"])
    assert target["scenes"] == dict.fromkeys(map(str, SceneState), 0)
    assert (target["history"], target["speed_per_minute"], target["seconds_left"]) == ([], None, None)
    assert (answer["stash"], target["last_run"], target["coverage"]) == (None, None, None)
    assert answer["sentence"].startswith("0 jobs due")
    assert answer["is_set_up"] is False
    assert [need["kind"] for need in answer["needs_you"]] == ["settings"]


def test_the_status_tells_of_queue_scenes_worker_and_stash(folder, queue, ledger):
    bury(queue, 3)
    queue.enqueue("scene", [1, 2], "test", 100.0, due_at=0.0)
    queue.keep_session(Session("http", "0.0.0.0", 9999, "a-cookie-1234", 100.0))
    ledger.scenes.record_state(7, SceneState.WAITING, "Not in Plex yet.", 100.0)
    state = {"version": VERSION, "pid": 7, "started_at": time.time() + 60, "obstacle": "Plex does not answer."}
    write_state(folder.worker_state, state)
    answer = ask(folder, "status")
    assert (answer["queue"]["due"], answer["queue"]["dead"]) == (2, 1)
    assert answer["targets"][0]["scenes"]["waiting"] == 1
    assert answer["worker"]["obstacle"] == "Plex does not answer."
    assert answer["worker"]["is_outdated"] is False
    assert answer["stash"]["url"] == "http://0.0.0.0:9999"
    assert "cookie" not in str(answer)
    write_state(folder.worker_state, {**state, "started_at": 1.0})
    assert ask(folder, "status")["worker"]["is_outdated"] is True


def test_scenes_are_listed_by_state_page_by_page(folder, ledger):
    for scene_id in range(1, 8):
        ledger.scenes.record_state(scene_id, SceneState.WAITING, "Not in Plex yet.", 100.0)
    ledger.scenes.record_state(4, SceneState.SKIPPED, "Not organized.", 100.0)
    pages, after = [], 0
    while after is not None:
        answer = ask(folder, "scenes", state="waiting", limit=3, after=after)
        pages.append([one["scene_id"] for one in answer["scenes"]])
        after = answer["next"]
        assert answer["total"] == 6
    assert pages == [[1, 2, 3], [5, 6, 7], []]
    assert len(ask(folder, "scenes")["scenes"]) == 7
    (skipped,) = ask(folder, "scenes", state="skipped")["scenes"]
    assert (skipped["sentence"], skipped["is_queued"], skipped["synced_at"]) == ("Not organized.", False, None)
    assert (skipped["target"], "organized" in skipped["next_step"]) == ("plex", True)


def test_queued_scenes_say_when_they_are_due_and_what_went_wrong(folder, queue, ledger):
    now = time.time()
    queue.enqueue("scene", [5], "edited", now, due_at=0.0)
    queue.enqueue("scene", [11, 9], "sweep", now, due_at=now)
    (job,) = queue.claim(now, 1)
    queue.retry(job.after_failure("Plex is busy", counts=True), now + 3600)
    queue.enqueue("picture", [3], "cover", now, due_at=0.0)
    answer = ask(folder, "scenes", state="queued")
    assert [one["scene_id"] for one in answer["scenes"]] == [5, 9, 11]
    first = answer["scenes"][0]["sentence"]
    assert first.startswith("Queued (edited), due in ")
    assert first.endswith("Tried once so far. Last: Plex is busy.")
    assert answer["scenes"][1]["sentence"] == "Queued (found by the check of all scenes), due now."
    (job,) = [job for job in queue.claim(now + 1, 1) if job.id in (9, 11)]
    (claimed,) = [one for one in ask(folder, "scenes", state="queued")["scenes"] if one["scene_id"] == job.id]
    assert claimed["sentence"] == "Being worked on now (found by the check of all scenes)."


def test_dead_letters_are_listed_retried_and_discarded(folder, queue):
    bury(queue, 1, 2, 3, 4, 5)
    first = ask(folder, "dead_letters", limit=2)
    rest = ask(folder, "dead_letters", limit=9, after=first["next"])
    assert [one["scene_id"] for one in [*first["dead_letters"], *rest["dead_letters"]]] == [1, 2, 3, 4, 5]
    assert rest["next"] is None
    assert first["dead_letters"][0]["sentence"] == "Plex rejects it"
    numbers = [one["id"] for one in first["dead_letters"]]
    assert ask(folder, "retry", ids=numbers)["revived"] == 2
    answer = ask(folder, "discard", ids=[rest["dead_letters"][0]["id"], 999])
    assert answer["discarded"] == 1
    assert "No such job: 1 number of those given." in answer["sentence"]
    assert ask(folder, "retry", all=True)["revived"] == 2
    assert {job.id for job in queue.claim(time.time(), 9)} == {1, 2, 4, 5}
    bury(queue, 8, 9)
    assert ask(folder, "discard", all=True)["discarded"] == 2


def test_the_journal_lists_runs_and_what_each_wrote(folder, ledger):
    runs = [ledger.journal.begin_run("worker", float(number)) for number in range(3)]
    ledger.journal.begin_run("wrote nothing", 9.0)
    for run in runs:
        for scene_id in (1, 2):
            entry = JournalEntry(field="title", kind="scalar", old="Old", new=f"New {run}")
            genres = JournalEntry(field="tags", kind="set", old=("a",), new=("a", "b"))
            sync = ItemSync(
                scene_id=scene_id,
                item_id=str(70 + scene_id),
                server_id="m",
                path="/a.mp4",
                fingerprint="f",
                baseline=Baseline(),
                entries=(entry, genres),
            )
            ledger.record_syncs([sync], run_id=run, now=float(run))
    ledger.journal.mark_undone([ledger.journal.entries(run_id=runs[0])[0].id], 50.0)
    page = ask(folder, "journal", limit=2)
    assert [(one["run_id"], one["written"], one["undone"], one["scenes"]) for one in page["runs"]] == [
        (runs[2], 4, 0, 2),
        (runs[1], 4, 0, 2),
    ]
    (oldest,) = ask(folder, "journal", after=page["next"])["runs"]
    assert (oldest["run_id"], oldest["undone"]) == (runs[0], 1)
    of_scene = ask(folder, "journal", scene_id=2, limit=5)
    assert len(of_scene["entries"]) == 5
    (last,) = ask(folder, "journal", scene_id=2, after=of_scene["next"])["entries"]
    assert (last["run_id"], last["field"], last["old"], last["new"]) == (runs[0], "title", "Old", f"New {runs[0]}")
    assert len(ask(folder, "journal", run_id=runs[1], scene_id=1)["entries"]) == 2


def test_asking_for_scenes_queues_them_before_everything_else(folder, queue):
    queue.enqueue("scene", [1], "sweep", 100.0, due_at=100.0)
    assert ask(folder, "sync_scenes", ids=[1, "2"])["sentence"] == "2 scenes queued. 1 of them waited already."
    jobs = queue.claim(1.0, 9)
    assert [(job.id, job.verify) for job in jobs] == [(1, True), (2, True)]


@pytest.mark.parametrize("mode", ["scenes", "journal", "undo_plan"])
def test_a_ledger_that_cannot_be_used_is_said(folder, mode):
    folder.target("plex").make()
    folder.target("plex").make()
    with open(folder.target("plex").ledger, "wb") as file:
        file.write(b"This is no database." * 100)
    with pytest.raises(UserError, match=r"The record of what was synced .* cannot be used"):
        ask(folder, mode)


def test_a_status_answers_although_a_ledger_cannot_be_used_and_says_so(folder):
    folder.target("plex").make()
    with open(folder.target("plex").ledger, "wb") as file:
        file.write(b"This is no database." * 100)
    (target,) = ask(folder, "status")["targets"]
    assert "The record of what was synced" in target["sentence"]
    assert "cannot be used" in target["sentence"]


def test_no_file_is_read_twice_for_a_status(folder, queue, ledger, monkeypatch):
    ledger.scenes.record_state(7, SceneState.WAITING, "Not in Plex yet.", 100.0)
    write_state(folder.worker_state, {"version": VERSION, "pid": 7, "started_at": time.time() + 60, "obstacle": None})
    for path in (
        folder.target("plex").circuit,
        folder.target("plex").recovery,
        folder.target("plex").stats,
        folder.targets_state,
    ):
        write_state(path, {})
    opened, seen = builtins.open, []

    def counting(path, *args, **options):
        seen.append(os.path.basename(str(path)))
        return opened(path, *args, **options)

    monkeypatch.setattr("builtins.open", counting)
    connect, databases = sqlite3.connect, []
    monkeypatch.setattr(
        sqlite3, "connect", lambda path, *args, **more: databases.append(path) or connect(path, *args, **more)
    )
    ask(folder, "status")
    assert sorted(seen) == ["circuit_breaker.json", "recovery_state.json", "stats.json", "targets.json", "worker.json"]
    assert len(databases) == len(set(databases)) == 2


def test_the_status_tells_speed_time_left_and_the_last_hours(folder, queue):
    now = time.time()
    folder.target("plex").make()
    write_state(
        folder.target("plex").stats, {"hours": [[int(now // 3600) * 3600, 120, 3]], "minutes": [[int(now) - 30, 60, 0]]}
    )
    queue.enqueue("scene", list(range(1, 241)), "test", now, due_at=0.0)
    (target,) = ask(folder, "status")["targets"]
    assert target["speed_per_minute"] == pytest.approx(120, rel=0.1)
    assert target["seconds_left"] == pytest.approx(120, rel=0.1)
    (hour,) = target["history"]
    assert (hour["done"], hour["failed"]) == (120, 3)


def test_the_status_tells_how_far_the_check_of_all_scenes_is(folder):
    sweep = {"running": True, "seen": 500, "last": {"at": 1000.0, "scenes": 2000}, "next_at": 4600.0}
    write_state(folder.worker_state, {"version": VERSION, "sweep": sweep})
    assert ask(folder, "status")["sweep"] == {
        "is_running": True,
        "progress": 0.25,
        "last_at": "1970-01-01T00:16:40+00:00",
        "next_at": "1970-01-01T01:16:40+00:00",
    }


def test_what_needs_a_person_is_counted_with_the_view_that_mends_it(folder, ledger):
    for scene_id, state in enumerate(SceneState, 1):
        ledger.scenes.record_state(scene_id, state, "Because.", 100.0)
    targets = {"plex": {"is_on": True, "url": "http://plex:32400"}}
    write_state(folder.targets_state, {"targets": targets, "is_enabled": False})
    circuit = {"state": "open", "opened_at": time.time(), "kind": "token", "sentence": "no", "needs_person": True}
    folder.target("plex").make()
    write_state(folder.target("plex").circuit, circuit)
    write_state(
        folder.worker_state,
        {"version": VERSION, "pictures": "Plex takes no pictures.", "obstacle": "The disk is full."},
    )
    answer = ask(folder, "status")
    needs = [(need["kind"], need["count"], need["view"], need["state"]) for need in answer["needs_you"]]
    assert needs == [
        ("worker", 1, "overview", None),
        ("access", 1, "settings", None),
        ("ambiguous", 1, "problems", "ambiguous"),
        ("refused", 1, "problems", "refused"),
        ("failed", 1, "problems", "failed"),
        ("waiting", 1, "problems", "waiting"),
        ("pictures", 1, "overview", None),
    ]
    assert (answer["is_set_up"], answer["is_enabled"], answer["targets"][0]["url"]) == (
        True,
        False,
        "http://plex:32400",
    )


def test_several_targets_each_have_their_own_scenes_and_one_list(folder):
    on = {"is_on": True, "url": "http://there"}
    write_state(folder.targets_state, {"targets": {"plex": on, "emby": on, "jellyfin": {"is_on": False}}})
    for target, ids in (("plex", (1, 3)), ("emby", (2, 3))):
        os.makedirs(os.path.dirname(folder.target(target).ledger), exist_ok=True)
        with closing(Ledger(folder.target(target).ledger)) as ledger:
            for scene_id in ids:
                ledger.scenes.record_state(scene_id, SceneState.WAITING, "Not there yet.", 100.0)
    assert [one["target"] for one in ask(folder, "status")["targets"]] == ["plex", "emby"]
    pages, after = [], None
    while True:
        answer = ask(folder, "scenes", limit=3, after=after)
        pages += [(one["scene_id"], one["target"]) for one in answer["scenes"]]
        after = answer["next"]
        if after is None:
            break
    assert pages == [(1, "plex"), (2, "emby"), (3, "plex"), (3, "emby")]
    assert [one["scene_id"] for one in ask(folder, "scenes", target="emby")["scenes"]] == [2, 3]
    with pytest.raises(UserError, match='Say which: "target": one of plex, emby'):
        ask(folder, "search_items", query="x")


# Left out by hand


def test_a_scene_is_left_out_and_taken_in_again(folder, queue, ledger):
    ledger.scenes.record_state(7, SceneState.WAITING, "Not in Plex yet.", 100.0)
    assert ask(folder, "ignore_scene", scene_id=7, ignore=True)["sentence"] == "1 scene left out from now on."
    assert "already" in ask(folder, "ignore_scene", ids=[7])["sentence"]
    (row,) = ask(folder, "scenes", state="ignored")["scenes"]
    assert (row["scene_id"], row["state"]) == (7, "ignored")
    assert ask(folder, "status")["targets"][0]["scenes"]["ignored"] == 1
    assert "Left out by hand" in ask(folder, "sync_scenes", ids=[7])["sentence"]
    ask(folder, "ignore_scene", ids=[7, 8], ignore=False)
    assert ledger.scenes.get(7).state is SceneState.WAITING
    assert ledger.scenes.get(8) is None
    assert {job.id for job in queue.claim(time.time(), 9)} == {7, 8}
    assert ask(folder, "ignore_scene", scene_id=7, ignore=False)["sentence"] == "None of them was left out."


# Looking for an item


def test_items_are_found_by_words_of_their_files_and_no_server_is_asked(folder):
    library = Library("2", "Scenes", "movie")
    with closing(IndexStore(folder.target("plex").ledger)) as index:
        walk = index.begin_walk(library, "m", 1.0)
        paths = ["/m/Studio/A 100% film.mp4", "/m/Studio/Another film.mkv", "/m/else/thing.mp4"]
        index.add(
            [ListedItem(str(n), 0, 0, [Part(str(n), "2", path, 5, 1.0)]) for n, path in enumerate(paths, 7)], walk
        )
    found = ask(folder, "search_items", query="FILM studio")["items"]
    assert [(one["item_id"], one["title"], one["library"]) for one in found] == [
        ("7", "A 100% film", "Scenes"),
        ("8", "Another film", "Scenes"),
    ]
    assert [one["item_id"] for one in ask(folder, "search_items", query="100%")["items"]] == ["7"]
    assert len(ask(folder, "search_items", query="m", limit=1)["items"]) == 1


# What tasks leave


def test_what_a_task_left_is_found_the_newest_first(folder, queue):
    assert ask(folder, "last_task")["tasks"] == []
    ask(folder, "clear_queue")
    with pytest.raises(UserError, match="whole number"):
        ask(folder, "purge_dlq", days="x")
    ask(folder, "purge_dlq", days="7")
    tasks = {one["mode"]: one for one in ask(folder, "last_task")["tasks"]}
    assert (tasks["clear_queue"]["ok"], "0 waiting jobs removed" in tasks["clear_queue"]["sentence"]) == (True, True)
    assert tasks["purge_dlq"]["ended_at"] is not None


def test_a_task_that_fails_or_is_killed_leaves_that(folder, queue):
    with pytest.raises(UserError):
        ask(folder, "undo", run_id=99)
    (row,) = ask(folder, "last_task")["tasks"]
    assert (row["mode"], row["ok"], bool(row["sentence"])) == ("undo", False, True)
    state = {"mode": "all", "began_at": time.time(), "ended_at": None, "ok": True, "sentence": None, "progress": 0.5}
    write_state(os.path.join(folder.task_results, "all.json"), state)
    row = ask(folder, "last_task")["tasks"][0]
    assert (row["mode"], row["ok"], row["sentence"]) == ("all", False, "It was ended before it was done.")
    lock = FileLock(os.path.join(folder.task_results, "all.lock"))
    assert lock.acquire()
    row = ask(folder, "last_task")["tasks"][0]
    assert (row["ok"], row["progress"], row["ended_at"]) == (True, 0.5, None)
    lock.release()


def test_letters_are_tried_again_or_forgotten_by_their_scenes(folder, queue):
    bury(queue, 1, 2, 3)
    assert ask(folder, "retry", scene_ids=[2, 99])["revived"] == 1
    assert ask(folder, "discard", scene_ids=[3])["discarded"] == 1
    assert [one["scene_id"] for one in ask(folder, "dead_letters")["dead_letters"]] == [1]
    with pytest.raises(UserError, match="not both"):
        ask(folder, "retry", scene_ids=[1], ids=[1])


def test_a_preview_that_was_never_made_has_no_rows(folder):
    answer = ask(folder, "preview_result")
    assert (answer["ran_at"], answer["is_running"], answer["scenes"], answer["next"]) == (None, False, [], None)
    assert answer["last_run"] is None
