"""Dates: what the server has, as one text that loses nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediabrowser.reading.dates import date_properties, date_text

YEARS = st.none() | st.integers(1, 9999)
DAYS = st.dates().map(str)
TIMES = st.sampled_from(["T00:00:00.0000000Z", "T12:30:00.0000000Z", "T23:59:59.1230000Z"])


@pytest.mark.parametrize(
    ("premiere", "year", "text"),
    [
        ("2024-05-01T00:00:00.0000000Z", 2024, "2024-05-01"),
        ("2024-05-01", 2024, "2024-05-01"),
        ("", 2024, "2024"),
        ("", None, ""),
        ("2024-05-01T00:00:00.0000000Z", 2023, "2024-05-01 (2023)"),
        ("2024-05-01T00:00:00.0000000Z", None, "2024-05-01 (no year)"),
        ("unknown", None, "unknown (no year)"),
        ("2024", 2024, "2024 (2024)"),
    ],
)
def test_a_date_reads_as_a_person_would_write_it(premiere, year, text):
    assert date_text(premiere, year) == text


@given(st.builds("{}{}".format, DAYS, TIMES) | st.text(), YEARS)
def test_what_was_read_is_what_is_sent(premiere, year):
    sent = date_properties(date_text(premiere, year))
    assert (sent["PremiereDate"] or "", sent["ProductionYear"]) == (premiere, year)


@pytest.mark.parametrize("text", ["2024-5", "yesterday", "20240501"])
def test_what_is_no_date_is_not_sent(text):
    with pytest.raises(ValueError, match="no day"):
        date_properties(text)
