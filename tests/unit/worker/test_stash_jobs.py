"""Stash's own jobs: every one that ended is noticed once, be it never so short; a plugin's task never is."""

from itertools import product

import pytest

from stash.client import StashJob
from worker.stash.jobs import MOST_SEARCHED, REMEMBERED, SEARCHED, StashJobs


class Stash:
    """Counts its jobs, and remembers the last ten that have ended."""

    def __init__(self, last_id=0, began="Monday"):
        self.last_id, self.began = last_id, began
        self.ended = []
        self.queue = []

    def run(self, times=1, description="Auto-tagging..."):
        for _ in range(times):
            self.last_id += 1
            self.ended = [*self.ended, self._job("FINISHED", description)][-REMEMBERED:]

    def begin(self, description="Scanning..."):
        self.last_id += 1
        self.queue.append(self._job("RUNNING", description))

    def _job(self, status, description):
        return StashJob(self.last_id, status, description, f"{self.began} {self.last_id}")

    def _known(self, ids):
        return [job for job in (*self.ended, *self.queue) if job.id in ids]

    def look(self, jobs):
        known = jobs.search_on(self._known(jobs.ids_to_ask_for), self._known)
        jobs.note(self.queue, known)
        return jobs.rests


@pytest.fixture
def jobs():
    return StashJobs()


FEW, MANY = (1, 9, 10, 11, 60, 99, 109), (110, 150, 900)
NEAR, FAR = (0, 1, 9, 10, 11, 37), (SEARCHED - 1, SEARCHED)


@pytest.mark.parametrize(("before", "between"), [*product(NEAR, FEW + MANY), *product(FAR, FEW)])
def test_a_job_between_two_looks_is_noticed_however_many_there_were(jobs, before, between):
    stash = Stash(max(before - 20, 0))
    stash.run(min(before, 20))
    assert stash.look(jobs) == 0
    stash.run(between)
    assert stash.look(jobs) == 1
    assert stash.look(jobs) == 1
    stash.run()
    assert stash.look(jobs) == 2


@pytest.mark.parametrize("before", [1, 2, 35])
@pytest.mark.parametrize("after", [0, 1, 2, 3, 12, 35, 36])
def test_a_stash_that_was_restarted_is_followed(jobs, before, after):
    stash = Stash()
    stash.run(before)
    stash.look(jobs)
    stash = Stash(began="Tuesday")
    stash.run(after)
    assert stash.look(jobs) == 1
    stash.run()
    assert stash.look(jobs) == 2


def test_a_job_that_runs_is_no_rest_and_its_end_is_one(jobs):
    stash = Stash()
    stash.look(jobs)
    stash.begin()
    assert stash.look(jobs) == 0
    assert jobs.is_busy
    stash.ended = [StashJob(1, "FINISHED", "Scanning...", "Monday 1")]
    stash.queue = []
    assert stash.look(jobs) == 1
    assert not jobs.is_busy


def test_tasks_of_plugins_are_never_a_rest_however_many(jobs):
    stash = Stash()
    stash.run()
    stash.look(jobs)
    for times in (1, 12, 30, 90):
        stash.run(times, "Running plugin task: Sync All")
        assert stash.look(jobs) == 0
    stash.run()
    assert stash.look(jobs) == 1


@pytest.mark.parametrize("before", [SEARCHED + 1, 1200, 1999, 5432, 64_123])
def test_a_stash_that_is_past_all_that_is_searched_at_first_is_found_in_a_few_looks(jobs, before):
    stash = Stash(before)
    stash.run(10)
    for _ in range(8):
        stash.look(jobs)
    rests = jobs.rests
    for times in (1, 1, 9, 30, 109):
        stash.run(times)
        rests += 1
        assert stash.look(jobs) == rests


def test_very_many_jobs_between_two_looks_are_noticed_and_what_follows_too(jobs):
    stash = Stash(5000)
    stash.begin("Running plugin task: Anything")
    stash.look(jobs)
    stash.queue = []
    stash.run(150)
    assert stash.look(jobs) == 1
    for _ in range(4):
        rests = stash.look(jobs)
    stash.run()
    assert stash.look(jobs) == rests + 1


def test_a_stash_without_jobs_is_searched_for_a_while_and_then_only_from_the_first_on(jobs):
    stash = Stash()
    asked = []
    for _ in range(12):
        asked.append(len(jobs.ids_to_ask_for))
        stash.look(jobs)
    assert max(asked) < MOST_SEARCHED / REMEMBERED
    assert asked[-1] == asked[0] == REMEMBERED - 1 + SEARCHED / REMEMBERED
    stash.run(150)
    assert stash.look(jobs) == 1


def test_a_look_at_the_queue_alone_moves_nothing_on(jobs):
    stash = Stash()
    stash.look(jobs)
    stash.run()
    jobs.note([StashJob(7, "RUNNING", "Running plugin task: Anything", "Monday 7")])
    assert stash.look(jobs) == 1
