"""The ledger on real files: what it records holds together, survives damage and does not slow down."""

import os
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest

from ledger.baseline import Baseline
from ledger.database.ledger_file import SCHEMA_VERSION, connect
from ledger.index_store import IndexStore
from ledger.journal import UNDONE_KEPT_SECONDS, entry_to_json
from ledger.records import (
    ItemRecord,
    ItemSync,
    JournalEntry,
    JournalSlice,
    PictureRecord,
    Run,
    RunSummary,
    UndoneItem,
    UnfinishedPicture,
    UnfinishedWrite,
)
from ledger.states import PictureState, SceneState
from ledger.store import Ledger
from runtime.database import put_aside

ROOT = Path(__file__).parents[2]
CLOSES = "from ledger.store import Ledger; Ledger({path!r}).close()"
BASELINE = Baseline({"title": "Night"}, {"tags": ("b", 'a "quoted", 夜')})


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "ledger.db")


@pytest.fixture
def ledger(path):
    ledger = Ledger(path)
    yield ledger
    ledger.close()


@pytest.fixture
def run_id(ledger):
    return ledger.journal.begin_run("sync", 1.0)


def title(old, new, **others):
    return JournalEntry(field="title", kind="scalar", old=old, new=new, **others)


def sync(ledger, scene_id, run_id, *entries, now=10.0, **others):
    values = {"item_id": 700 + scene_id, "server_id": "m", "path": f"/plex/{scene_id}.mp4", "fingerprint": "f"}
    values |= {"baseline": BASELINE} | others
    ledger.record_syncs([ItemSync(scene_id=scene_id, **values, entries=entries)], run_id=run_id, now=now)


def picture(ledger, state=PictureState.SHOWN, *, in_run=None, **others):
    """Record a poster; one that was shown in a run has replaced another."""
    values = {"item_id": 5, "server_id": "m", "stamp": "t1", "digest": "d1", "key": "upload://1", "sentence": ""}
    record = PictureRecord(1, "thumb", **values | others, state=state, at=4.0)
    place = {"scene_id": 1, "item_id": record.item_id, "server_id": "m", "kind": "thumb"}
    intent = UnfinishedPicture(**place, digest="d1", old="/old", old_locked=False, was_ours=False)
    arrived = [(intent, record.key)] if in_run else []
    ledger.record_pictures([record], arrived, run_id=in_run or 0, now=4.0)


# --- scenes -----------------------------------------------------------------------------------------------------


def test_an_unknown_scene_is_nothing(ledger):
    assert ledger.scenes.get(1) is None
    assert ledger.scenes.of([1, 2]) == {}
    assert ledger.scenes.of([]) == {}


def test_what_a_sync_records_is_read_back_through_another_connection(ledger, run_id, path):
    sync(ledger, 1, run_id, title("", "Night"))
    other = Ledger(path)
    record = other.scenes.get(1)
    other.close()
    assert record is not None
    assert record.state is SceneState.SYNCED
    assert (record.item_id, record.server_id, record.path, record.fingerprint) == ("701", "m", "/plex/1.mp4", "f")
    assert (record.recorded_at, record.synced_at) == (10.0, 10.0)
    assert record.baseline == BASELINE


def test_a_sync_that_wrote_nothing_is_recorded_all_the_same(ledger, run_id):
    sync(ledger, 1, run_id)
    assert ledger.scenes.get(1).state is SceneState.SYNCED
    assert ledger.journal.entries() == []


def test_an_error_in_the_middle_of_a_sync_leaves_the_old_record_and_no_entries(ledger, run_id):
    sync(ledger, 1, run_id, title("", "Night"))
    before = (ledger.scenes.get(1), ledger.journal.entries())
    ledger._db._connection.execute(
        "CREATE TRIGGER broken BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'no'); END"
    )
    with pytest.raises(sqlite3.IntegrityError):
        sync(ledger, 1, run_id, title("Night", "Day"), baseline=Baseline(), fingerprint="g", now=20.0)
    assert (ledger.scenes.get(1), ledger.journal.entries()) == before
    ledger._db._connection.execute("DROP TRIGGER broken")
    sync(ledger, 1, run_id, title("Night", "Day"), now=30.0)
    assert ledger.scenes.get(1).recorded_at == 30.0


def test_an_entry_needs_a_run_to_be_undone_with(ledger):
    with pytest.raises(sqlite3.IntegrityError):
        sync(ledger, 1, 99, title("", "Night"))
    assert ledger.scenes.get(1) is None


def test_a_recorded_sync_is_on_the_disk(ledger):
    full = 2
    assert ledger._db._connection.execute("PRAGMA synchronous").fetchone()[0] == full
    assert ledger._db._connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_a_state_asks_for_another_look_and_keeps_item_and_baseline(ledger, run_id):
    sync(ledger, 1, run_id)
    ledger.scenes.record_state(1, SceneState.FAILED, "Plex says no.", 20.0)
    record = ledger.scenes.get(1)
    assert (record.state, record.sentence, record.fingerprint) == (SceneState.FAILED, "Plex says no.", "")
    assert (record.item_id, record.baseline, record.synced_at) == ("701", BASELINE, 10.0)


def test_a_scene_that_was_never_synced_can_have_a_state(ledger):
    ledger.scenes.record_state(1, SceneState.WAITING, "Not in Plex yet.", 20.0)
    record = ledger.scenes.get(1)
    assert (record.state, record.item_id, record.synced_at) == (SceneState.WAITING, None, None)
    assert (record.fingerprint, record.baseline) == ("", Baseline())


def test_a_sync_ends_every_other_state(ledger, run_id):
    ledger.scenes.record_state(1, SceneState.WAITING, "Not in Plex yet.", 5.0)
    sync(ledger, 1, run_id)
    assert (ledger.scenes.get(1).state, ledger.scenes.get(1).sentence) == (SceneState.SYNCED, "")


def test_a_state_that_nobody_knows_cannot_be_stored(ledger):
    with pytest.raises(sqlite3.IntegrityError):
        ledger.scenes.record_state(1, "unheard of", "", 1.0)
    with pytest.raises(sqlite3.IntegrityError):
        picture(ledger, "unheard of")


def test_a_forgotten_scene_leaves_its_entries_and_what_was_written_to_its_item(ledger, run_id):
    sync(ledger, 1, run_id, title("", "Night"))
    ledger.pins.set(1, "5", "m")
    picture(ledger)
    ledger.scenes.forget(1)
    assert ledger.scenes.get(1) is None
    assert ledger.pins.of([1]) == {1: "5"}  # a person's choice: Stash may only have opened another database
    assert ledger.pictures.get(1, "thumb") is None
    assert ledger.items.get("701", "m") == ItemRecord("701", "m", "/plex/1.mp4", BASELINE, 10.0)
    assert ledger.items.get("701", "another server") is None
    assert len(ledger.journal.entries(scene_id=1)) == 1


def test_what_is_ours_on_an_item_is_known_to_every_scene_that_is_on_it(ledger, run_id):
    sync(ledger, 1, run_id, item_id="42")
    ledger.scenes.record_state(1, SceneState.WAITING, "Not in Plex yet.", 20.0)
    later = Baseline({"title": "Day"})
    sync(ledger, 2, run_id, item_id="42", baseline=later, now=30.0)
    assert ledger.scenes.get(1).baseline == ledger.scenes.get(2).baseline == later


def test_a_scene_that_moves_to_another_item_leaves_behind_what_it_wrote_to_the_first(ledger, run_id):
    sync(ledger, 1, run_id, item_id="42")
    sync(ledger, 1, run_id, item_id="43", baseline=Baseline())
    assert ledger.items.get("42", "m").baseline == BASELINE
    assert ledger.scenes.get(1).baseline == Baseline()


def test_judgements_come_in_pages_that_miss_nothing(ledger, run_id):
    for scene_id in (7, 3, 11, 5):
        sync(ledger, scene_id, run_id, fingerprint=f"f{scene_id}")
    ledger.scenes.record_state(5, SceneState.WAITING, "Not in Plex yet.", 20.0)
    first = ledger.sweep_records(0, 99, 3)
    assert [(one.scene_id, one.state, one.fingerprint, one.recorded_at) for one in first] == [
        (3, SceneState.SYNCED, "f3", 10.0),
        (5, SceneState.WAITING, "", 20.0),
        (7, SceneState.SYNCED, "f7", 10.0),
    ]
    assert [one.scene_id for one in ledger.sweep_records(7, 99, 3)] == [11]
    assert [one.scene_id for one in ledger.sweep_records(0, 5, 3)] == [3, 5]
    assert ledger.sweep_records(11, 99, 3) == []


def test_a_judgement_knows_the_covers_of_the_item_the_scene_is_synced_to(ledger, run_id):
    sync(ledger, 1, run_id)
    sync(ledger, 2, run_id)
    picture(ledger, item_id="701", server_id="m", stamp="scene/1/screenshot?t=1")
    assert [one.covers for one in ledger.sweep_records(0, 99, 3)] == [{"thumb": "scene/1/screenshot?t=1"}, {}]
    picture(ledger, item_id="5", server_id="m")
    assert [one.covers for one in ledger.sweep_records(0, 99, 3)] == [{}, {}]


def test_a_state_can_carry_the_fingerprint_it_was_judged_by(ledger, run_id):
    ledger.scenes.record_state(1, SceneState.SKIPPED, "Not organized.", 20.0, fingerprint="judged")
    assert ledger.scenes.get(1).fingerprint == "judged"
    ledger.scenes.record_state(1, SceneState.REFUSED, "No title.", 20.0, fingerprint="again")
    assert ledger.scenes.get(1).fingerprint == "again"


def test_states_are_counted_and_listed_in_pages(ledger, run_id):
    for scene_id in range(1, 6):
        ledger.scenes.record_state(scene_id, SceneState.WAITING, "Not in Plex yet.", 1.0)
    sync(ledger, 3, run_id)
    counts = ledger.scenes.counts()
    assert (counts[SceneState.WAITING], counts[SceneState.SYNCED], counts[SceneState.FAILED]) == (4, 1, 0)
    assert [record.scene_id for record in ledger.scenes.by_state(SceneState.WAITING, 2)] == [1, 2]
    assert [record.scene_id for record in ledger.scenes.by_state(SceneState.WAITING, 9, after_id=2)] == [4, 5]


def test_an_item_belongs_to_the_scene_that_was_synced_to_it_on_this_server(ledger, run_id):
    sync(ledger, 1, run_id, item_id="42")
    assert ledger.scenes.holders(["42", "43"], "m") == {"42": 1}
    assert ledger.scenes.holders(["42", "43"], "another server") == {}
    sync(ledger, 2, run_id, item_id="42")
    assert ledger.scenes.holders(["42"], "m") == {"42": 2}


def test_a_scene_whose_item_became_anothers_is_looked_at_again(ledger, run_id):
    sync(ledger, 1, run_id, item_id="42")
    sync(ledger, 3, run_id, item_id="43")
    sync(ledger, 2, run_id, item_id="42")
    assert [ledger.scenes.get(one).fingerprint for one in (1, 2, 3)] == ["", "f", "f"]


@pytest.mark.parametrize(
    ("state", "holds"),
    [
        (SceneState.FAILED, True),
        (SceneState.REFUSED, True),
        (SceneState.WAITING, False),
        (SceneState.SKIPPED, False),
        (SceneState.UNDONE, True),
    ],
)
def test_a_failed_write_or_an_undo_gives_no_item_away_but_a_lost_match_does(ledger, run_id, state, holds):
    sync(ledger, 1, run_id, item_id="42")
    ledger.scenes.record_state(1, state, "For a reason.", 20.0)
    assert ledger.scenes.holders(["42"], "m") == ({"42": 1} if holds else {})


def test_a_pin_is_kept_until_it_is_taken_out_and_asks_for_another_look(ledger, run_id):
    sync(ledger, 1, run_id)
    ledger.pins.set(1, "5", "m")
    ledger.pins.set(2, "6", "m")
    ledger.pins.set(1, "7", "m")
    assert ledger.pins.of([1, 2, 3]) == ledger.pins.of([1, 2, 3], "m") == {1: "7", 2: "6"}
    assert ledger.pins.of([1, 2, 3], "another server") == {}
    assert ledger.scenes.get(1).fingerprint == ""
    sync(ledger, 1, run_id)
    ledger.pins.remove(1)
    assert ledger.pins.of([1, 2, 3]) == {2: "6"}
    assert ledger.scenes.get(1).fingerprint == ""


def test_small_values_are_kept_and_replaced(ledger):
    assert ledger.values.get("path_map") is None
    ledger.values.set("path_map", "/a=>/b")
    ledger.values.set("path_map", "/a=>/c")
    assert ledger.values.get("path_map") == "/a=>/c"


# --- the journal ------------------------------------------------------------------------------------------------


def test_an_entry_comes_back_as_it_was_written_with_where_and_when(ledger, run_id):
    tags = JournalEntry(field="tags", kind="set", old=(), new=("b", "a"), old_locked=True, was_ours=True)
    sync(ledger, 1, run_id, title("Ä\n", "夜"), tags)
    place = {"run_id": run_id, "scene_id": 1, "item_id": "701", "server_id": "m", "at": 10.0}
    found = ledger.journal.entries()
    assert [replace(entry, id=0) for entry in found] == [replace(tags, **place), title("Ä\n", "夜", **place)]
    assert found[0].id > found[1].id


def test_entries_are_listed_by_run_and_by_scene_the_newest_first(ledger, run_id):
    later = ledger.journal.begin_run("undo", 2.0)
    sync(ledger, 1, run_id, title("", "a"))
    sync(ledger, 2, run_id, title("", "b"))
    sync(ledger, 1, later, title("a", "c"))
    assert [entry.new for entry in ledger.journal.entries()] == ["c", "b", "a"]
    assert [entry.new for entry in ledger.journal.entries(run_id=run_id)] == ["b", "a"]
    assert [entry.new for entry in ledger.journal.entries(scene_id=1)] == ["c", "a"]
    assert [entry.new for entry in ledger.journal.entries(run_id=run_id, scene_id=1)] == ["a"]


def undo(ledger, entries, now=20.0, **others):
    values = {"item_id": "701", "server_id": "m", "scenes": (), "pictures": (), "item": None, "baseline": Baseline()}
    ids = tuple(entry.id for entry in entries)
    ledger.record_undo(UndoneItem(entry_ids=ids, **values | others), "Taken back.", now)


def test_what_is_undone_is_marked_once_and_listed_apart(ledger, run_id):
    sync(ledger, 1, run_id, title("", "a"), title("a", "b"))
    (newest, oldest) = ledger.journal.entries()
    undo(ledger, [newest])
    undo(ledger, [newest], now=30.0)
    assert ledger.journal.entries() == [oldest]
    assert [(entry.id, entry.undone_at) for entry in ledger.journal.entries(undone=True)] == [(newest.id, 20.0)]


def test_the_last_run_is_the_newest_that_wrote_something_not_undone(ledger, run_id):
    assert ledger.journal.last_run() is None
    second = ledger.journal.begin_run("all", 2.0)
    ledger.journal.begin_run("wrote nothing", 3.0)
    sync(ledger, 1, run_id, title("", "a"))
    sync(ledger, 1, second, title("a", "b"))
    ledger.journal.end_run(second, 4.0)
    ledger.journal.end_run(second, 9.0)
    assert ledger.journal.last_run() == Run(second, "all", 2.0, 4.0)
    undo(ledger, ledger.journal.entries(run_id=second))
    assert ledger.journal.last_run() == Run(run_id, "sync", 1.0, None)
    undo(ledger, ledger.journal.entries(run_id=run_id))
    assert ledger.journal.last_run() is None


def test_runs_are_listed_in_pages_with_what_they_wrote_and_what_of_it_is_undone(ledger, run_id):
    ledger.journal.begin_run("wrote nothing", 2.0)
    second = ledger.journal.begin_run("all", 3.0)
    sync(ledger, 1, run_id, title("", "a"), title("a", "b"))
    sync(ledger, 2, run_id, title("", "c"))
    sync(ledger, 1, second, title("b", "d"))
    undo(ledger, ledger.journal.entries(run_id=second))
    first, last = (
        RunSummary(Run(run_id, "sync", 1.0, None), 3, 0, 2),
        RunSummary(Run(second, "all", 3.0, None), 1, 1, 1),
    )
    assert ledger.journal.runs(10) == [last, first]
    assert ledger.journal.runs(1) == [last]
    assert ledger.journal.runs(10, before=second) == [first]


# --- undo -------------------------------------------------------------------------------------------------------


def test_part_of_a_write_can_be_undone(ledger, run_id):
    tags = JournalEntry(field="tags", kind="set", old=(), new=("a",))
    sync(ledger, 1, run_id, title("", "Night"), tags)
    undo(ledger, [entry for entry in ledger.journal.entries() if entry.field == "tags"])
    assert [entry.field for entry in ledger.journal.entries()] == ["title"]
    assert [entry.field for entry in ledger.journal.entries(undone=True)] == ["tags"]
    assert (ledger.journal.runs(1)[0].written, ledger.journal.runs(1)[0].undone) == (2, 1)
    assert ledger.journal.items_to_undo(JournalSlice()) == {"m": 1}
    undo(ledger, ledger.journal.entries(), now=30.0)
    assert ledger.journal.items_to_undo(JournalSlice()) == {}
    assert [entry.undone_at for entry in ledger.journal.entries(undone=True)] == [20.0, 30.0]


def test_what_was_undone_is_listed_for_a_while(ledger, run_id):
    sync(ledger, 1, run_id, title("", "Night"))
    sync(ledger, 2, run_id, title("", "Day"))
    undo(ledger, ledger.journal.entries(scene_id=1), now=20.0)
    for now, left in ((20.0 + UNDONE_KEPT_SECONDS, ["Day", "Night"]), (21.0 + UNDONE_KEPT_SECONDS, ["Day"])):
        ledger.journal.end_run(run_id, now)
        assert [entry.new for entry in ledger.journal.history(10)] == left


def test_history_is_paged_within_a_write(ledger, run_id):
    for scene_id in (1, 2):
        tags = JournalEntry(field="tags", kind="set", old=(), new=("a",))
        sync(ledger, scene_id, run_id, title("", "Night"), tags)
    found, before = [], None
    while page := ledger.journal.history(1, before=before):
        found += [(entry.scene_id, entry.field) for entry in page]
        before = page[-1].id
    assert found == [(2, "tags"), (2, "title"), (1, "tags"), (1, "title")]


def test_an_undo_is_recorded_as_a_whole(ledger, run_id):
    sync(ledger, 1, run_id, title("", "a"), item_id="5")
    picture(ledger, in_run=run_id)
    place = {"item_id": 5, "scenes": (ledger.scenes.get(1),), "item": ledger.items.get("5", "m")}
    undo(ledger, ledger.journal.entries(), pictures=("thumb",), **place)
    record, shown = ledger.scenes.get(1), ledger.pictures.get(1, "thumb")
    assert (record.state, record.sentence, record.fingerprint) == (SceneState.UNDONE, "Taken back.", "f")
    assert record.baseline == Baseline()
    assert (shown.state, shown.stamp) == (PictureState.UNDONE, "")
    assert (shown.digest, shown.key) == ("d1", "upload://1")  # it lies on the server for ever
    assert ledger.journal.entries() == []
    assert ledger.journal.pictures_given("5", "m", "thumb") == set()


def test_an_error_in_the_middle_of_an_undo_leaves_all_as_it_was(ledger, run_id):
    sync(ledger, 1, run_id, title("", "a"))
    before = (ledger.scenes.get(1), ledger.journal.entries())
    ledger._db._connection.execute(
        "CREATE TRIGGER broken BEFORE UPDATE ON journal BEGIN SELECT RAISE(ABORT, 'no'); END"
    )
    with pytest.raises(sqlite3.IntegrityError):
        undo(ledger, ledger.journal.entries(), scenes=(ledger.scenes.get(1),), item=ledger.items.get("701", "m"))
    assert (ledger.scenes.get(1), ledger.journal.entries()) == before


def test_what_was_synced_while_an_undo_was_under_way_stays(ledger, run_id):
    sync(ledger, 1, run_id, title("", "a"))
    picture(ledger, item_id="701")
    read = {
        "entries": ledger.journal.entries(),
        "scenes": (ledger.scenes.get(1),),
        "item": ledger.items.get("701", "m"),
    }
    later = Baseline({"title": "b"})
    sync(ledger, 1, run_id, title("a", "b"), baseline=later, now=15.0)
    undo(ledger, **read, pictures=("thumb",))
    assert (ledger.scenes.get(1).state, ledger.scenes.get(1).baseline) == (SceneState.SYNCED, later)
    assert ledger.pictures.get(1, "thumb").state is PictureState.SHOWN
    assert [entry.new for entry in ledger.journal.entries()] == ["b"]


def test_what_is_to_be_undone_is_counted_by_server_and_listed_in_pages_of_items(ledger, run_id):
    second = ledger.journal.begin_run("all", 2.0)
    for scene_id in (3, 1, 2):
        sync(ledger, scene_id, run_id, title("", "a"), title("a", "b"))
    sync(ledger, 2, second, title("b", "c"), item_id="900")
    sync(ledger, 4, second, title("", "a"), server_id="other")
    undo(ledger, ledger.journal.entries(scene_id=3))
    assert ledger.journal.items_to_undo(JournalSlice()) == {"m": 3, "other": 1}
    assert ledger.journal.items_to_undo(JournalSlice(scene_id=2)) == {"m": 2}
    assert ledger.journal.items_to_undo(JournalSlice(run_id, run_id)) == {"m": 2}
    assert ledger.journal.keys_to_undo(JournalSlice(), "m", "", 2) == ["701", "702"]
    assert ledger.journal.keys_to_undo(JournalSlice(), "m", "702", 2) == ["900"]
    assert ledger.journal.keys_to_undo(JournalSlice(first_run=second), "m", 0, 9) == ["900"]
    assert [entry.new for entry in ledger.journal.entries_of_items(["900", "701"], "m")] == ["c", "b", "a"]


def test_the_last_run_of_a_person_is_that_of_metadata_with_the_pictures_since(ledger, run_id):
    assert ledger.journal.last_slice() is None
    pictures = ledger.journal.begin_run("pictures", 2.0)
    picture(ledger, in_run=pictures)
    assert ledger.journal.last_slice() == JournalSlice(first_run=pictures)
    sync(ledger, 1, run_id, title("", "a"))
    assert ledger.journal.last_slice() == JournalSlice(first_run=run_id)


# --- pictures ---------------------------------------------------------------------------------------------------


def test_the_picture_an_item_was_given_last_is_known_without_its_scene(ledger, run_id):
    for new in ("upload://1", "upload://2"):
        picture(ledger, key=new, in_run=run_id)
    ledger.scenes.forget(1)
    assert ledger.journal.pictures_given("5", "m", "thumb") >= {"upload://2"}
    assert ledger.journal.pictures_given("5", "m", "art") == ledger.journal.pictures_given("6", "m", "thumb") == set()


def test_a_picture_is_remembered_by_scene_and_kind_and_replaced(ledger):
    picture(ledger, PictureState.FAILED, sentence="Plex did not answer.")
    picture(ledger)
    expected = PictureRecord(1, "thumb", "5", "m", "t1", "d1", "upload://1", PictureState.SHOWN, "", 4.0)
    assert ledger.pictures.get(1, "thumb") == expected
    assert ledger.pictures.get(1, "art") is None


def test_a_picture_and_what_it_replaced_are_recorded_together_or_not_at_all(ledger, run_id):
    with pytest.raises(sqlite3.IntegrityError):
        picture(ledger, in_run=99)
    assert ledger.pictures.get(1, "thumb") is None
    picture(ledger, in_run=run_id)
    assert [(one.field, one.old, one.scene_id) for one in ledger.journal.entries()] == [("thumb", "/old", 1)]


# --- the file ---------------------------------------------------------------------------------------------------


def test_the_files_are_private(ledger, run_id, path):
    sync(ledger, 1, run_id)
    names = os.listdir(os.path.dirname(path))
    assert "ledger.db-wal" in names
    for name in names:
        assert os.stat(os.path.join(os.path.dirname(path), name)).st_mode & 0o077 == 0


@pytest.mark.parametrize("index_first", [True, False])
def test_the_path_index_lives_in_the_same_file(path, index_first):
    opened = [kind(path) for kind in ((IndexStore, Ledger) if index_first else (Ledger, IndexStore))]
    for one in opened:
        one.close()
    ledger, aside = Ledger.begin(path, "now")
    assert aside is None
    tables = {name for (name,) in ledger._db._connection.execute("SELECT name FROM sqlite_master")}
    assert {"item_file", "library_walk", "scene", "journal"} <= tables
    ledger.close()


def damage(path, how):
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
def test_a_damaged_file_is_put_aside_under_a_name_that_is_told(ledger, run_id, path, how):
    for scene_id in range(50):
        sync(ledger, scene_id, run_id, title("", "Night" * 200))
    ledger.close()
    damage(path, how)
    healed, aside = Ledger.begin(path, "20240501")
    assert aside == f"{path}.damaged-20240501"
    assert os.path.exists(aside)
    assert healed.sweep_records(-1, 10, 10) == []
    sync(healed, 1, healed.journal.begin_run("sync", 1.0))
    healed.close()


def test_the_log_of_a_damaged_file_goes_with_it_and_is_not_replayed_into_the_new_one(ledger, run_id, path):
    sync(ledger, 1, run_id)
    assert os.path.getsize(path + "-wal") > 0
    aside = put_aside(path, "now")
    assert not os.path.exists(path + "-wal")
    assert os.path.getsize(aside + "-wal") > 0
    ledger.close()
    fresh = Ledger(path)
    assert fresh.scenes.get(1) is None
    fresh.close()


def test_a_sound_file_is_kept(ledger, run_id, path):
    sync(ledger, 1, run_id)
    ledger.close()
    again, aside = Ledger.begin(path, "now")
    assert aside is None
    assert again.scenes.get(1).baseline == BASELINE
    again.close()


def test_a_file_that_cannot_be_opened_is_not_taken_for_a_damaged_one(tmp_path):
    (tmp_path / "ledger.db").mkdir()
    with pytest.raises(sqlite3.OperationalError):
        Ledger.begin(str(tmp_path / "ledger.db"), "now")
    assert os.listdir(tmp_path) == ["ledger.db"]


def first_version(path):
    """Turn a ledger into one of the first version: a baseline for every scene, a row for every value."""
    ledger = Ledger(path)
    entries = [
        (one.run_id, one.scene_id, one.item_id, one.server_id, *entry_to_json(one)) for one in ledger.journal.entries()
    ]
    ledger.close()
    db = sqlite3.connect(path)
    for statement in (
        "DROP TABLE journal",
        """CREATE TABLE journal (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id INTEGER NOT NULL REFERENCES run (id),
           scene_id INTEGER NOT NULL, rating_key INTEGER NOT NULL, machine TEXT NOT NULL, field TEXT NOT NULL,
           kind TEXT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL, old_locked INTEGER NOT NULL,
           was_ours INTEGER NOT NULL, at REAL NOT NULL DEFAULT 10.0, undone_at REAL)""",
        "CREATE INDEX journal_by_run ON journal (run_id)",
        "CREATE INDEX journal_to_undo ON journal (run_id) WHERE undone_at IS NULL",
        """CREATE TABLE old_picture AS
           SELECT scene_id, kind, CAST(item_id AS INTEGER) AS rating_key, server_id AS machine, stamp, digest, key,
           state, sentence, at FROM picture JOIN server ON server.number = server""",
        "DROP TABLE picture",
        "ALTER TABLE old_picture RENAME TO picture",
        "CREATE TABLE baseline (scene_id INTEGER PRIMARY KEY, data TEXT NOT NULL)",
        "INSERT INTO baseline SELECT scene.scene_id, data FROM scene JOIN item_baseline USING (item_id, server)",
        "DROP TABLE item_baseline",
        """CREATE TABLE old_scene (scene_id INTEGER PRIMARY KEY, state TEXT NOT NULL, sentence TEXT NOT NULL,
           fingerprint TEXT NOT NULL DEFAULT '', rating_key INTEGER, machine TEXT NOT NULL DEFAULT '',
           path TEXT NOT NULL DEFAULT '', recorded_at REAL NOT NULL, synced_at REAL)""",
        """INSERT INTO old_scene SELECT scene_id, state, sentence, fingerprint, item_id, server_id, path, recorded_at,
           synced_at FROM scene JOIN server ON server.number = server""",
        "DROP TABLE scene",
        "ALTER TABLE old_scene RENAME TO scene",
        "CREATE INDEX scene_by_state ON scene (state)",
        "DROP TABLE server",
        "CREATE INDEX scene_by_item ON scene (rating_key, machine) WHERE state IN ('failed', 'refused', 'synced')",
        "DROP TABLE picture_intent",
        "DROP TABLE picture_beside",
        "DROP TABLE intent",
        "DROP TABLE pin",
        "CREATE TABLE pin (scene_id INTEGER PRIMARY KEY, rating_key INTEGER NOT NULL)",
        "UPDATE ledger_schema SET version = 1",
    ):
        db.execute(statement)
    columns = "run_id, scene_id, rating_key, machine, field, kind, old, new, old_locked, was_ours"
    db.executemany(f"INSERT INTO journal ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", reversed(entries))
    db.commit()
    return db


def test_a_file_of_the_first_version_is_brought_up_to_date_and_loses_nothing(ledger, run_id, path, tmp_path):
    tags = JournalEntry(field="tags", kind="set", old=("a",), new=("a", "b"), was_ours=True)
    sync(ledger, 1, run_id, title("", "Night"), tags, fingerprint="0f" * 40)
    sync(ledger, 2, run_id, item_id="42", now=30.0)
    sync(ledger, 3, run_id, item_id="42", now=20.0)
    ledger.scenes.record_state(4, SceneState.WAITING, "Not in Plex yet.", 1.0)
    picture(ledger, item_id="701", digest="a1" * 32, key=f"upload://posters/{'b2' * 20}")
    before = (ledger.scenes.of([1, 4]), ledger.journal.entries(), ledger.pictures.of_scenes([1]))
    ledger.close()
    old = first_version(path)
    for scene_id, baseline in ((1, BASELINE), (2, BASELINE), (3, Baseline())):
        old.execute("UPDATE baseline SET data = ? WHERE scene_id = ?", (baseline.to_json(), scene_id))
    for table, column, of in (("scene", "fingerprint", "scene_id = 1"), ("picture", "digest", "TRUE")):
        old.execute(f"UPDATE {table} SET {column} = ? WHERE {of}", ("0f" * 40 if table == "scene" else "a1" * 32,))
    old.execute("UPDATE picture SET key = ?", (f"upload://posters/{'b2' * 20}",))
    old.commit()
    old.close()
    opened, aside = Ledger.begin(path, "now")
    assert aside is None
    assert (opened.scenes.of([1, 4]), opened.journal.entries(), opened.pictures.of_scenes([1])) == before
    assert opened.items.get("42", "m").baseline == BASELINE  # the later of the two
    opened.scenes.record_state(1, SceneState.UNDONE, "Taken back.", 40.0)
    assert opened.scenes.holders(["701", "42"], "m") == {"701": 1, "42": 2}
    fresh = Ledger(str(tmp_path / "fresh.db"))
    schemas = [
        sorted(one._db._connection.execute("SELECT name, sql FROM sqlite_master WHERE type != 'table'"))
        for one in (opened, fresh)
    ]
    assert schemas[0] == schemas[1]
    assert opened._db._connection.execute("SELECT version FROM ledger_schema").fetchall() == [(SCHEMA_VERSION,)]
    for one in (opened, fresh):
        one.close()


def test_a_file_with_somebody_elses_tables_is_not_taken_for_a_damaged_one(path):
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE scene (theirs TEXT)")
    other.close()
    with pytest.raises(sqlite3.OperationalError):
        Ledger.begin(path, "now")
    assert [name for name in os.listdir(os.path.dirname(path)) if "damaged" in name] == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "{}",
        '{"scalars": [], "sets": {}}',
        '{"scalars": {"title": 5}, "sets": {}}',
        '{"scalars": {}, "sets": {"tags": "abc"}}',
        '{"scalars": {}, "sets": {"tags": [null]}}',
        b'{"scalars": {"title": "\xff\xfe',
    ],
)
def test_a_damaged_baseline_is_an_empty_one(ledger, run_id, text):
    sync(ledger, 1, run_id)
    ledger._db._connection.execute("UPDATE item_baseline SET data = CAST(? AS TEXT)", (text,))
    assert ledger.scenes.get(1).baseline == Baseline()


@pytest.mark.parametrize("spoiled", [b"", b"\x01", b"\x01\xff\xff", b"\x02abc", b"\x01abc"])
def test_packed_values_that_are_damaged_spoil_nothing_else(ledger, run_id, spoiled):
    for scene_id in (1, 2):
        sync(ledger, scene_id, run_id, title("", f"Night {scene_id}"))
    ledger._db._connection.execute("UPDATE item_baseline SET data = ? WHERE item_id = '701'", (spoiled,))
    ledger._db._connection.execute("UPDATE journal SET entries = ? WHERE item_id = '701'", (spoiled,))
    assert (ledger.scenes.get(1).baseline, ledger.scenes.get(2).baseline) == (Baseline(), BASELINE)
    assert [entry.new for entry in ledger.journal.entries()] == ["Night 2"]
    assert ledger.journal.entries_of_items(["701"], "m") == []
    undo(ledger, ledger.journal.entries())
    assert ledger.journal.entries() == []


def test_a_baseline_survives_its_json():
    assert Baseline.from_json(BASELINE.to_json()) == Baseline.from_json(BASELINE.packed()) == BASELINE
    assert Baseline.from_json(Baseline().to_json()) == Baseline()


# --- at once, and at size ---------------------------------------------------------------------------------------


def in_threads(*acts):
    failures = []

    def guarded(act):
        try:
            act()
        except Exception as error:  # noqa: BLE001 - a thread's error must reach the test
            failures.append(error)

    threads = [Thread(target=guarded, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_two_threads_on_each_of_two_connections_write_at_once_and_nothing_is_lost(ledger, run_id, path):
    other = Ledger(path)

    def work(through, first):
        for scene_id in range(first, first + 40):
            sync(through, scene_id, run_id, title("", str(scene_id)))
            assert through.scenes.get(scene_id).state is SceneState.SYNCED

    in_threads(*(lambda t=t, f=f: work(t, f) for t, f in ((ledger, 0), (ledger, 100), (other, 200), (other, 300))))
    assert ledger.scenes.counts()[SceneState.SYNCED] == 160
    assert len({entry.id for entry in ledger.journal.entries()}) == 160
    other.close()


def test_a_file_that_two_begin_at_once_is_begun_once(path):
    opened = []
    in_threads(*(lambda: opened.append(Ledger(path)) for _ in range(8)))
    assert opened[0]._db._connection.execute("SELECT count(*) FROM ledger_schema").fetchone() == (1,)
    for one in opened:
        one.close()


def filled(path, scenes):
    connection = connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scenes})"
    connection.execute("INSERT INTO server VALUES (1, 'm')")
    connection.execute(
        f"INSERT INTO scene {numbers} SELECT i, 'synced', '', hex(i), i, 1, '/plex/' || i, 1.0, 1.0 FROM n"
    )
    connection.execute(
        f"INSERT INTO item_baseline {numbers} SELECT i, 1, '/plex/' || i, ?, 1.0, i, NULL FROM n",
        (BASELINE.to_json(),),
    )
    connection.close()
    return Ledger(path)


def fastest(act):
    times = []
    for _ in range(15):
        began = time.perf_counter()
        act()
        times.append(time.perf_counter() - began)
    return min(times)


def test_a_hundred_thousand_scenes_cost_a_batch_and_a_page_no_more_than_a_hundred(tmp_path):
    small, large = filled(str(tmp_path / "small.db"), 100), filled(str(tmp_path / "large.db"), 100_000)
    near, far = list(range(50, 100)), list(range(1_000, 100_000, 1_980))
    assert len(small.scenes.of(near)) == len(large.scenes.of(far)) == 50
    assert fastest(lambda: large.scenes.of(far)) < 5 * fastest(lambda: small.scenes.of(near))
    assert len(small.sweep_records(0, 100, 50)) == len(large.sweep_records(90_000, 100_000, 50)) == 50
    assert fastest(lambda: large.sweep_records(90_000, 100_000, 50)) < 5 * fastest(
        lambda: small.sweep_records(0, 100, 50)
    )
    assert fastest(lambda: large.scenes.holders([90_000], "m")) < 5 * fastest(lambda: small.scenes.holders(["90"], "m"))
    small.close()
    large.close()


# Intents


def intended(scene_id, key, *entries, baseline=BASELINE):
    return ItemSync(
        scene_id=scene_id,
        item_id=key,
        server_id="m",
        path=f"/plex/{scene_id}.mp4",
        fingerprint="f",
        baseline=baseline,
        entries=entries,
    )


def test_an_intent_outlives_its_process_and_goes_with_the_record(ledger, path, run_id):
    tags = JournalEntry(field="tags", kind="set", old=("a",), new=("a", "夜"), old_locked=True, was_ours=True)
    one = intended(1, "701", title("", "Night"), tags)
    ledger.unfinished.announce([one, intended(2, "702")])
    other = Ledger(path)
    left = other.unfinished.of_items(["701", "702", "703"], "m")
    assert left.keys() == {"701", "702"}
    assert left["701"] == UnfinishedWrite(1, one.path, one.baseline, one.entries)
    assert other.unfinished.of_items(["701"], "another server") == {}
    assert other.unfinished.scenes() == {1, 2}
    other.record_syncs([one], run_id=run_id, now=2.0)
    assert other.unfinished.scenes() == {2}
    assert [entry.field for entry in other.journal.entries(scene_id=1)] == ["tags", "title"]
    other.close()


def test_a_leftover_is_settled_with_what_arrived_and_its_scene_is_looked_at_again(ledger, run_id):
    ledger.record_syncs([intended(1, "701")], run_id=run_id, now=1.0)
    ledger.unfinished.announce([intended(1, "701", title("", "A"))])
    ledger.resolve(intended(1, "701", title("", "A")), run_id=run_id, now=2.0)
    assert ledger.unfinished.scenes() == set()
    assert [entry.new for entry in ledger.journal.entries(scene_id=1)] == ["A"]
    assert (ledger.scenes.get(1).fingerprint, ledger.items.get("701", "m").at) == ("", 2.0)


def test_another_process_that_closes_the_file_does_not_take_its_log_away(ledger, path, run_id):
    """Ledger and index share the file in one process; a task in another opens and closes it, as if it were the last."""
    index = IndexStore(path)
    again = connect(path)
    subprocess.run([sys.executable, "-c", CLOSES.format(path=path)], cwd=ROOT, check=True)
    sync(ledger, 1, run_id)
    subprocess.run([sys.executable, "-c", CLOSES.format(path=path)], cwd=ROOT, check=True)
    assert os.path.exists(f"{path}-wal")
    other = sqlite3.connect(path)
    assert other.execute("SELECT count(*) FROM scene").fetchone() == (1,)
    for connection in (other, again, index):
        connection.close()


# --- pins hold for a file -----------------------------------------------------------------------------------------


def files(**paths):
    return {1: [SimpleNamespace(path=path, size=size) for path, size in paths.items()]}


def test_a_pin_follows_its_file_through_moves_and_encodings_and_is_not_for_another(ledger):
    ledger.pins.set(1, "7", "m")
    same = [{"a.mp4": 10}, {"b.mp4": 10}, {"b.mp4": 12}, {"c.mp4": 99, "b.mp4": 1}, {"c.mp4": 5}]
    for shape in same:
        assert ledger.pins.of_files(files(**shape), "m") == {1: "7"}
    assert ledger.pins.of_files(files(**{"z.mp4": 6}), "m") == {}
    assert ledger.pins.of_files(files(**{"z.mp4": 0}), "m") == {}
    assert ledger.pins.of_files({1: []}, "m") == {}
    assert ledger.pins.of_files(files(**{"c.mp4": 5}), "another server") == {}
    assert ledger.pins.of_files(files(**{"c.mp4": 5}), "m") == {1: "7"}
    assert ledger.pins.of([1]) == {1: "7"}


def test_a_pin_without_files_that_was_just_made_counts(ledger):
    ledger.pins.set(1, "7", "m")
    assert ledger.pins.of_files({1: []}, "m") == {1: "7"}
