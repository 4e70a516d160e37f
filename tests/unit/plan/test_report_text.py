"""A plan in words."""

from ledger.baseline import Baseline
from plan.report_text import MOST_LETTERS, diff_line, kept_text
from tests.support.items import item, scene
from tests.support.planning import make_plan
from tests.support.settings import config


def line(metadata, shown, baseline=None):
    return diff_line(make_plan(metadata, shown, baseline or Baseline(), config()))


def test_a_value_is_shown_with_what_it_replaces():
    shown = item({"title": "A title", "studio": "S"}, {"collection": ["Now"]})
    assert line(scene(studio="Now"), shown) == "scene 42: studio 'S' → 'Now' (new in Stash)"


def test_a_list_is_shown_by_what_comes_and_goes():
    shown = item({"title": "A title"}, {"genre": ["Theirs", "Old"]})
    told = line(scene(tags=("New",)), shown, Baseline(sets={"tags": ("Old",)}))
    assert told == "scene 42: tags +'New' -'Old' (changed in Stash)"


def test_a_long_text_is_cut_and_stays_on_its_line():
    told = line(scene(summary="word\n" * 100), item({"title": "A title"}))
    assert "\n" not in told
    assert len(told) < MOST_LETTERS + 60
    assert told.endswith("…' (new in Stash)")


def test_what_a_person_keeps_is_shown_with_both_values_once():
    shown = item({"title": "Theirs", "titleSort": "Hers"}, {"genre": ["B"]}, locked=["title", "genre"])
    plan = make_plan(scene(title="Ours", tags=("A", "B")), shown, Baseline(sets={"tags": ("A", "B")}), config())
    assert kept_text([plan, plan]) == "title is 'Theirs' in Plex and 'Ours' in Stash; tags without 'A'"
    assert diff_line(plan) == f"scene 42: kept as a person's: {kept_text([plan])}"
    assert kept_text([make_plan(scene(), item({"title": "A title"}), Baseline(), config())]) == ""
