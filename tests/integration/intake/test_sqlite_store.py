"""The store in a file: private, healed, and quick however much is finished."""

import os
import stat

import pytest

from intake.store import sqlite_store
from intake.store.errors import LeaseLost, StoreAway, StoreForeign
from intake.store.port import Offered, Progress
from intake.store.row import FoundFile, Lane
from intake.store.sqlite_store import FILE_NAME, SCHEMA_VERSION, put_aside_if_damaged
from tests.support.intake.stores import everywhere, next_row
from tests.support.machine.small_disk import fill, small_disk


def film(name):
    return FoundFile(f"/watch/{name}.mp4", name)


def test_the_file_is_its_owners_alone(sqlite):
    old = os.umask(0)
    try:
        sqlite.open().offer([film("A")])
    finally:
        os.umask(old)
    assert stat.S_IMODE(os.stat(sqlite.folder).st_mode) == 0o700
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in os.scandir(sqlite.folder)} == {0o600}


def test_a_damaged_file_is_put_aside_by_the_service_and_said_by_others(sqlite):
    store = sqlite.open()
    store.offer([film(str(number)) for number in range(300)])
    assert put_aside_if_damaged(sqlite.folder, "now") is None
    store.close()
    path = os.path.join(sqlite.folder, FILE_NAME)
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 20_000)
    with pytest.raises(StoreAway, match="damaged; restart the service"):
        store.rows()
    assert put_aside_if_damaged(sqlite.folder, "now") == f"{path}.damaged-now"
    assert store.offer([film("A")]) == [Offered.NEW]


def test_a_file_that_is_removed_is_begun_anew_and_no_claim_outlives_it(sqlite):
    store = sqlite.open()
    store.offer([film("A")])
    row = next_row(store, Lane.FILES, everywhere)
    for name in os.listdir(sqlite.folder):
        os.unlink(os.path.join(sqlite.folder, name))
    with pytest.raises(LeaseLost):
        store.save(row, Progress(movie_code="A-1"))
    assert store.offer([film("A")]) == [Offered.NEW]


def test_a_file_of_a_newer_version_is_left_alone(sqlite):
    sqlite.open().counts()
    sqlite.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(StoreForeign, match="newer version"):
        sqlite.open("w2").counts()


def test_an_old_sqlite_is_named(sqlite, monkeypatch):
    monkeypatch.setattr(sqlite_store, "OLDEST_SQLITE", (99, 0, 0))
    with pytest.raises(StoreForeign, match="newer Python"):
        sqlite.open().counts()


@pytest.mark.mounts
def test_a_full_disk_is_said_and_work_resumes_by_itself(tmp_path):
    with small_disk(tmp_path / "disk", size="4m") as disk:
        store = sqlite_store.SqliteStore(str(disk / "intake"), "nas", "w1")
        store.offer([film("A")])
        row = next_row(store, Lane.FILES, everywhere)
        filler = fill(disk)
        with pytest.raises(StoreAway, match="the disk is full; free some space"):
            for number in range(2000):
                store.save(row, Progress(metadata_json='{"n": "' + str(number) * 2000 + '"}'))
        filler.unlink()
        store.place([(row, Progress(new_path="/library/A.mp4"))])
        store.close()


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreAway, match="cannot be used: Not a directory"):
        sqlite_store.SqliteStore(str(tmp_path / "file" / "intake"), "nas", "w1").counts()


@pytest.mark.parametrize("lane", list(Lane))
def test_a_claim_reads_only_what_is_open(sqlite, lane):
    store = sqlite.open()
    store.counts()
    values = {"host": "nas", "worker": "w", "lease": 60.0, "id": 0, "limit": 1, "now": 0.0}
    connection = store._connected()
    plan = [line[3] for line in connection.execute("EXPLAIN QUERY PLAN " + store._sql.claim[lane], values)]
    reads = [line for line in plan if line.startswith(("SEARCH processing_queue", "SCAN processing_queue"))]
    assert len(reads) > 3
    assert all("INDEX queue_" in line or "INTEGER PRIMARY KEY" in line for line in reads), plan
    waits = [line[3] for line in connection.execute("EXPLAIN QUERY PLAN " + store._sql.next_due[lane], values)]
    assert not any(line.startswith("SCAN processing_queue") for line in waits), waits


def test_a_file_of_the_first_version_is_brought_up_to_date(sqlite):
    store = sqlite.open()
    store.offer([FoundFile("/watch/a.mp4", "1:1:1")])
    sqlite.execute("DROP TABLE intake_folder", "PRAGMA user_version = 1")
    store = sqlite.open()
    assert [row.file_path for row in store.rows()] == ["/watch/a.mp4"]
    assert store.made_folders({"/library"}) == frozenset()
    assert sqlite.execute("PRAGMA user_version") == [(SCHEMA_VERSION,)]
