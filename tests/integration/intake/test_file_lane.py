"""From the watched folder to its place: what the files' lane does with a file, on SQLite and on PostgreSQL."""

import json
import os

import pytest

from intake.actions.explain import explain
from intake.actions.preview import preview
from intake.actions.undo import CannotUndo, undo
from intake.moving.plan import MoveMode, OnExists
from intake.service.lane import Why
from intake.service.stash_files import StashFiles
from intake.store.errors import RowBusy
from intake.store.port import Offered
from intake.store.row import FoundFile, Status, Step
from intake.store.row import Lane as LaneName
from intake.watching.identity import FileIdentity
from sim.stash.simulator import SimStash
from sim.wordpress.works import make_work
from stash.client import StashClient
from sync_queue.session import Session
from tests.support.intake.service import FakePublisher, IntakeRig
from tests.support.intake.stores import everywhere, next_row
from tests.support.machine.small_disk import fill, small_disk

NEW_NAME = "Ruri Saijo/Ruri Saijo - [No Sub] SONE-760 A title.mp4"
HOUR = 3600


def test_a_file_gets_its_name_its_place_and_its_metadata(rig, site):
    row = rig.take_in("SONE-760.mp4", "SONE-760.en.srt", "notes.txt")["SONE-760.mp4"]
    name = NEW_NAME.replace("No Sub", "English Sub")
    assert rig.placed() == [name.replace(".mp4", ".en.srt"), name]
    assert rig.left() == ["notes.txt"]
    assert (row.status, row.step, row.movie_code) == (Status.COMPLETED, Step.PLACED, "SONE-760")
    assert (row.actress, row.new_path) == ("Ruri Saijo", str(rig.library / name))
    assert json.loads(row.metadata_json)["title"] == "A title"
    assert "No server is set" in row.error_message
    assert len(site.asked) == 1


def test_a_file_without_a_code_waits_for_a_person_who_says_it(rig):
    row = rig.take_in("holiday.mp4")["holiday.mp4"]
    assert (row.status, row.error_kind, row.next_retry_at) == (Status.ERROR, "no_code", None)
    assert row.error_message.startswith("No movie code found")
    assert rig.left() == ["holiday.mp4"]
    rig.store.set_code(row.id, "SONE-760")
    rig.drain()
    assert rig.placed() == [NEW_NAME]


def test_unknown_today_is_asked_again_after_an_hour_six_a_day(rig, site, database):
    row = rig.take_in("UNKN-999.mp4")["UNKN-999.mp4"]
    waits = []
    for _ in range(8):
        row = rig.store.get(row.id)
        assert (row.status, row.error_kind, row.movie_code) == (Status.ERROR, "unknown", "UNKN-999")
        waits.append(round((row.next_retry_at - row.updated_at) / HOUR))
        database.pass_time(row.next_retry_at - row.updated_at + 1)
        rig.drain()
    assert waits == [1, 6, 24, 72, 168, 336, 336, 336]
    site.add("UNKN-999", make_work("UNKN-999", title="At last", actress=["A"]))
    database.pass_time(336 * HOUR)
    rig.drain()
    assert rig.store.get(row.id).status is Status.COMPLETED


def test_another_code_moves_nothing(rig, site):
    site.add("ABCD-111", make_work("ABCD-112"))
    row = rig.take_in("ABCD-111.mp4")["ABCD-111.mp4"]
    assert row.error_message.endswith("What was answered is ABCD-112.")
    assert rig.placed() == []


def test_several_works_are_a_persons_case_with_candidates(rig, site):
    site.add("IDID-009", make_work("IDID-009", 1), make_work("IDID-009", 2))
    row = rig.take_in("IDID-009.mp4")["IDID-009.mp4"]
    assert (row.error_kind, row.next_retry_at) == ("several", None)
    story = explain(row, row.updated_at)
    assert len(story.candidates) == 2
    assert any(f"intake set-code {row.id} CODE" in sentence for sentence in story.sentences)


def test_an_outage_costs_no_try_and_is_no_error(rig, site, database):
    site.stop()
    row = rig.take_in("SONE-760.mp4")["SONE-760.mp4"]
    for _ in range(10):
        row = rig.store.get(row.id)
        assert (row.status, row.retry_count, row.error_kind) == (Status.PENDING, 0, "source_away")
        assert row.due_at - row.updated_at <= 301
        database.pass_time(301)
        rig.drain()
    site.start()
    database.pass_time(301)
    rig.drain()
    assert rig.placed() == [NEW_NAME]


def test_parts_are_moved_as_one_work_in_whatever_order_they_come(rig):
    rows = rig.take_in("SONE-760-cd1.mp4", "SONE-760-cd2.mp4", "SONE-760-cd2.srt")
    stem = NEW_NAME.removesuffix(".mp4")
    assert rig.placed() == [f"{stem}-cd1.mp4", f"{stem}-cd2.mp4", f"{stem}-cd2.srt"]
    assert {row.status for row in rows.values()} == {Status.COMPLETED}
    assert rows["SONE-760-cd2.mp4"].new_path.endswith("-cd2.mp4")


def test_parts_wait_for_one_that_is_not_finished(rig, database):
    rig.drop("SONE-760-cd1.mp4")
    rig.offer()
    rig.drop("SONE-760-cd2.mp4")  # here, and not yet taken in
    rig.drain()
    row = rig.store.get(1)
    assert (row.status, row.error_kind) == (Status.PENDING, "parts")
    assert rig.placed() == []
    rig.offer()
    database.pass_time(10)
    rig.drain()
    assert len(rig.placed()) == 2


def test_another_file_of_the_name_is_never_overwritten(rig):
    (rig.library / "Ruri Saijo").mkdir()
    (rig.library / NEW_NAME).write_bytes(b"another film")
    row = rig.take_in("SONE-760.mp4")["SONE-760.mp4"]
    assert (row.status, row.error_kind, row.next_retry_at) == (Status.ERROR, "exists", None)
    assert (rig.library / NEW_NAME).read_bytes() == b"another film"
    (rig.library / NEW_NAME).unlink()
    rig.store.retry(row.id)
    rig.drain()
    assert (rig.library / NEW_NAME).read_bytes() == b"a film"


def test_the_same_file_that_is_there_already_is_done(rig):
    (rig.library / "Ruri Saijo").mkdir()
    (rig.library / NEW_NAME).write_bytes(b"a film")
    row = rig.take_in("SONE-760.mp4")["SONE-760.mp4"]
    assert (row.status, row.new_path) == (Status.COMPLETED, str(rig.library / NEW_NAME))
    assert rig.left() == ["SONE-760.mp4"]
    assert rig.offer() == [Offered.KNOWN]


def test_both_may_be_kept(make_rig):
    rig = make_rig(on_exists=OnExists.KEEP_BOTH)
    (rig.library / "Ruri Saijo").mkdir()
    (rig.library / NEW_NAME).write_bytes(b"another film")
    rig.take_in("SONE-760.mp4")
    assert rig.placed() == [NEW_NAME.replace(".mp4", " (2).mp4"), NEW_NAME]


@pytest.mark.parametrize("mode", [MoveMode.HARDLINK, MoveMode.COPY])
def test_a_file_that_stays_is_taken_in_once(make_rig, mode):
    rig = make_rig(mode=mode)
    rig.take_in("SONE-760.mp4")
    assert rig.placed() == [NEW_NAME]
    assert rig.left() == ["SONE-760.mp4"]
    assert rig.offer() == [Offered.KNOWN]


def test_a_file_that_is_gone_is_said_and_one_that_changed_is_looked_at_again(rig, database):
    path = rig.drop("SONE-760.mp4")
    rig.drop("SONE-761.mp4")
    rig.offer()
    path.write_bytes(b"another film, longer")
    (rig.watch / "SONE-761.mp4").unlink()
    rig.drain()
    changed, gone = rig.store.get(1), rig.store.get(2)
    assert (changed.status, changed.error_kind) == (Status.PENDING, "changed")
    assert (gone.status, gone.error_kind) == (Status.ERROR, "gone")
    assert rig.offer() == [Offered.RENEWED]
    rig.drain()
    assert (rig.library / NEW_NAME).read_bytes() == b"another film, longer"


def test_a_destination_that_is_not_mounted_is_waited_for(rig, database):
    rig.library.rmdir()
    row = rig.take_in("SONE-760.mp4")["SONE-760.mp4"]
    assert (row.status, row.error_kind, row.retry_count) == (Status.PENDING, "folder_gone", 0)
    assert "Is its drive mounted?" in row.error_message
    rig.library.mkdir()
    database.pass_time(61)
    rig.drain()
    assert rig.placed() == [NEW_NAME]


@pytest.mark.mounts
def test_a_destination_without_room_is_tried_again_for_ever(tmp_path, sqlite, site):
    with small_disk(tmp_path / "library", size="1m") as disk:
        rig = IntakeRig(tmp_path, sqlite, site)
        filler = fill(disk)
        rig.drop("SONE-760.mp4", b"x" * 200_000)
        rig.offer()
        for _ in range(6):
            rig.drain()
            row = rig.store.get(1)
            assert (row.status, row.error_kind) == (Status.ERROR, "no_room")
            sqlite.pass_time(row.next_retry_at - row.updated_at + 1)
        filler.unlink()
        rig.drain()
        assert rig.placed() == [NEW_NAME]
        assert rig.left() == []
        rig.close()


def test_a_crash_in_the_middle_of_a_move_is_resumed_by_looking(rig, database, site):
    """The plan is announced and carried out, and the worker dies before it can say so."""
    path = rig.drop("SONE-760.mp4")
    rig.offer()
    place = rig.store.place
    rig.store.place = lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        rig.files.step()
    rig.store.place = place
    assert not path.exists()
    row = rig.store.get(1)
    assert (row.status, row.step) == (Status.PROCESSING, Step.PLANNED)
    assert rig.files.step().why is Why.IDLE
    database.pass_time(61)
    rig.drain()
    assert rig.store.get(1).status is Status.COMPLETED
    assert rig.placed() == [NEW_NAME]
    assert len(site.asked) == 1


def test_the_service_that_stops_hands_back_what_it_has_in_hand(rig, monkeypatch):
    rig.drop("SONE-760.mp4")
    rig.offer()
    monkeypatch.setattr("intake.moving.place.Placer._bring", lambda self, _file: rig.stop.set() or self._heartbeat())
    rig.files.step()
    row = rig.store.get(1)
    assert (row.status, row.step, row.claimed_by, row.retry_count) == (Status.PENDING, Step.PLANNED, "", 0)
    assert rig.left() == ["SONE-760.mp4"]


def test_a_bug_costs_a_try_and_ends_nothing(rig, database, monkeypatch):
    rig.drop("SONE-760.mp4")
    rig.offer()
    monkeypatch.setattr("intake.service.file_work.make_plan", lambda *_: 1 / 0)
    for tries in range(1, 5):
        rig.drain()
        row = rig.store.get(1)
        assert (row.status, row.error_kind, row.retry_count) == (Status.ERROR, "bug", tries)
        assert (row.next_retry_at is None) == (tries == 4)
        database.pass_time(901)


def test_a_row_that_is_reset_after_it_was_placed_is_not_moved_again(rig):
    row = rig.take_in("SONE-760.mp4")["SONE-760.mp4"]
    rig.store.reset(row.id)
    rig.drain()
    assert rig.store.get(row.id).status is Status.COMPLETED
    assert rig.placed() == [NEW_NAME]


def test_a_row_of_another_host_is_worked_on_where_its_file_is_seen(rig, database):
    rig.drop("SONE-760.mp4")
    rig.offer()
    database.execute("UPDATE processing_queue SET host = 'laptop'")
    rig.drain()
    assert rig.placed() == [NEW_NAME]
    other = database.open("w2", "laptop")
    (found,) = rig.store.rows()
    assert found.host == "laptop"
    assert next_row(other, LaneName.FILES, everywhere) is None


def test_a_row_whose_file_is_elsewhere_is_left_alone(rig, database):
    rig.drop("SONE-760.mp4")
    rig.offer()
    database.execute("UPDATE processing_queue SET host = 'laptop', identity = '9:9:9'")
    rig.drain()
    assert rig.store.get(1).status is Status.PENDING
    database.execute("UPDATE processing_queue SET host = '', identity = '', file_path = '/elsewhere/SONE-760.mp4'")
    rig.drain()
    assert rig.store.get(1).status is Status.PENDING


# --- a person -------------------------------------------------------------------------------------------------------


def test_undo_brings_all_back_byte_for_byte_and_nothing_takes_it_in_again(rig):
    before = {
        name: rig.drop(name, name.encode()).stat()
        for name in ("SONE-760-cd1.mp4", "SONE-760-cd2.mp4", "SONE-760-cd1.srt")
    }
    rig.take_in()
    assert rig.left() == []
    undone = undo(rig.store, 2, rig.rules)
    assert sorted(undone.rows) == [1, 2]
    assert rig.placed() == []
    assert not any(rig.library.iterdir())
    for name, status in before.items():
        assert (rig.watch / name).read_bytes() == name.encode()
        assert (rig.watch / name).stat().st_mtime_ns == status.st_mtime_ns
    assert rig.offer() == [Offered.KNOWN, Offered.KNOWN]
    rig.drain()
    assert rig.placed() == []
    with pytest.raises(CannotUndo, match="nothing to undo"):
        undo(rig.store, 1, rig.rules)
    rig.store.retry(1)
    rig.store.retry(2)
    rig.drain()
    assert len(rig.placed()) == 3


def test_undo_refuses_what_is_not_the_file_any_more_and_changes_nothing(rig):
    row = rig.take_in("SONE-760.mp4")["SONE-760.mp4"]
    (rig.library / NEW_NAME).write_bytes(b"somebody has cut it")
    with pytest.raises(CannotUndo, match="is not the file that was moved there"):
        undo(rig.store, row.id, rig.rules)
    after = rig.store.get(row.id)
    assert (after.status, after.new_path) == (Status.COMPLETED, row.new_path)
    assert after.lease_until is None
    (rig.watch / "SONE-760.mp4").mkdir()


def test_an_undo_that_died_is_finished_by_the_next(rig, database):
    row = rig.take_in("SONE-760.mp4")["SONE-760.mp4"]
    mark = rig.store.mark_undone
    rig.store.mark_undone = lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        undo(rig.store, row.id, rig.rules)
    rig.store.mark_undone = mark
    assert rig.left() == ["SONE-760.mp4"]
    with pytest.raises(RowBusy):
        undo(rig.store, row.id, rig.rules)
    database.pass_time(61)
    assert undo(rig.store, row.id, rig.rules).rows == (row.id,)
    assert rig.store.get(row.id).error_kind == "undone"


def test_undo_survives_a_cleanup(rig, database):
    row = rig.take_in("SONE-760.mp4")["SONE-760.mp4"]
    database.pass_time(8 * 86400)
    assert rig.store.cleanup(7 * 86400) == 1
    undo(rig.store, row.id, rig.rules)
    assert rig.left() == ["SONE-760.mp4"]


def test_a_preview_says_what_would_be_done_and_touches_nothing(rig):
    path = rig.drop("SONE-760.mp4")
    shown = preview(str(path), rig.rules, rig.sources)
    assert shown.plan.files[-1].target == str(rig.library / NEW_NAME)
    assert "It would become" in shown.sentence
    assert rig.placed() == []
    assert rig.store.rows() == []
    assert "No movie code found" in preview(str(rig.drop("holiday.mp4")), rig.rules, rig.sources).sentence
    assert "is not there" in preview("/nowhere/x.mp4", rig.rules, rig.sources).sentence


# --- files that Stash knows -----------------------------------------------------------------------------------------


def test_a_file_that_stash_knows_is_moved_by_stash(make_rig, tmp_path, sqlite):
    with SimStash() as stash:
        stash.settings.stashes = (str(tmp_path),)
        session = Session("http", "127.0.0.1", stash.port, stash.login().removeprefix("session="), 1.0)
        owner = StashFiles(lambda: StashClient(session))
        rig = make_rig(owner=owner, on=sqlite)
        path = rig.drop("SONE-760.mp4")
        rig.drop("SONE-760.srt")
        scene = stash.library.new_scene()
        scene.files = (stash.library.new_file(str(path), 6),)
        stash.library.scenes.put(scene)
        rig.take_in()
        assert rig.placed() == [NEW_NAME, NEW_NAME.replace(".mp4", ".srt")]
        assert stash.library.scenes[scene.id].path == str(rig.library / NEW_NAME)
        undo(rig.store, 1, rig.rules, owner)
        assert stash.library.scenes[scene.id].path == str(path)
        owner.close()


def test_while_stash_is_away_a_file_waits(make_rig, sqlite):
    owner = StashFiles(lambda: StashClient(Session("http", "127.0.0.1", 9, "", 1.0)))
    rig = make_rig(owner=owner, on=sqlite)
    row = rig.take_in("SONE-760.mp4")["SONE-760.mp4"]
    assert (row.status, row.error_kind) == (Status.PENDING, "source_away")
    assert rig.left() == ["SONE-760.mp4"]


def test_publishing_follows_when_a_server_is_set(make_rig):
    publisher = FakePublisher()
    rig = make_rig(publishers=[publisher])
    row = rig.take_in("SONE-760.mp4")["SONE-760.mp4"]
    assert (row.status, row.step, row.error_message) == (Status.COMPLETED, Step.PICTURED, "")
    assert row.emby_item_id == f"item of {os.path.basename(NEW_NAME)}"
    assert [call[0] for call in publisher.calls] == ["scan", "find", "write", "Primary", "Backdrop"]
    assert publisher.did("scan") == [(str(rig.library / NEW_NAME),)]


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_the_folder_of_two_films_goes_with_the_last_of_them_and_a_persons_folder_stays(make_rig, site, order):
    rig = make_rig()
    site.add("SONE-761", make_work("SONE-761", title="Another", actress=["Ruri Saijo"]))
    (rig.library / "Yua").mkdir()
    site.add("SONE-762", make_work("SONE-762", title="Third", actress=["Yua"]))
    for name in ("SONE-760.mp4", "SONE-761.mp4", "SONE-762.mp4"):  # one after the other: the second finds the folder
        rig.take_in(name)
    assert len(rig.placed()) == 3
    for row_id in (*order, 3):
        undo(rig.store, row_id, rig.rules)
    assert os.listdir(rig.library) == ["Yua"]
    assert rig.left() == ["SONE-760.mp4", "SONE-761.mp4", "SONE-762.mp4"]


def test_a_file_that_was_moved_between_its_scan_and_its_offer_makes_no_second_row(rig):
    rig.drop("notes.txt")
    path = rig.drop("SONE-760.mp4")
    seen = FoundFile(str(path), str(FileIdentity.of(path.stat())))
    rig.store.offer([seen])
    rig.drain()
    assert rig.store.offer([seen]) == [Offered.NEW]  # a scan from before, late: its row knows the file no more
    rig.drain()
    (row,) = rig.store.rows()
    assert (row.id, row.status) == (1, Status.COMPLETED)
    other = rig.drop("SONE-761.mp4")
    rig.store.offer([FoundFile(str(other), "1:2:3")])
    other.unlink()
    rig.drain()
    assert rig.store.rows()[0].error_kind == "gone"


def test_a_film_that_a_person_brings_back_is_taken_in_again(rig):
    rig.take_in("SONE-760.mp4")
    (rig.library / NEW_NAME).rename(rig.watch / "SONE-760.mp4")
    assert rig.offer() == [Offered.NEW]
    rig.drain()
    assert rig.placed() == [NEW_NAME]
    assert [row.status for row in rig.store.rows()] == [Status.COMPLETED] * 2
