"""Arguments of operations: typed, or a sentence that says what is wrong."""

import pytest

from stash.wire import Refusal
from tasks.arguments import MOST_IDS, Arguments
from tasks.moments import ago, iso, span


def test_numbers_may_come_as_digits():
    arguments = Arguments({"scene_id": "42", "ids": ["1", 2, 2], "limit": 7, "after": "0"})
    assert (arguments.need_id("scene_id"), arguments.ids(), arguments.page_size()) == (42, [1, 2], 7)
    assert arguments.after() == 0


def test_what_is_not_given_is_nothing():
    arguments = Arguments({"scene_id": None, "mode": "explain"})
    assert (arguments.id("scene_id"), arguments.after(), arguments.page_size()) == (None, 0, 50)
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
        ({}, lambda one: one.ids_or_all(), "Say which"),
        ({"ids": [1], "all": True}, lambda one: one.ids_or_all(), "not both"),
        ({"all": "yes"}, lambda one: one.ids_or_all(), "all must be true or false; it is 'yes'."),
        ({"limit": 1001}, lambda one: one.page_size(), "limit is 1001; at most 1000 are given at once."),
        ({"state": "lost"}, lambda one: one.choice("state", ["synced", "failed"]), "there are: synced, failed."),
        ({"state": ["synced"]}, lambda one: one.choice("state", ["synced"]), "there are: synced."),
        ({"idz": [1]}, lambda one: one.check_names("retry", ["ids", "all"]), "retry has no argument 'idz'"),
        ({"x": 1}, lambda one: one.check_names("status", []), "it takes none."),
    ],
)
def test_what_is_wrong_is_said(raw, ask, sentence):
    with pytest.raises(Refusal) as refusal:
        ask(Arguments(raw))
    assert sentence in str(refusal.value)


def test_all_means_all():
    assert Arguments({"all": True}).ids_or_all() is None


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
