"""New names: as the template says, fit for every file system, never longer than allowed, never outside."""

import os
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intake.naming.codes import read_code
from intake.naming.names import (
    MAX_BYTES,
    BadTemplate,
    NameFields,
    check_template,
    cut,
    file_stem,
    folder_parts,
    part_suffix,
    same_folder,
    sanitise,
    without_code,
)

CODE = read_code("QRST-123")
ANY_TEXT = st.text(max_size=400)
ANY_WORK = st.builds(
    NameFields,
    code=st.builds(read_code, ANY_TEXT.filter(str.strip)),
    title=ANY_TEXT,
    performers=st.lists(ANY_TEXT, max_size=5).map(tuple),
    subtitle=st.sampled_from(["", "en", "zh", "xx"]),
    studio=ANY_TEXT,
    date=st.sampled_from(["", "2024-05-06"]),
)
TEMPLATES = st.sampled_from(
    ["{performers} - [{sub}] {code} {title}", "{title}", "{studio} ({year}) {title} {code}", "{date}"]
)


def work(**known):
    return NameFields(**{"code": CODE, "title": "A Title", "performers": ("Somebody",)} | known)


def is_valid_on_windows(name):
    device = re.fullmatch(
        r"(?i)(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])", name.partition(".")[0].rstrip(" ")
    )
    return not (re.search(r'[<>:"/\\|?*\x00-\x1f]', name) or name[-1] in " ." or device)


def test_the_name_is_the_originals():
    assert file_stem(work(subtitle="en")) == "Somebody - [English Sub] QRST-123 A Title"
    assert file_stem(work()) == "Somebody - [No Sub] QRST-123 A Title"
    assert folder_parts(work()) == ("Somebody",)
    assert [part_suffix(2), part_suffix(None)] == ["-cd2", ""]


def test_the_code_is_taken_out_of_the_title():
    assert file_stem(work(title="[QRST-123] A Title qrst123")) == "Somebody - [No Sub] QRST-123 A Title"
    assert without_code("QRST-1234 stays", CODE) == "QRST-1234 stays"


def test_none_one_several_and_many_performers():
    several = work(performers=("A", "B"))
    assert (folder_parts(work(performers=())), folder_parts(several)) == (("Unknown",), ("Various",))
    assert folder_parts(work(performers=("  ",))) == ("Unknown",)
    assert file_stem(several, "{performers} {code}") == "A, B QRST-123"
    assert file_stem(work(performers=("A", "B", "C", "D")), "{performers} {code}") == "Various QRST-123"


def test_what_is_not_known_leaves_no_empty_brackets():
    assert file_stem(work(title=""), "[{studio}] {code} ({year}) - {title}") == "QRST-123"


def test_a_template_may_have_folders_but_a_title_may_not():
    escaping = work(title="../../etc/passwd", studio="..")
    assert folder_parts(escaping, "{studio}/{title}") == ("_", "\uff0f..\uff0fetc\uff0fpasswd")
    assert "/" not in file_stem(escaping)


def test_a_long_title_is_cut_and_the_code_is_not():
    stem = file_stem(work(title="\u3042" * 200))
    assert stem.startswith("Somebody - [No Sub] QRST-123 \u3042\u3042")
    assert 215 <= len(stem.encode()) <= 220
    assert "QRST-123" in file_stem(work(title="x" * 300, performers=("y" * 300,)))


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        ('a<b>:"/\\|?*', "a\uff1cb\uff1e\uff1a\uff02\uff0f\uff3c\uff5c\uff1f\uff0a"),
        ("..hidden", "hidden"),
        ("ends. . ", "ends"),
        ("con", "con_"),
        ("CON.mp4", "CON_.mp4"),
        ("com\u00b9", "com\u00b9_"),
        ("Console", "Console"),
        ("a\nb\t\x00c\u202ed", "a b cd"),
        ("e\u0301", "\u00e9"),
        ("\udcff", "_"),
        ("..", "_"),
        ("", "_"),
    ],
)
def test_sanitised(given_name, name):
    assert sanitise(given_name) == name


def test_an_underscore_where_wide_letters_are_not_wanted():
    assert sanitise("a/b?", wide=False) == "a_b_"


def test_a_cut_does_not_split_what_a_reader_takes_for_a_letter():
    family, flags, accent = "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea" * 2, "e\u0323\u0301"
    assert cut("x" + family, 12) == "x"
    assert cut("x" + flags, 14) == "x" + flags[:2]
    assert cut("x" + accent, 4) == "x"
    assert cut("x\U0001f44d\U0001f3fd", 6) == "x"


@given(ANY_TEXT, st.booleans())
def test_a_sanitised_name_is_valid_everywhere_bounded_and_stays_as_it_is(text, wide):
    name = sanitise(text, wide=wide)
    assert is_valid_on_windows(name)
    assert 0 < len(name.encode()) <= MAX_BYTES
    assert name[0] not in ". "
    assert unicodedata.is_normalized("NFC", name)
    assert sanitise(name, wide=wide) == name


@given(ANY_WORK, TEMPLATES, st.integers(6, 40))
def test_any_work_gets_a_name_with_room_behind_it_below_the_destination(any_work, template, room):
    stem = file_stem(any_work, template, room=room)
    assert len(stem.encode()) <= MAX_BYTES - room
    assert is_valid_on_windows(stem)
    assert is_valid_on_windows(stem + "-cd1.mp4")
    path = os.path.join("/library", *folder_parts(any_work, "{studio}/{performer}"), stem + ".mp4")
    assert os.path.normpath(path) == path
    assert path.startswith("/library/")
    assert path.count("/") == 4


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        ("{title", "brace"),
        ("{titel}", r"none of: \{code\}"),
        ("{title!r}", "none of"),
        ("{title:>10}", "none of"),
        ("{}", "none of"),
        ("{title.__class__}", "none of"),
        ("x" * 61, "60 bytes"),
    ],
)
def test_a_template_that_cannot_be_used_is_refused_with_a_sentence(template, sentence):
    with pytest.raises(BadTemplate, match=sentence):
        check_template(template)


def test_a_template_that_can_be_used_is_not_refused():
    check_template("{studio} - {date} ({year}) {code} {title}")


def test_even_a_name_of_long_fields_only_fits():
    long = work(title="t" * 300, performers=("p" * 300,), studio="s" * 300)
    stem = file_stem(long, "{studio}{performers}{performer}{title}{code}")
    assert stem.endswith("QRST-123")
    assert len(stem.encode()) <= 220
    assert len(file_stem(long, "{code}" * 60).encode()) == 220


def test_a_folder_that_is_there_is_used_again():
    there = ["Some Body", "some other"]
    assert same_folder("Some Body", there) == "Some Body"
    assert same_folder("SOME BODY", there) == "Some Body"
    assert same_folder("\uff33ome body", there) == "Some Body"
    assert same_folder("Some Bodey", there, {"some bodey": "Some Body"}) == "Some Body"
    assert same_folder("Somebody Else", there) == "Somebody Else"
