"""The queue as a state machine: nothing lost, one waiting and one claimed job per key at most, due times in order."""

import shutil
import tempfile
from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sync_queue.dlq import DeadLetterQueue
from sync_queue.manager import QueueManager
from sync_queue.operations import AT_ONCE, writing

SCENES = st.integers(1, 5)
DELAYS = st.integers(0, 5).map(float)


@dataclass
class Expected:
    """What must be true of one key."""

    waiting_due_at: float | None = None
    is_claimed: bool = False
    is_dead: bool = False


class QueueMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.queue = QueueManager.begin(self.folder, 0.0)
        self.now = 1.0
        self.model = {scene: Expected() for scene in range(1, 6)}
        self.claimed = {}

    def teardown(self):
        self.queue.close()
        shutil.rmtree(self.folder)

    @rule(seconds=DELAYS)
    def time_passes(self, seconds):
        self.now += seconds

    @rule(scenes=st.lists(SCENES, min_size=1, max_size=5, unique=True), delay=st.none() | DELAYS)
    def enqueue(self, scenes, delay):
        due_at = AT_ONCE if delay is None else self.now + delay
        self.queue.enqueue("scene", scenes, "test", self.now, due_at=due_at)
        for scene in scenes:
            known = self.model[scene].waiting_due_at
            self.model[scene].waiting_due_at = due_at if known is None else min(known, due_at)

    @rule(limit=st.integers(1, 3))
    def claim(self, limit):
        jobs = self.queue.claim(self.now, limit)
        ready = sorted(
            one.waiting_due_at
            for one in self.model.values()
            if one.waiting_due_at is not None and one.waiting_due_at <= self.now and not one.is_claimed
        )
        assert [job.due_at for job in jobs] == ready[:limit]
        for job in jobs:
            expected = self.model[job.id]
            assert not expected.is_claimed
            assert expected.waiting_due_at == job.due_at
            expected.waiting_due_at, expected.is_claimed = None, True
            self.claimed[job.id] = job

    @rule(scene=SCENES)
    def complete(self, scene):
        if job := self.claimed.pop(scene, None):
            self.queue.complete([job])
            self.model[scene].is_claimed = self.model[scene].is_dead = False

    @rule(scene=SCENES, delay=DELAYS)
    def retry(self, scene, delay):
        if job := self.claimed.pop(scene, None):
            waits = self.queue.retry(job.after_failure("again", counts=True), self.now + delay)
            assert waits == (self.model[scene].waiting_due_at is None)
            if waits:
                self.model[scene].waiting_due_at = self.now + delay
            self.model[scene].is_claimed = False

    @rule(scene=SCENES)
    def bury(self, scene):
        if job := self.claimed.pop(scene, None):
            self.queue.bury(job, "test", "given up", "", self.now)
            self.model[scene].is_claimed, self.model[scene].is_dead = False, True

    @rule()
    def revive(self):
        with writing(self.queue._connection):
            DeadLetterQueue(self.queue._connection).revive(self.now)
        for expected in self.model.values():
            if expected.is_dead:
                expected.is_dead, expected.waiting_due_at = False, AT_ONCE

    @rule()
    def the_worker_dies_and_another_begins(self):
        self.queue.close()
        self.queue = QueueManager.begin(self.folder, self.now)
        for scene, job in self.claimed.items():
            if self.model[scene].waiting_due_at is None:
                self.model[scene].waiting_due_at = job.due_at
            self.model[scene].is_claimed = False
        self.claimed.clear()

    @invariant()
    def the_file_says_what_the_model_says(self):
        rows = self.queue._connection.execute("SELECT key, status < 2, due_at FROM ack_queue_default").fetchall()
        waiting = {key: due_at for key, is_waiting, due_at in rows if is_waiting}
        claimed = [key for key, is_waiting, _ in rows if not is_waiting]
        assert len(rows) == len(waiting) + len(set(claimed))
        assert waiting == {
            f"scene:{n}": e.waiting_due_at for n, e in self.model.items() if e.waiting_due_at is not None
        }
        assert sorted(claimed) == [f"scene:{n}" for n, e in self.model.items() if e.is_claimed]
        dead = {letter.key for letter in DeadLetterQueue(self.queue._connection).list()}
        assert dead == {f"scene:{n}" for n, e in self.model.items() if e.is_dead}


QueueMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
TestQueueMachine = QueueMachine.TestCase
