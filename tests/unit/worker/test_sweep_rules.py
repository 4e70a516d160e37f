"""Which scenes a sweep looks at: what has changed, what its state says, what may not hold."""

from dataclasses import replace

import pytest

from ledger.records import SweepRecord
from ledger.states import SceneState
from plan.fields import settings_text
from stash.scenes import parse_scene
from tests.support.settings import config
from validation.metadata import fingerprint_of
from worker.sweeping.rules import A_DAY, EVERY_SWEEP, LOOK_AGAIN_AFTER, NEVER, SweepRules

NOW = 1_000_000.0
COVER = "http://stash:9999/scene/7/screenshot?t=1"
FILE = {"path": "/a/film.mp4", "size": 1}
SCENE = parse_scene({"id": "7", "title": "A title", "paths": {"screenshot": COVER}, "files": [FILE]})
STAMP = "t=1"


def rules(unfinished=(), now=NOW, server_id="m", is_listed=lambda path: True, **settings):
    return SweepRules(config(**settings), "plex", server_id, frozenset(unfinished), now, is_listed)


def judged(state=SceneState.SYNCED, scene=SCENE, covers=None, **settings):
    fingerprint = fingerprint_of(scene, settings_text(config(**settings), "plex"))
    stamps = {"thumb": STAMP, "art": STAMP} if covers is None else covers
    return SweepRecord(7, state, fingerprint, "m", NOW, stamps)


@pytest.mark.parametrize("state", SceneState)
def test_what_has_not_changed_is_looked_at_when_its_state_says_so(state):
    after = LOOK_AGAIN_AFTER[state]
    assert rules().wants(SCENE, judged(state)) is (after == EVERY_SWEEP)
    assert rules(now=NOW + A_DAY - 1).wants(SCENE, judged(state)) is (after == EVERY_SWEEP)
    assert rules(now=NOW + A_DAY).wants(SCENE, judged(state)) is (after != NEVER)


def test_what_waits_for_plex_is_looked_at_where_plex_has_a_file_of_its_name():
    waiting = judged(SceneState.WAITING)
    assert rules(is_listed=lambda path: path == "/a/film.mp4").wants(SCENE, waiting)
    assert not rules(is_listed=lambda path: False).wants(SCENE, waiting)
    assert rules(is_listed=lambda path: False).wants(replace(SCENE, title="Edited"), waiting)


@pytest.mark.parametrize("state", SceneState)
def test_an_edited_scene_is_looked_at_whatever_became_of_it_unless_a_person_leaves_it_out(state):
    assert rules().wants(replace(SCENE, title="Edited"), judged(state)) is (state is not SceneState.IGNORED)


@pytest.mark.parametrize("state", [one for one in SceneState if one is not SceneState.WAITING])
def test_other_settings_have_all_looked_at_but_what_a_person_took_back(state):
    assert rules(sync_rating=True).wants(SCENE, judged(state)) is (state not in {SceneState.UNDONE, SceneState.IGNORED})


def test_what_is_synced_to_another_server_is_looked_at():
    assert rules(server_id="another").wants(SCENE, judged())
    assert not rules(server_id="another").wants(SCENE, judged(SceneState.SKIPPED))


def test_a_scene_with_a_write_under_way_is_looked_at():
    assert rules(unfinished=[7]).wants(SCENE, judged())
    assert not rules(unfinished=[8]).wants(SCENE, judged())


def test_a_new_cover_is_looked_at_where_pictures_are_wanted():
    old = judged(covers={"thumb": STAMP, "art": "t=0"})
    assert rules().wants(SCENE, old)
    off = {"sync_background": False}
    assert not rules(**off).wants(SCENE, old)
    bare = replace(SCENE, screenshot="")
    assert not rules().wants(bare, judged(scene=bare, covers={}))


def test_a_new_cover_is_looked_at_although_a_value_was_refused():
    old = judged(SceneState.REFUSED, covers={"thumb": "scene/7/screenshot?t=0"})
    assert rules().wants(SCENE, old)
    assert not rules().wants(SCENE, judged(SceneState.REFUSED))
    assert not rules().wants(SCENE, judged(SceneState.REFUSED, covers={}))


def test_a_scene_that_cannot_be_mended_is_not_looked_at_until_its_complaint_changes():
    broken = replace(SCENE, date="2024-99-99")
    assert not rules().wants(broken, judged(SceneState.REFUSED, broken))
    assert rules().wants(replace(SCENE, date="2024-88-88"), judged(SceneState.REFUSED, broken))
