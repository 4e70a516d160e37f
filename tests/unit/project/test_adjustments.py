"""What tests adjust in an installed plugin exists in the product, and what stands in for a part of it has its shape."""

import inspect

import pytest

from runtime.clock import SystemClock
from sync.scenes.pipeline import ScenePipeline
from tests.prove.moments import MEDIA_BROWSER_MOMENTS, PLEX_MOMENTS
from tests.support.plugin.adjustments import Adjustments, check_moment
from tests.support.plugin.moved_clock import MovedClock
from tests.support.plugin.recording_pipeline import RecordingPipeline

LOOK = "worker.stash.watch.LOOK_EVERY_SECONDS"


def shape(of):
    """The public methods of a class, and its constructor, by the names of what they are given."""
    methods = inspect.getmembers(of, inspect.isfunction)
    return {
        name: list(inspect.signature(method).parameters)
        for name, method in methods
        if name == "__init__" or not name.startswith("_")
    }


@pytest.mark.parametrize(
    ("double", "real"), [(RecordingPipeline, ScenePipeline), (MovedClock, SystemClock)], ids=lambda one: one.__name__
)
def test_a_double_has_the_shape_of_what_it_stands_in_for(double, real):
    assert shape(double) == shape(real)


@pytest.mark.parametrize("moment", PLEX_MOMENTS | MEDIA_BROWSER_MOMENTS)
def test_every_moment_is_one_of_the_product(moment):
    check_moment(*(PLEX_MOMENTS | MEDIA_BROWSER_MOMENTS)[moment])


@pytest.fixture
def adjustments(tmp_path):
    (tmp_path / "Stash2Plex.py").write_text("print('the own one')")
    return Adjustments(tmp_path)


@pytest.mark.parametrize(
    "name",
    ["worker.stash.watch.LOOK_EACH_SECONDS", "worker.stash.clock.LOOK_EVERY_SECONDS", "nowhere.NAME", "NAME"],
)
def test_a_name_that_the_product_does_not_have_is_refused(adjustments, name):
    with pytest.raises(AssertionError, match="there is no"):
        adjustments.set_value(name, 0.5)


def test_a_value_of_another_type_is_refused(adjustments):
    with pytest.raises(AssertionError):
        adjustments.set_value(LOOK, "often")


@pytest.mark.parametrize(
    ("when", "name"),
    [
        ("during", "sync.scenes.writer.ItemWriter.write"),
        ("before", "sync.scenes.writer.ItemWriter.scribble"),
        ("before", LOOK),
        ("after", "sync.scenes.work.SceneWork.work"),  # it yields
    ],
)
def test_what_is_no_moment_is_refused(adjustments, when, name, tmp_path):
    with pytest.raises(AssertionError):
        adjustments.set_kill(when, name, tmp_path / "flag")


def test_a_double_that_does_not_know_what_it_is_told_is_refused(adjustments):
    with pytest.raises(AssertionError, match="has no diary"):
        adjustments.set_double(
            "sync.scenes.pipeline.ScenePipeline",
            "tests.support.plugin.recording_pipeline:RecordingPipeline",
            {"diary": "x"},
        )


def test_the_entry_is_left_alone_until_there_is_an_adjustment(adjustments, tmp_path):
    assert adjustments.own_entry == tmp_path / "Stash2Plex.py"
    before = adjustments.own_entry.read_text()
    adjustments.set_value(LOOK, 0.5)
    assert adjustments.own_entry != tmp_path / "Stash2Plex.py"
    assert adjustments.own_entry.read_text() == before
