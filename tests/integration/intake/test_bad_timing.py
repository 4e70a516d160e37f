"""A file that changes at the wrong moment, two that want one name, a worker that loses its row: nothing is lost."""

import pytest

from intake.actions import undo as undoing
from intake.actions.reset import reset
from intake.actions.set_code import set_code
from intake.actions.undo import CannotUndo, undo
from intake.moving.errors import NoRoom
from intake.moving.plan import MoveMode, OnExists
from intake.service import file_work
from intake.service.lane import Why
from intake.store.errors import PathTaken, RowBusy
from intake.store.port import Offered
from intake.store.row import Lane as LaneName
from intake.store.row import Status, Step
from intake.store.sql_store import SqlStore
from sim.wordpress.works import make_work
from tests.support.intake.stores import everywhere

FOLDER = "Ruri Saijo"
STEM = f"{FOLDER}/Ruri Saijo - [No Sub] SONE-760 A title"
HOUR = 3600


@pytest.fixture
def batch(make_rig):
    """A machine that takes several rows at once."""
    rig = make_rig()
    rig.files._limit = 8
    return rig


def before_moving(monkeypatch, act):
    """Do something once between the announcement of a plan and its first file."""
    real = file_work.carry_out

    def carry_out(*arguments, **named):
        monkeypatch.setattr(file_work, "carry_out", real)
        act()
        return real(*arguments, **named)

    monkeypatch.setattr(file_work, "carry_out", carry_out)


def contents(rig):
    return {name: (rig.library / name).read_bytes() for name in rig.placed()}


def test_a_subtitle_that_is_still_written_is_waited_for(rig, database):
    rig.drop("SONE-760.mp4")
    with (rig.watch / "SONE-760.srt").open("wb") as writer:
        writer.write(b"first half ")
        writer.flush()
        rig.offer()
        rig.drain()
        row = rig.store.get(1)
        assert (row.status, row.error_kind, row.step) == (Status.PENDING, "being_written", Step.FOUND)
        assert rig.placed() == []
        writer.write(b"second half")
    database.pass_time(16)
    rig.drain()
    assert contents(rig)[f"{STEM}.srt"] == b"first half second half"
    assert rig.store.get(1).status is Status.COMPLETED


def test_a_file_that_changes_while_a_source_is_asked_is_not_moved(rig, database):
    path = rig.drop("SONE-760.mp4")
    rig.offer()
    find = rig.sources[-1].find

    def find_slowly(question):
        path.write_bytes(b"half of a film that is written anew")
        return find(question)

    rig.sources[-1].find = find_slowly
    rig.drain()
    assert (rig.store.get(1).status, rig.store.get(1).error_kind) == (Status.PENDING, "changed")
    assert rig.left() == ["SONE-760.mp4"]
    rig.sources[-1].find = find
    assert rig.offer() == [Offered.RENEWED]
    rig.drain()
    assert rig.placed() == [f"{STEM}.mp4"]


def test_a_part_that_changed_after_the_gate_keeps_its_work_waiting(rig, database):
    rig.drop("SONE-760-cd1.mp4", b"one")
    second = rig.drop("SONE-760-cd2.mp4", b"two")
    rig.offer()
    second.write_bytes(b"two, and more")
    rig.drain()
    assert rig.placed() == []
    assert {rig.store.get(one).status for one in (1, 2)} == {Status.PENDING}
    rig.offer()
    database.pass_time(HOUR)
    rig.drain()
    assert contents(rig) == {f"{STEM}-cd1.mp4": b"one", f"{STEM}-cd2.mp4": b"two, and more"}


def test_a_change_between_plan_and_move_does_not_stick(rig, monkeypatch):
    path = rig.drop("SONE-760.mp4")
    rig.offer()
    before_moving(monkeypatch, lambda: path.write_bytes(b"a film, longer now"))
    rig.drain()
    row = rig.store.get(1)
    assert (row.status, row.error_kind, row.step, row.plan_json) == (Status.PENDING, "changed", Step.FOUND, "")
    assert rig.offer() == [Offered.RENEWED]
    rig.drain()
    assert contents(rig) == {f"{STEM}.mp4": b"a film, longer now"}


def test_a_sidecar_that_is_deleted_between_plan_and_move_does_not_stick_either(rig, monkeypatch):
    rig.drop("SONE-760.mp4")
    words = rig.drop("SONE-760.srt")
    rig.offer()
    before_moving(monkeypatch, words.unlink)
    rig.drain()
    row = rig.store.get(1)
    assert (row.error_kind, row.step) == ("gone", Step.FOUND)
    rig.store.retry(1)
    rig.drain()
    assert rig.placed() == [f"{STEM}.mp4"]


def test_two_qualities_with_equal_subtitles_keep_their_own(batch):
    for folder, film in (("a", b"quality one"), ("b", b"another quality")):
        batch.drop(f"{folder}/SONE-760.mp4", film)
        batch.drop(f"{folder}/SONE-760.srt", b"subs")
    batch.offer()
    batch.drain()
    assert contents(batch) == {f"{STEM}.mp4": b"quality one", f"{STEM}.srt": b"subs"}
    assert batch.left() == ["b/SONE-760.mp4", "b/SONE-760.srt"]
    assert [batch.store.get(one).error_kind for one in (1, 2)] == ["no_server", "exists"]


def test_two_machines_that_plan_one_name_at_once_keep_their_own(make_rig, monkeypatch):
    first, second = make_rig(host="one"), make_rig(host="two")
    first.drop("a/SONE-760.mp4", b"quality one")
    first.drop("a/SONE-760.srt", b"subs")
    first.offer()
    second.drop("b/SONE-760.mp4", b"another quality")
    second.drop("b/SONE-760.srt", b"subs")
    second.offer()
    before_moving(monkeypatch, second.drain)
    first.drain()
    second.drain()
    assert contents(first) == {f"{STEM}.mp4": b"another quality", f"{STEM}.srt": b"subs"}
    assert first.left() == ["a/SONE-760.mp4", "a/SONE-760.srt"]
    assert {row.error_kind for row in first.store.rows()} == {"no_server", "exists"}


def test_both_are_kept_when_they_come_together(make_rig):
    rig = make_rig(on_exists=OnExists.KEEP_BOTH)
    rig.files._limit = 8
    rig.drop("a/SONE-760.mp4", b"quality one")
    rig.drop("b/SONE-760.mp4", b"another quality")
    rig.offer()
    rig.drain()
    assert contents(rig) == {f"{STEM}.mp4": b"quality one", f"{STEM} (2).mp4": b"another quality"}
    assert rig.left() == []


def test_both_are_kept_when_another_machine_was_quicker(make_rig, monkeypatch):
    rig = make_rig(on_exists=OnExists.KEEP_BOTH)
    rig.drop("SONE-760.mp4", b"ours")
    rig.offer()

    def another():
        (rig.library / FOLDER).mkdir()
        (rig.library / f"{STEM}.mp4").write_bytes(b"theirs")

    before_moving(monkeypatch, another)
    rig.drain()
    assert contents(rig) == {f"{STEM}.mp4": b"theirs", f"{STEM} (2).mp4": b"ours"}
    assert rig.store.get(1).status is Status.COMPLETED


def test_of_two_files_of_the_same_bytes_one_is_moved_and_one_stays_and_undo_loses_neither(batch):
    batch.drop("a/SONE-760.mp4", b"same")
    batch.drop("b/SONE-760.mp4", b"same")
    batch.offer()
    batch.drain()
    assert (batch.placed(), batch.left()) == ([f"{STEM}.mp4"], ["b/SONE-760.mp4"])
    undo(batch.store, 1, batch.rules)
    with pytest.raises(CannotUndo, match="Nothing was moved"):
        undo(batch.store, 2, batch.rules)
    assert batch.left() == ["a/SONE-760.mp4", "b/SONE-760.mp4"]


def test_two_first_parts_of_one_work_are_a_persons_case_and_both_stay(rig):
    rig.drop("SONE-760-cd1.mp4", b"same")
    rig.drop("SONE-760_CD1.mp4", b"same")
    rig.offer()
    rig.drain()
    assert {(row.status, row.error_kind) for row in rig.store.rows()} == {(Status.ERROR, "same_name")}
    assert rig.left() == ["SONE-760-cd1.mp4", "SONE-760_CD1.mp4"]


@pytest.mark.parametrize("mode", [MoveMode.HARDLINK, MoveMode.COPY])
def test_a_later_part_follows_one_that_was_linked_or_copied(make_rig, mode):
    rig = make_rig(mode=mode)
    rig.drop("SONE-760-cd1.mp4", b"one")
    rig.offer()
    rig.drain()
    rig.drop("SONE-760-cd2.mp4", b"two")
    rig.offer()
    rig.drain()
    assert contents(rig) == {f"{STEM}-cd1.mp4": b"one", f"{STEM}-cd2.mp4": b"two"}
    undo(rig.store, 2, rig.rules)
    assert contents(rig) == {f"{STEM}-cd1.mp4": b"one"}
    assert rig.left() == ["SONE-760-cd1.mp4", "SONE-760-cd2.mp4"]


def test_parts_that_fail_together_wait_together(rig, database, monkeypatch):
    """Each on its own would claim the other at once, fail, and hand it back due."""
    for part in (1, 2):
        rig.drop(f"SONE-760-cd{part}.mp4")
    rig.offer()

    def no_room(*_, **__):
        raise NoRoom("There is no room left.")

    with monkeypatch.context() as patched:
        patched.setattr(file_work, "carry_out", no_room)
        rig.drain()
    assert {(row.status, row.error_kind, row.step) for row in rig.store.rows()} == {
        (Status.ERROR, "no_room", Step.FOUND)
    }
    database.pass_time(61)
    rig.drain()
    assert rig.placed() == [f"{STEM}-cd1.mp4", f"{STEM}-cd2.mp4"]


def test_a_worker_that_lost_a_part_goes_on_with_other_rows(rig, database, monkeypatch):
    rig.drop("SONE-760-cd1.mp4", b"one")
    rig.drop("SONE-760-cd2.mp4", b"two")
    rig.offer()
    other = database.open("other", "nas")

    def sleep():
        database.pass_time(61)
        rig.keeper._lost |= {row.id for row in other.claim(LaneName.FILES, everywhere, 8)}
        rig.keeper.checking([rig.store.get(1), rig.store.get(2)])()

    before_moving(monkeypatch, sleep)
    assert rig.files.step().why is Why.WORKED
    assert rig.left() == ["SONE-760-cd1.mp4", "SONE-760-cd2.mp4"]
    assert {row.claimed_by for row in rig.store.rows()} == {"other"}


def test_a_bug_that_one_of_several_rows_meets_costs_that_one_alone(batch, site, database):
    site.add("SONE-761", make_work("SONE-761", title="Another", actress=["Ruri Saijo"]))
    find = batch.sources[-1].find

    def find_or_break(question):
        if "761" in question.path:
            raise ZeroDivisionError
        return find(question)

    batch.sources[-1].find = find_or_break
    rows = batch.take_in("SONE-760.mp4", "SONE-761.mp4")
    assert rows["SONE-760.mp4"].status is Status.COMPLETED
    assert (rows["SONE-761.mp4"].error_kind, rows["SONE-761.mp4"].retry_count) == ("bug", 1)
    assert rows["SONE-760.mp4"].retry_count == 0


# --- a person, after a death ----------------------------------------------------------------------------------------


def die_before(rig, name):
    """Have the process die before a call to the store."""
    real = getattr(rig.store, name)
    setattr(rig.store, name, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    return lambda: setattr(rig.store, name, real)


@pytest.mark.parametrize("wish", [reset, lambda store, row: set_code(store, row, "SONE-760"), SqlStore.reset])
def test_a_row_whose_worker_died_after_the_move_is_resumed_whatever_a_person_wishes(rig, database, wish):
    rig.drop("SONE-760.mp4")
    rig.offer()
    alive = die_before(rig, "place")
    with pytest.raises(KeyboardInterrupt):
        rig.files.step()
    alive()
    database.pass_time(61)
    wish(rig.store, 1)
    rig.drain()
    row = rig.store.get(1)
    assert (row.status, row.new_path) == (Status.COMPLETED, str(rig.library / f"{STEM}.mp4"))
    undo(rig.store, 1, rig.rules)
    assert rig.left() == ["SONE-760.mp4"]


def test_an_announced_move_of_which_nothing_was_done_is_forgotten_by_a_reset(rig, database, site):
    rig.drop("SONE-760.mp4")
    rig.offer()
    real = file_work.carry_out
    file_work.carry_out = lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            rig.files.step()
    finally:
        file_work.carry_out = real
    with pytest.raises(RowBusy):
        reset(rig.store, 1)
    database.pass_time(61)
    site.add("SONE-760", make_work("SONE-760", title="A better title", actress=["Ruri Saijo"]))
    assert reset(rig.store, 1).step is Step.NEW
    rig.drain()
    assert rig.placed() == [f"{STEM.replace('A title', 'A better title')}.mp4"]


def test_a_reset_of_a_row_whose_path_has_another_file_by_now_says_so(rig):
    rig.take_in("SONE-760.mp4")
    rig.drop("SONE-760.mp4", b"downloaded again")
    rig.offer()
    rig.drain()
    with pytest.raises(PathTaken, match="has a row of its own"):
        reset(rig.store, 1)
    assert rig.store.get(1).status is Status.COMPLETED


def test_a_scan_in_the_middle_of_an_undo_takes_nothing_in(rig, monkeypatch, database):
    rig.take_in("SONE-760-cd1.mp4", "SONE-760-cd2.mp4")
    real, meanwhile = undoing.carry_out, []

    def slowly(*arguments, **named):
        moved = real(*arguments, **named)
        meanwhile.extend(rig.offer())
        return moved

    monkeypatch.setattr(undoing, "carry_out", slowly)
    assert undo(rig.store, 1, rig.rules).rows == (1, 2)
    assert meanwhile == [Offered.BUSY, Offered.BUSY]
    assert rig.offer() == [Offered.KNOWN, Offered.KNOWN]
    database.pass_time(HOUR)
    rig.drain()
    assert rig.left() == ["SONE-760-cd1.mp4", "SONE-760-cd2.mp4"]


def test_an_undo_that_was_killed_keeps_scans_lanes_and_wishes_away_until_it_is_finished(rig, database):
    rig.take_in("SONE-760.mp4")
    alive = die_before(rig, "mark_undone")
    with pytest.raises(KeyboardInterrupt):
        undo(rig.store, 1, rig.rules)
    alive()
    assert rig.offer() == [Offered.BUSY]
    database.pass_time(61)
    rig.drain()
    assert rig.left() == ["SONE-760.mp4"]
    assert rig.offer() == [Offered.BUSY]
    for wish in (rig.store.retry, rig.store.reset):
        with pytest.raises(RowBusy, match="intake undo 1"):
            wish(1)
    assert rig.store.retry_all() == 0
    undo(rig.store, 1, rig.rules)
    assert (rig.store.get(1).error_kind, rig.offer()) == ("undone", [Offered.KNOWN])


def test_an_undo_withdraws_the_row_of_a_file_that_is_gone_again(rig):
    rig.take_in("SONE-760.mp4")
    again = rig.drop("SONE-760.mp4", b"downloaded again")
    rig.offer()
    rig.drain()
    assert rig.store.get(2).error_kind == "exists"
    with pytest.raises(CannotUndo, match="another file lies at"):
        undo(rig.store, 1, rig.rules)
    assert rig.store.get(1).status is Status.COMPLETED
    again.unlink()
    undo(rig.store, 1, rig.rules)
    assert [(row.id, row.error_kind) for row in rig.store.rows()] == [(1, "undone")]
    assert rig.offer() == [Offered.KNOWN]


def test_an_undo_that_cannot_be_done_leaves_the_row_as_it_was(rig, monkeypatch):
    before = rig.take_in("SONE-760.mp4")["SONE-760.mp4"]

    def refuse(*_, **__):
        raise NoRoom("There is no room left.")

    monkeypatch.setattr(undoing, "carry_out", refuse)
    with pytest.raises(CannotUndo, match="no room"):
        undo(rig.store, 1, rig.rules)
    after = rig.store.get(1)
    assert (after.status, after.error_kind, after.error_message) == (
        before.status,
        before.error_kind,
        before.error_message,
    )
    assert (after.plan_json, after.new_path) == (before.plan_json, before.new_path)
    monkeypatch.undo()
    undo(rig.store, 1, rig.rules)
    assert rig.left() == ["SONE-760.mp4"]


# --- a drive that is away -------------------------------------------------------------------------------------------


def test_a_drive_that_was_away_without_an_anchor_is_waited_for(rig, database, tmp_path):
    rig.drop("SONE-760.mp4")
    rig.offer()
    rig.watch.rename(tmp_path / "unmounted")
    rig.watch.mkdir()
    rig.drain()
    row = rig.store.get(1)
    assert (row.status, row.error_kind) == (Status.PENDING, "folder_gone")
    assert "is empty" in row.error_message
    rig.watch.rmdir()
    (tmp_path / "unmounted").rename(rig.watch)
    database.pass_time(61)
    rig.drain()
    assert rig.placed() == [f"{STEM}.mp4"]


def test_a_file_that_was_gone_and_is_back_goes_on_by_itself(rig, tmp_path):
    film = rig.drop("SONE-760.mp4")
    rig.drop("notes.txt")
    rig.offer()
    film.rename(tmp_path / "away.mp4")
    rig.drain()
    assert (rig.store.get(1).status, rig.store.get(1).error_kind) == (Status.ERROR, "gone")
    (tmp_path / "away.mp4").rename(film)
    assert rig.offer() == [Offered.BACK]
    rig.drain()
    assert rig.placed() == [f"{STEM}.mp4"]
