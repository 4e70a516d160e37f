"""What every store promises; each test runs on SQLite and on a real PostgreSQL."""

import signal
import time

import pytest

from intake.store.errors import LeaseLost, RowBusy, RowUnknown
from intake.store.port import LEASE_SECONDS, Offered, Progress, Trouble
from intake.store.row import FoundFile, Lane, Status, Step
from tests.support.intake.stores import everywhere, next_row, nowhere

AFTER_THE_LEASE = LEASE_SECONDS + 1
BUSY = Trouble("outage", "The source does not answer.")
LOST = Trouble("gone", "The file is gone.")


def film(name="SONE-760", identity="1:100:5"):
    return FoundFile(f"/watch/{name}.mp4", identity)


def offered(store, *files):
    return store.offer(files)


def claimed(store, lane=Lane.FILES, sees=everywhere):
    row = next_row(store, lane, sees)
    assert row is not None
    return row


def placed(store, row, identity=""):
    store.place([(row, Progress(step=Step.PLACED, new_path=f"/library/{row.id}.mp4", identity=identity))])


def undone(store, row_id, identity="back"):
    store.mark_undone([(store.take(row_id), identity)], "It was taken back.")


# --- offering -------------------------------------------------------------------------------------------------------


def test_a_file_has_one_row_however_often_it_is_offered(database):
    store = database.open()
    assert offered(store, film(), film("SONE-761", "2:1:1"), film()) == [Offered.NEW, Offered.NEW, Offered.KNOWN]
    assert offered(database.open("w2"), film()) == [Offered.KNOWN]
    assert [row.file_path for row in store.rows()] == ["/watch/SONE-761.mp4", "/watch/SONE-760.mp4"]
    assert {row.status for row in store.rows()} == {Status.PENDING}


def test_another_file_at_the_path_lets_the_row_begin_anew(database):
    store = database.open()
    offered(store, film())
    store.fail(claimed(store), LOST, None, Progress(step=Step.FOUND, movie_code="SONE-760", metadata_json='{"a": 1}'))
    assert offered(store, film(identity="1:200:9")) == [Offered.RENEWED]
    (row,) = store.rows()
    assert (row.status, row.step, row.identity, row.movie_code) == (Status.PENDING, Step.NEW, "1:200:9", "")
    assert (row.error_message, row.metadata_json, row.retry_count) == ("", "", 0)


def test_a_file_replaced_while_a_worker_has_its_row_waits(database):
    store = database.open()
    offered(store, film())
    row = claimed(store)
    assert offered(store, film(identity="1:200:9")) == [Offered.BUSY]
    placed(store, row)
    assert offered(store, film(identity="1:200:9")) == [Offered.NEW]
    assert [row.status for row in store.rows()] == [Status.PENDING, Status.MOVED]


def test_an_announced_move_is_looked_into_before_another_file_counts(database):
    store = database.open()
    offered(store, film())
    row = store.save(claimed(store), Progress(step=Step.PLANNED, plan_json='{"to": "/library"}'))
    store.fail(row, Trouble("full", "The disk is full."), 60)
    assert offered(store, film(identity="1:200:9")) == [Offered.BUSY]
    assert '"/library"' in store.get(row.id).plan_json


def test_the_same_name_downloaded_again_is_a_new_row(database):
    store = database.open()
    offered(store, film())
    placed(store, claimed(store))
    store.complete(claimed(store, Lane.PUBLISH), Progress(step=Step.PICTURED))
    assert offered(store, film()) == [Offered.NEW]
    assert store.counts() == {**dict.fromkeys(Status, 0), Status.COMPLETED: 1, Status.PENDING: 1}


def test_a_file_that_stays_where_it_is_is_done_once(database):
    store = database.open()
    offered(store, film())
    placed(store, claimed(store), identity="1:100:5")  # hard linked or copied
    store.complete(claimed(store, Lane.PUBLISH), Progress(step=Step.PICTURED))
    assert offered(store, film()) == [Offered.KNOWN]
    database.pass_time(10 * 86400)
    assert store.cleanup(7 * 86400) == 1
    assert offered(store, film()) == [Offered.KNOWN]


def test_a_pinned_code_outlives_the_file_it_was_said_of(database):
    store = database.open()
    offered(store, film())
    store.set_code(1, "ABC-123")
    offered(store, film(identity="1:200:9"))
    assert store.get(1).movie_code == "ABC-123"


def test_long_and_odd_texts_are_kept(database):
    store = database.open()
    name = "/watch/" + "女優 🎬 ﷽ 'quoted\" %s :name %(x)s \\" * 6 + ".mp4"
    offered(store, FoundFile(name, "i"))
    row = store.save(claimed(store), Progress(movie_code="X" * 64, actress="ü" * 400, subtitle="English Sub" * 9))
    read = store.get(row.id)
    assert (read.file_path, read.movie_code, read.actress) == (name, "X" * 64, "ü" * 400)


# --- claiming -------------------------------------------------------------------------------------------------------


def test_the_earliest_due_row_is_claimed_first_and_a_waiting_one_holds_up_none(database):
    store = database.open()
    offered(store, film("A", "a"), film("B", "b"), film("C", "c"))
    first = claimed(store)
    assert (first.file_path, first.status, first.claim_no, first.claimed_by) == (
        "/watch/A.mp4",
        Status.PROCESSING,
        1,
        "w1",
    )
    store.postpone(first, 30, BUSY)
    assert claimed(store).file_path == "/watch/B.mp4"
    assert claimed(store).file_path == "/watch/C.mp4"
    assert next_row(store, Lane.FILES, everywhere) is None
    database.pass_time(31)
    assert claimed(store).file_path == "/watch/A.mp4"


@pytest.mark.parametrize("workers", [2, 8])
def test_no_row_is_ever_claimed_by_two(database, workers):
    store = database.open()
    count = 160
    processes = [database.start_worker("drain", f"w{number}", together=True) for number in range(workers)]
    assert {process.stdout.readline() for process in processes} == {"ready\n"}
    offered(store, *(film(f"A-{number}", str(number)) for number in range(count)))
    logs = [process.communicate(timeout=90) for process in processes]
    assert not any(errors for _, errors in logs)
    claims = [line for log, _ in logs for line in log.splitlines() if line.startswith("claimed")]
    assert len(claims) == len(set(claims)) == 2 * count
    assert store.counts()[Status.COMPLETED] == count
    busy = sum("claimed" in log for log, _ in logs)
    assert busy > 1


def test_a_killed_workers_row_is_taken_over_after_its_lease_and_its_late_write_changes_nothing(database):
    store = database.open("w2")
    offered(store, film())
    process = database.start_worker("hold", "w1")
    assert process.stdout.readline() == "claimed 1 1\n"
    dead = store.get(1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert next_row(store, Lane.FILES, everywhere) is None
    database.pass_time(AFTER_THE_LEASE)
    row = claimed(store)
    assert (row.claim_no, row.claimed_by, row.status) == (2, "w2", Status.PROCESSING)
    assert store.renew([dead]) == {1}
    for late in (
        lambda: store.save(dead, Progress(movie_code="WRONG-1")),
        lambda: store.release(dead),
        lambda: store.postpone(dead, 5, BUSY),
        lambda: store.place([(dead, Progress(step=Step.PLACED))]),
        lambda: store.complete(dead, Progress(step=Step.PICTURED)),
        lambda: store.fail(dead, LOST, None),
    ):
        with pytest.raises(LeaseLost):
            late()
    assert store.get(1) == row


def test_what_dead_workers_had_in_hand_is_taken_back_at_once_and_nobody_elses(database):
    store, other = database.open("nas:1:files"), database.open("nas:2:files")
    offered(store, film("A", "a"), film("B", "b"))
    dead, alive = claimed(store), claimed(other)
    assert store.take_back("nas:1:") == 1
    assert claimed(store).id == dead.id
    assert next_row(store, Lane.FILES, everywhere) is None
    assert other.renew([alive]) == frozenset()


def test_a_renewed_lease_holds(database):
    store = database.open()
    offered(store, film())
    row = claimed(store)
    database.pass_time(LEASE_SECONDS - 5)
    assert store.renew([row]) == frozenset()
    database.pass_time(LEASE_SECONDS - 5)
    assert next_row(store, Lane.FILES, everywhere) is None
    assert store.save(row, Progress(step=Step.NAMED)).step is Step.NAMED


def test_an_owner_whose_lease_ran_out_unnoticed_may_still_finish(database):
    store = database.open()
    offered(store, film())
    row = claimed(store)
    database.pass_time(AFTER_THE_LEASE)
    placed(store, row)
    assert store.get(row.id).status is Status.MOVED


def test_what_is_released_or_postponed_costs_nothing(database):
    store = database.open()
    offered(store, film())
    store.release(claimed(store))
    row = claimed(store)
    store.postpone(row, 30, BUSY, Progress(attempts=2))
    row = store.get(row.id)
    assert (row.status, row.retry_count, row.attempts) == (Status.PENDING, 0, 2)
    assert (row.error_kind, row.error_message) == ("outage", "The source does not answer.")
    assert 25 < row.due_at - row.updated_at <= 31
    assert 25 < store.next_due_in(Lane.FILES) <= 30


def test_a_failure_is_tried_again_at_its_time_and_where_it_stopped(database):
    store = database.open()
    offered(store, film())
    store.fail(claimed(store), LOST, 60, Progress(step=Step.FOUND))
    row = store.get(1)
    assert (row.status, row.retry_count, row.error_kind, row.claimed_by) == (Status.ERROR, 1, "gone", "")
    assert 50 < row.next_retry_at - row.updated_at <= 61
    assert next_row(store, Lane.FILES, everywhere) is None
    assert 50 < store.next_due_in(Lane.FILES) <= 60
    assert store.next_due_in(Lane.PUBLISH) is None
    database.pass_time(61)
    row = claimed(store)
    assert (row.step, row.status) == (Step.FOUND, Status.PROCESSING)
    placed(store, row)
    store.fail(claimed(store, Lane.PUBLISH), LOST, 60)
    database.pass_time(61)
    assert next_row(store, Lane.FILES, everywhere) is None
    assert claimed(store, Lane.PUBLISH).status is Status.EMBY_PENDING


def test_a_failure_for_a_person_waits_for_one(database):
    store = database.open()
    offered(store, film())
    store.fail(claimed(store), LOST, None, Progress(candidates_json='["a", "b"]'))
    database.pass_time(1e7)
    assert next_row(store, Lane.FILES, everywhere) is None
    assert store.next_due_in(Lane.FILES) is None
    assert store.get(1).candidates_json == '["a", "b"]'


def test_late_pictures_do_not_take_a_row_out_of_completed(database):
    store = database.open()
    offered(store, film())
    placed(store, claimed(store))
    row = store.save(claimed(store, Lane.PUBLISH), Progress(step=Step.WRITTEN, emby_item_id="77"))
    store.complete(row, Progress(), pictures_in=60)
    assert next_row(store, Lane.PUBLISH, everywhere) is None
    database.pass_time(61)
    row = claimed(store, Lane.PUBLISH)
    assert (row.status, row.step) == (Status.COMPLETED, Step.WRITTEN)
    assert next_row(store, Lane.PUBLISH, everywhere) is None
    store.release(row)
    assert store.get(1).status is Status.COMPLETED
    store.complete(claimed(store, Lane.PUBLISH), Progress(step=Step.PICTURED))
    database.pass_time(1e6)
    assert next_row(store, Lane.PUBLISH, everywhere) is None


def test_a_note_says_why_a_row_is_complete(database):
    store = database.open()
    offered(store, film())
    placed(store, claimed(store))
    store.complete(claimed(store, Lane.PUBLISH), Progress(), note=Trouble("no_server", "No server is set."))
    assert store.get(1).error_message == "No server is set."


def test_a_clock_that_is_set_back_delays_nothing_and_doubles_nothing(database):
    store = database.open()
    offered(store, film("A", "a"), film("B", "b"))
    row = claimed(store)
    store.postpone(claimed(store), 1, BUSY)
    database.set_clock_back(86400)
    assert offered(store, film("C", "c")) == [Offered.NEW]
    assert claimed(store).file_path == "/watch/C.mp4"
    assert next_row(store, Lane.FILES, everywhere) is None
    time.sleep(1.1)
    assert claimed(store).file_path == "/watch/B.mp4"
    assert store.renew([row]) == frozenset()
    database.pass_time(AFTER_THE_LEASE)
    assert {claimed(store).id for _ in range(3)} == {1, 2, 3}


# --- hosts ----------------------------------------------------------------------------------------------------------


def test_a_row_is_claimed_only_where_its_file_is_seen(database):
    nas, laptop = database.open("w1", "nas"), database.open("w2", "laptop")
    offered(nas, film())
    assert next_row(laptop, Lane.FILES, nowhere) is None
    assert claimed(nas).host == "nas"
    database.pass_time(AFTER_THE_LEASE)
    assert claimed(laptop, sees=lambda row: row.file_path == "/watch/SONE-760.mp4").claim_no == 2


def test_rows_that_cannot_be_seen_hide_none_that_can(database):
    nas, laptop = database.open("w1", "nas"), database.open("w2", "laptop")
    offered(nas, *(film(f"A-{number}", str(number)) for number in range(120)))
    wanted = "/watch/A-110.mp4"
    found = [next_row(laptop, Lane.FILES, lambda row: row.file_path == wanted) for _ in range(3)]
    assert [row.file_path for row in found if row] == [wanted]


def test_a_file_that_two_hosts_see_is_one_row_and_two_files_of_one_path_are_two(database):
    nas, laptop = database.open("w1", "nas"), database.open("w2", "laptop")
    assert offered(nas, film()) == [Offered.NEW]
    assert offered(laptop, film()) == [Offered.KNOWN]
    assert offered(laptop, film(identity="9:9:9")) == [Offered.NEW]
    assert claimed(laptop, sees=nowhere).identity == "9:9:9"
    assert next_row(laptop, Lane.FILES, nowhere) is None


def test_a_row_without_a_host_is_whose_file_it_is(database):
    store = database.open()
    offered(store, film())
    database.execute("UPDATE processing_queue SET host = '', identity = ''")
    assert next_row(store, Lane.FILES, nowhere) is None
    assert offered(store, film()) == [Offered.KNOWN]
    assert (store.get(1).host, store.get(1).identity) == ("nas", "1:100:5")
    assert claimed(store, sees=nowhere).id == 1


# --- a person -------------------------------------------------------------------------------------------------------


def test_retry_gives_all_tries_back_and_goes_on_where_it_stopped(database):
    store = database.open()
    offered(store, film())
    placed(store, claimed(store))
    for _ in range(4):
        store.fail(claimed(store, Lane.PUBLISH), LOST, 0)
    assert store.get(1).retry_count == 4
    row = store.retry(1)
    assert (row.status, row.step, row.retry_count, row.error_message) == (Status.MOVED, Step.PLACED, 0, "")
    assert claimed(store, Lane.PUBLISH).id == 1


def test_retry_all_means_all_but_what_was_undone(database):
    store = database.open()
    offered(store, *(film(f"A-{number}", str(number)) for number in range(70)))
    for number in range(70):
        row = claimed(store)
        if number % 2:
            store.fail(row, LOST, None)
        else:
            placed(store, row)
            store.fail(claimed(store, Lane.PUBLISH), LOST, None)
    undone(store, 70)
    assert store.retry_all() == 69
    assert store.counts() == {**dict.fromkeys(Status, 0), Status.PENDING: 34, Status.MOVED: 35, Status.ERROR: 1}


def test_what_a_worker_has_in_hand_is_not_taken_from_it(database):
    store = database.open()
    offered(store, film())
    row = claimed(store)
    for wish in (store.retry, store.reset, store.take, lambda one: store.set_code(one, "A-1")):
        with pytest.raises(RowBusy, match="w1 has row 1 in hand"):
            wish(1)
    assert store.get(1) == row
    database.pass_time(AFTER_THE_LEASE)
    store.reset(1)
    with pytest.raises(LeaseLost):
        placed(store, row)


def test_reset_begins_anew_and_remembers_where_the_file_was_put(database):
    store = database.open()
    offered(store, film())
    placed(store, claimed(store))
    store.complete(claimed(store, Lane.PUBLISH), Progress(step=Step.PICTURED))
    row = store.reset(1)
    assert (row.status, row.step, row.new_path) == (Status.PENDING, Step.NEW, "/library/1.mp4")


def test_a_code_that_a_person_gives_is_pinned(database):
    store = database.open()
    offered(store, film())
    store.fail(claimed(store), LOST, None, Progress(candidates_json='["x"]'))
    row = store.set_code(1, "ABC-123")
    assert (row.status, row.step, row.movie_code, row.is_pinned) == (Status.PENDING, Step.NEW, "ABC-123", True)
    assert (row.candidates_json, row.error_message) == ("", "")


def test_what_was_undone_stays_until_a_person_wants_it_again(database):
    store = database.open()
    offered(store, film())
    placed(store, claimed(store))
    store.complete(claimed(store, Lane.PUBLISH), Progress(step=Step.PICTURED))
    undone(store, 1, "1:100:5")
    assert offered(store, film()) == [Offered.KNOWN]
    database.pass_time(1e6)
    assert next_row(store, Lane.FILES, everywhere) is None
    row = store.retry(1)
    assert (row.status, row.step, row.new_path) == (Status.PENDING, Step.NEW, "")


def test_what_a_person_takes_stays_where_it_is_and_is_no_workers(database):
    store = database.open()
    offered(store, film())
    row = store.take(1)
    assert (row.status, row.claim_no) == (Status.PENDING, 1)
    with pytest.raises(RowBusy):
        store.retry(1)
    store.let_go(row)
    assert claimed(store).claim_no == 2


def test_files_that_belong_together_are_taken_together_or_not_at_all(database):
    store, other = database.open(), database.open("w2")
    offered(store, *(film(name, name) for name in "ABC"))
    first, second = claimed(store), claimed(other)
    with pytest.raises(RowBusy):
        store.claim_beside(["/watch/C.mp4", second.file_path])
    with pytest.raises(RowBusy):
        store.claim_beside(["/watch/C.mp4", "/watch/never-offered.mp4"])
    assert store.get(3).status is Status.PENDING
    other.fail(second, LOST, None)
    rows = [first, *store.claim_beside(["/watch/B.mp4", "/watch/C.mp4"])]
    assert [row.status for row in rows] == [Status.PROCESSING] * 3
    planned = Progress(step=Step.PLANNED, plan_json='{"a": 1}')
    rows = store.save_all([(row, planned) for row in rows])
    assert {row.plan_json for row in store.rows()} == {'{"a": 1}'}
    database.pass_time(AFTER_THE_LEASE)
    claimed(other)
    with pytest.raises(LeaseLost):
        store.place([(row, Progress(step=Step.PLACED)) for row in rows])
    assert {row.status for row in store.rows()} == {Status.PROCESSING}


def test_cleanup_takes_only_old_and_finished_rows_and_keeps_what_identifies_the_file(database):
    store = database.open()
    offered(store, *(film(name, name) for name in "ABC"))
    for _ in range(2):
        placed(store, store.save(claimed(store), Progress(metadata_json='{"title": "x"}', plan_json='{"to": 1}')))
        store.complete(claimed(store, Lane.PUBLISH), Progress(step=Step.PICTURED))
    database.pass_time(8 * 86400)
    store.reset(1)
    assert store.cleanup(7 * 86400) == 1
    assert store.cleanup(7 * 86400) == 0
    assert sorted(row.id for row in store.rows()) == [1, 3]
    assert sum(store.counts().values()) == 2
    old = store.get(2)
    assert (old.file_path, old.new_path, old.metadata_json) == ("/watch/B.mp4", "/library/2.mp4", "")
    assert old.plan_json == '{"to": 1}'


def test_an_unknown_row_is_named(database):
    store = database.open()
    for ask in (store.get, store.retry, store.reset):
        with pytest.raises(RowUnknown, match="no row 4711"):
            ask(4711)


def test_rows_are_listed_by_status_the_newest_first(database):
    store = database.open()
    offered(store, *(film(name, name) for name in "ABCD"))
    store.fail(claimed(store), LOST, None)
    assert [row.id for row in store.rows(limit=3)] == [4, 3, 2]
    assert [row.id for row in store.rows(Status.ERROR)] == [1]
    assert store.rows(Status.COMPLETED) == []


# --- waking ---------------------------------------------------------------------------------------------------------


def test_a_listener_hears_of_new_work(database):
    store, other = database.open(), database.open("w2")
    offered(store, film("A", "a"))
    listener = store.listener()
    try:
        listener.wait(1)
        while listener.wait(0.2):
            pass
        offered(other, film("B", "b"))
        began = time.monotonic()
        assert listener.wait(30)
        assert time.monotonic() - began < 15
        assert not listener.wait(0.2)
        placed(other, claimed(other))
        assert listener.wait(5)
    finally:
        listener.close()


def test_folders_that_were_made_are_known_until_they_are_forgotten(database):
    store = database.open()
    store.offer([FoundFile("/watch/a.mp4", "1:1:1")])
    row = next_row(store, Lane.FILES)
    store.save_all([(row, Progress(step=Step.PLANNED))], {"/library/A", "/library/A/B"})
    other = database.open("w2", "laptop")
    assert other.made_folders({"/library/A", "/library/A/B", "/library/C"}) == {"/library/A", "/library/A/B"}
    other.forget_folders(["/library/A/B", "/library/C"])
    assert store.made_folders({"/library/A", "/library/A/B"}) == {"/library/A"}
    store.save_all([], {"/library/A"})
    assert store.made_folders({"/library/A"}) == {"/library/A"}


def test_what_was_handed_back_is_not_leased_again_by_a_late_renewal(database):
    """A lane holds a batch until its last row is done; those before it are free, and must stay so."""
    store = database.open()
    offered(store, film("a"), film("b"), film("c"))
    done, waiting, held = store.claim(Lane.FILES, everywhere, 3)
    store.place([(done, Progress(step=Step.PLACED, new_path="/library/a", identity=""))])
    store.postpone(waiting, 60, Trouble("source_away", "Nothing answers."))
    assert store.renew([done, waiting, held]) == frozenset()
    assert [store.get(one.id).lease_until is None for one in (done, waiting, held)] == [True, True, False]
    store.retry(waiting.id)
    assert store.renew([waiting]) == {waiting.id}


def test_a_row_that_was_withdrawn_is_gone_and_a_late_worker_withdraws_nothing(database):
    store, other = database.open(), database.open("w2")
    offered(store, film("a"))
    late = claimed(store)
    database.pass_time(LEASE_SECONDS + 1)
    row = claimed(other)
    store.withdraw(late)
    assert other.get(row.id).status is Status.PROCESSING
    other.withdraw(row)
    with pytest.raises(RowUnknown):
        other.get(row.id)
