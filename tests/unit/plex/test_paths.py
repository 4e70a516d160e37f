"""One spelling per path, whoever wrote it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.paths import base_name, is_windows, lookup_key, native, normalise

SPELLINGS = [
    ("/data/a.mp4", "/data/a.mp4"),
    ("/data//sub///a.mp4", "/data/sub/a.mp4"),
    ("/data/folder/", "/data/folder"),
    ("/", ""),
    ("/data/AC\\DC.mp4", "/data/AC\\DC.mp4"),
    ("D:\\Videos\\a.mp4", "D:/Videos/a.mp4"),
    ("D:/Videos\\a.mp4", "D:/Videos/a.mp4"),
    ("D:\\", "D:"),
    ("\\\\nas\\media\\a.mp4", "//nas/media/a.mp4"),
    ("//nas/media/a.mp4", "//nas/media/a.mp4"),
    ("\\\\?\\P:\\long\\a.mp4", "P:/long/a.mp4"),
    ("\\\\?\\UNC\\nas\\media\\a.mp4", "//nas/media/a.mp4"),
    ("\\\\?\\unc\\nas\\media\\a.mp4", "//nas/media/a.mp4"),
    ("/data/Cafe\u0301.mp4", "/data/Caf\u00e9.mp4"),
    ("/data/50% off, A & B [1080p] 🎬.mp4", "/data/50% off, A & B [1080p] 🎬.mp4"),
    ("/data/Vol. 1./name..mp4", "/data/Vol. 1./name..mp4"),
]


@pytest.mark.parametrize(("written", "normal"), SPELLINGS)
def test_a_path_has_one_spelling(written, normal):
    assert normalise(written) == normal


@pytest.mark.parametrize("path", ["D:\\a", "d:/a", "C:", "\\\\nas\\x", "//nas/x", "\\\\?\\D:\\x"])
def test_drive_letters_and_shares_are_windows(path):
    assert is_windows(path)


@pytest.mark.parametrize("path", ["/a", "a:b", "relative/a", "/D:/a", ""])
def test_everything_else_is_not(path):
    assert not is_windows(path)


@given(st.text())
def test_normalising_twice_changes_nothing(path):
    once = normalise(path)
    assert normalise(once) == once or is_windows(once)


@given(st.text(alphabet=st.characters(exclude_characters="\\/"), min_size=1).map(lambda name: f"/data/{name}"))
def test_both_unicode_forms_of_a_path_are_one(path):
    assert normalise(unicodedata.normalize("NFD", path)) == normalise(unicodedata.normalize("NFC", path))


def test_the_lookup_key_forgets_case_but_never_takes_sharp_s_for_two():
    assert lookup_key("D:\\Straße.MP4") == lookup_key("d:/STRAßE.mp4")
    assert lookup_key("/straße") != lookup_key("/strasse")


def test_the_base_name_of_a_posix_path_may_hold_a_backslash():
    assert base_name("/data/AC\\DC.mp4") == "AC\\DC.mp4"
    assert base_name("D:\\AC\\DC.mp4") == "DC.mp4"


def test_plex_on_windows_is_told_a_windows_path():
    assert native("//nas/media/a") == "\\\\nas\\media\\a"
    assert native("/media/a\\b") == "/media/a\\b"
