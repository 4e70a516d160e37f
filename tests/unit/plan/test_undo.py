"""Undo: back to what was there, but for what somebody edited since."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ledger.baseline import Baseline
from ledger.records import JournalEntry
from model.change import LockEdit
from model.item import Field, Tag, TagKind
from model.picture import Picture, PictureKind
from plan.fields import SCALARS, SETS
from plan.undo import PictureUndo, UndoWhy, on_top, plan_undo
from sync.scenes.writer import _entry
from tests.support.items import applied, item, scene
from tests.support.planning import make_plan
from tests.support.settings import config
from tests.unit.plan.test_planner import BASELINES, CONFIGS, ITEMS, SCENES

NONE = Baseline()
TITLE = {"title": "A title"}


def entries_of(plan):
    """Return what the worker notes of a plan, the newest first."""
    return [_entry(decision) for decision in reversed(plan.changes)]


def after(edit, *, adds=True):
    """Return the item after an edit that may also unlock."""
    now = applied(edit, adds=adds)
    switches = [(tags.kind.value, tags.locked) for tags in edit.tags] + [(one.name, one.locked) for one in edit.locks]
    opened = {name for name, locked in switches if not locked}
    return replace(now, locked=now.locked - opened)


def item_xml(shown):
    return (
        {field: shown.value(field) for field in Field},
        {kind: {name.casefold() for name in shown.names(kind)} for kind in TagKind},
        shown.locked,
    )


def synced(metadata, shown, baseline=NONE, settings=None, *, adds=True):
    plan = make_plan(metadata, shown, baseline, settings or config())
    return plan, after(plan.edit, adds=adds) if plan.edit else shown


def undone(entries, shown, baseline, *, adds=True):
    undo = plan_undo(entries, shown, baseline)
    return undo, after(undo.edit, adds=adds) if undo.edit else shown


def with_value(shown, field, value):
    return replace(shown, values={**shown.values, field: value}, locked=shown.locked | {field.value})


def with_names(shown, kind, *names):
    return replace(shown, tags={**shown.tags, kind: tuple(map(Tag, names))}, locked=shown.locked | {kind.value})


def why(undo):
    return {decision.field: decision.why for decision in undo.decisions}


# Scalars


def test_an_old_value_returns_and_is_unlocked():
    before = item({**TITLE, "summary": "The agent's"})
    plan, now = synced(scene(summary="Ours"), before)
    undo, again = undone(entries_of(plan), now, plan.baseline)
    assert item_xml(again) == item_xml(before)
    assert why(undo) == {"summary": UndoWhy.PUT_BACK}


def test_a_lock_that_was_there_before_us_stays():
    before = item({**TITLE, "summary": "Theirs"}, locked=["summary"])
    plan, now = synced(scene(summary="Ours"), before, settings=config(preserve_plex_edits=False))
    _, again = undone(entries_of(plan), now, plan.baseline)
    assert item_xml(again) == item_xml(before)


def test_what_somebody_edited_since_is_kept_and_stays_known_as_edited():
    plan, now = synced(scene(summary="Ours", studio="S"), item(TITLE))
    now = with_value(now, Field.SUMMARY, "Somebody's")
    undo, again = undone(entries_of(plan), now, plan.baseline)
    assert why(undo)["summary"] is UndoWhy.EDITED
    assert again.value(Field.SUMMARY) == "Somebody's"
    assert "summary" in again.locked
    assert again.value(Field.STUDIO) == ""
    assert undo.baseline.scalars["summary"] == "Ours"
    assert "studio" not in undo.baseline.scalars


def test_a_value_that_is_back_already_is_left_alone():
    plan, now = synced(scene(summary="Ours"), item({**TITLE, "summary": "Old"}))
    undo, _ = undone(entries_of(plan), with_value(now, Field.SUMMARY, "Old"), plan.baseline)
    assert undo.edit is None
    assert why(undo) == {"summary": UndoWhy.NOTHING}
    assert undo.baseline.scalars == {}


def test_a_value_that_was_ours_before_the_run_is_ours_after_its_undo():
    first, shown = synced(scene(summary="One"), item(TITLE))
    second, now = synced(scene(summary="Two"), shown, first.baseline)
    undo, again = undone(entries_of(second), now, second.baseline)
    assert item_xml(again) == item_xml(shown)
    assert undo.baseline == first.baseline


def test_undo_goes_back_no_further_than_to_what_somebody_wrote_in_between():
    first, now = synced(scene(summary="One"), item({**TITLE, "summary": "Agent's"}))
    theirs = with_value(now, Field.SUMMARY, "Somebody's")
    second, now = synced(scene(summary="Two"), theirs, first.baseline, config(preserve_plex_edits=False))
    _, again = undone(entries_of(second) + entries_of(first), now, second.baseline)
    assert again.value(Field.SUMMARY) == "Somebody's"
    assert "summary" in again.locked


def test_a_line_break_that_we_put_in_is_taken_out_again():
    first, shown = synced(scene(summary="One. Two."), item(TITLE))
    second, now = synced(scene(summary="One.\nTwo."), shown, first.baseline)
    _, again = undone(entries_of(second), now, second.baseline)
    assert again.value(Field.SUMMARY) == "One. Two."


def test_a_number_is_ours_however_plex_writes_it():
    plan, now = synced(scene(rating=8.0), item(TITLE), settings=config(sync_rating=True))
    shown = replace(now, values={**now.values, Field.USER_RATING: "8.0"})
    _, again = undone(entries_of(plan), shown, plan.baseline)
    assert again.value(Field.USER_RATING) == ""


def test_a_field_of_another_version_is_named_and_left_alone():
    undo = plan_undo([JournalEntry(field="mood", kind="scalar", old="a", new="b")], item(TITLE), NONE)
    assert why(undo) == {"mood": UndoWhy.UNKNOWN}
    assert undo.count(UndoWhy.UNKNOWN) == 1
    assert undo.edit is None


# Lists


def test_our_names_go_and_those_of_others_stay():
    plan, now = synced(scene(tags=("Ours", "Both")), item(TITLE, {"genre": ["Theirs", "Both"]}))
    now = with_names(now, TagKind.GENRE, *now.names(TagKind.GENRE), "Later")
    undo, again = undone(entries_of(plan), now, plan.baseline)
    assert again.names(TagKind.GENRE) == ("Theirs", "Both", "Later")
    assert why(undo) == {"tags": UndoWhy.PUT_BACK}
    assert "genre" in again.locked  # who added Later wants to keep it
    assert undo.baseline.sets == {}


def test_names_we_took_out_return_and_are_ours_again():
    before = item(TITLE, {"genre": ["Old", "Theirs"]}, locked=["genre"])
    baseline = Baseline(sets={"tags": ("Old",)})
    plan, now = synced(scene(tags=("New",)), before, baseline)
    undo, again = undone(entries_of(plan), now, plan.baseline)
    assert item_xml(again) == item_xml(before)
    assert undo.baseline == replace(baseline, unread={"genre": ("Old",)})


def test_a_name_somebody_took_out_since_is_not_missed():
    plan, now = synced(scene(tags=("A",)), item(TITLE, {"genre": ["Theirs"]}))
    undo, again = undone(entries_of(plan), with_names(now, TagKind.GENRE, "Theirs"), plan.baseline)
    assert undo.edit is None
    assert why(undo) == {"tags": UndoWhy.EDITED}
    assert "genre" in again.locked
    assert undo.baseline.sets == {}


def test_a_name_that_came_and_went_leaves_only_a_lock_to_open():
    before = item(TITLE, {"genre": ["Theirs"]})
    first, shown = synced(scene(tags=("A",)), before)
    second, now = synced(scene(), shown, first.baseline)
    undo, again = undone(entries_of(second) + entries_of(first), now, second.baseline)
    assert undo.edit.locks == (LockEdit("genre", locked=False),)
    assert item_xml(again) == item_xml(before)


def test_a_name_that_went_and_came_back_is_nothing_to_undo():
    before = item(TITLE, {"genre": ["A"]}, locked=["genre"])
    first, shown = synced(scene(), before, Baseline(sets={"tags": ("A",)}))
    second, now = synced(scene(tags=("A",)), shown, first.baseline)
    undo, _ = undone(entries_of(second) + entries_of(first), now, second.baseline)
    assert undo.edit is None
    assert why(undo) == {"tags": UndoWhy.NOTHING}


def test_studio_and_group_share_a_list_that_is_put_back_once():
    before = item({**TITLE, "studio": "S"}, {"collection": ["Theirs"]})
    plan, now = synced(scene(studio="S", groups=("S", "G")), before, settings=config(sync_groups=True))
    undo, again = undone(entries_of(plan), now, plan.baseline)
    assert item_xml(again) == item_xml(before)
    assert len(undo.edit.tags) == 1
    assert undo.baseline.sets == {}


def test_a_list_that_is_back_already_was_edited_by_nobody():
    before = item(TITLE, {"genre": ["Theirs"]})
    plan, _ = synced(scene(tags=("A",)), before)
    undo = plan_undo(entries_of(plan), before, plan.baseline)
    assert undo.edit is None
    assert why(undo) == {"tags": UndoWhy.NOTHING}


def test_the_roles_of_others_are_sent_along():
    before = replace(item(TITLE), tags={TagKind.ACTOR: (Tag("Theirs", "Hero"),)})
    plan, now = synced(scene(performers=("Ours",)), before)
    undo = plan_undo(entries_of(plan), now, plan.baseline)
    assert undo.edit.tags[0].want == (Tag("Theirs", "Hero"),)


# What lies on top


def numbered(*runs):
    """Number the entries of runs given from the first to the last, and list the newest first."""
    entries = [replace(entry, run_id=run_id) for run_id, run in enumerate(runs, 1) for entry in reversed(run)]
    return [replace(entry, id=number) for number, entry in enumerate(entries, 1)][::-1]


def test_of_what_is_meant_only_what_nothing_else_lies_upon_can_be_undone():
    first, shown = synced(scene(summary="One", studio="S"), item(TITLE), settings=config(sync_groups=True))
    second, _ = synced(scene(summary="Two", studio="S", groups=("G",)), shown, first.baseline, config(sync_groups=True))
    entries = numbered(entries_of(first), entries_of(second))
    taken, left = on_top(entries, lambda entry: entry.run_id == 1)
    assert {entry.field for entry in taken} == {"studio"}
    assert {entry.field for entry in left} == {"summary", "collection"}  # groups share the collections' list
    assert on_top(entries, lambda entry: True) == (entries, [])


# Pictures


def picture(old, new, **more):
    return JournalEntry(field="thumb", kind="picture", old=old, new=new, **more)


def test_a_picture_is_put_back_to_what_was_selected_before_the_first_of_ours():
    undo = plan_undo([picture("one", "two", old_locked=True), picture("agent", "one")], item(TITLE), NONE)
    assert undo.pictures == (PictureUndo(PictureKind.POSTER, ours="two", old="agent", old_locked=False),)
    assert undo.edit is None


@pytest.mark.parametrize(
    ("selected", "on_the_shelf", "expected"),
    [
        ("ours", ["ours", "old"], UndoWhy.PUT_BACK),
        ("theirs", ["ours", "old", "theirs"], UndoWhy.EDITED),
        ("old", ["ours", "old"], UndoWhy.NOTHING),
        ("ours", ["ours"], UndoWhy.NO_PICTURE),
    ],
)
def test_a_picture_is_put_back_only_while_ours_is_shown(selected, on_the_shelf, expected):
    shelf = [Picture(key, selected=key == selected) for key in on_the_shelf]
    assert PictureUndo(PictureKind.POSTER, "ours", "old", old_locked=False).decide(shelf) is expected


# Laws


@given(SCENES, ITEMS, BASELINES, CONFIGS, st.booleans())
def test_undo_gives_back_values_names_and_locks(metadata, shown, baseline, settings, adds):
    plan, now = synced(metadata, shown, baseline, settings, adds=adds)
    _, again = undone(entries_of(plan), now, plan.baseline, adds=adds)
    assert item_xml(again) == item_xml(shown)


@given(SCENES, SCENES, ITEMS, CONFIGS, st.booleans())
def test_undo_of_two_syncs_at_once_gives_back_what_was_before_the_first(one, other, shown, settings, adds):
    first, between = synced(one, shown, NONE, settings, adds=adds)
    second, now = synced(other, between, first.baseline, settings, adds=adds)
    undo, again = undone(entries_of(second) + entries_of(first), now, second.baseline, adds=adds)
    assert item_xml(again) == item_xml(shown)
    assert not set(undo.baseline.scalars) & {entry.field for entry in entries_of(first)}
    written = {name.casefold() for entry in entries_of(first) for name in entry.new if entry.kind == "set"}
    theirs = {name.casefold() for kind in TagKind for name in shown.names(kind)}
    ours = {name.casefold() for names in undo.baseline.sets.values() for name in names}
    assert not ours & (written - theirs)


@given(SCENES, SCENES, SCENES, ITEMS, CONFIGS, st.permutations([1, 2, 3]), st.booleans())
def test_undo_of_three_runs_in_any_order_gives_back_what_was_before_the_first(
    one, other, third, shown, settings, order, adds
):
    runs, now, baseline = [], shown, NONE
    for metadata in (one, other, third):
        plan, now = synced(metadata, now, baseline, settings, adds=adds)
        baseline, runs = plan.baseline, [*runs, entries_of(plan)]
    entries = numbered(*runs)
    for run_id in order * len(order):  # what another run lies upon is left for a later round
        taken, _ = on_top(entries, lambda entry, run_id=run_id: entry.run_id == run_id)
        undo, now = undone(taken, now, baseline, adds=adds)
        baseline, entries = undo.baseline, [entry for entry in entries if entry not in taken]
    assert entries == []
    assert item_xml(now) == item_xml(shown)


@given(SCENES, SCENES, ITEMS, CONFIGS)
def test_undo_of_the_last_sync_brings_the_baseline_back(one, other, shown, settings):
    first, between = synced(one, shown, NONE, settings)
    second, now = synced(other, between, first.baseline, settings)
    undo, again = undone(entries_of(second), now, second.baseline)
    assert item_xml(again) == item_xml(between)
    written = {entry.field for entry in entries_of(second)}
    for field in (*SCALARS, *SETS):
        if field.name in written & first.baseline.scalars.keys():
            assert undo.baseline.scalars[field.name] == first.baseline.scalars[field.name]
        for name in first.baseline.sets.get(field.name, ()):
            if field.name in written:
                assert name.casefold() in map(str.casefold, undo.baseline.sets[field.name])


@given(SCENES, ITEMS, BASELINES, CONFIGS, st.sampled_from([Field.SUMMARY, Field.STUDIO, Field.TITLE]))
def test_what_somebody_typed_since_survives_and_all_else_returns(metadata, shown, baseline, settings, field):
    plan, now = synced(metadata, shown, baseline, settings)
    edited = with_value(now, field, "Somebody's")
    _, again = undone(entries_of(plan), edited, plan.baseline)
    assert again.value(field) == "Somebody's"
    for other in set(Field) - {field, Field.TITLE_SORT}:
        assert again.value(other) == shown.value(other)
    assert again.locked == shown.locked | {field.value}


@given(SCENES, ITEMS, BASELINES, CONFIGS, st.sampled_from([TagKind.GENRE, TagKind.ACTOR, TagKind.COLLECTION]))
def test_a_name_somebody_added_since_survives_and_all_else_returns(metadata, shown, baseline, settings, kind):
    plan, now = synced(metadata, shown, baseline, settings)
    assume(plan.edit is not None)
    edited = with_names(now, kind, *now.names(kind), "Somebody's")
    _, again = undone(entries_of(plan), edited, plan.baseline)
    expected = item_xml(with_names(shown, kind, *shown.names(kind), "Somebody's"))
    assert item_xml(again) == expected


@given(SCENES, ITEMS, BASELINES, CONFIGS)
def test_undoing_twice_changes_nothing_more(metadata, shown, baseline, settings):
    plan, now = synced(metadata, shown, baseline, settings)
    undo, again = undone(entries_of(plan), now, plan.baseline)
    assert plan_undo(entries_of(plan), again, undo.baseline).edit is None


@pytest.mark.parametrize("why", UndoWhy)
def test_a_reason_names_the_server_it_speaks_of(why):
    assert "Plex" not in why.told("Jellyfin")
    assert why.is_possible == (why not in {UndoWhy.NO_PICTURE, UndoWhy.NO_WAY, UndoWhy.REFUSED})


def test_ours_that_stands_beside_others_is_gone_or_goes():
    ours = PictureUndo(PictureKind.BACKGROUND, "ours", "", old_locked=False)
    theirs = Picture("theirs", selected=True)
    assert ours.decide([theirs, Picture("ours", selected=True)], is_stacked=True) is UndoWhy.PUT_BACK
    assert ours.decide([theirs], is_stacked=True) is UndoWhy.NOTHING
    assert ours.decide([theirs]) is UndoWhy.EDITED
