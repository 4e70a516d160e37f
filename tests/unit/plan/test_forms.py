"""Forms: what Plex makes of a value is ours; what it cannot have made of it, and what stood there before, is not."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.baseline import Baseline
from ledger.records import JournalEntry, UnfinishedWrite
from model.item import Field, Tag, TagKind, is_form_of, name_key, same_text
from plan.decision import Why
from plan.forms import names_as_sent, read_back, stands_for, text_as_sent
from plan.undo import plan_undo
from plan.unfinished import with_unfinished_write
from sim.plex.library.storing import stored_text, stored_value
from sim.plex.quirks import Quirks
from sync.scenes.writer import _entry
from tests.support.items import applied, item, scene
from tests.support.planning import make_plan
from tests.support.settings import config

CURLY = str.maketrans({"'": "\N{RIGHT SINGLE QUOTATION MARK}"})


@pytest.mark.parametrize(
    ("sent", "shown", "is_form"),
    [
        ("It's", "It's".translate(CURLY), True),
        ("Title 🎬", "Title ", True),
        ("🎬", "", True),
        ("Café", "Cafe\N{COMBINING ACUTE ACCENT}", True),
        ("A title that is long", "A title that", True),
        ("A title that is long", "A title", False),
        ("A title", "A title that is long", False),
        ("A title", "Theirs", False),
        ("A title", "", False),
        ("7.3", "7.5", True),
        ("7.5", "8", True),
        ("7.3", "6", False),
        ("7.3", "", False),
    ],
)
def test_a_form_is_what_a_server_may_have_made_of_it(sent, shown, is_form):
    assert is_form_of(shown, sent) is is_form


def test_names_and_texts_are_compared_in_one_form_of_unicode():
    composed, apart = "Ångström", "A\N{COMBINING RING ABOVE}ngstro\N{COMBINING DIAERESIS}m"
    assert name_key(composed) == name_key(apart) == name_key(apart.upper())
    assert same_text(f"{composed}\nx", f"{apart} x")
    assert not same_text(composed, "Angstrom")


def entry(field, old, new):
    return JournalEntry(field=field, kind="scalar" if isinstance(old, str) else "set", old=old, new=new)


def test_a_text_is_read_back_in_its_form_and_as_it_was_sent_otherwise():
    sent = Baseline(
        {"title": "It's 🎬", "summary": "Ours", "studio": "S"}, unread={"title": (), "summary": (), "no": ()}
    )
    shown = item({"title": "It's ".translate(CURLY), "summary": "Theirs", "studio": "s"})
    now = read_back(sent, shown, [])
    assert (now.forms, now.unread) == ({"title": {"It's 🎬": "It's ".translate(CURLY)}}, {})
    assert text_as_sent(now, "title", shown.texts()) == "It's 🎬"
    assert text_as_sent(now, "summary", shown.texts()) == "Theirs"
    assert text_as_sent(now, "studio", shown.texts()) == "s"


def test_names_are_read_back_and_none_that_stood_there_before_is_taken_for_ours():
    sent = Baseline(sets={"tags": ("A 🎬", "B 🎬", "C", "🎉")}, unread={"genre": ("A 🎬", "B 🎬", "C", "🎉")})
    shown = item(tags={"genre": ["A", "B", "C", "Theirs"]}, locked=["genre"])
    now = read_back(sent, shown, [entry("tags", ("A", "Theirs"), ("A", "Theirs", "A 🎬", "B 🎬", "C", "🎉"))])
    assert now.forms == {"genre": {"A 🎬": "", "B 🎬": "B", "🎉": ""}}
    assert stands_for(now, TagKind.GENRE, shown) == {"A": ("A",), "B": ("B 🎬",), "C": ("C",), "Theirs": ("Theirs",)}
    assert names_as_sent(now, TagKind.GENRE, shown, stands_for(now, TagKind.GENRE, shown)) == (
        "A",
        "B 🎬",
        "C",
        "Theirs",
        "A 🎬",
        "🎉",
    )
    unlocked = replace(shown, locked=frozenset())
    assert names_as_sent(now, TagKind.GENRE, unlocked, stands_for(now, TagKind.GENRE, unlocked)) == (
        "A",
        "B 🎬",
        "C",
        "Theirs",
    )


@pytest.mark.parametrize("entries", [[], [entry("title", "", "B 🎬")]])
def test_without_knowing_what_stood_there_before_no_name_is_taken_for_ours(entries):
    sent = Baseline(sets={"tags": ("B 🎬",)}, unread={"genre": ("B 🎬",)})
    assert read_back(sent, item(tags={"genre": ["B"]}), entries).forms == {"genre": {"B 🎬": ""}}


def test_a_write_that_nobody_recorded_arrived_if_a_form_of_it_is_shown_that_was_not_there_before():
    intended = Baseline({"title": "A longer title 🎬"}, {"tags": ("A 🎬",)}, unread={"title": (), "genre": ("A 🎬",)})
    entries = (entry("title", "Before", "A longer title 🎬"), entry("tags", (), ("A 🎬",)))
    path = item().parts[0].path
    shown = item({"title": "A longer title "}, {"genre": ["A"]}, locked=["genre", "title"])
    ours, arrived = with_unfinished_write(Baseline(), UnfinishedWrite(1, path, intended, entries), shown)
    assert arrived == entries
    assert (ours.scalars, ours.sets) == (intended.scalars, intended.sets)
    assert ours.forms == {"title": {"A longer title 🎬": "A longer title "}, "genre": {"A 🎬": "A"}}


def test_a_write_that_nobody_recorded_did_not_arrive_if_the_item_shows_what_it_showed_before():
    """Though Plex could have made that of it."""
    intended = Baseline({"title": "A longer title, extended"}, unread={"title": ()})
    entries = (entry("title", "A longer title", "A longer title, extended"),)
    shown = item({"title": "A longer title"}, locked=["title"])
    ours, arrived = with_unfinished_write(
        Baseline(), UnfinishedWrite(1, item().parts[0].path, intended, entries), shown
    )
    assert (ours, arrived) == (Baseline(), ())


def test_of_a_list_that_nobody_recorded_what_went_and_what_came_is_told_by_its_form():
    before = Baseline(sets={"tags": ("A 🎬",)}, forms={"genre": {"A 🎬": "A"}})
    intended = Baseline(sets={"tags": ("B 🎬",)}, unread={"genre": ("B 🎬",)})
    entries = (replace(entry("tags", ("A 🎬",), ("B 🎬",)), old_locked=True),)
    unfinished = UnfinishedWrite(1, item().parts[0].path, intended, entries)
    nothing = with_unfinished_write(before, unfinished, item(tags={"genre": ["A"]}, locked=["genre"]))
    assert nothing == (before, ())
    ours, arrived = with_unfinished_write(before, unfinished, item(tags={"genre": ["B"]}, locked=["genre"]))
    assert (ours.sets, ours.forms, arrived) == ({"tags": ("B 🎬",)}, {"genre": {"B 🎬": "B"}}, entries)


def test_a_baseline_keeps_all_of_it_in_its_json():
    whole = Baseline(
        {"title": "A"}, {"tags": ("B",)}, {"tags": ("C",)}, {"tags": {"B": ""}}, {"title": (), "tags": ("B",)}
    )
    assert Baseline.from_json(whole.to_json()) == whole
    assert Baseline.from_json('{"scalars": {"title": "A"}, "sets": {"tags": ["B"]}}') == Baseline(
        {"title": "A"}, {"tags": ("B",)}
    )
    assert Baseline.from_json('{"scalars": {}, "sets": {}, "forms": {"tags": 1}}') == Baseline()


# Laws, on servers of all habits

TEXTS = st.sampled_from(["", 'It\'s a "title"', "Title 🎬", "Café, a longer title than most", "🎉", "Plain"])
NAMES = st.sampled_from(["A", "A 🎬", "A 🎉", "It's", "Café", "a name that is a good deal longer", "🎬", "Other"])
LISTS = st.lists(NAMES, max_size=4, unique_by=name_key).map(tuple)
SCENES = st.builds(
    lambda title, summary, rating, tags, performers, groups, studio: scene(
        title=title or "file", has_own_title=bool(title), summary=summary, rating=rating,
        tags=tags, performers=performers, groups=groups, studio=studio,
    ),
    TEXTS, TEXTS, st.sampled_from([None, 0.0, 3.3, 7.5]), LISTS, LISTS, LISTS, NAMES,
)  # fmt: skip
HABITS = st.builds(
    Quirks,
    text_limit=st.sampled_from([0, 20, 30]),
    quotes=st.sampled_from(["kept", "curly", "straight"]),
    keeps_emoji=st.booleans(),
    rating_step=st.sampled_from([0.0, 0.5, 1.0]),
    unicode_form=st.sampled_from(["", "NFC", "NFD"]),
)
ITEMS = st.builds(
    lambda title, tags, actors, locked: item({"title": title or "x"}, {"genre": tags, "actor": actors}, locked),
    TEXTS, LISTS, LISTS, st.sets(st.sampled_from(["title", "genre", "actor"])),
)  # fmt: skip
CONFIGS = st.builds(
    lambda preserve: config(preserve_plex_edits=preserve, sync_rating=True, sync_groups=True), st.booleans()
)


def stored(edit, quirks):
    """Return the item as a server of these habits shows it after an edit, that of an undo too."""
    fields = tuple(replace(one, value=_stored(one.field, one.value, quirks)) for one in edit.fields)
    tags = tuple(
        replace(one, want=tuple(Tag(name) for tag in one.want if (name := stored_text(tag.name, quirks))))
        for one in edit.tags
    )
    now = applied(replace(edit, fields=fields, tags=tags))
    opened = {one.kind.value for one in edit.tags if not one.locked} | {
        one.name for one in edit.locks if not one.locked
    }
    return replace(now, locked=now.locked - opened)


def _stored(field, value, quirks):
    if field is Field.USER_RATING and value:
        return f"{stored_value('userRating', float(value), quirks):g}"
    return stored_text(value, quirks)


def as_stored(shown, quirks):
    """Return an item whose values a server of these habits has stored."""
    return replace(
        shown,
        values={field: stored_text(value, quirks) for field, value in shown.values.items()},
        tags={
            kind: tuple({name_key(name): Tag(name) for tag in tags if (name := stored_text(tag.name, quirks))}.values())
            for kind, tags in shown.tags.items()
        },
    )


def sync(metadata, shown, baseline, settings, quirks):
    """Plan, write, read back."""
    plan = make_plan(metadata, shown, baseline, settings)
    entries = [_entry(one) for one in reversed(plan.changes)]
    now = stored(plan.edit, quirks) if plan.edit else shown
    return now, read_back(plan.baseline, now, entries), entries


@given(SCENES, SCENES, ITEMS, CONFIGS, HABITS)
def test_what_was_just_synced_needs_nothing(one, other, shown, settings, quirks):
    now, ours, _ = sync(one, as_stored(shown, quirks), Baseline(), settings, quirks)
    now, ours, _ = sync(other, now, ours, settings, quirks)
    plan = make_plan(other, now, ours, settings)
    assert plan.edit is None
    kept = [one.field for one in plan.decisions if one.why is Why.TAKEN_OUT]
    assert kept == []


@given(SCENES, SCENES, ITEMS, CONFIGS, HABITS)
def test_what_others_put_there_stays(one, other, shown, settings, quirks):
    shown = as_stored(shown, quirks)
    now, ours, _ = sync(one, shown, Baseline(), settings, quirks)
    now, _, _ = sync(other, now, ours, settings, quirks)
    for kind in (TagKind.GENRE, TagKind.ACTOR):
        assert {name_key(name) for name in shown.names(kind)} <= {name_key(name) for name in now.names(kind)}


@given(SCENES, SCENES, ITEMS, CONFIGS, HABITS)
def test_an_undo_of_everything_leaves_the_item_as_it_was(one, other, shown, settings, quirks):
    shown = as_stored(shown, quirks)
    now, ours, first = sync(one, shown, Baseline(), settings, quirks)
    now, ours, second = sync(other, now, ours, settings, quirks)
    undo = plan_undo([*second, *first], now, ours)
    again = stored(undo.edit, quirks) if undo.edit else now
    assert again.value(Field.TITLE) == shown.value(Field.TITLE)
    assert {field: again.value(field) for field in Field} == {field: shown.value(field) for field in Field}
    for kind in TagKind:
        assert {*map(name_key, again.names(kind))} == {*map(name_key, shown.names(kind))}
    assert again.locked == shown.locked
    assert undo.baseline.sets == {}
