"""Arguments of actions: typed, or a sentence that says what is wrong."""

import pytest

from ledger.states import SceneState
from model.user_error import UserError
from runtime.record import field_names
from tasks import arguments as sets
from tasks.answers import SceneCounts
from tasks.arguments import MOST_IDS, STATES, Arguments, IgnoreScenes, SceneList, SomeLetters, UndoWhat
from tasks.wording import ago, iso, span


def test_numbers_may_come_as_digits():
    arguments = Arguments({"scene_id": "42", "ids": ["1", 2, 2], "limit": 7, "after": "0"})
    assert (arguments.need_id("scene_id"), arguments.ids(), arguments.page_size()) == (42, (1, 2), 7)
    assert arguments.after() == ""


def test_what_is_not_given_is_nothing():
    arguments = Arguments({"scene_id": None, "mode": "explain"})
    assert (arguments.id("scene_id"), arguments.after(), arguments.page_size()) == (None, "", 50)
    assert arguments.choice("state", ["synced"]) is None
    arguments.check_names("explain", ["scene_id"])


@pytest.mark.parametrize(
    ("raw", "ask", "sentence"),
    [
        ({}, lambda one: one.need_id("scene_id"), "scene_id is missing; it is a whole number above 0."),
        ({"scene_id": "x"}, lambda one: one.need_id("scene_id"), "scene_id must be a whole number above 0; it is 'x'."),
        ({"scene_id": True}, lambda one: one.id("scene_id"), "scene_id must be a whole number above 0; it is True."),
        ({"ids": 3}, lambda one: one.ids(), "ids must be a list of whole numbers above 0."),
        ({"ids": []}, lambda one: one.ids(), "ids must be a list of whole numbers above 0."),
        ({"ids": [1, -2]}, lambda one: one.ids(), "one of them is -2"),
        ({"ids": [1] * (MOST_IDS + 1)}, lambda one: one.ids(), "at most 10000 are taken at once"),
        ({}, SomeLetters.read, "Say which"),
        ({"ids": [1], "all": True}, SomeLetters.read, "not both"),
        ({"scene_ids": [1], "ids": [1]}, SomeLetters.read, "not both"),
        ({"all": "yes"}, SomeLetters.read, "all must be true or false; it is 'yes'."),
        ({"target": "kodi"}, SceneList.read, "target is 'kodi'; there are: plex, emby, jellyfin."),
        ({"after": "plex:1; DROP"}, SceneList.read, "after must be `next` of the page before"),
        ({"after": [1]}, SceneList.read, "after must be `next` of the page before"),
        ({"scene_id": 1, "ids": [1]}, IgnoreScenes.read, "Say which"),
        ({"run_id": None}, UndoWhat.read, "run_id must be a whole number above 0; it is None."),
        ({"query": "  "}, sets.SearchItems.read, "query is missing"),
        ({"values": []}, sets.SaveSettings.read, "values must be an object with settings."),
        ({"limit": 1001}, lambda one: one.page_size(), "limit is 1001; at most 1000 are given at once."),
        ({"state": "lost"}, lambda one: one.choice("state", ["synced", "failed"]), "there are: synced, failed."),
        ({"state": ["synced"]}, lambda one: one.choice("state", ["synced"]), "there are: synced."),
        ({"idz": [1]}, lambda one: one.check_names("retry", ["ids", "all"]), "retry has no argument 'idz'"),
        ({"x": 1}, lambda one: one.check_names("status", []), "it takes none."),
    ],
)
def test_what_is_wrong_is_said(raw, ask, sentence):
    with pytest.raises(UserError) as refusal:
        ask(Arguments(raw))
    assert sentence in str(refusal.value)


def test_all_means_all():
    assert SomeLetters.read(Arguments({"all": "true"})) == SomeLetters(None, all=True)


def test_the_states_of_lists_arguments_and_answers_are_those_of_the_ledger():
    assert (*map(str, SceneState), "queued", "left", "kept") == STATES
    assert field_names(SceneCounts) == tuple(map(str, SceneState))


def test_moments_are_told_as_people_tell_them():
    assert iso(0) == "1970-01-01T00:00:00+00:00"
    assert iso(None) is None
    assert [span(one) for one in (1, 90, 120, 7200, 86400, 200000)] == [
        "1 second",
        "90 seconds",
        "2 minutes",
        "2 hours",
        "1 day",
        "2 days",
    ]
    assert ago(100, 160) == "60 seconds ago"
