"""The small dataclass behaves as the one of the standard library, as far as it goes."""

import dataclasses

import pytest

from runtime import record
from tasks import answers
from tasks.answers import Change, QueueCounts, UndoPlanItem, as_json


@record.dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2


def test_a_record_takes_places_names_and_defaults():
    assert (Point(1).x, Point(1).y, Point(y=5, x=4).y) == (1, 2, 5)
    assert Point(1) == Point(x=1, y=2) != Point(2)
    assert hash(Point(1)) == hash(Point(1))
    assert repr(Point(1)) == "Point(1, 2)"
    assert Point(1) != (1, 2)


@pytest.mark.parametrize("make", [Point, lambda: Point(1, 2, 3), lambda: Point(1, z=3)])
def test_a_record_takes_nothing_else(make):
    with pytest.raises(TypeError):
        make()


def test_a_record_is_frozen():
    point = Point(1)
    with pytest.raises(AttributeError):
        point.x = 5
    with pytest.raises(AttributeError):
        del point.x


def test_every_answer_is_a_record_that_could_be_a_dataclass():
    kinds = [one for one in vars(answers).values() if isinstance(one, type) and record.field_names(one)]
    assert len(kinds) > 50
    for kind in kinds:
        made = dataclasses.make_dataclass(kind.__name__, record.field_names(kind))
        assert tuple(field.name for field in dataclasses.fields(made)) == record.field_names(kind)


def test_answers_become_json_in_one_place():
    assert as_json(UndoPlanItem("plex", 1, "7", "tags", ("a",), ())) == {
        "target": "plex",
        "scene_id": 1,
        "item_id": "7",
        "field": "tags",
        "from": ["a"],
        "to": [],
    }
    assert as_json((QueueCounts(), {"x": Change("title", "a", "b", "new")}))[1]["x"]["stash"] is None
