"""The queue on real SQLite: due times, one waiting job per key, supersession, claims, dead letters, damage."""

import os
import sqlite3
import time

import persistqueue.serializers.json
import pytest
from persistqueue import Empty, SQLiteAckQueue

from sync_queue import operations
from sync_queue.dlq import DeadLetterQueue
from sync_queue.manager import QueueManager
from sync_queue.operations import AT_ONCE, writing
from sync_queue.queue_file import connect, put_aside
from sync_queue.session import Session, read_session, remember_session


@pytest.fixture
def queue_dir(tmp_path):
    return str(tmp_path / "queue")


@pytest.fixture
def queue(queue_dir):
    opened = QueueManager(queue_dir)
    yield opened
    opened.close()


def scenes(queue, *ids, due_at=AT_ONCE, verify=False, now=100.0):
    return queue.enqueue("scene", list(ids), "test", now, due_at=due_at, verify=verify)


def keys(jobs):
    return [job.key for job in jobs]


def letters(queue):
    return DeadLetterQueue(queue._connection).list()


def test_jobs_are_taken_in_the_order_of_their_due_time(queue):
    scenes(queue, 1, due_at=30.0)
    scenes(queue, 2, due_at=10.0)
    scenes(queue, 3, due_at=20.0)
    assert keys(queue.claim(25.0, 10)) == ["scene:2", "scene:3"]
    assert queue.claim(29.0, 10) == []
    assert queue.next_due_at(25.0) == 30.0


def test_a_job_that_waits_for_its_retry_never_holds_up_one_behind_it(queue):
    scenes(queue, 1)
    (job,) = queue.claim(100.0, 1)
    queue.retry(job.after_failure("later", counts=True), 160.0)
    scenes(queue, 2)
    assert keys(queue.claim(100.0, 10)) == ["scene:2"]


def test_an_edit_overtakes_a_sweep(queue):
    scenes(queue, *range(1, 50), due_at=100.0)
    scenes(queue, 99)
    assert keys(queue.claim(100.0, 1)) == ["scene:99"]


def test_all_made_due_are_due_now_in_their_order_and_a_later_edit_still_comes_first(queue):
    scenes(queue, 1, due_at=500.0)
    scenes(queue, 2, due_at=900.0)
    scenes(queue, 3, due_at=90.0)
    with writing(queue._connection):
        assert operations.make_all_due(queue._connection, 100.0) == 2
    scenes(queue, 4)
    assert keys(queue.claim(100.0, 10)) == ["scene:4", "scene:3", "scene:1", "scene:2"]


def test_a_job_that_a_person_brings_forward_has_the_persons_reason_and_keeps_the_rest(queue):
    queue.enqueue("scene", [1], "sweep", 100.0, due_at=100.0, verify=True, bring_forward=False)
    queue.enqueue("scene", [1], "Scene.Update.Post", 101.0, due_at=AT_ONCE)
    queue.enqueue("scene", [1], "sweep", 102.0, due_at=102.0, bring_forward=False)
    (job,) = queue.claim(100.0, 10)
    assert (job.reason, job.verify, job.queued_at) == ("Scene.Update.Post", True, 100.0)


def test_a_key_that_waits_is_not_queued_twice_and_may_come_forward(queue):
    assert scenes(queue, 1, due_at=50.0) == 1
    assert scenes(queue, 1, 2, due_at=10.0) == 1
    assert scenes(queue, 1, due_at=90.0) == 0
    assert keys(queue.claim(10.0, 10)) == ["scene:1", "scene:2"]
    assert queue.claim(100.0, 10) == []


def test_a_scene_and_a_performer_of_the_same_number_are_two_keys(queue):
    scenes(queue, 7)
    queue.enqueue("performer", [7], "test", 100.0, due_at=AT_ONCE)
    assert keys(queue.claim(100.0, 10)) == ["scene:7", "performer:7"]


def test_an_edit_during_work_adds_a_new_job_that_waits_for_the_running_one(queue):
    scenes(queue, 1)
    (running,) = queue.claim(100.0, 10)
    assert scenes(queue, 1) == 1
    assert queue.claim(100.0, 10) == []
    queue.complete([running])
    assert keys(queue.claim(100.0, 10)) == ["scene:1"]


def test_a_running_job_that_fails_is_superseded_by_the_one_that_waits(queue):
    scenes(queue, 1)
    (running,) = queue.claim(100.0, 10)
    scenes(queue, 1)
    assert queue.retry(running.after_failure("boom", counts=True), 500.0) is False
    (fresh,) = queue.claim(100.0, 10)
    assert (fresh.attempts, fresh.last_error) == (0, "")
    assert queue.size == 0


def test_a_retry_keeps_attempts_and_the_reason(queue):
    scenes(queue, 1)
    (job,) = queue.claim(100.0, 10)
    assert queue.retry(job.after_failure("no answer", counts=True), 105.0) is True
    (again,) = queue.claim(105.0, 10)
    assert (again.attempts, again.last_error, again.reason, again.due_at) == (1, "no answer", "test", 105.0)


def test_sync_all_is_not_lost_in_a_job_that_waits_or_supersedes(queue):
    scenes(queue, 1, 2)
    scenes(queue, 1, verify=True, due_at=50.0)
    one, two = queue.claim(100.0, 10)
    assert (one.verify, two.verify) == (True, False)
    scenes(queue, 1)
    queue.retry(one, 500.0)
    assert queue.claim(100.0, 10)[0].verify is True


def test_claims_of_a_dead_worker_are_taken_back_and_those_of_a_living_one_are_not(queue_dir):
    first = QueueManager(queue_dir)
    scenes(first, 1, 2)
    assert len(first.claim(100.0, 10)) == 2
    scenes(first, 2)  # edited meanwhile: the claim on 2 is superseded
    first.close()

    onlooker = QueueManager(queue_dir)
    assert keys(onlooker.claim(100.0, 10)) == []
    onlooker.close()

    heir = QueueManager.begin(queue_dir, 100.0)
    assert sorted(keys(heir.claim(100.0, 10))) == ["scene:1", "scene:2"]
    heir.close()


def test_a_buried_job_is_in_one_place_and_keeps_its_story(queue):
    scenes(queue, 1)
    (job,) = queue.claim(100.0, 10)
    queue.bury(job.after_failure("title is refused", counts=True), "rejected", "title is refused", "trace", 200.0)
    (letter,) = letters(queue)
    assert (letter.key, letter.kind, letter.sentence, letter.detail) == (
        "scene:1",
        "rejected",
        "title is refused",
        "trace",
    )
    assert (letter.attempts, letter.first_at, letter.last_at) == (1, 200.0, 200.0)
    assert queue.size == 0


def test_a_key_that_fails_again_is_one_dead_letter_with_its_history(queue):
    for moment in (200.0, 300.0):
        scenes(queue, 1)
        (job,) = queue.claim(moment, 10)
        queue.bury(job.after_failure("no", counts=True), "rejected", "no", "", moment)
    (letter,) = letters(queue)
    assert (letter.attempts, letter.first_at, letter.last_at) == (2, 200.0, 300.0)


def test_success_removes_the_older_failure_of_the_same_key(queue):
    scenes(queue, 1)
    (job,) = queue.claim(100.0, 10)
    queue.bury(job, "rejected", "no", "", 100.0)
    scenes(queue, 1)
    queue.complete(queue.claim(100.0, 10))
    assert letters(queue) == []


def test_dead_letters_are_revived_with_all_attempts_before_them(queue):
    scenes(queue, 1, 2)
    for job in queue.claim(100.0, 10):
        queue.bury(job.after_failure("no", counts=True), "rejected", "no", "", 100.0)
    scenes(queue, 2, due_at=900.0)  # one waits already
    with writing(queue._connection):
        assert DeadLetterQueue(queue._connection).revive(100.0) == 2
    jobs = queue.claim(100.0, 10)
    assert sorted(keys(jobs)) == ["scene:1", "scene:2"]
    assert {(job.attempts, job.last_error) for job in jobs} == {(0, "")}
    assert letters(queue) == []


def test_one_dead_letter_is_revived_and_old_ones_are_purged(queue):
    scenes(queue, 1, 2, 3)
    for moment, job in enumerate(queue.claim(100.0, 10)):
        queue.bury(job, "rejected", "no", "", float(moment))
    dead = DeadLetterQueue(queue._connection)
    with writing(queue._connection):
        assert dead.revive(100.0, letter_id=letters(queue)[0].id) == 1
        assert dead.purge(older_than=1.0) == 1
    assert keys(queue.claim(100.0, 10)) == ["scene:3"]
    assert [letter.key for letter in letters(queue)] == ["scene:2"]


def test_what_is_written_together_is_there_together_or_not_at_all(queue_dir):
    connection = connect(queue_dir)
    with pytest.raises(RuntimeError), writing(connection):
        operations.enqueue(connection, "scene", [1, 2], "test", 1.0)
        remember_session(connection, Session("http", "h", 1, "c", 1.0))
        raise RuntimeError
    assert operations.count(connection, 1.0) == {"due": 0, "later": 0, "claimed": 0, "dead": 0}
    assert read_session(connection) is None
    connection.close()


def test_the_newest_session_is_kept_and_an_empty_cookie_does_not_wipe_one(queue_dir):
    connection = connect(queue_dir)
    for session in (Session("http", "0.0.0.0", 9999, "first", 10.0), Session("https", "::", 9998, "", 30.0)):
        with writing(connection):
            remember_session(connection, session)
    kept = read_session(connection)
    assert (kept.scheme, kept.host, kept.port, kept.cookie, kept.seen_at) == ("https", "::", 9998, "first", 30.0)
    assert "first" not in repr(kept)
    connection.close()


def test_a_clock_that_is_set_back_does_not_lock_out_new_sessions(queue_dir):
    connection = connect(queue_dir)
    for session in (Session("http", "h", 1, "future", 2e9), Session("http", "h", 1, "now", 1e9)):
        with writing(connection):
            remember_session(connection, session)
    assert read_session(connection).cookie == "now"
    connection.close()


def test_a_commit_is_on_the_disk_when_it_returns(queue_dir):
    connection = connect(queue_dir)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_due_time_of_a_wrong_clock_is_healed_although_others_wait_rightly(queue):
    scenes(queue, 1, due_at=4_070_908_800.0)
    scenes(queue, 2, due_at=500.0)
    assert queue.next_due_at(100.0) == 100.0
    assert keys(queue.claim(100.0, 10)) == ["scene:1"]
    assert queue.next_due_at(100.0) == 500.0


def test_a_full_comparison_survives_the_death_of_its_worker_and_a_newer_edit(queue):
    scenes(queue, 1, verify=True)
    queue.claim(100.0, 10)
    scenes(queue, 1)
    queue.take_back()
    assert [(job.key, job.verify) for job in queue.claim(100.0, 10)] == [("scene:1", True)]


def test_a_retry_put_off_by_a_wrong_clock_is_healed(queue):
    scenes(queue, 1)
    (job,) = queue.claim(100.0, 1)
    queue.retry(job, 1e9)
    assert queue.next_due_at(200.0) == 200.0
    assert keys(queue.claim(200.0, 1)) == ["scene:1"]


# persist-queue's own verbs


def plain(queue_dir):
    return SQLiteAckQueue(queue_dir, multithreading=True, serializer=persistqueue.serializers.json)


def drain(queue):
    items = []
    while True:
        try:
            items.append(queue.get(block=False))
        except Empty:
            return items
        queue.ack(items[-1])


def test_a_plain_ack_queue_drains_the_same_file(queue_dir):
    ours = QueueManager(queue_dir)
    scenes(ours, 1, 2)
    scenes(ours, 3, due_at=500.0)
    ours.claim(100.0, 1)
    scenes(ours, 1)  # waiting and claimed at once
    ours.close()
    theirs = plain(queue_dir)
    assert sorted(item["id"] for item in drain(theirs)) == [1, 2, 3]
    theirs.close()
    heir = QueueManager.begin(queue_dir, 100.0)  # and what the plain one finished is not found again
    assert heir.claim(1e12, 10) == []
    heir.close()


def test_the_librarys_own_verbs_keep_our_rules(queue):
    for _ in range(2):
        queue.put({"kind": "scene", "id": 1})
    assert queue.qsize() == 1
    item = queue.get(block=False)
    assert (item["kind"], item["id"]) == ("scene", 1)
    with pytest.raises(Empty):
        queue.get(block=False)
    queue.nack(item)
    raw = queue.get(block=False, raw=True)
    queue.ack_failed(raw)
    assert [letter.key for letter in letters(queue)] == ["scene:1"]
    queue.put({"kind": "scene", "id": 2})
    assert drain(queue)[0]["id"] == 2
    assert queue._connection.execute("SELECT count(*) FROM ack_queue_default").fetchone() == (0,)


def test_a_row_that_is_no_job_is_kept_aside_and_stops_nobody(queue_dir):
    theirs = plain(queue_dir)
    for item in ("hello", {"kind": "scene", "id": "x"}, {"kind": "scene", "id": 5}, [1]):
        theirs.put(item)
    theirs.close()
    ours = QueueManager(queue_dir)
    assert keys(ours.claim(100.0, 10)) == ["scene:5"]
    assert {letter.kind for letter in letters(ours)} == {"unreadable"}
    assert len(letters(ours)) == 3
    ours.close()


# Damage


def damage(queue_dir, how):
    path = os.path.join(queue_dir, "data.db")
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        if how == "overwritten":
            file.write(b"this is no database" * 100)
        elif how == "truncated":
            file.truncate(size // 2 + 100)
        else:
            file.seek(4096)
            file.write(os.urandom(size - 4096))


@pytest.mark.parametrize("how", ["overwritten", "truncated", "scribbled over"])
def test_a_damaged_file_is_put_aside_and_everything_is_compared_anew(queue_dir, how, caplog):
    queue = QueueManager(queue_dir)
    scenes(queue, *range(1, 200))
    queue.close()
    damage(queue_dir, how)

    healed = QueueManager.begin(queue_dir, 100.0)

    assert keys(healed.claim(100.0, 10)) == ["all:0"]
    assert "kept as" in healed.notice
    (aside,) = [name for name in os.listdir(queue_dir) if "damaged" in name and not name.endswith(("-wal", "-shm"))]
    assert aside in caplog.text
    healed.close()


def test_the_log_of_a_damaged_file_is_not_replayed_into_the_new_one(queue_dir):
    connection = connect(queue_dir)
    with writing(connection):
        operations.enqueue(connection, "scene", [1], "test", 1.0)
    assert os.path.getsize(os.path.join(queue_dir, "data.db-wal")) > 0
    put_aside(queue_dir, "now")
    connection.close()
    fresh = connect(queue_dir)
    assert operations.count(fresh, 1.0)["due"] == 0
    fresh.close()


def test_a_file_that_is_removed_under_the_worker_is_noticed(queue):
    assert not queue.is_lost()
    os.unlink(queue._file)
    assert queue.is_lost()


def test_a_job_from_elsewhere_is_noticed(queue, queue_dir):
    before = queue.mark()
    assert queue.mark() == before
    connection = connect(queue_dir)
    with writing(connection):
        operations.enqueue(connection, "scene", [1], "test", 1.0)
    connection.close()
    after = queue.mark()
    assert after != before
    scenes(queue, 2)
    assert queue.mark() != after


def test_the_files_are_private(queue, queue_dir):
    scenes(queue, 1)
    for name in os.listdir(queue_dir):
        assert os.stat(os.path.join(queue_dir, name)).st_mode & 0o077 == 0


# Cost. Ratios with a wide margin, on the best of several tries: this is about growth, not about seconds.


def best_claim_seconds(queue, now):
    best = float("inf")
    for _ in range(15):
        start = time.perf_counter()
        jobs = queue.claim(now, 1)
        best = min(best, time.perf_counter() - start)
        queue.retry(jobs[0], AT_ONCE)
    return best


def test_taking_a_job_costs_the_same_from_a_hundred_thousand(tmp_path):
    small, large = QueueManager(str(tmp_path / "small")), QueueManager(str(tmp_path / "large"))
    scenes(small, *range(1, 101))
    scenes(large, *range(1, 100_001))
    assert best_claim_seconds(large, 100.0) < 5 * best_claim_seconds(small, 100.0)
    small.close()
    large.close()


def test_history_leaves_neither_rows_nor_cost_behind(queue, queue_dir):
    scenes(queue, *range(1, 101))
    before = best_claim_seconds(queue, 100.0)
    size_before = os.path.getsize(os.path.join(queue_dir, "data.db"))
    for start in range(1000, 101_000, 2000):
        scenes(queue, *range(start, start + 2000))
        jobs = [job for job in queue.claim(100.0, 3000) if job.id >= 1000]
        queue.complete(jobs)
        with writing(queue._connection):
            operations.take_back(queue._connection)
    assert queue.size == 100
    assert best_claim_seconds(queue, 100.0) < 5 * before
    assert os.path.getsize(os.path.join(queue_dir, "data.db")) < size_before + 2_000_000


def test_a_locked_file_is_waited_for(queue_dir):
    holder = connect(queue_dir)
    holder.execute("BEGIN IMMEDIATE")
    other = connect(queue_dir, busy_seconds=0.1)
    with pytest.raises(sqlite3.OperationalError, match="locked"), writing(other):
        pass
    holder.rollback()
    with writing(other):
        operations.enqueue(other, "scene", [1], "test", 1.0)
    holder.close()
    other.close()
