"""The planner: three ways for scalars, by element for sets, and nothing wiped that is not ours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.baseline import Baseline
from plan.decision import Why
from plan.fields import SCALARS, SETS
from plan.planner import make_plan
from plex.item import Field, ItemType, TagKind
from tests.support.items import applied, item, scene
from tests.support.settings import config

NONE = Baseline()


def why(plan):
    return {decision.field: decision.why for decision in plan.decisions}


def studio_plan(stash, plex, ours, *, locked, preserve):
    shown = item({"title": "A title", "studio": plex}, locked=["studio"] if locked else [])
    baseline = Baseline(scalars={"studio": ours}) if ours is not None else NONE
    return make_plan(scene(studio=stash), shown, baseline, config(preserve_plex_edits=preserve))


TABLE = [
    # Stash, Plex, ours, locked, preserve off, preserve on
    ("S", "S", None, False, Why.RIGHT, Why.RIGHT),
    ("S", "", None, False, Why.NEW, Why.NEW),
    ("S", "agent", None, False, Why.NEW, Why.NEW),
    ("S", "person", None, True, Why.NEW, Why.PLEX_EDIT),
    ("S2", "S", "S", True, Why.CHANGED, Why.CHANGED),
    ("S2", "S", "S", False, Why.CHANGED, Why.CHANGED),
    ("S", "person", "S", True, Why.LOST, Why.PLEX_EDIT),
    ("S", "agent", "S", False, Why.LOST, Why.LOST),
    ("S", "", "S", False, Why.LOST, Why.LOST),
    ("S2", "person", "S", True, Why.STASH_WINS, Why.PLEX_WINS),
    ("S2", "agent", "S", False, Why.CHANGED, Why.CHANGED),
    ("", "S", "S", True, Why.REMOVED, Why.REMOVED),
    ("", "person", "S", True, Why.STASH_EMPTY, Why.STASH_EMPTY),
    ("", "agent", None, False, Why.STASH_EMPTY, Why.STASH_EMPTY),
    ("", "", "S", False, Why.RIGHT, Why.RIGHT),
]


@pytest.mark.parametrize(("stash", "plex", "ours", "locked", "off", "on"), TABLE)
def test_a_scalar_is_merged_three_ways(stash, plex, ours, locked, off, on):
    for preserve, expected in ((False, off), (True, on)):
        plan = studio_plan(stash, plex, ours, locked=locked, preserve=preserve)
        assert why(plan)["studio"] is expected
        (decision,) = [one for one in plan.decisions if one.field == "studio"]
        assert decision.new == (stash if expected.writes else plex)


def test_what_is_written_is_locked_and_ours():
    plan = make_plan(scene(summary="New", tags=("A",)), item({"title": "A title"}), NONE, config())
    now = applied(plan.edit)
    assert {"summary", "genre"} <= now.locked
    assert plan.baseline.scalars["summary"] == "New"
    assert plan.baseline.sets["tags"] == ("A",)


def test_a_locked_value_that_equals_stashs_counts_as_ours_after_a_lost_ledger():
    shown = item({"title": "A title", "studio": "S"}, locked=["studio", "title", "titleSort"])
    plan = make_plan(scene(studio="S"), shown, NONE, config())
    assert plan.baseline.scalars["studio"] == "S"
    assert why(make_plan(scene(studio="S2"), shown, plan.baseline, config()))["studio"] is Why.CHANGED


def test_an_unlocked_value_that_happens_to_be_equal_is_not_ours_to_clear():
    shown = item({"title": "A title", "studio": "S"})
    plan = make_plan(scene(studio="S"), shown, NONE, config())
    assert why(make_plan(scene(studio=""), shown, plan.baseline, config()))["studio"] is Why.STASH_EMPTY


def test_a_scene_nobody_has_filled_in_wipes_nothing():
    shown = item({"title": "Well chosen", "summary": "Long", "studio": "X"}, {"genre": ["A"], "actor": ["B"]})
    blank = scene(title="file name", has_own_title=False)
    assert make_plan(blank, shown, NONE, config()).edit is None


def test_a_scene_that_is_filled_in_but_for_its_title_gets_its_files_name():
    plan = make_plan(scene(title="file name", has_own_title=False, tags=("A",)), item({"title": "x"}), NONE, config())
    assert why(plan)["title"] is Why.NEW


def test_what_others_tagged_stays_and_what_we_added_goes_when_stash_drops_it():
    shown = item({"title": "A title"}, {"genre": ["Theirs", "Ours", "Both"]})
    baseline = Baseline(sets={"tags": ("Ours",)})
    plan = make_plan(scene(tags=("Both", "New")), shown, baseline, config())
    assert applied(plan.edit).names(TagKind.GENRE) == ("Theirs", "Both", "New")
    assert plan.baseline.sets["tags"] == ("New",)


def test_tags_that_differ_only_in_case_are_one():
    plan = make_plan(scene(tags=("outdoor",)), item({"title": "A title"}, {"genre": ["Outdoor"]}), NONE, config())
    assert why(plan)["tags"] is Why.RIGHT


def test_all_our_tags_can_be_removed():
    shown = item({"title": "A title"}, {"genre": ["A", "B"]}, locked=["genre"])
    plan = make_plan(scene(), shown, Baseline(sets={"tags": ("A", "B")}), config())
    assert why(plan)["tags"] is Why.REMOVED
    assert applied(plan.edit).names(TagKind.GENRE) == ()


def test_the_number_of_tags_is_limited_by_its_setting():
    plan = make_plan(scene(tags=("A", "B", "C")), item({"title": "A title"}), NONE, config(max_tags=2))
    assert applied(plan.edit).names(TagKind.GENRE) == ("A", "B")


def test_the_old_studios_collection_goes_with_it_and_groups_share_the_list():
    on = config(sync_groups=True)
    first = make_plan(scene(studio="S1", groups=("G",)), item({"title": "A title"}), NONE, on)
    shown = applied(first.edit)
    assert shown.names(TagKind.COLLECTION) == ("S1", "G")
    second = make_plan(scene(studio="S2", groups=("G",)), shown, first.baseline, on)
    assert applied(second.edit).names(TagKind.COLLECTION) == ("G", "S2")


def test_a_source_that_is_switched_off_leaves_what_it_added():
    first = make_plan(scene(studio="S", groups=("G",)), item({"title": "A title"}), NONE, config(sync_groups=True))
    shown = applied(first.edit)
    plan = make_plan(scene(studio="S", groups=()), shown, first.baseline, config(sync_groups=False))
    assert plan.edit is None
    assert why(plan)["groups"] is Why.OFF
    assert plan.baseline.sets["groups"] == ("G",)


def test_a_name_that_studio_and_group_share_stays_while_one_of_them_wants_it():
    on = config(sync_groups=True)
    first = make_plan(scene(studio="Same", groups=("Same",)), item({"title": "A title"}), NONE, on)
    second = make_plan(scene(studio="", groups=("Same",)), applied(first.edit), first.baseline, on)
    assert "collection" not in (second.edit.names if second.edit else ())
    third = make_plan(scene(studio="", groups=()), applied(first.edit), second.baseline, on)
    assert applied(third.edit).names(TagKind.COLLECTION) == ()


def test_the_roles_of_actors_others_put_there_are_sent_along():
    from plex.item import Tag

    shown = item({"title": "A title"})
    shown = type(shown)(
        **{
            **{name: getattr(shown, name) for name in shown.__slots__},
            "tags": {TagKind.ACTOR: (Tag("Theirs", "Hero"),)},
        }
    )
    plan = make_plan(scene(performers=("Ours",)), shown, NONE, config())
    (edit,) = [one for one in plan.edit.tags if one.kind is TagKind.ACTOR]
    assert edit.want == (Tag("Theirs", "Hero"), Tag("Ours"))


@pytest.mark.parametrize("field", [*SCALARS, *SETS])
def test_every_switch_switches_its_field(field):
    full = scene(
        summary="s",
        studio="s",
        date="2024-01-01",
        tagline="t",
        director="d",
        rating=8.0,
        performers=("p",),
        tags=("t",),
        groups=("g",),
    )
    everything = {one.setting: True for one in (*SCALARS, *SETS) if one.setting}
    assert why(make_plan(full, item(), NONE, config(**everything)))[field.name] is Why.NEW
    assert why(make_plan(full, item(), NONE, config(**everything, sync_master=False)))[field.name] is Why.OFF
    if field.setting:
        assert why(make_plan(full, item(), NONE, config(**{**everything, field.setting: False})))[field.name] is Why.OFF


def test_an_episode_is_not_given_what_it_cannot_have():
    plan = make_plan(scene(studio="S", tags=("A",)), item({"title": "x"}, item_type=ItemType.EPISODE), NONE, config())
    assert (why(plan)["studio"], why(plan)["tags"], why(plan)["title"]) == (Why.NOT_HERE, Why.NOT_HERE, Why.NEW)


def test_a_rating_somebody_gave_in_plex_is_theirs_though_ratings_have_no_locks():
    shown = item({"title": "A title", "userRating": "4.0"})
    on = {"sync_rating": True}
    assert why(make_plan(scene(rating=8.0), shown, NONE, config(**on)))["rating"] is Why.PLEX_EDIT
    assert why(make_plan(scene(rating=8.0), shown, NONE, config(**on, preserve_plex_edits=False)))["rating"] is Why.NEW
    assert why(make_plan(scene(rating=4.0), shown, NONE, config(**on)))["rating"] is Why.RIGHT


def test_the_sort_title_of_a_title_that_somebody_chose_is_kept_with_it():
    plan = make_plan(scene(title="Ours"), item({"title": "Theirs"}, locked=["title"]), NONE, config())
    assert (why(plan)["title"], why(plan)["sort_title"]) == (Why.PLEX_EDIT, Why.PLEX_EDIT)
    assert plan.edit is None
    without_article = item({"title": "The Night", "titleSort": "Night"}, locked=["title"])
    assert make_plan(scene(title="Ours"), without_article, NONE, config()).edit is None


def test_an_implied_sort_title_is_written_with_its_title_and_its_own_lock_remembered():
    plan = make_plan(
        scene(title="Ours"), item({"title": "Theirs"}, locked=["title"]), NONE, config(preserve_plex_edits=False)
    )
    locked = {one.field: one.old_locked for one in plan.changes}
    assert locked == {"title": True, "sort_title": False}


def summary_plan(stash, plex, ours):
    shown = item({"title": "A title", "summary": plex}, locked=["summary"])
    return make_plan(scene(summary=stash), shown, Baseline(scalars={"summary": ours}), config())


@pytest.mark.parametrize(
    "shown", ["One.\nTwo.", "One. Two."], ids=["a server that keeps breaks", "one that folds them"]
)
def test_a_line_break_that_came_or_went_in_stash_is_sent_once(shown):
    before = summary_plan("One.\nTwo.", "One. Two.", "One. Two.")
    assert why(before)["summary"] is Why.CHANGED
    assert why(summary_plan("One.\nTwo.", shown, before.baseline.scalars["summary"]))["summary"] is Why.RIGHT


def test_a_text_that_somebody_wrote_in_plex_is_right_however_its_words_are_spaced():
    assert why(summary_plan("One.\nTwo.", "One. Two.", "Something else"))["summary"] is Why.RIGHT


@pytest.mark.parametrize(("stash", "plex"), [("007", "7"), ("1e3", "1000"), ("Infinity", "inf")])
def test_a_title_that_reads_like_a_number_is_a_text(stash, plex):
    shown = item({"title": plex}, locked=["title", "titleSort"])
    ours = Baseline(scalars={"title": plex, "sort_title": plex})
    assert why(make_plan(scene(title=stash), shown, ours, config()))["title"] is Why.CHANGED


# Laws

NAMES = st.sampled_from(["A", "a", "B", "C", "Ä", "日本", "x, y", 'q"'])
TEXTS = st.sampled_from(["", "one", "two", "three"])
SCENES = st.builds(
    lambda title, summary, studio, tags, performers, groups, director: scene(
        title=title or "file", has_own_title=bool(title), summary=summary, studio=studio, director=director,
        tags=tuple(dict.fromkeys(tags)), performers=tuple(performers), groups=tuple(groups),
    ),
    TEXTS, TEXTS, TEXTS, st.lists(NAMES, max_size=4), st.lists(NAMES, max_size=3, unique=True),
    st.lists(NAMES, max_size=3, unique=True), TEXTS,
)  # fmt: skip
KINDS = [TagKind.GENRE.value, TagKind.ACTOR.value, TagKind.COLLECTION.value, TagKind.DIRECTOR.value]
LISTS = st.lists(NAMES, max_size=4, unique_by=str.casefold)
ITEMS = st.builds(
    item,
    st.fixed_dictionaries({"title": st.sampled_from(["one", "Plex's"]), "summary": TEXTS, "studio": TEXTS}),
    st.fixed_dictionaries(dict.fromkeys(KINDS, LISTS)),
    st.sets(st.sampled_from(["title", "summary", "studio", "genre", "actor"])),
)
BASELINES = st.builds(
    Baseline,
    st.dictionaries(st.sampled_from([field.name for field in SCALARS]), TEXTS),
    st.dictionaries(st.sampled_from([field.name for field in SETS]), st.lists(NAMES, max_size=3).map(tuple)),
)
CONFIGS = st.builds(
    lambda preserve, groups, studio: config(preserve_plex_edits=preserve, sync_groups=groups, sync_collection=studio),
    st.booleans(), st.booleans(), st.booleans(),
)  # fmt: skip


@given(SCENES, ITEMS, BASELINES, CONFIGS, st.booleans())
def test_planning_what_was_just_applied_gives_an_empty_plan(metadata, shown, baseline, settings, adds):
    plan = make_plan(metadata, shown, baseline, settings)
    now = applied(plan.edit, adds=adds) if plan.edit else shown
    assert make_plan(metadata, now, plan.baseline, settings).edit is None


@given(SCENES, ITEMS, BASELINES, CONFIGS, st.booleans())
def test_what_we_did_not_add_is_never_removed(metadata, shown, baseline, settings, adds):
    plan = make_plan(metadata, shown, baseline, settings)
    now = applied(plan.edit, adds=adds) if plan.edit else shown
    for kind in map(TagKind, KINDS):
        ours = {name.casefold() for field in SETS if field.kind is kind for name in baseline.sets.get(field.name, ())}
        theirs = {name.casefold() for name in shown.names(kind)} - ours
        assert theirs <= {name.casefold() for name in now.names(kind)}


@given(SCENES, ITEMS, BASELINES, CONFIGS)
def test_an_empty_value_in_stash_clears_only_what_we_wrote(metadata, shown, baseline, settings):
    plan = make_plan(metadata, shown, baseline, settings)
    for decision in plan.decisions:
        if decision.why is Why.REMOVED and isinstance(decision.old, str):
            assert baseline.scalars[decision.field].split() == decision.old.split()


@given(SCENES, ITEMS, BASELINES, CONFIGS)
def test_a_plan_writes_exactly_what_its_decisions_say(metadata, shown, baseline, settings):
    plan = make_plan(metadata, shown, baseline, settings)
    scalar_names = {field.name: field.field for field in SCALARS}
    written = {edit.field: edit.value for edit in plan.edit.fields} if plan.edit else {}
    told = {scalar_names[one.field]: one.new for one in plan.changes if one.field in scalar_names}
    assert written == told
    assert (Field.TITLE in written) == (why(plan)["title"].writes)


def test_a_conflict_is_where_both_sides_changed_and_only_there():
    plans = [studio_plan("S2", "P", "S1", locked=True, preserve=preserve) for preserve in (True, False)]
    assert [[one.field for one in plan.conflicts] for plan in plans] == [["studio"], ["studio"]]
    assert not studio_plan("S", "P", "S", locked=True, preserve=True).conflicts
