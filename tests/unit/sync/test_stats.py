"""The counters: cheap, kept, and nothing that anybody writes into their file stops the worker."""

import json
import os

import pytest

from sync.outage.circuit import MOST_OUTAGES, Outage, read_stats
from sync.speed import MOST_HOURS, last_day, speed_per_minute
from worker.stats import SAVE_EVERY_SECONDS, WorkerStats


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "stats.json")


def test_what_was_counted_survives_a_restart(path):
    stats = WorkerStats(path)
    stats.count(done=3, failed=1, seconds=8.0)
    stats.save()
    again = WorkerStats(path)
    again.count(done=1)
    assert (again.snapshot().done, again.snapshot().failed, again.snapshot().mean_seconds) == (4, 1, 1.6)


def test_nothing_counted_means_no_time_per_job(path):
    assert WorkerStats(path).snapshot().mean_seconds == 0


def test_it_is_written_every_few_seconds_at_most_and_only_if_something_changed(path):
    stats = WorkerStats(path)
    stats.save_now_and_then(0.0)
    assert not os.path.exists(path)
    stats.count(done=1)
    stats.save_now_and_then(SAVE_EVERY_SECONDS)
    assert read_stats(path).done == 1
    stats.count(done=1)
    stats.save_now_and_then(SAVE_EVERY_SECONDS + 1)
    assert read_stats(path).done == 1
    stats.save_now_and_then(2 * SAVE_EVERY_SECONDS)
    assert read_stats(path).done == 2


def test_the_last_fifty_outages_are_kept_the_newest_first(path):
    stats = WorkerStats(path)
    for hour in range(60):
        stats.add_outage(Outage(hour * 3600.0, hour * 3600.0 + 90, "refused", "nothing answers"))
    stats.save()
    outages = read_stats(path).outages
    assert len(outages) == MOST_OUTAGES == 50
    assert (outages[0].began_at, outages[0].seconds) == (59 * 3600.0, 90)


def test_an_outage_told_twice_is_one(path):
    stats = WorkerStats(path)
    stats.add_outage(Outage(1.0, 5.0, "refused", ""))
    stats.add_outage(Outage(1.0, 9.0, "refused", ""))
    assert [one.ended_at for one in stats.snapshot().outages] == [9.0]


def test_a_clock_set_back_makes_no_negative_outage():
    assert Outage(100.0, 50.0, "refused", "").seconds == 0


@pytest.mark.parametrize(
    "state", [[], {"done": "x"}, {"done": None, "outages": 7}, {"done": -3}, {"outages": [1, None, {"began_at": []}]}]
)
def test_whatever_is_in_the_file_counts_as_nothing(path, state):
    with open(path, "w") as file:
        json.dump(state, file)
    counters = read_stats(path)
    assert (counters.done, counters.failed, counters.seconds_worked) == (0, 0, 0)


def test_a_disk_that_is_full_is_tried_again(tmp_path):
    folder = tmp_path / "not yet"
    stats = WorkerStats(str(folder / "stats.json"))
    stats.count(done=1)
    stats.save()
    folder.mkdir()
    stats.save()
    assert read_stats(str(folder / "stats.json")).done == 1


class Clock:
    def __init__(self, now):
        self.now = now

    def __call__(self):
        return self.now


def test_what_is_done_is_counted_by_the_hour_for_a_day(path):
    clock = Clock(100 * 3600.0)
    stats = WorkerStats(path, clock)
    for hour in range(30):
        clock.now = (100 + hour) * 3600.0 + 7
        stats.count(done=hour + 1, failed=1)
    stats.save()
    hours = read_stats(path).hours
    assert len(hours) == MOST_HOURS == 24
    assert (hours[-1].at, hours[-1].done, hours[-1].failed) == (129 * 3600, 30, 1)
    assert last_day(hours, clock.now + 23 * 3600) == hours[-1:]


def test_the_speed_is_that_of_the_last_minutes_and_none_after_a_rest(path):
    clock = Clock(60_000.0)
    stats = WorkerStats(path, clock)
    for _ in range(4):
        stats.count(done=100)
        clock.now += 30.0
    minutes = stats.snapshot().minutes
    assert speed_per_minute(minutes, clock.now) == 200
    assert speed_per_minute(minutes, clock.now + 600) is None
    assert speed_per_minute((), clock.now) is None


def test_a_clock_that_was_wrong_leaves_no_hours_of_the_future(path):
    clock = Clock(9e9)
    stats = WorkerStats(path, clock)
    stats.count(done=5)
    clock.now = 1e9
    stats.count(done=1)
    assert [one.done for one in stats.snapshot().hours] == [1]


@pytest.mark.parametrize("hours", [7, [1], [[1, 2]], [["a", 1, 2]], [[-1, 2, 3]], [None], {"x": 1}])
def test_hours_that_make_no_sense_count_as_none(path, hours):
    with open(path, "w") as file:
        json.dump({"hours": hours, "minutes": hours}, file)
    assert read_stats(path).hours == ()
