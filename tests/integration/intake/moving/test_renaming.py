"""Renaming never overwrites, whatever the file system lacks."""

import errno
import os

import pytest

from intake.moving import disk


class OsWithoutLinks:
    """A file system such as exFAT: it has no hard links."""

    def __getattr__(self, name):
        return getattr(os, name)

    def link(self, *_, **__):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))


@pytest.fixture(params=["renameat2", "links", "neither"])
def ways(request, monkeypatch):
    if request.param != "renameat2":
        monkeypatch.setattr(disk, "renameat2", None)
    if request.param == "neither":
        monkeypatch.setattr(disk, "os", OsWithoutLinks())


@pytest.mark.usefixtures("ways")
def test_a_free_name_is_taken(tmp_path):
    (tmp_path / "a").write_bytes(b"film")
    disk.rename_no_replace(str(tmp_path / "a"), str(tmp_path / "b"), "token")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"b": b"film"}


@pytest.mark.usefixtures("ways")
def test_a_name_that_is_taken_is_left_alone(tmp_path):
    (tmp_path / "a").write_bytes(b"film")
    for other in (b"another", b""):
        (tmp_path / "b").write_bytes(other)
        with pytest.raises(FileExistsError):
            disk.rename_no_replace(str(tmp_path / "a"), str(tmp_path / "b"), "token")
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"film", "b": other}


@pytest.mark.usefixtures("ways")
def test_a_file_that_is_not_there_leaves_no_trace(tmp_path):
    with pytest.raises(FileNotFoundError):
        disk.rename_no_replace(str(tmp_path / "a"), str(tmp_path / "b"), "token")
    assert list(tmp_path.iterdir()) == []


def test_a_kernel_that_knows_the_call_and_a_file_system_that_does_not(tmp_path, monkeypatch):
    import ctypes

    def refused(*_):
        ctypes.set_errno(errno.EINVAL)
        return -1

    monkeypatch.setattr(disk, "renameat2", refused)
    (tmp_path / "a").write_bytes(b"film")
    disk.rename_no_replace(str(tmp_path / "a"), str(tmp_path / "b"), "token")
    assert (tmp_path / "b").read_bytes() == b"film"


def test_only_a_name_that_was_reserved_by_the_same_plan_counts_as_reserved(tmp_path):
    path = tmp_path / "b"
    for content, is_reserved in {
        b"": True,
        disk._RESERVED_FOR[:10]: True,
        disk._RESERVED_FOR + b"mine": True,
        disk._RESERVED_FOR + b"other": False,
        b"a very short film": False,
    }.items():
        path.write_bytes(content)
        assert disk.is_reserved(str(path), "mine") is is_reserved
    assert not disk.is_reserved(str(tmp_path), "mine")
    assert not disk.is_reserved(str(tmp_path / "nothing"), "mine")
