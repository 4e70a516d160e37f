"""What becomes of a scene is a value: the same for the worker, who acts on it, and for the preview, which shows it."""

from dataclasses import replace

import pytest

from ledger.baseline import Baseline
from ledger.records import SceneRecord
from ledger.states import SceneState
from model.item import Part
from model.match import Match, MatchRule, TurnedDown, Verdict
from plex.capabilities import PLEX
from sync.scenes.decide import (
    NOT_ORGANIZED,
    Claim,
    Decided,
    PreparedScene,
    decide_claims,
    decide_if_ignored,
    decide_if_organized,
    decide_match,
    decide_plans,
)
from tests.support.items import item, scene
from tests.support.settings import config

PART = Part("11", "1", "/plex/a.mp4", 7)


def prepared(**said):
    metadata = scene(**said)
    return PreparedScene(metadata, metadata.fingerprint(""), None, "")


def record(state):
    return SceneRecord(1, state, "Left out by hand.", "", None, "", "", 0.0, None, Baseline())


def test_a_scene_that_a_person_leaves_out_is_skipped_with_their_sentence():
    assert decide_if_ignored(1, record(SceneState.IGNORED)) == Decided(1, Verdict.SKIPPED, "Left out by hand.")
    assert decide_if_ignored(1, record(SceneState.SYNCED)) is None
    assert decide_if_ignored(1, None) is None


def test_only_organized_skips_what_is_not_organized_and_nothing_else():
    loose = prepared(organized=False)
    assert decide_if_organized(loose, config(only_organized=True)) == Decided(loose.id, Verdict.SKIPPED, NOT_ORGANIZED)
    assert decide_if_organized(loose, config()) is None
    assert decide_if_organized(prepared(organized=True), config(only_organized=True)) is None


@pytest.mark.parametrize(
    ("found", "strict", "verdict"),
    [
        (Match(MatchRule.EXACT_PATH, "11", PART), True, None),
        (Match(MatchRule.NAME_ONLY, "11", PART), True, Verdict.AMBIGUOUS),
        (Match(MatchRule.NAME_ONLY, "11", PART), False, None),
        (Match(MatchRule.AMBIGUOUS, None, None, (TurnedDown(PART, "same name"),)), False, Verdict.AMBIGUOUS),
        (Match(MatchRule.NOTHING), False, Verdict.UNMATCHED),
    ],
)
def test_only_a_sure_match_is_written_to(found, strict, verdict):
    decided = decide_match(prepared(), found, config(strict_matching=strict), "Emby")
    assert (decided.verdict if decided else None) is verdict
    assert decided is None or decided.found is found


def test_what_is_not_there_is_said_of_the_server_by_its_name():
    decided = decide_match(prepared(), Match(MatchRule.NOTHING, note="no such file"), config(), "Emby")
    assert decided is not None
    assert decided.sentence.startswith("Not in Emby yet: no such file")


def test_a_scene_gets_those_of_its_items_that_no_other_has():
    main = Claim(1, Match(MatchRule.EXACT_PATH, "11", PART), item({}))
    beside = Claim(1, Match(MatchRule.EXACT_PATH, "12", PART), replace(item({}), item_id="12"))
    other = Claim(2, Match(MatchRule.PINNED, "12", PART), beside.shown)
    assert decide_claims([main, beside], {main.item: main, "12": beside}, "Plex") == (main, beside)
    assert decide_claims([main, beside], {main.item: main, "12": other}, "Plex") == (main,)


def test_an_exact_path_disproves_a_name_and_equals_are_a_persons_case():
    weak = Claim(1, Match(MatchRule.NAME_SIZE, "11", PART), item({}))
    exact = Claim(2, Match(MatchRule.EXACT_PATH, "11", PART), weak.shown)
    alike = Claim(2, Match(MatchRule.NAME_SIZE, "11", PART), weak.shown)
    for winner, verdict in ((exact, Verdict.UNMATCHED), (alike, Verdict.AMBIGUOUS)):
        decided = decide_claims([weak], {weak.item: winner}, "Plex")
        assert isinstance(decided, Decided)
        assert decided.verdict is verdict
        assert "cene 2" in decided.sentence


@pytest.mark.parametrize(
    ("said", "shown", "verdict"),
    [
        ({"title": "New"}, {"title": "Old"}, Verdict.CHANGES),
        ({"title": "Same"}, {"title": "Same"}, Verdict.RIGHT),
        (
            {"title": "Same", "unusable": (("date", "No date."),)},
            {"title": "Same", "titleSort": "Same"},
            Verdict.REFUSED,
        ),
    ],
)
def test_the_plans_say_whether_anything_changes(said, shown, verdict):
    ready = prepared(**said)
    claims = [Claim(ready.id, Match(MatchRule.EXACT_PATH, "11", PART), item(shown))]
    decided = decide_plans(ready, claims, [Baseline()], config(), PLEX)
    assert decided.verdict is verdict
    assert len(decided.plans) == 1
    assert ("title" in decided.changed_fields) is (verdict is Verdict.CHANGES)
