"""PostgreSQL's own days: restarts, cuts, refusals, another's table, and the database that others have filled before."""

import threading
import time

import psycopg
import pytest

from intake.actions.explain import explain
from intake.store import postgres_store
from intake.store.errors import StoreAway, StoreForeign
from intake.store.migrations import CREATE_QUEUE, MIGRATIONS
from intake.store.port import Offered, Progress
from intake.store.postgres_store import PostgresStore, connect
from intake.store.row import FoundFile, Lane, Status, Step
from tests.support.intake.postgres import PostgresServer
from tests.support.intake.stores import PostgresDatabase, everywhere, next_row, nowhere

FILLED = """INSERT INTO processing_queue
    (file_path, movie_code, actress, status, error_message, new_path, emby_item_id, metadata_json, retry_count,
     next_retry_at) VALUES
    ('/watch/pending.mp4', NULL, NULL, 'pending', NULL, NULL, NULL, NULL, 0, NULL),
    ('/watch/processing.mp4', 'SONE-1', NULL, 'processing', NULL, NULL, NULL, NULL, 0, NULL),
    ('/watch/moved.mp4', 'SONE-2', 'A', 'moved', NULL, '/library/2.mp4', NULL, '{"title": "T"}', 0, NULL),
    ('/watch/asked.mp4', 'SONE-3', 'A', 'emby_pending', NULL, '/library/3.mp4', NULL, '{}', 0, NULL),
    ('/watch/done.mp4', 'SONE-4', 'A', 'completed', NULL, '/library/4.mp4', '77', '{}', 0, NULL),
    ('/watch/unknown.mp4', 'SONE-5', NULL, 'error', 'No metadata found', NULL, NULL, NULL, 2, '2026-01-01'),
    ('/watch/unseen.mp4', 'SONE-6', 'A', 'error', 'Item not indexed', '/library/6.mp4', NULL, '{}', 4, NULL),
    ('/watch/holiday.mp4', NULL, NULL, 'error', 'No movie code found', NULL, NULL, NULL, 3, NULL)
"""

LONG_AGO = "UPDATE processing_queue SET updated_at = '2026-01-01 00:00:00+00'"
TRIGGER_ON = "ALTER TABLE processing_queue ENABLE TRIGGER USER"


def film(name, identity="1:2:3"):
    return FoundFile(f"/watch/{name}.mp4", identity)


@pytest.fixture
def filled(postgres):
    postgres.execute(*CREATE_QUEUE, FILLED, "ALTER TABLE processing_queue DISABLE TRIGGER USER", LONG_AGO, TRIGGER_ON)
    return postgres


def test_a_database_that_others_filled_is_taken_over_as_it_is(filled):
    store = filled.open()
    assert store.counts() == {**dict.fromkeys(Status, 1), Status.ERROR: 3}
    steps = {row.file_path.partition("/watch/")[2]: row.step for row in store.rows()}
    assert steps == {
        "pending.mp4": Step.NEW,
        "processing.mp4": Step.NEW,
        "moved.mp4": Step.PLACED,
        "asked.mp4": Step.PLACED,
        "done.mp4": Step.PICTURED,
        "unknown.mp4": Step.NEW,
        "unseen.mp4": Step.PLACED,
        "holiday.mp4": Step.NEW,
    }
    assert {row.updated_at for row in store.rows()} == {1767225600.0}  # a takeover is no change
    assert store.get(3).metadata_json == '{"title": "T"}'
    assert [store.get(number).error_kind for number in (1, 6, 7, 8)] == ["", "unknown", "not_indexed", "no_code"]
    assert explain(store.get(8), time.time()).sentences[-1] == "Say what it is: intake set-code 8 CODE"


def test_rows_that_were_in_hand_when_the_other_program_ended_go_on(filled):
    store = filled.open()
    assert next_row(store, Lane.FILES, nowhere) is None
    files = [next_row(store, Lane.FILES, everywhere) for _ in range(4)]
    assert [row and row.file_path for row in files] == [
        "/watch/pending.mp4",
        "/watch/processing.mp4",
        "/watch/unknown.mp4",
        None,
    ]
    publish = [next_row(store, Lane.PUBLISH, everywhere) for _ in range(3)]
    assert [row and row.new_path for row in publish] == ["/library/2.mp4", "/library/3.mp4", None]
    assert store.retry(7).status is Status.MOVED


def test_the_name_of_a_row_that_others_finished_may_come_again(filled):
    store = filled.open()
    assert store.offer([film("done"), film("pending")]) == [Offered.NEW, Offered.KNOWN]
    assert store.get(1).host == "nas"


def test_rows_that_others_add_are_work_too(filled):
    store = filled.open()
    store.counts()
    listener = store.listener()
    listener.wait(1)
    filled.execute("INSERT INTO processing_queue (file_path) VALUES ('/watch/theirs.mp4')")
    assert listener.wait(5)
    listener.close()
    assert any(row.file_path == "/watch/theirs.mp4" and row.status is Status.PENDING for row in store.rows())


def test_a_status_that_means_nothing_here_is_said_and_not_guessed(postgres):
    postgres.execute(*CREATE_QUEUE, "INSERT INTO processing_queue (file_path, status) VALUES ('/a', 'paused')")
    row = postgres.open().get(1)
    assert (row.status, row.error_message) == (Status.ERROR, "It had the status paused, which means nothing here.")


def test_migrations_are_done_once_also_by_eight_at_once(postgres):
    processes = [postgres.start_worker("look", f"w{number}") for number in range(8)]
    for process in processes:
        assert process.communicate(timeout=60) == ("rows 0\n", "")
    assert postgres.open().counts()[Status.PENDING] == 0
    applied = postgres.execute("SELECT version FROM intake_migration ORDER BY version")
    assert applied == [(number,) for number in range(1, len(MIGRATIONS) + 1)]


def test_a_migration_that_is_broken_off_leaves_the_table_as_it_was(filled):
    filled.execute("CREATE VIEW on_it AS SELECT movie_code FROM processing_queue")  # no column's type can be changed
    store = filled.open()
    with pytest.raises(StoreAway, match="cannot be used"):
        store.counts()
    assert filled.execute("SELECT count(*) FROM information_schema.columns WHERE column_name = 'lease_until'") == [(0,)]
    filled.execute("DROP VIEW on_it")
    assert store.counts()[Status.ERROR] == 3


def test_a_newer_table_is_left_alone(postgres):
    postgres.open().counts()
    postgres.execute("INSERT INTO intake_migration VALUES (99, now())")
    with pytest.raises(StoreForeign, match="newer version"):
        postgres.open().counts()


def test_another_programs_table_is_left_alone(postgres):
    postgres.execute("CREATE TABLE processing_queue (id INTEGER, subject TEXT)")
    store = postgres.open()
    with pytest.raises(StoreForeign, match=r"lacks actress, created_at, .* Name another database"):
        store.counts()
    assert len(postgres.execute("SELECT 1 FROM information_schema.columns WHERE table_name = 'processing_queue'")) == 2
    postgres.execute("DROP TABLE processing_queue")
    assert store.counts()[Status.PENDING] == 0


def test_connections_that_are_cut_are_made_anew_and_nothing_is_done_twice(postgres):
    store = postgres.open()
    store.offer([film("A")])
    row = next_row(store, Lane.FILES, everywhere)
    postgres.server.cut_connections(postgres.name)
    row = store.save(row, Progress(step=Step.FOUND))
    postgres.server.cut_connections(postgres.name)
    store.place([(row, Progress(step=Step.PLACED))])
    assert store.get(1).status is Status.MOVED
    assert store.get(1).claim_no == 1


def test_a_server_that_is_away_is_an_obstacle_and_not_an_error_of_a_row(monkeypatch):
    with PostgresServer() as server:
        name = server.new_database()
        store = PostgresStore(server.url(name), "nas", "w1")
        store.offer([film("A")])
        server.stop()
        with pytest.raises(StoreAway, match=r"cannot be reached: .* tried again") as away:
            next_row(store, Lane.FILES, everywhere)
        assert "secret" not in str(away.value)
        listener = store.listener()
        assert not listener.wait(0.1)
        server.start()
        assert next_row(store, Lane.FILES, everywhere).claim_no == 1
        assert listener.wait(1)
        listener.close()
        store.close()


def test_a_server_restarted_under_load_loses_no_row_and_doubles_none():
    with PostgresServer("-c fsync=on") as server:
        database = PostgresDatabase(server, None)
        store = database.open()
        store.counts()
        count = 100
        workers = [database.start_worker("offer", f"o{number}", count=count) for number in range(2)]
        workers += [database.start_worker("drain", f"w{number}", patience=4) for number in range(3)]
        for _ in range(3):
            time.sleep(0.7)
            server.restart()
        logs = [process.communicate(timeout=110) for process in workers]
        assert not any(errors for _, errors in logs)
        database.pass_time(61)  # what was claimed by an answer that got lost
        while next_row(store, Lane.FILES, everywhere) or next_row(store, Lane.PUBLISH, everywhere):
            pass
        assert sum(store.counts().values()) == 2 * count
        done = [line for log, _ in logs for line in log.splitlines() if line.startswith("done publish")]
        rows = [line.split()[2] for line in done]
        assert len(rows) == len(set(rows))
        assert len(rows) > 2 * count - 20
        database.close()


def test_a_wrong_password_a_missing_database_and_no_rights_are_told_apart(postgres_server, postgres):
    for url, sentence in (
        (postgres_server.url(postgres.name, password="wrong-word"), "password authentication failed.*DB_PASSWORD"),
        (postgres_server.url("nothing_here"), 'database "nothing_here" does not exist'),
        (f"postgresql://emby@127.0.0.1:{postgres_server.port}/postgres", "Set DB_PASSWORD"),
        ("postgresql://emby:wrong-word@127.0.0.1:1/x", "cannot be reached"),
        ("postgresql://emby:wrong-word@host.invalid:1/x", "cannot be reached"),
        ("postgresql://emby:wrong-word@[::x/y", "cannot be understood"),
    ):
        with pytest.raises(StoreAway, match=sentence) as refused:
            PostgresStore(url, "nas", "w1").counts()
        assert "wrong-word" not in str(refused.value)
    postgres.execute(
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN PASSWORD 'reading'",
        f"REVOKE ALL ON DATABASE {postgres.name} FROM PUBLIC",
        f"GRANT CONNECT ON DATABASE {postgres.name} TO reader",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    )
    with pytest.raises(StoreAway, match="may not do this; let it own the table"):
        PostgresStore(postgres_server.url(postgres.name, "reader", "reading"), "nas", "w1").counts()


def test_no_lock_is_held_while_a_row_is_in_hand(postgres):
    store = postgres.open()
    store.offer([film("A")])
    row = next_row(store, Lane.FILES, everywhere)
    locks = "SELECT count(*) FROM pg_locks WHERE relation = 'processing_queue'::regclass AND pid <> pg_backend_pid()"
    states = (
        "SELECT DISTINCT state FROM pg_stat_activity WHERE application_name = 'stash2plex-intake' AND datname = '{}'"
    )
    assert postgres.execute(locks) == [(0,)]
    assert postgres.execute(states.format(postgres.name)) == [("idle",)]
    store.release(row)


def test_a_table_that_another_program_locks_is_waited_for_and_said(postgres, monkeypatch):
    store = postgres.open()
    store.counts()
    monkeypatch.setattr(postgres_store, "OPTIONS", "-c lock_timeout=100ms")
    store.close()
    with psycopg.connect(postgres.address["url"]) as other:
        other.execute("LOCK TABLE processing_queue IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(StoreAway, match="keeps the table processing_queue locked"):
            next_row(store, Lane.FILES, everywhere)
    assert next_row(store, Lane.FILES, everywhere) is None


def test_two_threads_may_share_a_store(postgres):
    store = postgres.open()
    store.offer([film(str(number), str(number)) for number in range(40)])
    ids = []

    def work():
        while row := next_row(store, Lane.FILES, everywhere):
            ids.append(row.id)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ids) == list(range(1, 41))


@pytest.mark.parametrize("lane", list(Lane))
def test_a_claim_reads_only_what_is_open(postgres, lane):
    store = postgres.open()
    store.counts()
    postgres.execute(
        """INSERT INTO processing_queue (file_path, status, step, host)
           SELECT '/watch/' || n, CASE n % 1000 WHEN 0 THEN 'pending' WHEN 1 THEN 'moved' ELSE 'completed' END,
               CASE n % 1000 WHEN 0 THEN 'new' ELSE 'pictured' END, 'nas' FROM generate_series(1, 50000) n""",
        "ANALYZE processing_queue",
    )
    with psycopg.connect(postgres.address["url"]) as connection:
        values = {"host": "nas", "worker": "w", "lease": 60.0, "id": 0, "limit": 1}
        plan = connection.execute(
            b"EXPLAIN " + postgres_store._in_psycopgs_way(store._sql.claim[lane]), values
        ).fetchall()
    shown = "\n".join(line for (line,) in plan)
    assert "Seq Scan" not in shown
    assert shown.count("Index Scan using queue_") >= 3, shown


def test_what_the_address_itself_says_wins_and_what_it_does_not_say_is_ours(postgres_server):
    name = postgres_server.new_database()
    url = postgres_server.url(name)
    url += ("&" if "?" in url else "?") + "options=-csearch_path%3Demby%20-cstatement_timeout%3D7s&connect_timeout=3"
    with connect(url) as connection:
        shown = {one: connection.execute(f"SHOW {one}").fetchone()[0] for one in ("search_path", "lock_timeout")}
        assert shown == {"search_path": "emby", "lock_timeout": "10s"}
        assert connection.execute("SHOW statement_timeout").fetchone()[0] == "7s"
        assert connection.info.get_parameters()["connect_timeout"] == "3"


def test_a_table_in_a_schema_of_its_own_is_taken_over(postgres_server):
    name = postgres_server.new_database()
    insert = "INSERT INTO processing_queue(file_path) VALUES ('/watch/a.mp4')"
    with connect(postgres_server.url(name)) as connection:
        for statement in ("CREATE SCHEMA emby", "SET search_path = emby", *CREATE_QUEUE, insert):
            connection.execute(statement)
    url = postgres_server.url(name)
    store = PostgresStore(url + ("&" if "?" in url else "?") + "options=-csearch_path%3Demby", "nas", "w")
    assert store.counts()[Status.PENDING] == 1
    store.close()


def test_a_migration_may_take_longer_than_a_claim(postgres_server, monkeypatch):
    monkeypatch.setattr(postgres_store, "MIGRATIONS", (*MIGRATIONS, ("SELECT pg_sleep(1)",)))
    monkeypatch.setattr(postgres_store, "OPTIONS", "-c statement_timeout=300ms")
    store = PostgresStore(postgres_server.url(postgres_server.new_database()), "nas", "w")
    assert sum(store.counts().values()) == 0
    store.close()
