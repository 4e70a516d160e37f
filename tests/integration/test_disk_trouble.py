"""A disk that is full, a folder that is read-only: said in a sentence, survived, nothing lost."""

import sqlite3
import time

import pytest

from model.user_error import UserError
from runtime.clock import SystemClock
from runtime.folder import DataFolder
from runtime.privacy.redaction import Redactor
from sync.outage.circuit import Fault
from sync.outcome import Done
from sync_queue.manager import QueueManager
from tasks.context import open_context
from tasks.entry import run_action
from tests.support.actions import RecordingReporter, opening
from tests.support.machine.small_disk import fill, remount, small_disk
from tests.support.recovery import NoProbe
from tests.support.settings import config
from worker.circuit_breaker import CircuitBreaker
from worker.conditions import Conditions, CurrentConditions
from worker.processor import SyncWorker
from worker.recovery import RecoveryScheduler

pytestmark = pytest.mark.mounts


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "disk") as folder:
        yield folder


class Notes:
    def __init__(self):
        self.worked = []

    def work(self, jobs, config):
        for job in jobs:
            self.worked.append(job.id)
            yield job, Done(asked_server=True)

    def rest(self, config):
        pass


def wait_until(claim, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_full_disk_stops_the_work_with_a_sentence_and_it_goes_on_when_there_is_room(disk, monkeypatch):
    monkeypatch.setattr("worker.processor.OBSTACLE_SECONDS", 0.05)
    monkeypatch.setattr("worker.processor.LONGEST_TROUBLE_SECONDS", 0.2)
    folder, clock, conditions = DataFolder(str(disk)), SystemClock(), CurrentConditions()
    conditions.set(Conditions(config(), None))
    queue = QueueManager.begin(folder.queue_dir, clock.now())
    queue.enqueue("scene", list(range(1, 2001)), "test", clock.now(), due_at=0.0)
    recovery = RecoveryScheduler(folder.target("plex"), NoProbe(), clock, Redactor())
    worker = SyncWorker(queue, notes := Notes(), conditions, recovery, clock, Redactor())
    filler = fill(disk)
    worker.start()
    try:
        wait_until(lambda: worker.trouble and "disk is full" in worker.trouble)
        with pytest.raises(sqlite3.OperationalError):
            queue.enqueue("scene", list(range(5001, 9001)), "test", clock.now(), due_at=0.0)
        filler.unlink()
        wait_until(lambda: queue.size == 0)
        wait_until(lambda: worker.trouble is None)
    finally:
        assert worker.stop(10)
        queue.close()
    assert set(notes.worked) == set(range(1, 2001))


def test_a_full_disk_does_not_stop_the_circuit_breaker(disk):
    breaker = CircuitBreaker(str(disk / "circuit_breaker.json"), 100.0)
    filler = fill(disk)
    assert breaker.fail(Fault("refused", "nothing answers"), 100.0, at_once=True)
    assert not breaker.snapshot().is_closed
    assert [path.name for path in disk.iterdir()] == [filler.name]  # no half a file


def test_a_folder_that_is_read_only_is_named_with_what_to_do(disk):
    QueueManager.begin(str(disk / "queue"), 100.0).close()
    assert remount(disk, "ro")
    with (
        pytest.raises(UserError, match=r"writable|Read-only"),
        open_context(DataFolder(str(disk)), None, RecordingReporter(), opening) as context,
    ):
        context.queue._connection.execute("DELETE FROM session")
    with pytest.raises((sqlite3.Error, OSError)):
        QueueManager.begin(str(disk / "queue"), 100.0)
    breaker = CircuitBreaker(str(disk / "circuit_breaker.json"), 100.0)
    assert breaker.fail(Fault("refused", "nothing answers"), 100.0, at_once=True)


def test_the_status_can_be_read_on_a_full_disk(disk, monkeypatch):
    monkeypatch.setattr("tasks.context.ensure_worker", lambda folder: None)
    QueueManager.begin(str(disk / "queue"), 100.0).close()
    with open_context(DataFolder(str(disk)), None, RecordingReporter(), opening) as context:
        fill(disk)
        assert "jobs due" in run_action("queue_status", context, {}).sentence
