"""The planner: three ways for scalars, by element for sets, and nothing wiped that is not ours."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.baseline import Baseline
from model.capabilities import Capabilities
from model.item import Field, ItemType, TagKind
from plan.decision import Why
from plan.fields import SCALARS, SETS, settings_text, unusable_values
from plex.capabilities import PLEX
from tests.support.items import applied, item, scene
from tests.support.planning import make_plan
from tests.support.settings import config

NONE = Baseline()
EVERYTHING = replace(PLEX, fields=frozenset(Field))
BARE = Capabilities(
    name="Bare",
    fields=frozenset({Field.TITLE, Field.SUMMARY}),
    lists=frozenset({TagKind.ACTOR}),
    locks=frozenset(),
    pictures=frozenset(),
)


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
    ("S", "person", None, True, Why.NEW, Why.SERVER_EDIT),
    ("S2", "S", "S", True, Why.CHANGED, Why.CHANGED),
    ("S2", "S", "S", False, Why.CHANGED, Why.CHANGED),
    ("S", "person", "S", True, Why.LOST, Why.SERVER_EDIT),
    ("S", "agent", "S", False, Why.LOST, Why.LOST),
    ("S", "", "S", False, Why.LOST, Why.LOST),
    ("S2", "person", "S", True, Why.STASH_WINS, Why.SERVER_WINS),
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


OUT = [
    # ours, found, locked, preserve: what a name of Stash's that is not shown becomes
    (True, False, True, True, Why.TAKEN_OUT),
    (False, True, True, True, Why.TAKEN_OUT),
    (True, False, True, False, Why.NEW),
    (True, False, False, True, Why.NEW),
    (False, False, True, True, Why.NEW),
]


@pytest.mark.parametrize(("ours", "found", "locked", "preserve", "expected"), OUT)
def test_a_name_that_was_there_and_is_not_shown_by_a_locked_list_was_taken_out(ours, found, locked, preserve, expected):
    baseline = Baseline(sets={"tags": ("A",)} if ours else {}, found={"tags": ("A",)} if found else {})
    shown = item({"title": "A title"}, {"genre": ["Theirs"]}, locked=["genre"] if locked else [])
    plan = make_plan(scene(tags=("A",)), shown, baseline, config(preserve_plex_edits=preserve))
    assert why(plan)["tags"] is expected
    if expected is Why.TAKEN_OUT:
        assert (plan.baseline.sets, plan.baseline.found) == (baseline.sets, baseline.found)
    gone = make_plan(scene(), shown, plan.baseline, config())
    assert (gone.baseline.sets, gone.baseline.found) == ({}, {})


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
    from model.item import Tag

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
        parent_studio="p",
    )
    everything = {one.setting: True for one in (*SCALARS, *SETS) if one.setting}
    everything |= {"tags_as": "both", "content_rating": "XXX"}

    def decided(**settings):
        return why(make_plan(full, item(), NONE, config(**{**everything, **settings}), EVERYTHING))[field.name]

    assert decided() is Why.NEW
    assert decided(sync_master=False) is Why.OFF
    if field.setting:
        assert decided(**{field.setting: False}) is Why.OFF


def test_what_a_server_does_not_have_is_left_out():
    plain = make_plan(scene(tagline="t", tags=("A",)), item(), NONE, config(), BARE)
    assert why(plain)["tagline"] is Why.NOT_HERE
    assert why(plain)["tags"] is Why.NOT_HERE
    assert why(plain)["stash_id"] is Why.NOT_HERE
    assert {edit.field for edit in plain.edit.fields} == {Field.TITLE}
    assert plain.edit.tags == ()


LOCKLESS = [
    # Stash, server, ours, preserve off, preserve on
    ("S", "agent", None, Why.NEW, Why.NEW),
    ("S", "S", None, Why.RIGHT, Why.RIGHT),
    ("S", "person", "S", Why.LOST, Why.SERVER_EDIT),
    ("S2", "person", "S", Why.STASH_WINS, Why.SERVER_WINS),
    ("S2", "S", "S", Why.CHANGED, Why.CHANGED),
    ("S", "", "S", Why.LOST, Why.LOST),
    ("", "S", "S", Why.REMOVED, Why.REMOVED),
]


@pytest.mark.parametrize(("stash", "shown", "ours", "off", "on"), LOCKLESS)
def test_without_a_lock_what_took_the_place_of_ours_is_a_persons(stash, shown, ours, off, on):
    baseline = Baseline(scalars={"summary": ours}) if ours is not None else NONE
    for preserve, expected in ((False, off), (True, on)):
        settings = config(preserve_plex_edits=preserve)
        plan = make_plan(scene(summary=stash), item({"title": "A title", "summary": shown}), baseline, settings, BARE)
        assert why(plan)["summary"] is expected
    assert plan.server == "Bare"


def test_a_list_without_a_lock_keeps_what_a_person_took_out():
    shown = item({"title": "A title"}, {"actor": ["B"]})
    baseline = Baseline(sets={"performers": ("A", "B")})
    kept = make_plan(scene(performers=("A", "B")), shown, baseline, config(), BARE)
    assert why(kept)["performers"] is Why.TAKEN_OUT
    again = make_plan(scene(performers=("A", "B")), shown, baseline, config(preserve_plex_edits=False), BARE)
    assert why(again)["performers"] is Why.NEW


def test_tags_move_to_where_they_are_wanted():
    first = make_plan(scene(tags=("A", "B")), item({"title": "A title"}, {"genre": ["Theirs"]}), NONE, config())
    assert why(first)["labels"] is Why.OFF
    now = applied(first.edit)
    moved = make_plan(scene(tags=("A", "B")), now, first.baseline, config(tags_as="tags"))
    after = applied(moved.edit)
    assert (after.names(TagKind.GENRE), after.names(TagKind.LABEL)) == (("Theirs",), ("A", "B"))
    assert (why(moved)["tags"], why(moved)["labels"]) == (Why.REMOVED, Why.NEW)


def test_collections_have_their_prefix():
    settings = config(collection_prefix="Stash:", sync_parent_studio=True, sync_performer_collections=True)
    full = scene(studio="S", parent_studio="P", performers=("Ann",))
    now = applied(make_plan(full, item({"title": "A title"}), NONE, settings).edit)
    assert now.names(TagKind.COLLECTION) == ("Stash: S", "Stash: P", "Stash: Ann")


def test_settings_of_their_defaults_leave_a_fingerprint_as_it_was():
    assert not {"tags_as", "content_rating", "title_format"} & set(
        re.findall(r"(\w+)=", settings_text(config(), "plex"))
    )
    assert "tags_as=both" in settings_text(config(tags_as="both"), "plex")


@pytest.mark.parametrize("one", Why)
def test_a_reason_names_the_server_it_speaks_of(one):
    assert "{" not in one.told("Jellyfin")
    assert "Plex" not in one.told("Jellyfin")


def test_an_episode_is_not_given_what_it_cannot_have():
    plan = make_plan(scene(studio="S", tags=("A",)), item({"title": "x"}, item_type=ItemType.EPISODE), NONE, config())
    assert (why(plan)["studio"], why(plan)["tags"], why(plan)["title"]) == (Why.NOT_HERE, Why.NOT_HERE, Why.NEW)


def test_a_rating_somebody_gave_in_plex_is_theirs_though_ratings_have_no_locks():
    shown = item({"title": "A title", "userRating": "4.0"})
    on = {"sync_rating": True}
    assert why(make_plan(scene(rating=8.0), shown, NONE, config(**on)))["rating"] is Why.SERVER_EDIT
    assert why(make_plan(scene(rating=8.0), shown, NONE, config(**on, preserve_plex_edits=False)))["rating"] is Why.NEW
    assert why(make_plan(scene(rating=4.0), shown, NONE, config(**on)))["rating"] is Why.RIGHT


def test_the_sort_title_of_a_title_that_somebody_chose_is_kept_with_it():
    plan = make_plan(scene(title="Ours"), item({"title": "Theirs"}, locked=["title"]), NONE, config())
    assert (why(plan)["title"], why(plan)["sort_title"]) == (Why.SERVER_EDIT, Why.WITH_TITLE)
    assert [(one.field, one.old, one.withheld) for one in plan.kept] == [("title", "Theirs", "Ours")]
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
LISTS_BY_SOURCE = st.dictionaries(
    st.sampled_from([field.name for field in SETS]), st.lists(NAMES, max_size=3).map(tuple)
)
BASELINES = st.builds(
    Baseline,
    st.dictionaries(st.sampled_from([field.name for field in SCALARS]), TEXTS),
    LISTS_BY_SOURCE,
    LISTS_BY_SOURCE,
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


@given(SCENES, SCENES, ITEMS, BASELINES, CONFIGS, st.data())
def test_what_a_person_takes_out_stays_out_as_long_as_stash_has_it(one, other, shown, baseline, settings, data):
    """Whatever else changes in Stash meanwhile, and however often it is synced."""
    settings = settings.model_copy(update={"preserve_plex_edits": True})
    first = make_plan(one, shown, baseline, settings)
    now = applied(first.edit) if first.edit else shown
    kind = data.draw(st.sampled_from(list(map(TagKind, KINDS))))
    gone = data.draw(st.sets(st.sampled_from(now.names(kind)))) if now.names(kind) else set()
    left = tuple(tag for tag in now.tags[kind] if tag.name not in gone)
    now = replace(now, tags={**now.tags, kind: left}, locked=now.locked | {kind.value})
    known = first.baseline
    wanted = _wanted(one, kind, settings)
    for scene_now in (one, other, one):
        wanted &= _wanted(scene_now, kind, settings)
        plan = make_plan(scene_now, now, known, settings)
        now, known = applied(plan.edit) if plan.edit else now, plan.baseline
        assert not {name.casefold() for name in gone} & wanted & {name.casefold() for name in now.names(kind)}


def _wanted(metadata, kind, settings):
    sources = [field for field in SETS if field.kind is kind and getattr(settings, field.setting)]
    return {name.casefold() for field in sources for name in field.read(metadata, settings)}


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


def test_a_value_that_makes_no_sense_is_neither_written_nor_taken_for_empty():
    shown = item({"title": "Old", "originallyAvailableAt": "2020-01-01"}, locked=["originallyAvailableAt"])
    baseline = Baseline(scalars={"date": "2020-01-01", "title": "Old"})
    told = scene(title="New", date="").model_copy(update={"unusable": (("date", "'x' is not a date."),)})
    plan = make_plan(told, shown, baseline, config())
    assert (why(plan)["date"], why(plan)["title"]) == (Why.UNUSABLE, Why.CHANGED)
    assert plan.baseline.scalars["date"] == "2020-01-01"


def test_what_is_kept_back_is_named_where_its_field_is_to_be_synced():
    told = scene().model_copy(update={"unusable": (("date", "'x' is not a date."), ("rating", "101 is too much."))})
    assert unusable_values(scene(), config()) is None
    assert str(unusable_values(told, config())) == "date: 'x' is not a date."
    both = unusable_values(told, config(sync_rating=True))
    assert str(both) == "date: 'x' is not a date. rating: 101 is too much."
    assert unusable_values(told, config(sync_date=False)) is None
