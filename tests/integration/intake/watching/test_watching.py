"""Watching a real folder: nine ways in which files arrive, heard of by inotify, and found just the same without it."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

from intake.watching import watch as watch_module
from intake.watching import watch as watching
from intake.watching.arrivals import ArrivalFinder
from intake.watching.gate import GateRules
from intake.watching.quiet import QuietTable
from intake.watching.root import Root
from intake.watching.scan import scan
from intake.watching.watch import FolderWatch, Hints, do_events_arrive, is_on_network
from runtime.lock import has_writer
from tests.support.machine.other_user import as_another_user

ROOT = Path(__file__).parents[4]
STABLE = 10.0


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "watch").mkdir()
    (tmp_path / "aside").mkdir()
    return tmp_path / "watch"


def aside(folder, name, content=b"film"):
    path = folder.parent / "aside" / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(content)
    return path


def write_and_close(folder):
    (folder / "a.mp4").write_bytes(b"film")
    return {"a.mp4"}


def rename_from_part(folder):
    (folder / "b.mp4.part").write_bytes(b"film")
    (folder / "b.mp4.part").rename(folder / "b.mp4")
    return {"b.mp4"}


def move_in(folder):
    aside(folder, "c.mp4").rename(folder / "c.mp4")
    return {"c.mp4"}


def move_folder_in(folder):
    aside(folder, "d/d.mp4").parent.rename(folder / "d")
    return {"d/d.mp4"}


def make_nested_folders(folder):
    nested = folder / "e/f/g"
    nested.mkdir(parents=True)
    (nested / "g.mp4").write_bytes(b"film")
    return {"e/f/g/g.mp4"}


def link_hard(folder):
    (folder / "h.mp4").hardlink_to(aside(folder, "h.mp4"))
    return {"h.mp4"}


def link_softly(folder):
    """A link is heard of, and never taken: neither one that leads out nor one that stays."""
    (folder / "i.mp4").symlink_to(aside(folder, "i.mp4"))
    (folder / "linked").symlink_to(folder.parent / "aside")
    return set()


def come_late_into_a_moved_folder(folder):
    aside(folder, "j/j.mp4").parent.rename(folder / "j")
    time.sleep(0.3)
    (folder / "j/k.mp4").write_bytes(b"film")
    return {"j/j.mp4", "j/k.mp4"}


def burst(folder):
    """Come in more files than the kernel keeps events: what it then drops is found by the scan."""
    queued = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    names = {f"{number}.mp4" for number in range(queued // 2 + 500)}  # each is created and closed: two events
    for name in names:
        (folder / name).touch()
    return names


WAYS = [
    write_and_close,
    rename_from_part,
    move_in,
    move_folder_in,
    make_nested_folders,
    link_hard,
    link_softly,
    come_late_into_a_moved_folder,
    burst,
]


def finder(folder, **options):
    return ArrivalFinder(Root(str(folder), **options), GateRules(min_size=0), QuietTable(STABLE))


def ready(finder, now=0.0):
    """Look twice, as far apart as files must stay the same."""
    finder.find(lambda file: False, now)
    return {file.relative for file in finder.find(lambda file: False, now + STABLE).ready}


@pytest.mark.parametrize("arrive", WAYS)
def test_an_arrival_is_heard_of_and_the_scan_finds_it(folder, arrive):
    hints = Hints()
    watch = FolderWatch(str(folder), hints.give)
    assert watch.start() == ""
    try:
        expected = arrive(folder)
        assert hints.wait(10)
        assert ready(finder(folder)) == expected
    finally:
        watch.stop()


@pytest.mark.parametrize("arrive", WAYS)
def test_without_a_watcher_the_same_is_found(folder, arrive):
    assert ready(finder(folder)) == set()
    expected = arrive(folder)
    assert ready(finder(folder)) == expected


def test_what_was_there_before_the_start_is_found(folder):
    write_and_close(folder)
    assert ready(finder(folder)) == {"a.mp4"}


def test_looking_and_leaving_are_no_arrivals(folder):
    """A scan reads, a move takes away: neither may cause the next scan, or it would never end."""
    (folder / "a.mp4").write_bytes(b"film")
    hints = Hints()
    watch = FolderWatch(str(folder), hints.give)
    watch.start()
    try:
        hints.wait(0.5)
        assert ready(finder(folder)) == {"a.mp4"}
        (folder / "a.mp4").rename(folder.parent / "a.mp4")
        assert not hints.wait(0.5)
    finally:
        watch.stop()


def test_what_watchdog_thinks_of_its_own_lists_is_not_said(folder):
    """It warns of folders that it adds twice, with all that it watches: a page a folder, in the log of a service."""
    watch = FolderWatch(str(folder), lambda: None)
    watch.start()
    try:
        warnings.warn_explicit("Callback exists.", RuntimeWarning, "inotify.py", 1, module="watchdog.observers.inotify")
        with pytest.raises(RuntimeWarning):
            warnings.warn_explicit("Another's.", RuntimeWarning, "other.py", 1, module="other")
    finally:
        watch.stop()


def test_a_listener_that_dies_is_replaced_and_any_other_thread_is_not_its_matter(folder):
    hints = Hints()
    watch = FolderWatch(str(folder), hints.give)
    watch.start()
    try:
        assert not watch.has_lost(threading.current_thread())
        assert watch.is_listening()
        assert watch.has_lost(watch._observer)
        assert not watch.is_listening()
        watch.stop()
        assert watch.start() == ""
        assert watch.is_listening()
    finally:
        watch.stop()


def test_many_hints_wake_once(folder):
    hints = Hints()
    for _ in range(100):
        hints.give()
    assert hints.wait(1)
    assert not hints.wait(0)


def test_hints_that_never_end_do_not_hold_up_the_scan(monkeypatch):
    monkeypatch.setattr(watch_module, "LONGEST_DEBOUNCE_SECONDS", 0.5)
    hints, stop = Hints(), threading.Event()

    def keep_hinting():
        while not stop.wait(0.05):
            hints.give()

    thread = threading.Thread(target=keep_hinting)
    thread.start()
    try:
        began = time.monotonic()
        assert hints.wait(30)
        assert time.monotonic() - began < 15
    finally:
        stop.set()
        thread.join()


LISTENER = """
import logging, sys, time
from intake.watching.watch import FolderWatch

class Told(logging.Handler):
    def emit(self, record):
        print("complaint:", record.getMessage(), flush=True)

logging.getLogger("watchdog").addHandler(Told())
watch = FolderWatch(sys.argv[1], lambda: None)
watch._complaints._hint = lambda: print("time to look", flush=True)
print(watch.start() or "listening", flush=True)
sys.stdin.readline()
"""


def test_lost_events_are_a_reason_to_look(folder):
    """The listener is halted until the kernel's queue has overflowed: watchdog then only complains to its log."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", LISTENER, folder], cwd=ROOT, **pipes) as listener:
        try:
            assert listener.stdout.readline() == "listening\n"
            listener.send_signal(signal.SIGSTOP)
            burst(folder)
            listener.send_signal(signal.SIGCONT)
            told = {listener.stdout.readline() for _ in range(2)}
        finally:
            listener.kill()
    assert "time to look\n" in told
    assert any("overflowed" in line for line in told)


def test_a_watch_knows_when_it_hears_nothing_any_more(folder):
    watch = FolderWatch(str(folder), lambda: None)
    assert watch.start() == ""
    assert (watch.is_listening(), watch.interval_seconds) == (True, 300)
    folder.rename(folder.with_name("old"))
    assert not watch.is_listening()
    folder.mkdir()
    assert (watch.is_listening(), watch.interval_seconds) == (False, 10)
    watch.stop()


def test_a_folder_that_cannot_be_watched_is_looked_at_more_often(tmp_path):
    watch = FolderWatch(str(tmp_path / "nothing"), lambda: None)
    assert "looked at every ten seconds" in watch.start()
    assert watch.interval_seconds == 10
    watch.stop()


def test_without_watchdog_a_sentence_says_what_to_type(folder):
    code = """
import sys
sys.modules["watchdog"] = None
from intake.watching.watch import FolderWatch, do_events_arrive
print(FolderWatch(sys.argv[1], print).start(), do_events_arrive(sys.argv[1]))
"""
    ran = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "pip install watchdog" in ran.stdout
    assert ran.stdout.endswith("False\n")


def test_the_doctor_finds_out_whether_events_arrive(folder):
    assert do_events_arrive(str(folder))
    assert list(folder.iterdir()) == []
    assert not do_events_arrive(str(folder / "nothing"))


def test_a_folder_whose_events_do_not_arrive_is_looked_at_every_ten_seconds(folder, monkeypatch):
    observe = watching._observe
    monkeypatch.setattr(watching, "_observe", lambda path, _hint: observe(path, lambda: None))
    watch = FolderWatch(str(folder), lambda: None)
    assert "every ten seconds" in watch.start()
    assert (watch.is_listening(), watch.interval_seconds) == (True, 10)
    watch.stop()


def test_a_network_drive_is_known_by_its_kind_whatever_is_heard_of_it(folder, tmp_path, monkeypatch):
    mounts = tmp_path / "mounts"
    point = str(folder).replace(" ", "\\040")
    mounts.write_text(
        "1 0 8:1 / / rw - ext4 /dev/sda rw\n"
        f"2 1 0:40 / {point} rw,relatime shared:7 - nfs4 nas:/films rw\n"
        f"3 1 0:41 / {point}/local rw - tmpfs tmpfs rw\n"
    )
    assert is_on_network(str(folder), str(mounts))
    assert is_on_network(str(folder / "in it"), str(mounts))
    assert not is_on_network(str(folder / "local" / "x"), str(mounts))
    assert not is_on_network(str(tmp_path), str(mounts))
    assert not is_on_network(str(folder), str(tmp_path / "no such system"))
    monkeypatch.setattr(watching, "is_on_network", lambda _: True)
    watch = FolderWatch(str(folder), lambda: None)
    assert "network drive" in watch.start()
    assert watch.interval_seconds == 10
    watch.stop()


def words(arrivals):
    return {file.relative: refusal.word for file, refusal in arrivals.refused}


def test_a_writer_that_pauses_longer_than_the_time_of_quiet_is_waited_for(folder):
    with (folder / "a.mp4").open("wb") as file:
        file.write(b"half")
        file.flush()
        looking = finder(folder)
        looking.find(lambda seen: False, 0)
        arrivals = looking.find(lambda seen: False, 3600)
        assert words(arrivals) == {"a.mp4": "being_written"}
        assert arrivals.look_again_at == 3610
    assert [file.relative for file in looking.find(lambda seen: False, 3610).ready] == ["a.mp4"]


def test_a_preallocated_file_is_not_finished_because_it_has_its_size(folder):
    with (folder / "a.mp4").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 1_000_000)
        looking = finder(folder)
        looking.find(lambda seen: False, 0)
        assert words(looking.find(lambda seen: False, 100)) == {"a.mp4": "being_written"}


def test_what_is_known_is_not_offered_again_until_it_is_another_file(folder):
    write_and_close(folder)
    looking = finder(folder)
    looking.find(lambda seen: False, 0)
    (known,) = looking.find(lambda seen: False, 10).ready
    assert looking.find(lambda seen: seen == known, 20).ready == ()
    (folder / "a.mp4").write_bytes(b"downloaded again")
    assert words(looking.find(lambda seen: seen == known, 30)) == {"a.mp4": "changing"}
    assert len(looking.find(lambda seen: seen == known, 40).ready) == 1


def test_a_watched_folder_that_is_not_there_not_mounted_or_empty_is_trouble_and_no_deletion(folder):
    (trouble,) = scan(Root(str(folder))).troubles
    assert (trouble.word, "drive may not be mounted" in trouble.sentence) == ("empty", True)
    (trouble,) = scan(Root(str(folder), ".anchor")).troubles
    assert (trouble.word, "lacks its anchor" in trouble.sentence) == ("folder_gone", True)
    (folder / ".anchor").touch()
    assert scan(Root(str(folder), ".anchor")).troubles == ()
    shutil.rmtree(folder)
    (trouble,) = finder(folder).find(lambda seen: False, 0).troubles
    assert (trouble.word, "is not there" in trouble.sentence) == ("folder_gone", True)


def test_a_folder_that_cannot_be_read_is_named_and_the_others_are_read():
    import tempfile

    base = Path(tempfile.mkdtemp(dir="/dev/shm"))
    try:
        base.chmod(0o755)
        (base / "closed").mkdir(mode=0o700)
        (base / "closed").chmod(0o000)
        (base / "open.mp4").write_bytes(b"film")
        with as_another_user():
            found = scan(Root(str(base)))
        assert [file.relative for file in found.files] == ["open.mp4"]
        assert [trouble.word for trouble in found.troubles] == ["unreadable"]
    finally:
        (base / "closed").chmod(0o700)
        shutil.rmtree(base)


def test_strange_entries_are_refused_by_their_words(folder):
    os.mkfifo(folder / "pipe.mp4")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.mp4")).write_bytes(b"film")
    link_softly(folder)
    (folder / "@eaDir").mkdir()
    (folder / "@eaDir/a.mp4").write_bytes(b"film")
    assert words(finder(folder).find(lambda seen: False, 0)) == {
        "pipe.mp4": "not_a_file",
        "\udcff.mp4": "name",
        "i.mp4": "link",
        "linked": "link",
    }


def test_a_root_contains_what_lies_in_it_links_followed(folder):
    root = Root(str(folder))
    link_softly(folder)
    assert root.contains(str(folder))
    assert root.contains(str(folder / "a" / "b"))
    assert not root.contains(str(folder.parent))
    assert not root.contains(str(folder) + "-other")
    assert not root.contains(str(folder / "linked"))


def test_a_writer_is_seen_and_a_reader_is_none(folder):
    path = folder / "a.mp4"
    path.write_bytes(b"film")
    assert not has_writer(str(path))
    with path.open("rb"):
        assert not has_writer(str(path))
    with path.open("ab"):
        assert has_writer(str(path))
    assert not has_writer(str(folder / "nothing"))
    os.mkfifo(folder / "pipe")
    assert not has_writer(str(folder / "pipe"))


LEASES = """
import sys, time
from runtime.lock import has_writer
until = time.monotonic() + 2
while time.monotonic() < until:
    has_writer(sys.argv[1])
"""


def test_a_writer_that_comes_while_we_look_does_no_harm(folder):
    """The kernel tells the holder of a lease by a signal that, by default, ends it."""
    path = folder / "a.mp4"
    path.write_bytes(b"film")
    looking = subprocess.Popen([sys.executable, "-c", LEASES, path], cwd=ROOT)
    while looking.poll() is None:
        with path.open("ab"):
            pass
    assert looking.returncode == 0
