"""Paths in logs: hidden whatever characters they have, the same pseudonym every time, our own folders left alone."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.folder import DataFolder
from runtime.privacy.path_pseudonyms import (
    PathPseudonyms,
    chosen_pseudonyms,
    open_pseudonyms,
    quoted_path,
    remember_choice,
)
from runtime.privacy.redaction import Redactor

PSEUDONYMS = PathPseudonyms(b"salt", "/config/stash2plex")

AWKWARD = [
    ("/data/My Secret Clips/One two, three.mp4", "Secret Clips One three"),
    ("/data/it's \"here\"/don't.mkv", "here don"),
    ("/media/ünïcode Straße/日本語 video.mp4", "ünïcode Straße 日本語 video"),
    ("C:\\Users\\Jane Doe\\Videos\\first last.wmv", "Users Jane Doe Videos first last"),
    ("C:/Users/Jane Doe/a b.avi", "Users Jane Doe"),
    ("\\\\nas-host\\share name\\dir\\clip one.mp4", "nas-host share dir clip one"),
    ("\\\\?\\C:\\long\\Very Private.mp4", "long Very Private"),
    ("/data/(brackets) [x]: y; z/100% & more?.mp4", "brackets more"),
    ("/data/“quoted” name/new\nline.mp4", "quoted name new line"),
    ("/srv/St.John/no ending", "John ending"),
    ("just a name, without folder.mp4", "just without folder"),
    ("/data/trailing space .mp4 ", "trailing space"),
]


def assert_hidden(told, words):
    for word in words.split():
        assert word not in told, told


@pytest.mark.parametrize(("path", "words"), AWKWARD)
def test_a_path_in_a_sentence_of_ours_is_hidden_whole(path, words):
    told = PSEUDONYMS.hide(
        f"Not in Plex yet: nothing in it is called {quoted_path(path)} (Stash has {quoted_path(path)}). Look again."
    )
    assert_hidden(told.replace("Not in Plex yet: nothing in it is called", "").replace("Stash has", ""), words)
    assert told.endswith("). Look again.")


@pytest.mark.parametrize(("path", "words"), [(path, words) for path, words in AWKWARD if not path.startswith("just")])
def test_a_path_in_an_error_of_somebody_elses_is_hidden(path, words):
    for told in (f"FileNotFoundError: [Errno 2] No such file: {path!r}", f"GET /x?file={quote(path)}&z=1 failed"):
        assert_hidden(PSEUDONYMS.hide(told), words)


@pytest.mark.parametrize("path", ["/data/My Clips/a b.mp4", "C:\\My Clips\\a b.mp4", "\\\\nas\\My Clips\\a b.mp4"])
def test_a_path_that_nothing_marks_is_hidden_to_its_last_word(path):
    told = PSEUDONYMS.hide(f"cannot read {path}: it is gone")
    assert_hidden(told, "Clips b.mp4 nas data")
    assert told.startswith("cannot read /…/")
    assert told.endswith(".mp4: it is gone")


@pytest.mark.parametrize(
    "text",
    [
        "GET /library/metadata/12: no answer in time",
        "PUT /library/sections/1/all: 500: Plex failed inside",
        "Stash does not answer at http://127.0.0.1:9999/graphql.",
        "The queue /config/stash2plex/queue/data.db cannot be written: the disk is full; free some space.",
        'File "/config/stash2plex/lib/cpython-311/requests/api.py", line 5, in get',
        "scene:12: wrote title and/or summary (in conflict: date).",
        "50 % of 1/2, 3:4, a: b, <Response/>",
        "",
    ],
)
def test_what_is_no_path_of_the_persons_stays(text):
    assert PSEUDONYMS.hide(text) == text


def test_pseudonyms_are_stable_and_tell_the_same_name_in_two_folders():
    one, other = PSEUDONYMS.pseudonym("/data/a/clip.mp4"), PSEUDONYMS.pseudonym("D:\\films\\clip.mp4")
    assert re.fullmatch(r"/…/[0-9a-f]{8}/[0-9a-f]{8}\.mp4", one)
    assert one.rpartition("/")[2] == other.rpartition("/")[2] == PSEUDONYMS.pseudonym("clip.mp4")
    assert one != other
    assert PSEUDONYMS.pseudonym("/data/é.mp4") == PSEUDONYMS.pseudonym("/data/e\u0301.mp4")
    assert PathPseudonyms(b"another").pseudonym("/data/a/clip.mp4") != one


def test_an_ending_is_kept_only_if_it_is_one():
    assert PSEUDONYMS.pseudonym("/a/Mr.Smith").count(".") == 0
    assert PSEUDONYMS.pseudonym("/a/b.MKV").endswith(".mkv")


@given(st.text())
def test_no_text_breaks_it_and_a_marked_one_is_gone(text):
    PSEUDONYMS.hide(text)
    told = PSEUDONYMS.hide(f"see {quoted_path('/x/' + text + 'UNIQUE.mp4')} there")
    assert "UNIQUE" not in told
    assert told.endswith("” there")


def test_the_salt_is_made_once_and_is_private(tmp_path):
    folder = DataFolder(str(tmp_path / "data"))
    folder.make()
    told = open_pseudonyms(folder).pseudonym("/a/b.mp4")
    assert open_pseudonyms(folder).pseudonym("/a/b.mp4") == told
    assert (tmp_path / "data" / "privacy.json").stat().st_mode & 0o777 == 0o600
    (tmp_path / "data" / "privacy.json").write_text('{"salt": 7}')
    assert open_pseudonyms(folder).pseudonym("/a/b.mp4") != told


def test_the_choice_is_known_to_whoever_logs_next(tmp_path):
    folder = DataFolder(str(tmp_path))
    assert chosen_pseudonyms(folder) is None
    redactor = Redactor(folder)
    redactor.hide_paths(on=True)
    assert redactor.clean_for_log("at “/a/b.mp4”") == Redactor(folder).clean_for_log("at “/a/b.mp4”") != "at “/a/b.mp4”"
    redactor.hide_paths(on=False)
    assert Redactor(folder).clean_for_log("at “/a/b.mp4”") == "at “/a/b.mp4”"
    remember_choice(folder, hide=False)


def test_only_logs_are_veiled(tmp_path):
    redactor = Redactor(DataFolder(str(tmp_path)))
    redactor.hide_paths(on=True)
    assert redactor.clean("at “/a/b.mp4”") == "at “/a/b.mp4”"


def test_the_plugins_own_folder_stays_readable_and_no_folder_beside_it():
    own = str(Path(__file__).parents[3])
    assert PSEUDONYMS.hide(f"{own}/docs/troubleshooting.md") == f"{own}/docs/troubleshooting.md"
    assert "films" not in PSEUDONYMS.hide(f"{own}-films/films.mp4")
