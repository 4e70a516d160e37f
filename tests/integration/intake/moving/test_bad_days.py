"""A full disk, a read-only one, a folder that vanished or belongs to another: a sentence each, and nothing lost."""

import contextlib
import errno
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from intake.moving import disk, place
from intake.moving.errors import DiskTrouble, FolderGone, MoveError, NoRights, NoRoom, ReadOnly, translate
from intake.moving.execute import carry_out, resume
from intake.moving.plan import MoveMode
from tests.integration.intake.moving.conftest import Folders
from tests.support.machine.other_user import as_another_user
from tests.support.machine.small_disk import remount, small_disk


def assert_unharmed(folders, before, error):
    """All is as it was, not an unfinished copy is left, and the sentence can be read."""
    assert folders.tree() == before
    assert "\u201c" in str(error.value)
    assert str(error.value).endswith((".", "?"))


@pytest.fixture
def film(folders):
    folders.put("QRST-123.mp4", b"x" * 3_000_000)
    folders.put("QRST-123.srt", b"words")
    return folders


@pytest.mark.mounts
def test_a_disk_that_is_too_small_is_found_out_before_the_copy(film, tmp_path):
    with small_disk(tmp_path / "small", size="2m") as library:
        folders = Folders(film.watch, library)
        before = folders.tree()
        with pytest.raises(NoRoom, match="no room left") as error:
            folders.move("QRST-123.mp4")
        assert_unharmed(folders, before, error)
        assert list(library.iterdir()) == []


@pytest.mark.mounts
def test_a_disk_that_fills_up_during_the_copy(film, tmp_path, monkeypatch):
    with small_disk(tmp_path / "small", size="2m") as library:
        folders = Folders(film.watch, library)
        before = folders.tree()
        monkeypatch.setattr(disk, "_require_room", lambda descriptor, size: None)  # as if others were filling it
        with pytest.raises(NoRoom) as error:
            folders.move("QRST-123.mp4")
        assert_unharmed(folders, before, error)
        assert list(library.iterdir()) == []
        monkeypatch.undo()
        assert remount(library, "size=16m")
        folders.move("QRST-123.mp4")
        assert not any(folders.watch.iterdir())


@pytest.mark.parametrize(("code", "kind"), [(errno.ENOSPC, NoRoom), (errno.EDQUOT, NoRoom), (errno.EIO, DiskTrouble)])
def test_a_write_that_fails_where_no_small_disk_can_be_had(film, in_memory, monkeypatch, code, kind):
    """The one call is made to fail; the test needs no right to mount."""
    folders = Folders(film.watch, in_memory)
    before, written = folders.tree(), []

    class Os:
        def __getattr__(self, name):
            return getattr(os, name)

        def write(self, descriptor, data):
            written.append(len(data))
            if len(written) > 1:
                raise OSError(code, os.strerror(code))
            return os.write(descriptor, data[:1000])

    monkeypatch.setattr(disk, "os", Os())
    with pytest.raises(kind) as error:
        folders.move("QRST-123.mp4")
    assert_unharmed(folders, before, error)
    assert list(in_memory.iterdir()) == []


def test_a_hard_link_needs_no_room(film, monkeypatch):
    monkeypatch.setattr(disk, "_require_room", lambda descriptor, size: pytest.fail("no room is needed"))
    film.move("QRST-123.mp4", mode=MoveMode.HARDLINK)


@contextlib.contextmanager
def read_only(folder):
    assert remount(folder, "ro")
    try:
        yield
    finally:
        assert remount(folder, "rw")


@pytest.mark.mounts
def test_a_library_that_is_read_only(film, tmp_path):
    with small_disk(tmp_path / "disk") as library, read_only(library):
        folders = Folders(film.watch, library)
        before = folders.tree()
        with pytest.raises(ReadOnly, match="read-only") as error:
            folders.move("QRST-123.mp4")
        assert_unharmed(folders, before, error)


@pytest.mark.mounts
def test_a_watched_folder_that_is_read_only(folders, tmp_path, monkeypatch):
    with small_disk(tmp_path / "disk") as watch:
        here = Folders(watch, folders.library)
        here.put("QRST-123.mp4")
        before = here.tree()
        with read_only(watch):
            monkeypatch.setattr(disk, "copy", lambda *_: pytest.fail("copied for nothing"))
            with pytest.raises(ReadOnly) as error:
                here.move("QRST-123.mp4")
            monkeypatch.undo()
            assert_unharmed(here, before, error)
            assert not any(folders.library.iterdir())
            here.move("QRST-123.mp4", mode=MoveMode.COPY)
        assert len(here.tree()) == 2


def test_a_library_or_watched_folder_that_vanished(anywhere, tmp_path):
    anywhere.put("QRST-123.mp4")
    plan = anywhere.plan("QRST-123.mp4")
    for folder in (anywhere.library, anywhere.watch):
        away = folder.rename(folder.with_name("away"))
        with pytest.raises(FolderGone, match="Is its drive mounted"):
            carry_out(plan, lambda plan: None)
        with pytest.raises(FolderGone):
            anywhere.plan("QRST-123.mp4")
        assert not folder.exists()
        away.rename(folder)
    resume(plan)
    assert len(anywhere.tree()) == 1


def test_a_folder_that_vanishes_in_the_middle(across):
    across.put("QRST-123.mp4", b"x" * (disk.CHUNK * 2))
    plan = across.plan("QRST-123.mp4")
    beats = []

    def pull_out():
        beats.append(1)
        if len(beats) == 2:
            shutil.rmtree(across.library)

    with pytest.raises(FolderGone, match="vanished") as error:
        carry_out(plan, lambda plan: None, pull_out)
    assert "mounted" in str(error.value)
    assert (across.watch / "QRST-123.mp4").stat().st_size == disk.CHUNK * 2


def test_a_file_in_the_way_of_a_folder(folders):
    folders.put("QRST-123.mp4")
    (folders.library / "Some Body").write_bytes(b"a file")
    with pytest.raises(MoveError, match="Some Body") as error:
        folders.move("QRST-123.mp4", template="{performer}/{code}")
    assert str(error.value).endswith("Rename it.")
    assert (folders.watch / "QRST-123.mp4").exists()


@pytest.fixture
def open_folders():
    """Folders that another user can reach: pytest's own are closed to all but their owner."""
    base = Path(tempfile.mkdtemp(dir="/dev/shm"))
    base.chmod(0o755)
    for name in ("watch", "library"):
        (base / name).mkdir()
    folders = Folders(base / "watch", base / "library")
    yield folders
    for name in ("watch", "library"):
        (base / name).chmod(0o755)
    shutil.rmtree(base)


@pytest.mark.parametrize("closed", ["watch", "library"])
def test_a_folder_of_another_user(open_folders, closed):
    open_folders.put("QRST-123.mp4").chmod(0o644)
    for name in ("watch", "library"):
        getattr(open_folders, name).chmod(0o555 if name == closed else 0o777)
    before = open_folders.tree()
    with as_another_user(), pytest.raises(NoRights, match="does not let this user") as error:
        open_folders.move("QRST-123.mp4")
    assert_unharmed(open_folders, before, error)
    assert not any(open_folders.library.iterdir())


class StickyOs:
    """What the system says of files that another user has put into a sticky folder."""

    def __init__(self, folder):
        self._folder = str(folder)

    def __getattr__(self, name):
        return getattr(os, name)

    def unlink(self, path):
        if os.path.dirname(path) == self._folder:
            raise OSError(errno.EPERM, os.strerror(errno.EPERM), path)
        os.unlink(path)


def test_a_file_of_another_user_across_devices(open_folders, monkeypatch):
    """A sticky folder shows only at the end that a file cannot be removed: then the copy goes, not the sense."""
    disk_folder = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        disk_folder.chmod(0o1777)
        if os.geteuid():  # only root can make files of two users
            monkeypatch.setattr(place, "os", StickyOs(disk_folder))
        folders = Folders(disk_folder, open_folders.library)
        folders.put("QRST-123.mp4").chmod(0o644)
        folders.library.chmod(0o777)
        before = folders.tree()
        with as_another_user(), pytest.raises(NoRights) as error:
            folders.move("QRST-123.mp4")
        assert_unharmed(folders, before, error)
    finally:
        shutil.rmtree(disk_folder)


def test_a_folder_that_cannot_be_read_is_said(open_folders):
    open_folders.put("QRST-123.mp4")
    open_folders.watch.chmod(0o311)
    with as_another_user(), pytest.raises(NoRights):
        open_folders.plan("QRST-123.mp4")


def test_what_the_system_says_besides_is_passed_on():
    assert "Too many levels" in str(translate(OSError(errno.ELOOP, "x"), "a", "b"))
    assert str(translate(OSError("odd"), "a", "b")) == "\u201ca\u201d could not be moved to \u201cb\u201d: odd."


def test_a_file_that_cannot_be_taken_back_is_named(across, monkeypatch):
    """Both are copied, the first original is gone, the second cannot be removed, and the way back is closed, too."""
    across.put("QRST-123.mp4")
    across.put("QRST-123.srt")
    plan = across.plan("QRST-123.mp4")
    unlink = os.unlink

    class Os:
        def __getattr__(self, name):
            return getattr(os, name)

        def unlink(self, path):
            if path == plan.files[1].source:
                monkeypatch.setattr(disk, "copy", fail)
                raise OSError(errno.EPERM, os.strerror(errno.EPERM))
            unlink(path)

    def fail(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(place, "os", Os())
    with pytest.raises(NoRights, match=r"could not be taken back.*Input/output error"):
        carry_out(plan, lambda plan: None)
    monkeypatch.undo()
    assert len([name for name in across.tree() if not name.endswith(place.MADE)]) == 2
    resume(plan)
    assert not any(across.watch.iterdir())
    assert len(across.tree()) == 2


def test_a_disk_that_does_not_confirm_is_not_believed(folders, monkeypatch):
    folders.put("QRST-123.mp4")
    plan = folders.plan("QRST-123.mp4")

    def fail(folder):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(disk, "sync_folder", fail)
    (folders.library / "Some Body").mkdir()
    with pytest.raises(DiskTrouble, match="Input/output error"):
        carry_out(plan, lambda plan: None)
    monkeypatch.undo()
    resume(plan)
    assert len(folders.tree()) == 1
