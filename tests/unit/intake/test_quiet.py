"""A file is finished when nothing about it has changed for a while and nobody writes it; nobody sleeps meanwhile."""

import math

from intake.watching.identity import FileIdentity
from intake.watching.quiet import QuietTable
from intake.watching.seen import SeenFile


def seen(*, name="a.mp4", size=5, inode=1, mtime_ns=7):
    return SeenFile(f"/watch/{name}", name, FileIdentity(inode, size, mtime_ns))


def table(writers=()):
    return QuietTable(10, is_being_written=lambda path: path in writers)


def word(refusal):
    return refusal and refusal.word


def test_two_looks_ten_seconds_apart():
    quiet = table()
    assert word(quiet.look(seen(), 100)) == "changing"
    assert word(quiet.look(seen(), 109.9)) == "changing"
    assert quiet.look_again_at() == 110
    assert quiet.look(seen(), 110) is None
    assert quiet.look_again_at() == math.inf


def test_any_change_starts_anew():
    for change in ({"size": 6}, {"inode": 2}, {"mtime_ns": 8}):
        quiet = table()
        quiet.look(seen(), 100)
        assert word(quiet.look(seen(**change), 111)) == "changing"
        assert quiet.look_again_at() == 121


def test_a_file_that_somebody_has_open_is_not_finished_however_still_it_is():
    writers = {"/watch/a.mp4"}
    quiet = table(writers)
    quiet.look(seen(), 100)
    assert word(quiet.look(seen(), 200)) == "being_written"
    assert quiet.look_again_at() == 210
    writers.clear()
    assert quiet.look(seen(), 210) is None


def test_a_file_that_vanishes_is_forgotten():
    quiet = table()
    quiet.look(seen(), 100)
    quiet.keep_only([])
    assert quiet.look_again_at() == math.inf
    assert word(quiet.look(seen(), 120)) == "changing"


def test_each_file_has_its_own_time():
    quiet = table()
    quiet.look(seen(), 100)
    quiet.look(seen(name="b.mp4"), 105)
    assert quiet.look_again_at() == 110
    assert quiet.look(seen(), 110) is None
    assert quiet.look_again_at() == 115


def test_an_identity_is_written_and_read_and_a_copy_is_told_by_size_and_time():
    identity = FileIdentity(12, 34, 5_600_000_000)
    assert FileIdentity.parse(str(identity)) == identity
    assert FileIdentity(99, 34, 5_000_000_000).may_be_copy_of(identity)
    assert not FileIdentity(99, 35, 5_600_000_000).may_be_copy_of(identity)
    assert not FileIdentity(99, 34, 9_600_000_000).may_be_copy_of(identity)
