"""Codes in names: found, and how surely; never invented for a film that has none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intake.naming.codes import find_codes, read_code

CERTAIN = {
    "QRST-123.mp4": "QRST-123",
    "qrst-0123.mkv": "QRST-0123",
    "[example.me]QRST-123.mp4": "QRST-123",
    "www.example.com@QRST-123-C.mp4": "QRST-123",
    "example.net_QRST-123_1080p60fps.mp4": "QRST-123",
    "@forum@someone.vip-QRST-123_2K.mp4": "QRST-123",
    "HD_QRST-123.mp4": "QRST-123",
    "1080PQRST-123.mp4": "QRST-123",
    "QRST-1231080P.mp4": "QRST-123",
    "QRST-123ch.mp4": "QRST-123",
    "QRST-123Z.mp4": "QRST-123Z",
    "345QRST-1234 a title.mp4": "345QRST-1234",
    "A Title [QRST-123] 2019.mp4": "QRST-123",
    "\uff31\uff32\uff33\uff34\uff0d123.mp4": "QRST-123",  # full-width
    "2021-03-04-QRST-123.mp4": "QRST-123",
    "fc2-ppv-7654321-mirror1.com.mp4": "FC2-7654321",
    "FC2PPV 7654321 title.mp4": "FC2-7654321",
    "(FC2)(765432)title.mp4": "FC2-765432",
    "heyzo_hd_9876_full.mp4": "HEYZO-9876",
    "heydouga4999-123.wmv": "HEYDOUGA-4999-123",
    "hey-4999-123_hd.mp4": "HEYDOUGA-4999-123",
    "xxx-av 98765.mp4": "XXX-AV-98765",
    "Carib-123118-001.mp4": "123118-001",
    "123118_001-1pon-720p.mp4": "123118-001",
    "Tokyo Hot n9876 - somebody.mp4": "N9876",
    "n9876_some_body_xy.mp4": "N9876",
    "h4610-ab1234.mp4": "H4610-AB1234",
    "1000giri-131231.mp4": "1000GIRI-131231",
    "Mywife No.9876.mp4": "MYWIFE NO.9876",
    "T28-999.mp4": "T28-999",
    "(LABEL)(MKBD-S99) title.mp4": "MKBD-S99",
    "qrst00123.mp4": "QRST-123",
    "h_987qrst00123.mp4": "QRST-123",
}
GUESSES = {
    "qrst123.mp4": "QRST-123",
    "QRST 123 title.mp4": "QRST-123",
    "QRST_123.mp4": "QRST-123",
    "QRST-12.mp4": "QRST-12",
    "0405qrst123-h264.mp4": "QRST-123",
    "4999-123-CD2.iso": "HEYDOUGA-4999-123",
    "Somesite.19.04.05.Some.Body.mp4": "SOMESITE.19.04.05",
    "Rocky-1976.mkv": "ROCKY-1976",
    "One-Piece-603.mkv": "PIECE-603",
}
NO_CODE = ["holiday.mp4", "12345.mp4", "-535.mp4", "QRST-.mp4", "An.Ordinary.Film.2016.1080p.BluRay.x264-GRP.mkv"]
NO_CERTAIN_CODE = [
    "A.Show.S02E13.720p.WEB-DL.AAC2.0.H.264-GRP.mkv",
    "A.Film.2012.2160p.HDR10.HEVC.BT2020.DTS-HD.MA.7.1-GRP.mkv",
    "A Film {tmdb-43074}.mkv",
    "A Film {imdb-0123456}.mkv",
    "Show Name - 102 - Episode-366.mkv",
    "Show.Part-101.mkv",
    "A.Film.Xvid-Dvdrip-720.avi",
    "Boeing-747.mp4",
]


@pytest.mark.parametrize(("name", "code"), CERTAIN.items())
def test_a_code_that_stands_there_is_certain(name, code):
    best = find_codes(name)[0]
    assert (best.code.text, best.is_certain) == (code, True)


@pytest.mark.parametrize(("name", "code"), GUESSES.items())
def test_what_may_be_a_code_is_a_guess(name, code):
    best = find_codes(name)[0]
    assert (best.code.text, best.is_certain) == (code, False)


@pytest.mark.parametrize("name", NO_CODE)
def test_a_name_without_a_code_has_none(name):
    assert find_codes(name) == ()


@pytest.mark.parametrize("name", NO_CERTAIN_CODE)
def test_films_and_series_have_no_certain_code(name):
    assert not any(one.is_certain for one in find_codes(name))


def test_the_folder_is_asked_where_the_file_says_nothing():
    assert find_codes("movie.mp4", "QRST-123 title")[0].code.text == "QRST-123"
    assert find_codes("LMNO-123.mp4", "QRST-123")[0].code.text == "LMNO-123"


def test_a_certain_code_comes_before_a_guess_and_each_once():
    found = find_codes("nice123 QRST-045 qrst045.mp4")
    assert [(one.code.text, one.is_certain) for one in found] == [("QRST-045", True), ("NICE-123", False)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("QRST-83", "QRST-083"),
        ("345QRST-1234", "QRST-1234"),
        ("qrst00123", "QRST-123"),
        ("FC2-7654321", "FC2-PPV-7654321"),
        ("n0100", "TOKYO-HOT-N0100"),
        ("RED159", "red-159"),
        ("heydouga-4999-123", "hey-4999-123"),
        ("123118_001", "123118-001"),
        ("123118-001-CARIB", "123118-001"),
        ("Mywife No.9876", "MYWIFE-9876"),
    ],
)
def test_two_spellings_are_one_code(one, other):
    assert read_code(one).is_same(read_code(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("QRST-123", "QRST-124"),
        ("QRST-123", "QRST-1230"),
        ("QRST-123", "QRST-123Z"),
        ("QRST-123", "QRS-123"),
        ("123118-001-CARIB", "123118_001-1PON"),
        ("carib-123118-001", "caribpr-123118-001"),
        ("123118-01", "123118-001"),
        ("some word", "some words"),
    ],
)
def test_two_works_are_two_codes(one, other):
    assert not read_code(one).is_same(read_code(other))


def test_a_number_is_asked_for_as_it_is_written_before_it_is_padded_or_stripped():
    assert read_code("QRST-83").spellings == ("QRST-83", "QRST-083")
    assert read_code("QRST-070807").spellings == ("QRST-070807", "QRST-70807")
    assert read_code("QRST-123").spellings == ("QRST-123",)
    assert read_code("345QRST-1234").spellings == ("345QRST-1234", "QRST-1234")
    assert read_code("qrst00123").spellings == ("QRST-123", "qrst00123")
    assert read_code("FC2PPV-7654321").spellings == ("FC2-7654321", "FC2-PPV-7654321")
    assert read_code("1pon-123118-001").spellings == ("123118_001", "123118-001")
    assert read_code("n0100").spellings == ("N0100", "TOKYO-HOT-N0100", "N-0100")


def test_a_person_may_name_a_code_that_no_rule_knows():
    code = read_code(" my own / code ")
    assert (code.text, code.spellings) == ("MY OWN / CODE", ("MY OWN / CODE",))
    assert code.is_same(read_code("my-own-code"))


@given(st.text())
def test_any_name_is_read_and_what_is_found_is_known_again(name):
    for candidate in find_codes(name):
        assert read_code(candidate.code.text).is_same(candidate.code)
