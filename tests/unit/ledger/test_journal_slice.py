"""A slice of the journal says which entries it covers."""

import pytest

from ledger.records import JournalEntry, JournalSlice

ENTRY = JournalEntry(field="title", kind="scalar", old="", new="A", run_id=5, scene_id=7)


@pytest.mark.parametrize(
    ("of", "covered"),
    [
        (JournalSlice(), True),
        (JournalSlice(first_run=5, last_run=5, scene_id=7), True),
        (JournalSlice(first_run=6), False),
        (JournalSlice(last_run=4), False),
        (JournalSlice(scene_id=8), False),
    ],
)
def test_an_entry_is_covered_by_its_run_and_scene_the_ends_included(of, covered):
    assert of.covers(ENTRY) is covered
