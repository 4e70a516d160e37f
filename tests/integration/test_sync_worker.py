"""SyncWorker: finishes each job by what became of it, one step at a time, on a clock that stands still."""

import sqlite3
import time

import pytest

from runtime.clock import SystemClock
from runtime.folder import DataFolder
from runtime.privacy.redaction import Redactor
from sync.outage.circuit import Fault
from sync.outcome import Dead, Done, Later, Unbegun
from sync.retries.patience import BUG_ATTEMPTS
from sync_queue.dlq import DeadLetterQueue
from sync_queue.manager import QueueManager
from sync_queue.operations import AT_ONCE
from tests.support.clocks import FakeClock
from tests.support.recovery import NoProbe
from tests.support.settings import config
from worker.circuit_breaker import CircuitBreaker
from worker.conditions import Conditions, CurrentConditions
from worker.processor import BATCH, SyncWorker, Why
from worker.rate_limiter import RecoveryRateLimiter
from worker.recovery import RecoveryScheduler


class Script:
    """A handler that does as it is told, per scene; an exception is raised, everything else returned."""

    def __init__(self, **outcomes):
        self.outcomes = {int(name.removeprefix("scene")): list(told) for name, told in outcomes.items()}
        self.batches = []

    def rest(self, config):
        pass

    def work(self, jobs, config):
        self.batches.append([job.id for job in jobs])
        for job in jobs:
            told = self.outcomes.get(job.id)
            outcome = told.pop(0) if told else Done()
            if isinstance(outcome, Exception):
                raise outcome
            yield job, outcome


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def queue(tmp_path):
    opened = QueueManager.begin(str(tmp_path / "queue"), 0.0)
    yield opened
    opened.close()


def ready():
    conditions = CurrentConditions()
    conditions.set(Conditions(config(), None))
    return conditions


def make_worker(queue, handler, clock, conditions=None, redactor=None):
    redactor = redactor or Redactor()
    recovery = RecoveryScheduler(DataFolder(queue.path).target("plex"), NoProbe(), clock, redactor)
    return SyncWorker(queue, handler, conditions or ready(), recovery, clock, redactor)


def enqueue(queue, *scenes, due_at=AT_ONCE):
    queue.enqueue("scene", list(scenes), "test", 0.0, due_at=due_at)


def letters(queue):
    return DeadLetterQueue(queue._connection).list()


def test_what_a_batch_had_no_time_for_goes_back_as_it_was_and_the_next_one_is_smaller(queue, clock):
    enqueue(queue, 1, 2, 3, 4, 5, due_at=500.0)
    script = Script(scene3=[Unbegun()], scene4=[Unbegun()], scene5=[Unbegun()])
    worker = make_worker(queue, script, clock)
    worker.step()
    enqueue(queue, 9)  # a person's Save
    worker.step()
    worker.step()
    assert script.batches == [[1, 2, 3, 4, 5], [9, 3], [4, 5]]
    assert worker.step().why is Why.IDLE
    assert letters(queue) == []


def test_a_batch_that_had_time_for_nothing_but_one_job_goes_on_with_one(queue, clock):
    enqueue(queue, 1, 2, 3)
    script = Script(scene2=[Unbegun()], scene3=[Unbegun()])
    worker = make_worker(queue, script, clock)
    for _ in range(3):
        worker.step()
    assert script.batches == [[1, 2, 3], [2], [3]]


def test_what_is_done_goes_away(queue, clock):
    enqueue(queue, 1, 2)
    worker = make_worker(queue, script := Script(), clock)
    assert worker.step().why is Why.WORKED
    assert worker.step().why is Why.IDLE
    assert script.batches == [[1, 2]]


def test_an_idle_worker_rests_until_the_next_job_is_due(queue, clock):
    enqueue(queue, 1, due_at=clock.now() + 42)
    assert make_worker(queue, Script(), clock).step().seconds == 42


def test_a_job_comes_back_after_its_delay_and_holds_up_nobody(queue, clock):
    enqueue(queue, 1)
    worker = make_worker(queue, script := Script(scene1=[Later(60, "not in Plex yet")]), clock)
    worker.step()
    enqueue(queue, 2)
    worker.step()
    clock.advance(60)
    worker.step()
    assert script.batches == [[1], [2], [1]]


def test_waiting_that_does_not_count_uses_up_no_attempt(queue, clock):
    enqueue(queue, 1)
    outcomes = [Later(1, "Plex is down", counts_attempt=False)] * 30
    worker = make_worker(queue, Script(scene1=outcomes), clock)
    for _ in range(30):
        worker.step()
        clock.advance(1)
    (job,) = queue.claim(clock.now(), 10)
    assert (job.attempts, job.last_error) == (0, "Plex is down")


def test_what_is_given_up_is_a_dead_letter_with_a_sentence(queue, clock):
    enqueue(queue, 1)
    make_worker(queue, Script(scene1=[Dead("rejected", "title is refused")]), clock).step()
    assert [(letter.key, letter.sentence) for letter in letters(queue)] == [("scene:1", "title is refused")]


def test_one_poisoned_job_costs_its_neighbours_nothing(queue, clock):
    enqueue(queue, *range(1, 11))
    worker = make_worker(queue, Script(scene5=[ValueError("boom")] * 99), clock)
    for _ in range(20):
        worker.step()
        clock.advance(100)
    (letter,) = letters(queue)
    assert (letter.key, letter.kind, letter.attempts) == ("scene:5", "bug", BUG_ATTEMPTS)
    assert "ValueError" in letter.detail
    assert queue.size == 0


def test_no_secret_reaches_a_dead_letter(queue, clock):
    redactor = Redactor()
    redactor.learn("the-token")
    enqueue(queue, 1, 2)
    outcomes = {
        "scene1": [ValueError("GET /?X-Plex-Token=the-token")] * 99,
        "scene2": [Dead("x", "the-token is wrong")],
    }
    worker = make_worker(queue, Script(**outcomes), clock, redactor=redactor)
    for _ in range(20):
        worker.step()
        clock.advance(100)
    assert len(letters(queue)) == 2
    assert not [letter for letter in letters(queue) if "the-token" in letter.sentence + letter.detail]


def test_a_batch_is_bounded(queue, clock):
    enqueue(queue, *range(1, 2 * BATCH))
    worker = make_worker(queue, script := Script(), clock)
    worker.step()
    worker.step()
    assert [len(batch) for batch in script.batches] == [BATCH, BATCH - 1]


def test_no_job_is_touched_while_there_is_an_obstacle(queue, clock):
    enqueue(queue, 1)
    conditions = CurrentConditions()
    worker = make_worker(queue, script := Script(), clock, conditions)
    assert worker.step().why is Why.OBSTACLE
    conditions.set(Conditions(config(), "Syncing is switched off."))
    assert worker.step().why is Why.OBSTACLE
    assert script.batches == []
    conditions.set(Conditions(config(), None))
    assert worker.step().why is Why.WORKED


def test_an_edit_made_while_its_job_is_worked_on_is_worked_on_again(queue, clock):
    class EditsMeanwhile(Script):
        def work(self, jobs, config):
            if not self.batches:
                enqueue(queue, 1)
            yield from super().work(jobs, config)

    enqueue(queue, 1)
    worker = make_worker(queue, script := EditsMeanwhile(), clock)
    worker.step()
    worker.step()
    assert script.batches == [[1], [1]]


def test_a_handler_that_forgets_a_job_does_not_lose_it(queue, tmp_path, clock):
    class Forgetful:
        def work(self, jobs, config):
            yield from ()

        def rest(self, config):
            pass

    enqueue(queue, 1)
    make_worker(queue, Forgetful(), clock).step()
    clock.advance(1000)
    assert [job.id for job in queue.claim(clock.now(), 10)] == [1]


def test_jobs_in_hand_when_the_disk_failed_are_taken_up_again(queue, clock, monkeypatch):
    enqueue(queue, 1, 2)
    worker = make_worker(queue, script := Script(), clock)
    with monkeypatch.context() as full_disk:
        full_disk.setattr(queue, "complete", raises(sqlite3.OperationalError("database or disk is full")))
        with pytest.raises(sqlite3.OperationalError) as failure:
            worker.step()
    assert worker._after_trouble(failure.value).why is Why.TROUBLE
    assert worker.step().why is Why.WORKED
    assert script.batches == [[1, 2], [1, 2]]
    assert queue.size == 0


def raises(error):
    def act(*_):
        raise error

    return act


@pytest.fixture
def running(queue):
    workers = []

    def start(handler, conditions=None):
        workers.append(make_worker(queue, handler, SystemClock(), conditions))
        workers[-1].start()
        return workers[-1]

    yield start
    assert all(worker.stop(10) for worker in workers)


def wait_until(claim, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_new_job_is_noticed_soon(queue, tmp_path, running):
    running(script := Script())
    time.sleep(0.3)
    other = QueueManager(str(tmp_path / "queue"))
    start = time.monotonic()
    enqueue(other, 1)
    wait_until(lambda: script.batches)
    assert time.monotonic() - start < 5
    other.close()


def test_an_obstacle_that_goes_away_is_noticed_soon(queue, running):
    enqueue(queue, 1)
    running(script := Script(), conditions := CurrentConditions())
    time.sleep(0.3)
    start = time.monotonic()
    conditions.set(Conditions(config(), None))
    wait_until(lambda: script.batches)
    assert time.monotonic() - start < 5


class LaptopClock(SystemClock):
    """Spans stand still while the lid is closed; the wall clock has gone on."""

    slept = 0.0

    def now(self):
        return super().now() + self.slept


def test_a_job_that_fell_due_while_the_laptop_slept_is_worked_on_when_it_wakes(queue):
    clock = LaptopClock()
    enqueue(queue, 1, due_at=clock.now() + 1800)
    worker = make_worker(queue, script := Script(), clock)
    worker.start()
    time.sleep(0.3)
    clock.slept = 7200.0
    wait_until(lambda: script.batches)
    assert worker.stop(10)


@pytest.mark.parametrize("wait", ["outage", "throttle"])
def test_a_worker_that_waits_for_plex_ends_when_it_is_asked_to(queue, running, monkeypatch, wait):
    monkeypatch.setattr("worker.recovery.LEAST_WAIT_SECONDS", 60.0)
    monkeypatch.setattr("worker.processor.OBSTACLE_SECONDS", 60.0)
    folder, now = DataFolder(queue.path), time.time()
    folder.target("plex").make()
    if wait == "outage":
        CircuitBreaker(folder.target("plex").circuit, now).fail(Fault("refused", "nothing answers"), now, at_once=True)
    else:
        RecoveryRateLimiter(folder.target("plex").recovery, now).begin(now)
    enqueue(queue, *range(1, 200))
    worker = running(Script())
    time.sleep(0.3)
    start = time.monotonic()
    assert worker.stop(30)
    assert time.monotonic() - start < 20
    assert queue.size > 0


def test_a_queue_that_vanishes_ends_the_worker_who_says_so(queue, tmp_path, running):
    worker = running(Script())
    (tmp_path / "queue" / "data.db").rename(tmp_path / "elsewhere")
    wait_until(lambda: not worker.is_alive())
    assert worker.lost_queue


def test_stopping_waits_for_the_batch_in_hand(queue, running):
    class Slow(Script):
        def work(self, jobs, config):
            time.sleep(0.3)
            yield from super().work(jobs, config)

    enqueue(queue, 1)
    worker = running(script := Slow())
    time.sleep(0.1)
    assert worker.stop(10)
    assert script.batches == [[1]]
    assert queue.size == 0
