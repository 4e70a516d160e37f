"""Folding: an undo of what was folded does what an undo of all of it would have done."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from ledger.baseline import Baseline
from ledger.records import JournalEntry
from model.item import Field, TagKind
from model.picture import PictureKind
from plan.fold import fold
from plan.undo import plan_undo
from tests.support.items import item, scene
from tests.support.settings import config
from tests.unit.plan.test_planner import CONFIGS, ITEMS, SCENES
from tests.unit.plan.test_undo import entries_of, item_xml, synced, undone, with_names, with_value


def syncs(shown, scenes, settings, edits=()):
    """Sync one scene after the other; give all that was written, the newest first, and how it ended."""
    baseline, entries = Baseline(), []
    for number, metadata in enumerate(scenes):
        for edit in (one for place, one in edits if place == number):
            shown = edit(shown)
        plan, shown = synced(metadata, shown, baseline, settings)
        baseline, entries = plan.baseline, [*entries_of(plan), *entries]
    return entries, shown, baseline


EDITS = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.sampled_from(
            [
                lambda shown: with_value(shown, Field.SUMMARY, "Somebody's"),
                lambda shown: with_names(shown, TagKind.GENRE, *shown.names(TagKind.GENRE), "Somebody's"),
                lambda shown: with_names(shown, TagKind.COLLECTION),
            ]
        ),
    ),
    max_size=2,
)


@given(ITEMS, st.lists(SCENES, min_size=2, max_size=5), CONFIGS, EDITS, st.integers(0, 40))
def test_undoing_all_of_it_leads_to_the_same(shown, scenes, settings, edits, newest):
    entries, now, baseline = syncs(shown, scenes, settings, edits)
    kept, old = entries[:newest], entries[newest:]
    folded = [*kept, *(fold(old) if old else [])]
    one, other = undone(entries, now, baseline), undone(folded, now, baseline)
    assert item_xml(one[1]) == item_xml(other[1])
    assert one[0].baseline == other[0].baseline


def test_a_name_that_was_there_before_us_and_that_we_put_back_after_a_person_stays():
    first, then = scene(groups=("A", "B")), scene(groups=("A",))
    emptied = [(1, lambda shown: with_names(shown, TagKind.COLLECTION))]
    settings = config(preserve_plex_edits=False, sync_groups=True)
    entries, now, baseline = syncs(item({"title": "one"}, {"collection": ["A"]}), [first, then], settings, emptied)
    for written in (entries, fold(entries)):
        assert undone(written, now, baseline)[1].names(TagKind.COLLECTION) == ("A",)


@given(ITEMS, st.lists(SCENES, min_size=2, max_size=5), CONFIGS)
def test_each_field_is_left_with_one_entry(shown, scenes, settings):
    entries, *_ = syncs(shown, scenes, settings)
    folded = fold(entries) if entries else []
    assert sorted(entry.field for entry in folded) == sorted({entry.field for entry in entries})
    assert all(entry.undone_at is None for entry in folded)


def test_what_nobody_edited_between_goes_back_to_before_the_first():
    scenes = [scene(summary=f"Number {number}", tags=(f"Tag {number}", "Always")) for number in range(9)]
    entries, *_ = syncs(item({"title": "A title", "summary": "The agent's"}), scenes, config())
    by_field = {entry.field: entry for entry in fold(entries)}
    assert (by_field["summary"].old, by_field["summary"].new) == ("The agent's", "Number 8")
    assert (by_field["tags"].old, set(by_field["tags"].new)) == ((), {"Tag 8", "Always"})


def test_pictures_are_folded_as_texts_are():
    keys = ["media://frame", "upload://posters/1", "upload://posters/2", "upload://posters/3"]
    entries = [
        JournalEntry(field="thumb", kind="picture", old=old, new=new, was_ours=old != keys[0])
        for old, new in itertools.pairwise(keys)
    ]
    (folded,) = fold(entries[::-1])
    assert (folded.old, folded.new, folded.was_ours) == (keys[0], keys[-1], False)
    (picture,) = plan_undo([folded], item({"title": "A"}), Baseline()).pictures
    assert (picture.kind, picture.ours, picture.old) == (PictureKind.POSTER, keys[-1], keys[0])


def test_fields_that_this_version_does_not_know_are_folded_too():
    entries = [JournalEntry(field="mood", kind="set", old=(), new=(name,)) for name in ("b", "a")]
    assert [(one.old, one.new) for one in fold(entries)] == [((), ("b",))]
