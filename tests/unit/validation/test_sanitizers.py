"""Clean text: tables of what people and scrapers typed, and the laws that hold for anything."""

import sys
import unicodedata
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.sanitizers import (
    ELLIPSIS,
    MAX_CHARACTERS,
    distinct_names,
    fit_encoded,
    full_date,
    one_line,
    paragraphs,
    whole_characters,
)

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
GERMANY = "\U0001f1e9\U0001f1ea"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
WAVE = "\U0001f44b\U0001f3fd"
E_ACUTE, E_AND_ACUTE = "\u00e9", "e\u0301"

# Plain draws seldom hit what these functions are for, so half of the letters come from here.
TROUBLE = (
    "\n\r\t\x00\x1c\x85 \u00a0\u2003\u3000\u200b\u200c\u200d\u200e"
    "\u202a\u2028\u2060\ufeff\uffff\ud83d\ude00e\u0301\u0344" + FAMILY + GERMANY + ENGLAND + WAVE
)
ANY_TEXT = st.text(st.sampled_from(TROUBLE) | st.characters(exclude_categories=()))
LONG_TEXT = st.builds(lambda text, times: text * times, ANY_TEXT, st.integers(1, 120))


@pytest.mark.parametrize(
    ("typed", "clean"),
    [
        ("one\ntwo", "one two"),
        ("one\r\n\r\ntwo", "one two"),
        ("one\ttwo\x00three\x1ffour\x85five\u2028six", "one two three four five six"),
        ("  one   two  ", "one two"),
        ("one\u00a0two\u2003three", "one two three"),
        ("\ufeffone\u200b", "one"),
        ("on\u200be", "one"),
        ("\u3000\u540d\u524d\u3000", "\u540d\u524d"),
        ("\u202aC\u202c", "C"),
        ("\u200b\u200d \u00a0\n", ""),
        ("", ""),
        (E_AND_ACUTE, E_ACUTE),
        ("e\u200b\u0301", E_ACUTE),
        ("half \ud83d of an emoji", "half \ufffd of an emoji"),
        ("\ud83d\ude00", "\U0001f600"),
    ],
)
def test_a_line_has_single_spaces_and_nothing_unseen(typed, clean):
    assert one_line(typed) == clean


@pytest.mark.parametrize(
    "name",
    [
        "Smith, Jane",
        "Jane \u201cJJ\u201d O\u2019Neil \"'`",
        "\u5c71\u7530\u3000\u82b1\u5b50",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        f"{FAMILY} {GERMANY} {ENGLAND} {WAVE} \u2764\ufe0f",
        "50% & more = <b>#1</b>; a/b\\c",
    ],
)
def test_names_of_every_kind_pass_unchanged(name):
    assert one_line(name) == name
    assert distinct_names([name]) == (name,)
    assert paragraphs(name) == name


@pytest.mark.parametrize(
    ("typed", "clean"),
    [
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("one\n\n\n\n\ntwo", "one\n\ntwo"),
        ("one\n \u00a0\n\t\n\u3000\ntwo", "one\n\ntwo"),
        ("one  \ntwo\u00a0", "one\ntwo"),
        ("\n\n one\n\n", "one"),
        ("a\x00b\tc\x0bd", "a b c d"),
        ("\ufeffone\u200b\ud83d", "one\ufffd"),
        ("first\n\u3000\u6bb5\u843d", "first\n\u3000\u6bb5\u843d"),
        (" \n\u200b\u200d\n", ""),
    ],
)
def test_paragraphs_keep_their_line_breaks_and_lose_the_rest(typed, clean):
    assert paragraphs(typed) == clean


@pytest.mark.parametrize(
    ("typed", "day"),
    [
        ("2024", "2024-01-01"),
        ("2024-05", "2024-05-01"),
        ("2024-05-17", "2024-05-17"),
        ("2024-02-29", "2024-02-29"),
        (" 2024-05-17\n", "2024-05-17"),
        ("0099", "0099-01-01"),
    ],
)
def test_a_partial_date_becomes_its_first_day(typed, day):
    assert full_date(typed) == day


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "2024-13-45",
        "2023-02-29",
        "2024-00",
        "0000",
        "17.05.2024",
        "2024-5-1",
        "20240517",
        "soon",
        "\u0662\u0660\u0662\u0664",
    ],
)
def test_an_impossible_date_is_refused(typed):
    with pytest.raises(ValueError):
        full_date(typed)


def test_a_text_that_fits_is_not_touched():
    assert fit_encoded("caf\u00e9", len("caf%C3%A9")) == "caf\u00e9"


@pytest.mark.parametrize(
    ("text", "room", "kept"),
    [
        ("abcdefghij", 9, ""),
        ("abcdefghijklm", 12, "abc"),
        ("ab\u00e9" + "x" * 9, 16, "ab"),
        ("ab " + "x" * 20, 14, "ab"),
        ("a" + FAMILY + "x" * 20, 40, "a"),
        (GERMANY + GERMANY, 24 + 12 + 9, GERMANY),
        ("a" + WAVE + "x", 23, "a"),
        ("a" + ENGLAND, 50, "a"),
        ("ab\u0323x" + "x" * 9, 11, "a"),
    ],
)
def test_a_cut_falls_between_what_a_reader_sees_as_letters(text, room, kept):
    assert fit_encoded(text, room) == kept + ELLIPSIS


def test_one_letter_with_endless_accents_is_cut_all_the_same():
    assert fit_encoded("e" + "\u0323" * 100, 22) == "e\u0323\u0323" + ELLIPSIS


def test_where_not_even_the_ellipsis_fits_there_is_none():
    assert fit_encoded("abcdefghijk", 5) == "abcde"


def test_a_long_line_is_cut_at_the_limit_with_an_ellipsis():
    assert one_line("x" * 300) == "x" * (MAX_CHARACTERS - 1) + ELLIPSIS
    assert one_line("x" * MAX_CHARACTERS) == "x" * MAX_CHARACTERS


def test_of_names_that_differ_in_case_only_the_first_stays():
    assert distinct_names(["Solo", "b", " SOLO ", "", "\u200b", "B", "a", "solo"]) == ("Solo", "b", "a")


def test_names_alike_up_to_the_limit_are_one():
    assert len(distinct_names(["x" * 300 + "1", "x" * 300 + "2"])) == 1


@given(LONG_TEXT)
def test_a_line_is_bounded_encodable_composed_and_stays_as_it_is(text):
    line = one_line(text)
    assert one_line(line) == line
    assert len(line) <= MAX_CHARACTERS
    assert unicodedata.is_normalized("NFC", line)
    assert line.encode() is not None
    assert line == line.strip()
    assert all(letter == " " or not letter.isspace() or letter == "\u3000" for letter in line)
    assert not any(unicodedata.category(letter) == "Cc" for letter in line)


def test_words_never_run_together_where_a_control_character_parted_them():
    controls = [chr(code) for code in range(sys.maxunicode) if unicodedata.category(chr(code)) == "Cc"]
    assert {one_line(f"one{control}two") for control in controls} == {"one two"}


@given(ANY_TEXT)
def test_paragraphs_are_bounded_encodable_and_stay_as_they_are(text):
    clean = paragraphs(text)
    assert paragraphs(clean) == clean
    assert len(clean) <= 3 * len(text)  # no letter has more than three in its composed form
    assert clean.encode() is not None
    assert "\n\n\n" not in clean
    assert " \n" not in clean
    assert not any(unicodedata.category(letter) == "Cc" for letter in clean.replace("\n", ""))


@given(LONG_TEXT, st.integers(-1, 400))
def test_a_fitted_text_fits_begins_the_same_and_stays_as_it_is(text, room):
    fitted = fit_encoded(text, room)
    assert len(quote(fitted, safe="")) <= max(room, 0)
    assert fit_encoded(fitted, room) == fitted
    assert whole_characters(text).startswith(fitted) or whole_characters(text).startswith(fitted.removesuffix(ELLIPSIS))


@given(LONG_TEXT)
def test_a_fitted_summary_is_still_clean(text):
    fitted = fit_encoded(paragraphs(text), 200)
    assert paragraphs(fitted) == fitted


@given(st.lists(ANY_TEXT))
def test_distinct_names_are_distinct_in_order_and_stay_as_they_are(names):
    chosen = distinct_names(names)
    assert distinct_names(chosen) == chosen
    assert len({name.casefold() for name in chosen}) == len(chosen)
    assert all(chosen)
    lines = [one_line(name) for name in names]
    assert sorted(chosen, key=lines.index) == list(chosen)


@given(st.dates())
def test_every_day_there_is_stays_as_it_is(day):
    assert full_date(day.isoformat()) == day.isoformat()


@given(ANY_TEXT)
def test_whole_characters_can_be_encoded_and_stay_as_they_are(text):
    whole = whole_characters(text)
    assert whole_characters(whole) == whole
    assert len(whole) <= len(text)
    assert whole.encode() is not None
