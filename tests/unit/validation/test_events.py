"""The event validator: what Stash sends becomes an event, what it would never send becomes a sentence."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.handlers import HANDLERS, IDENTITY
from validation.events import MAX_ID, BadEvent, parse_event, parse_id

CONTEXTS = Path(__file__).parents[2] / "data" / "stash" / "hook-contexts.json"


def update(scene_id=5, sent=None, fields=None, trigger="Scene.Update.Post"):
    context = {"id": scene_id, "type": trigger, "input": sent}
    return context if fields is None else {**context, "inputFields": fields}


def jobs_of(context):
    event = parse_event(context)
    return None if event is None else HANDLERS[event.trigger](event)


def test_a_save_speaks_for_its_scene():
    assert jobs_of(update(5, {"id": "5", "title": "Five"}, ["id", "title"])) == [5]


def test_the_first_hook_of_a_bulk_edit_speaks_for_all_ids():
    assert jobs_of(update(6, {"ids": ["6", "7", "8"], "rating100": 60}, ["ids", "rating100"])) == [6, 7, 8]


def test_a_later_hook_of_a_bulk_edit_speaks_for_itself_only():
    assert jobs_of(update(7, {"ids": ["6", "7", "8"], "rating100": 60}, ["ids", "rating100"])) == [7]


def test_the_first_hook_of_scenes_update_speaks_for_the_whole_list():
    assert jobs_of(update(8, [{"id": "8"}, {"id": "9"}], ["id", "title"])) == [8, 9]


def test_duplicate_and_unusable_ids_of_a_bulk_edit_are_passed_over():
    assert jobs_of(update(6, {"ids": ["6", "6", "x", None, -1, "7"]}, ["ids", "title"])) == [6, 7]


def test_a_scan_sends_null_and_everything_may_matter():
    assert jobs_of(update(3, None)) == [3]
    assert jobs_of({"id": 3, "type": "Scene.Create.Post", "input": None}) == [3]


@pytest.mark.parametrize("field", ["play_count", "o_counter", "resume_time", "play_duration"])
def test_viewing_alone_is_not_worth_a_job(field):
    assert jobs_of(update(3, {"id": "3", field: 1}, ["id", field])) == []
    assert jobs_of(update(3, {"id": "3", field: 1}, ["id", field, "title"])) == [3]


def test_an_edit_that_names_no_fields_is_taken():
    assert jobs_of(update(3, {"id": "3"}, ["id"])) == [3]


@pytest.mark.parametrize("subject", ["Performer", "Studio", "Tag", "Group"])
def test_a_renamed_object_makes_one_related_job(subject):
    context = update(7, {"id": "7", "name": "New"}, ["id", "name"], f"{subject}.Update.Post")
    assert parse_event(context).subject == subject.lower()
    assert jobs_of(context) == [7]


def test_a_favourite_performer_is_no_news_for_plex():
    assert jobs_of(update(7, {"id": "7", "favorite": True}, ["id", "favorite"], "Performer.Update.Post")) == []


def test_a_tag_merge_speaks_for_its_destination():
    assert jobs_of({"id": 4, "type": "Tag.Merge.Post", "input": {"source": ["2", "3"], "destination": "4"}}) == [4]


@pytest.mark.parametrize("trigger", ["Gallery.Update.Post", "SceneMarker.Create.Post", "Scene.Update.Pre", "x", ""])
def test_events_of_others_are_none_of_ours(trigger):
    assert parse_event({"id": 1, "type": trigger}) is None


@pytest.mark.parametrize(
    "scene_id", [None, 0, -1, True, 1.5, "", "abc", "1.0", " 7", "٣", [], {}, MAX_ID + 1, "9" * 30]
)
def test_an_unusable_id_is_named(scene_id):
    with pytest.raises(BadEvent, match="without a usable id"):
        parse_event(update(scene_id))


@pytest.mark.parametrize("context", [None, [], "x", 3, {}, {"id": 1}, {"id": 1, "type": 7}])
def test_a_context_that_is_none_is_named(context):
    with pytest.raises(BadEvent, match="nothing was queued"):
        parse_event(context)


@given(st.integers(min_value=1, max_value=MAX_ID))
def test_an_id_is_read_from_number_and_digits(one):
    assert parse_id(one) == parse_id(str(one)) == one


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["id", "ids", "type"]), inner),
    max_leaves=20,
)


@given(st.sampled_from([*HANDLERS, "nonsense"]), JSON, JSON, JSON)
def test_whatever_comes_is_an_event_or_a_sentence(trigger, scene_id, sent, fields):
    try:
        event = parse_event({"type": trigger, "id": scene_id, "input": sent, "inputFields": fields})
    except BadEvent as problem:
        assert str(problem)
        return
    if event is not None:
        assert all(0 < one <= MAX_ID for one in event.ids)
        assert len(set(event.ids)) == len(event.ids) >= 1
        assert set(HANDLERS[event.trigger](event)) <= set(event.ids)


def test_every_hook_in_the_shape_that_stash_gives_it_is_understood():
    contexts = [one["hookContext"] for one in json.loads(CONTEXTS.read_text())]
    assert len(contexts) > 10
    for context in contexts:
        event = parse_event(context)
        assert (event is None) == context["type"].startswith("SceneMarker")
        if event:
            assert event.fields - IDENTITY or not context.get("inputFields")
            assert context["id"] in HANDLERS[event.trigger](event)
