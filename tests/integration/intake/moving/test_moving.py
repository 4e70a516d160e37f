"""Moving: planned, announced, never over another file, undone byte for byte."""

import os
import stat
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from intake.moving import disk
from intake.moving.disk import Verify
from intake.moving.errors import (
    BeingWritten,
    DiskTrouble,
    LeadsOut,
    MoveError,
    NoLink,
    NotAFile,
    SameName,
    SourceChanged,
    SourceGone,
    TargetExists,
    TargetTaken,
)
from intake.moving.execute import Moved, carry_out, is_already_there, resume
from intake.moving.plan import Destination, MoveMode, MovePlan, OnExists
from intake.moving.undo import plan_undo
from intake.naming.codes import read_code
from intake.naming.names import NameFields
from intake.watching.root import Root
from tests.integration.intake.moving.conftest import FIELDS, STEM

ROOT = Path(__file__).parents[4]


def undo(moved):
    plan, left = plan_undo(moved)
    carry_out(plan, lambda plan: None)
    return left


class Stopped(Exception):
    pass


def test_a_work_moves_with_its_parts_and_sidecars_under_new_names(anywhere):
    anywhere.put("get/QRST-123-cd1.mp4", b"one")
    anywhere.put("get/QRST-123-cd2.MKV", b"two")
    anywhere.put("get/QRST-123-cd1.en.srt", b"words")
    anywhere.put("get/QRST-123.nfo", b"about")
    anywhere.put("get/else.txt", b"stays")
    moved = anywhere.move(("get/QRST-123-cd1.mp4", 1), ("get/QRST-123-cd2.MKV", 2))
    assert anywhere.tree() == {
        f"library/Some Body/{STEM}-cd1.mp4": b"one",
        f"library/Some Body/{STEM}-cd2.mkv": b"two",
        f"library/Some Body/{STEM}-cd1.en.srt": b"words",
        f"library/Some Body/{STEM}.nfo": b"about",
        "watch/get/else.txt": b"stays",
    }
    assert Moved.from_json(moved.to_json()) == moved
    assert MovePlan.from_json(moved.plan.to_json()) == moved.plan


def test_a_plan_is_announced_before_anything_is_touched(folders):
    folders.put("QRST-123.mp4")
    plan = folders.plan("QRST-123.mp4")
    before, heard = folders.tree(), []

    def announce(announced):
        heard.append((announced, folders.tree()))
        raise Stopped

    with pytest.raises(Stopped):
        carry_out(plan, announce)
    assert heard == [(plan, before)]
    assert folders.tree() == before
    assert not any(folders.library.iterdir())


def test_undo_brings_all_back_and_leaves_no_empty_folder(anywhere):
    anywhere.put("get/QRST-123.mp4", b"x" * 10_000)
    anywhere.put("get/QRST-123-poster.jpg", b"picture")
    os.utime(anywhere.watch / "get/QRST-123.mp4", ns=(1, 1_600_000_000_123_456_789))
    before = anywhere.tree()
    moved = anywhere.move("get/QRST-123.mp4", template="{performer}/{code}")
    (anywhere.watch / "get").rmdir()  # and the folder it came from is made again
    assert undo(moved) == ()
    assert anywhere.tree() == before
    assert (anywhere.watch / "get/QRST-123.mp4").stat().st_mtime_ns == 1_600_000_000_123_456_789
    assert not any(anywhere.library.iterdir())


def test_undo_keeps_its_hands_off_what_is_not_ours_any_more(folders):
    folders.put("QRST-123.mp4")
    folders.put("QRST-123.nfo")
    folders.put("QRST-123.srt")
    moved = folders.move("QRST-123.mp4")
    placed = folders.library / "Some Body"
    (placed / f"{STEM}.nfo").write_bytes(b"edited")
    (placed / f"{STEM}.srt").unlink()
    left = undo(moved)
    assert [("gone" in one, "not the file" in one) for one in left] == [(False, True), (True, False)]
    assert folders.tree() == {"watch/QRST-123.mp4": b"film", f"library/Some Body/{STEM}.nfo": b"edited"}


def test_undo_of_a_video_that_was_changed_or_whose_place_is_taken_says_so(folders):
    folders.put("QRST-123.mp4")
    moved = folders.move("QRST-123.mp4")
    folders.put("QRST-123.mp4", b"a new download")
    before = folders.tree()
    with pytest.raises(TargetExists):
        undo(moved)
    assert folders.tree() == before
    (folders.library / "Some Body" / f"{STEM}.mp4").write_bytes(b"cut anew")
    with pytest.raises(SourceChanged, match="Nothing was undone"):
        plan_undo(moved)


@pytest.mark.parametrize("mode", [MoveMode.COPY, MoveMode.HARDLINK])
def test_undo_of_a_copy_or_link_removes_it_only_while_the_original_is_there(folders, mode):
    original = folders.put("QRST-123.mp4")
    moved = folders.move("QRST-123.mp4", mode=mode)
    undo(moved)
    assert folders.tree() == {"watch/QRST-123.mp4": b"film"}
    moved = folders.move("QRST-123.mp4", mode=mode)
    original.unlink()
    undo(moved)
    assert folders.tree() == {"watch/QRST-123.mp4": b"film"}


def test_a_hard_link_is_one_or_there_is_none(folders, across):
    original = folders.put("QRST-123.mp4")
    moved = folders.move("QRST-123.mp4", mode=MoveMode.HARDLINK)
    assert original.samefile(moved.plan.files[0].target)
    with pytest.raises(NoLink, match="two devices"):
        across.move("QRST-123.mp4", mode=MoveMode.HARDLINK)
    assert not any(across.library.rglob("*.mp4"))
    across.move("QRST-123.mp4", mode=MoveMode.HARDLINK_OR_COPY)
    assert across.tree()[f"library/Some Body/{STEM}.mp4"] == b"film"
    assert original.exists()


def test_another_file_of_the_name_is_never_overwritten_and_a_person_is_asked(anywhere):
    anywhere.put("QRST-123.mp4", b"new")
    anywhere.put("QRST-123.srt", b"words")
    taken = anywhere.library / "Some Body" / f"{STEM}.mp4"
    taken.parent.mkdir()
    taken.write_bytes(b"old")
    before = anywhere.tree()
    with pytest.raises(TargetExists) as caught:
        anywhere.plan("QRST-123.mp4")
    assert caught.value.target == str(taken)
    assert not is_already_there(caught.value.source, caught.value.target)
    assert anywhere.tree() == before


def test_one_that_comes_between_plan_and_move_is_not_overwritten_either(anywhere):
    anywhere.put("QRST-123.mp4", b"new")
    anywhere.put("QRST-123.srt", b"words")
    plan = anywhere.plan("QRST-123.mp4")
    taken = Path(plan.files[-1].target)
    taken.parent.mkdir()
    taken.write_bytes(b"old")
    with pytest.raises(TargetExists, match="has the name"):
        carry_out(plan, lambda plan: None)
    assert anywhere.tree() == {
        "watch/QRST-123.mp4": b"new",
        "watch/QRST-123.srt": b"words",
        f"library/Some Body/{STEM}.mp4": b"old",
    }


@pytest.mark.parametrize("spelling", [str.upper, lambda name: unicodedata.normalize("NFD", name)])
def test_a_name_in_another_spelling_is_the_same_name(folders, spelling):
    folders.put("QRST-123.mp4", b"new")
    fields = NameFields(read_code("QRST-123"), "Caf\u00e9", ("Some Body",))
    there = folders.library / "Some Body" / spelling(f"{STEM.replace('A Title', 'Caf' + chr(0xE9))}.mp4")
    there.parent.mkdir()
    there.write_bytes(b"old")
    with pytest.raises(TargetExists) as caught:
        folders.plan("QRST-123.mp4", fields=fields)
    assert caught.value.target == str(there)
    folders.move("QRST-123.mp4", fields=fields, on_exists=OnExists.KEEP_BOTH)
    assert sorted(folders.tree().values()) == [b"new", b"old"]


def test_keeping_both_gives_the_new_one_a_number(folders):
    for content in (b"first", b"second", b"third"):
        folders.put("QRST-123.mp4", content)
        folders.move("QRST-123.mp4", on_exists=OnExists.KEEP_BOTH)
    assert folders.tree() == {
        f"library/Some Body/{STEM}.mp4": b"first",
        f"library/Some Body/{STEM} (2).mp4": b"second",
        f"library/Some Body/{STEM} (3).mp4": b"third",
    }


def test_the_same_file_is_known_to_be_there_already(folders):
    folders.put("QRST-123.mp4")
    folders.move("QRST-123.mp4", mode=MoveMode.COPY)
    with pytest.raises(TargetExists) as caught:
        folders.plan("QRST-123.mp4")
    assert is_already_there(caught.value.source, caught.value.target)
    assert not is_already_there(caught.value.source, str(folders.library / "nothing"))


def test_two_files_for_one_name_are_refused(folders):
    folders.put("QRST-123.mp4")
    folders.put("QRST-123 again.mp4")
    with pytest.raises(SameName, match="would both be called"):
        folders.plan("QRST-123.mp4", "QRST-123 again.mp4")


def test_a_name_that_another_plan_is_about_to_use_is_not_used(folders):
    folders.put("QRST-123.mp4")
    promised = {folders.plan("QRST-123.mp4").files[0].target}
    with pytest.raises(TargetTaken, match="about to get the name"):
        folders.plan("QRST-123.mp4", promised=promised)
    plan = folders.plan("QRST-123.mp4", promised=promised, on_exists=OnExists.KEEP_BOTH)
    assert plan.files[0].target.endswith(" (2).mp4")


def test_what_is_still_being_written_is_neither_copied_nor_removed(anywhere):
    anywhere.put("QRST-123.mp4")
    with (anywhere.watch / "QRST-123.srt").open("wb") as writer:
        writer.write(b"first half ")
        writer.flush()
        plan = anywhere.plan("QRST-123.mp4")
        with pytest.raises(BeingWritten, match="still writing"):
            carry_out(plan, lambda plan: None)
        writer.write(b"second half")
    assert anywhere.tree() == {"watch/QRST-123.mp4": b"film", "watch/QRST-123.srt": b"first half second half"}


def test_a_writer_that_comes_while_the_files_are_copied_keeps_the_original(across):
    film = across.put("QRST-123.mp4", b"x" * disk.CHUNK)
    plan = across.plan("QRST-123.mp4")
    opened = []

    def open_for_writing():
        opened.append(film.open("ab"))

    with pytest.raises(BeingWritten):
        carry_out(plan, lambda plan: None, open_for_writing)
    for one in opened:
        one.close()
    assert list(across.tree()) == ["watch/QRST-123.mp4"]


@pytest.mark.parametrize("mode", [MoveMode.MOVE, MoveMode.COPY, MoveMode.HARDLINK_OR_COPY])
@pytest.mark.parametrize("resumes", [False, True])
def test_another_file_of_the_same_bytes_is_not_ours_and_is_never_removed(anywhere, mode, resumes):
    """A sidecar like ours lies there by the time we come, and the video cannot be placed."""
    film = anywhere.put("QRST-123.mp4", b"new")
    words = anywhere.put("QRST-123.srt", b"words")
    os.utime(words, ns=(1, 1_600_000_000_000_000_000))
    plan = anywhere.plan("QRST-123.mp4", mode=mode)
    for file, content in zip(plan.files, (b"words", b"old"), strict=True):
        Path(file.target).parent.mkdir(exist_ok=True)
        Path(file.target).write_bytes(content)
    before = anywhere.tree()
    with pytest.raises(TargetTaken):
        resume(plan) if resumes else carry_out(plan, lambda plan: None)
    assert anywhere.tree() == before
    assert film.exists()


def test_what_was_copied_by_a_process_that_died_is_known_as_ours_and_taken_back(across):
    across.put("QRST-123.mp4", b"x" * disk.CHUNK)
    across.put("QRST-123.srt", b"words")
    plan = across.plan("QRST-123.mp4")
    beats = []

    def die():
        beats.append(1)
        if len(beats) == 5:  # the sidecar is there
            raise Stopped

    with pytest.raises(Stopped):
        carry_out(plan, lambda plan: None, die)
    assert os.path.exists(plan.files[0].target)
    Path(plan.files[1].target).write_bytes(b"another film")
    with pytest.raises(TargetTaken):
        resume(plan)
    assert sorted(across.tree()) == [f"library/Some Body/{STEM}.mp4", "watch/QRST-123.mp4", "watch/QRST-123.srt"]


def test_a_copy_keeps_times_rights_and_attributes(across):
    film = across.put("QRST-123.mp4", os.urandom(10_000_000))
    content = film.read_bytes()
    film.chmod(0o640)
    os.setxattr(film, "user.note", b"kept")
    os.utime(film, ns=(1_500_000_000_000_000_001, 1_600_000_000_000_000_002))
    moved = across.move("QRST-123.mp4")
    target = Path(moved.plan.files[0].target)
    assert target.read_bytes() == content
    assert target.stat().st_mtime_ns == 1_600_000_000_000_000_002
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert os.getxattr(target, "user.note") == b"kept"
    assert not film.exists()


def test_new_folders_have_the_rights_of_the_one_around_them(folders):
    folders.library.chmod(0o2770)
    folders.put("QRST-123.mp4")
    folders.move("QRST-123.mp4", template="{performer}/{code}")
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders.library.rglob("*") if path.is_dir()} == {0o2770}


def test_a_folder_that_is_there_in_another_spelling_is_used(folders):
    (folders.library / "SOME BODY").mkdir()
    folders.put("QRST-123.mp4")
    folders.move("QRST-123.mp4")
    assert list(folders.tree()) == [f"library/SOME BODY/{STEM}.mp4"]


def test_a_file_that_changes_while_it_is_copied_stays(across):
    film = across.put("QRST-123.mp4", b"x" * disk.CHUNK)
    across.put("QRST-123.srt", b"words")
    plan = across.plan("QRST-123.mp4")

    def write_more():
        with film.open("ab") as file:
            file.write(b"more")

    with pytest.raises(SourceChanged, match="stays where it is"):
        carry_out(plan, lambda plan: None, write_more)
    assert not any(across.library.iterdir())
    assert film.stat().st_size > disk.CHUNK
    assert (across.watch / "QRST-123.srt").exists()


def test_a_file_that_changes_after_it_was_copied_stays_too(across, monkeypatch):
    film = across.put("QRST-123.mp4", b"film")
    plan = across.plan("QRST-123.mp4")
    rename = disk.rename_no_replace

    def rename_and_change(source, target, token):
        rename(source, target, token)
        if target == plan.files[0].target:
            film.write_bytes(b"another")

    monkeypatch.setattr(disk, "rename_no_replace", rename_and_change)
    with pytest.raises(SourceChanged):
        carry_out(plan, lambda plan: None)
    assert across.tree() == {"watch/QRST-123.mp4": b"another"}


def test_a_file_that_is_replaced_in_the_very_moment_is_put_back(folders, monkeypatch):
    film = folders.put("QRST-123.mp4", b"film")
    plan = folders.plan("QRST-123.mp4")
    rename = disk.rename_no_replace

    def change_and_rename(source, target, token):
        film.write_bytes(b"another")
        rename(source, target, token)
        monkeypatch.undo()

    monkeypatch.setattr(disk, "rename_no_replace", change_and_rename)
    with pytest.raises(SourceChanged):
        carry_out(plan, lambda plan: None)
    assert folders.tree() == {"watch/QRST-123.mp4": b"another"}


@pytest.mark.parametrize(("verify", "damaged"), [(Verify.SAMPLES, 2), (Verify.FULL, 1)])
def test_a_copy_that_reads_differently_is_thrown_away(across, verify, damaged):
    across.put("QRST-123.mp4", b"x" * (disk.CHUNK * 5))
    plan = across.plan("QRST-123.mp4")
    beats = []

    def damage():
        beats.append(1)
        if len(beats) == 6:  # all is written; reading begins
            (partial,) = across.library.rglob(".*.partial")
            with partial.open("r+b") as file:
                file.seek(damaged * disk.CHUNK)
                file.write(b"y")

    with pytest.raises(DiskTrouble, match="could not be read again"):
        carry_out(plan, lambda plan: None, damage, verify=verify)
    assert across.tree() == {"watch/QRST-123.mp4": b"x" * (disk.CHUNK * 5)}


def test_work_that_is_stopped_is_taken_up_later(across):
    across.put("QRST-123.mp4", b"x" * (disk.CHUNK * 3))
    across.put("QRST-123.srt", b"words")
    plan = across.plan("QRST-123.mp4")
    beats = []

    def stop():
        beats.append(1)
        if len(beats) == 5:
            raise Stopped

    with pytest.raises(Stopped):
        carry_out(plan, lambda plan: None, stop)
    assert not list(across.library.rglob("*.partial"))
    resume(plan)
    assert sorted(across.tree()) == [f"library/Some Body/{STEM}.mp4", f"library/Some Body/{STEM}.srt"]


def test_resuming_what_is_done_only_finds_that_it_is_done(anywhere):
    anywhere.put("QRST-123.mp4")
    moved = anywhere.move("QRST-123.mp4")
    assert resume(moved.plan) == moved
    anywhere.put("QRST-123.mp4", b"the next download of that name")
    assert resume(moved.plan) == moved
    assert (anywhere.watch / "QRST-123.mp4").read_bytes() == b"the next download of that name"


def test_a_file_that_is_gone_is_said_to_be(folders):
    film = folders.put("QRST-123.mp4")
    folders.put("QRST-123.srt")
    plan = folders.plan("QRST-123.mp4")
    film.unlink()
    with pytest.raises(SourceGone, match="is gone"):
        resume(plan)
    assert folders.tree() == {"watch/QRST-123.srt": b"film"}
    with pytest.raises(SourceGone):
        folders.plan("QRST-123.mp4")


def test_a_file_that_is_not_the_one_that_was_seen_is_not_planned(folders):
    film = folders.put("QRST-123.mp4")
    seen = {str(film): folders.plan("QRST-123.mp4").files[0].identity}
    assert folders.plan("QRST-123.mp4", seen=seen)
    film.write_bytes(b"grown")
    with pytest.raises(SourceChanged):
        folders.plan("QRST-123.mp4", seen=seen)


def test_links_that_lead_out_are_not_followed(folders, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (folders.library / "Some Body").symlink_to(outside)
    folders.put("QRST-123.mp4")
    with pytest.raises(LeadsOut, match="leads out of"):
        folders.move("QRST-123.mp4", template="{performer}/{code}")
    (outside / "QRST-124.mp4").write_bytes(b"theirs")
    (folders.watch / "away").symlink_to(outside)
    with pytest.raises(LeadsOut):
        folders.move("away/QRST-124.mp4", template="{code}")
    (folders.watch / "link.mp4").symlink_to(outside / "QRST-124.mp4")
    with pytest.raises(NotAFile):
        folders.plan("link.mp4")
    assert sorted(path.name for path in outside.iterdir()) == ["QRST-124.mp4"]
    assert (folders.watch / "QRST-123.mp4").exists()


def test_a_title_cannot_lead_out(folders):
    folders.put("QRST-123.mp4")
    escaping = NameFields(read_code("QRST-123"), "../../x", ("../../y",), studio="..")
    folders.move("QRST-123.mp4", fields=escaping, template="{studio}/{performer}")
    (name,) = folders.tree()
    assert name.startswith("library/")
    assert len(list(folders.library.rglob("*"))) == 3


def test_the_longest_names_are_taken_by_the_disk(folders):
    folders.put("QRST-123-cd1.mp4")
    folders.put("QRST-123-cd1.zh-Hans.forced.srt")
    long = NameFields(read_code("QRST-123"), "\u3042" * 300, ("\u3044" * 300,))
    moved = folders.move(("QRST-123-cd1.mp4", 1), fields=long)
    names = [os.path.basename(file.target) for file in moved.plan.files]
    assert all("QRST-123" in name for name in names)
    assert max(len(name.encode()) for name in names) <= 240


def test_a_sidecar_that_vanished_since_the_folder_was_read_is_no_obstacle(folders):
    from intake.moving.beside import Beside

    folders.put("QRST-123.mp4")
    beside = Beside(["QRST-123.mp4", "QRST-123.srt"])
    folders.move("QRST-123.mp4", beside=beside)
    assert list(folders.tree()) == [f"library/Some Body/{STEM}.mp4"]


def test_a_name_that_is_not_utf8_stays(folders):
    folders.put("QRST-123.mp4")
    Path(os.fsdecode(os.fsencode(folders.watch) + b"/QRST-123.\xff.srt")).write_bytes(b"words")
    folders.move("QRST-123.mp4")
    assert [os.fsencode(path.name) for path in folders.watch.iterdir()] == [b"QRST-123.\xff.srt"]


def test_a_library_without_its_anchor_takes_nothing(folders):
    folders.put("QRST-123.mp4")
    anchored = Destination(Root(str(folders.library), ".mounted"))
    with pytest.raises(MoveError, match="anchor"):
        folders.plan("QRST-123.mp4", destination=anchored)
    (folders.library / ".mounted").touch()
    plan = folders.plan("QRST-123.mp4", destination=anchored)
    (folders.library / ".mounted").unlink()
    with pytest.raises(MoveError, match="is its drive mounted"):
        resume(plan)
    assert (folders.watch / "QRST-123.mp4").exists()


RACE = """
import sys
from pathlib import Path
from intake.moving import disk
from intake.moving.errors import MoveError
from intake.moving.execute import resume
from intake.moving.plan import MovePlan
disk.CHUNK = 1000
plan = MovePlan.from_json(Path(sys.argv[1]).read_text())
sys.stdin.readline()
try:
    resume(plan)
except MoveError as error:
    print(type(error).__name__)
"""


def test_two_workers_with_one_plan_leave_each_file_whole_in_one_place(anywhere, tmp_path):
    """A lease that expires under a worker that is only slow gives its plan to another, while it goes on."""
    for number in range(8):
        contents = {f"QRST-{number}.mp4": os.urandom(200_000), f"QRST-{number}.srt": os.urandom(5_000)}
        for name, content in contents.items():
            anywhere.put(name, content)
        plan = anywhere.plan(f"QRST-{number}.mp4", fields=FIELDS, template=f"{number}/{{performer}}")
        (tmp_path / "plan.json").write_text(plan.to_json())
        workers = [
            subprocess.Popen(
                [sys.executable, "-c", RACE, tmp_path / "plan.json"], cwd=ROOT, stdin=subprocess.PIPE, text=True
            )
            for _ in range(2)
        ]
        for worker in workers:
            worker.stdin.write("go\n")
            worker.stdin.flush()
        assert [worker.wait(30) for worker in workers] == [0, 0]
        for worker in workers:
            worker.stdin.close()
        resume(plan)
        there = {name: content for name, content in anywhere.tree().items() if f"{number}/" in name}
        assert sorted(there.values()) == sorted(contents.values())
    assert not any(anywhere.watch.iterdir())
