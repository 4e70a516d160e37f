"""Operations that need neither Stash nor Plex: status, lists, dead letters, the journal."""

import time

import pytest

from ledger.baseline import Baseline
from ledger.records import ItemSync, JournalEntry
from ledger.states import SceneState
from ledger.store import Ledger
from runtime.folder import DataFolder
from runtime.lock import FileLock
from runtime.state_file import write_state
from runtime.version import VERSION
from stash.wire import Refusal
from sync_queue.manager import QueueManager
from sync_queue.session import Session
from tests.support.desk import ask


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
    opened = Ledger(folder.ledger)
    yield opened
    opened.close()


def bury(queue, *ids, sentence="Plex rejects it"):
    queue.enqueue("scene", list(ids), "test", 100.0, due_at=0.0)
    for job in queue.claim(100.0, len(ids)):
        queue.bury(job, "bad_request", sentence, "", 100.0)


def test_the_status_of_an_empty_installation(folder):
    answer = ask(folder, "status")
    assert answer["api"] == 1
    assert answer["queue"] == {"due": 0, "later": 0, "claimed": 0, "dead": 0}
    assert answer["scenes"] == dict.fromkeys(map(str, SceneState), 0)
    assert (answer["stash"], answer["last_run"]) == (None, None)
    assert answer["sentence"].startswith("0 jobs due")


def test_the_status_tells_of_queue_scenes_worker_and_stash(folder, queue, ledger):
    bury(queue, 3)
    queue.enqueue("scene", [1, 2], "test", 100.0, due_at=0.0)
    queue.keep_session(Session("http", "0.0.0.0", 9999, "a-cookie-1234", 100.0))
    ledger.record_state(7, SceneState.WAITING, "Not in Plex yet.", 100.0)
    state = {"version": VERSION, "pid": 7, "started_at": time.time() + 60, "obstacle": "Plex does not answer."}
    write_state(folder.worker_state, state)
    answer = ask(folder, "status")
    assert (answer["queue"]["due"], answer["queue"]["dead"], answer["scenes"]["waiting"]) == (2, 1, 1)
    assert answer["worker"]["obstacle"] == "Plex does not answer."
    assert answer["worker"]["is_outdated"] is False
    assert answer["stash"]["url"] == "http://0.0.0.0:9999"
    assert "cookie" not in str(answer)
    write_state(folder.worker_state, {**state, "started_at": 1.0})
    assert ask(folder, "status")["worker"]["is_outdated"] is True


def test_scenes_are_listed_by_state_page_by_page(folder, ledger):
    for scene_id in range(1, 8):
        ledger.record_state(scene_id, SceneState.WAITING, "Not in Plex yet.", 100.0)
    ledger.record_state(4, SceneState.SKIPPED, "Not organized.", 100.0)
    pages, after = [], 0
    while after is not None:
        answer = ask(folder, "scenes", state="waiting", limit=3, after=after)
        pages.append([one["scene_id"] for one in answer["scenes"]])
        after = answer["next"]
    assert pages == [[1, 2, 3], [5, 6, 7], []]
    assert len(ask(folder, "scenes")["scenes"]) == 7
    (skipped,) = ask(folder, "scenes", state="skipped")["scenes"]
    assert (skipped["sentence"], skipped["is_queued"], skipped["synced_at"]) == ("Not organized.", False, None)


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
    assert answer["scenes"][1]["sentence"] == "Queued (sweep), due now."
    (job,) = [job for job in queue.claim(now + 1, 1) if job.id in (9, 11)]
    (claimed,) = [one for one in ask(folder, "scenes", state="queued")["scenes"] if one["scene_id"] == job.id]
    assert claimed["sentence"] == "Being worked on now (sweep)."


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
    assert "1 of the numbers given are no dead letters" in answer["sentence"]
    assert ask(folder, "retry", all=True)["revived"] == 2
    assert {job.id for job in queue.claim(time.time(), 9)} == {1, 2, 4, 5}
    bury(queue, 8, 9)
    assert ask(folder, "discard", all=True)["discarded"] == 2


def test_the_journal_lists_runs_and_what_each_wrote(folder, ledger):
    runs = [ledger.begin_run("worker", float(number)) for number in range(3)]
    ledger.begin_run("wrote nothing", 9.0)
    for run in runs:
        for scene_id in (1, 2):
            entry = JournalEntry(field="title", kind="scalar", old="Old", new=f"New {run}")
            genres = JournalEntry(field="tags", kind="set", old=("a",), new=("a", "b"))
            sync = ItemSync(
                scene_id=scene_id,
                rating_key=70 + scene_id,
                machine="m",
                path="/a.mp4",
                fingerprint="f",
                baseline=Baseline(),
                entries=(entry, genres),
            )
            ledger.record_syncs([sync], run_id=run, now=float(run))
    ledger._journal.mark_undone([ledger.entries(run_id=runs[0])[0].id], 50.0)
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
    assert ask(folder, "sync_scenes", ids=[1, "2"])["sentence"] == "2 scenes are queued. 1 of them waited already."
    jobs = queue.claim(1.0, 9)
    assert [(job.id, job.full) for job in jobs] == [(1, True), (2, True)]


@pytest.mark.parametrize("mode", ["status", "scenes", "journal"])
def test_a_ledger_that_cannot_be_used_is_said(folder, mode):
    with open(folder.ledger, "wb") as file:
        file.write(b"This is no database." * 100)
    with pytest.raises(Refusal, match=r"The ledger .* cannot be used"):
        ask(folder, mode)
