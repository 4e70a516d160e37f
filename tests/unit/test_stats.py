"""The counters: cheap, kept, and nothing that anybody writes into their file stops the worker."""

import json
import os

import pytest

from worker.stats import MOST_OUTAGES, SAVE_EVERY_SECONDS, Outage, WorkerStats, read_stats


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "stats.json")


def test_what_was_counted_survives_a_restart(path):
    stats = WorkerStats(path)
    stats.count(done=3, failed=1, seconds=8.0)
    stats.save()
    again = WorkerStats(path)
    again.count(done=1)
    assert (again.look().done, again.look().failed, again.look().mean_seconds) == (4, 1, 1.6)


def test_nothing_counted_means_no_time_per_job(path):
    assert WorkerStats(path).look().mean_seconds == 0


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
    assert [one.ended_at for one in stats.look().outages] == [9.0]


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
