"""Parts and subtitle marks, decided with the folder's other names in view."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intake.naming.marks import read_marks


def part_of(name, *siblings):
    return read_marks([name, *siblings])[name].part


def subtitle_of(name, *siblings):
    return read_marks([name, *siblings])[name].subtitle


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("QRST-123-cd1.mp4", 1),
        ("QRST-123cd2.mp4", 2),  # without a dash it is no `-c` either
        ("QRST-123_CD12.mp4", 12),
        ("QRST-123-pt1.mp4", 1),
        ("QRST-123 part 2 title.mp4", 2),
        ("QRST-123.disc3.mp4", 3),
        ("qrst00123hhb2.mp4", 2),
        ("QRST-123-cd3-C.mp4", 3),
    ],
)
def test_a_part_that_is_called_so_is_one_at_once(name, part):
    assert part_of(name) == part


@pytest.mark.parametrize(
    "name", ["QRST-123-pt0.mp4", "QRST-123-pt100.mp4", "QRST-123-v2.mp4", "QRST-123-2019.mp4", "QRST-123-1080p.mp4"]
)
def test_what_only_looks_like_a_part_is_none(name):
    assert part_of(name) is None
    assert part_of(name, "QRST-123-cd1.mp4") is None


def test_letters_and_numbers_are_parts_only_beside_each_other():
    assert part_of("QRST-123-A.mp4") is None
    assert part_of("QRST-123-A.mp4", "QRST-123-B.mp4") == 1
    assert part_of("QRST-123A.mp4", "QRST-123B.mp4") == 1
    assert part_of("QRST-123_2.mp4", "QRST-123_1.mp4") == 2
    assert part_of("QRST-123.02.mp4", "QRST-123.01.mp4") == 2
    assert part_of("QRST-123_fhd2.mp4", "QRST-123_fhd1.mp4") == 2


def test_gaps_are_allowed_and_numbers_kept():
    assert [part_of("QRST-123-4.mp4", "QRST-123-7.mp4"), part_of("QRST-123-7.mp4", "QRST-123-4.mp4")] == [4, 7]


def test_a_letter_beside_another_code_or_another_rest_is_no_part():
    assert part_of("QRST-123-A.mp4", "QRST-124-B.mp4") is None
    assert part_of("QRST-123 one-A.mp4", "QRST-123 two-B.mp4") is None


def test_numbers_of_works_and_episodes_are_no_parts():
    assert part_of("QRST-06.mp4", "QRST-07.mp4") is None
    assert part_of("Show - 1.mp4", "Show - 2.mp4") is None
    assert part_of("10mu 123118-01.mp4", "10mu 123118-02.mp4") is None


@pytest.mark.parametrize(
    "name",
    [
        "QRST-123-C.mp4",
        "QRST-123C.mp4",
        "QRST-123_ch.mp4",
        "QRST-123ch.mp4",
        "QRST-123-UC.mp4",
        "QRST-123-C a title.mp4",
        "QRST-123-cd1-C.mp4",
        "QRST-123 \u4e2d\u6587\u5b57\u5e55.mp4",
        "QRST-123.chs.mp4",
        "[Chinese Subbed] QRST-123.mp4",
    ],
)
def test_chinese_subtitles(name):
    assert subtitle_of(name) == "zh"


def test_a_lone_c_is_a_subtitle_and_beside_a_and_b_a_part():
    assert subtitle_of("QRST-123-C.mp4", "QRST-123.mp4") == "zh"
    marks = read_marks(["QRST-123-A.mp4", "QRST-123-B.mp4", "QRST-123-C.mp4"])
    assert [(one.part, one.subtitle) for one in marks.values()] == [(1, ""), (2, ""), (3, "")]


def test_c_and_u_are_two_editions_not_parts():
    marks = read_marks(["QRST-123-C.mp4", "QRST-123-U.mp4"])
    assert [(one.part, one.subtitle, one.is_uncensored) for one in marks.values()] == [
        (None, "zh", False),
        (None, "", True),
    ]


@pytest.mark.parametrize("name", ["UC-123.mp4", "QRST-123 UHD.mp4", "QRST-123 Cute.mp4", "QRST-123-cd1.mp4"])
def test_a_letter_inside_a_word_is_no_mark(name):
    (marks,) = read_marks([name]).values()
    assert (marks.subtitle, marks.is_uncensored) == ("", False)


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("QRST-123 English Subbed.mp4", "en"),
        ("QRST-123-eng-sub.mp4", "en"),
        ("QRST-123.en.srt", "en"),
        ("QRST-123 ENG.mp4", ""),
        ("QRST-123 kor sub.mp4", "ko"),
        ("QRST-123 Japanese subs.mp4", "ja"),
        ("QRST-123 Subway.mp4", ""),
    ],
)
def test_other_languages_are_words(name, tag):
    assert subtitle_of(name) == tag


@pytest.mark.parametrize(
    "name",
    ["QRST-123-U.mp4", "QRST-123_uncensored_leak_C_cd1.mp4", "QRST-123.restored.mp4", "QRST-123 \u6d41\u51fa.mp4"],
)
def test_uncensored(name):
    (marks,) = read_marks([name]).values()
    assert marks.is_uncensored


@given(st.lists(st.text(alphabet="AB1-_. cd", max_size=12), unique=True))
def test_any_names_are_read_in_any_order(names):
    assert read_marks(names) == read_marks(names[::-1])
