"""The whole life of an outage on simulated time: strikes, open, probes, half-open, ramp, halving, restore, end.

The queue and the state files are real, the two lanes are stepped by hand, and nobody sleeps.
"""

import os

import pytest

from model.errors import AccessDenied, AnswerGarbled, ChangeRejected, ItemNotFound, Kind, TargetBusy, TargetUnreachable
from runtime.folder import DataFolder
from runtime.privacy.redaction import Redactor
from sync.outage.circuit import CircuitState
from sync.outcome import Done
from sync.retries.patience import outcome_of
from sync_queue.dlq import DeadLetterQueue
from sync_queue.manager import QueueManager
from sync_queue.models import SyncJob
from tests.support.clocks import FakeClock
from tests.support.recovery import ScriptedProbe
from tests.support.settings import config
from worker.conditions import Conditions, CurrentConditions
from worker.outage.picture_recovery import PictureRecovery
from worker.processor import Why
from worker.recovery import RecoveryScheduler
from worker.wiring import build_lanes

REFUSED = TargetUnreachable("nothing answers", kind=Kind.REFUSED)
HTML = AnswerGarbled("a web page came", kind=Kind.HTML_PAGE)
TOKEN = AccessDenied("Plex does not accept the token", kind=Kind.TOKEN)
REQUEST_SECONDS = 0.01


class FlakyPlex:
    """A handler and the server behind it: `error` is what every request ends with while it is set."""

    def __init__(self, clock):
        self._clock = clock
        self.error = None
        self.breaks_batches = False
        self.takes_seconds = REQUEST_SECONDS
        self.poison = {}
        self.asked = []
        self.shown = []

    def work(self, jobs, config):
        if self.error is not None and self.breaks_batches and len(jobs) > 1:
            self._request(None)
            raise self.error
        for job in jobs:
            self._request(job.id)
            error = self.poison.get(job.id) or self.error
            if error is None:
                self.shown.append((self._clock.now(), job.id))
            yield job, outcome_of(error, job, config) if error else Done(asked_server=True)

    def _request(self, scene):
        self.asked.append((self._clock.now(), scene))
        self._clock.advance(self.takes_seconds)

    def rest(self, config):
        pass


class Stage:
    """A worker on a clock that moves only when somebody waits."""

    def __init__(self, folder):
        self.folder = DataFolder(str(folder))
        self.clock = FakeClock(1_000_000.0)
        self.plex = FlakyPlex(self.clock)
        self.probe = ScriptedProbe(self.clock)
        self.conditions = CurrentConditions()
        self.conditions.set(Conditions(config(), None))
        self.open()

    def open(self):
        self.queue = QueueManager.begin(self.folder.queue_dir, self.clock.now())
        self.recovery = RecoveryScheduler(self.folder.target("plex"), self.probe, self.clock, Redactor())
        scenes, pictures = (self.plex, self.recovery), (self.plex, PictureRecovery(self.recovery, self.clock))
        lanes = build_lanes("plex", self.queue, self.conditions, scenes, pictures, self.clock, Redactor())
        self.lane, self.pictures = lanes

    def restart(self):
        """Die without a word, and begin again on what is on disk."""
        self.queue.close()
        self.open()

    def enqueue(self, *scenes, kind="scene"):
        now = self.clock.now()
        self.queue.enqueue(kind, list(scenes), "test", now, due_at=now)

    def away(self, error=REFUSED, *, batches=False):
        self.plex.error = self.probe.error = error
        self.plex.breaks_batches = batches

    def back(self):
        self.plex.error = self.probe.error = None

    def step(self):
        pause = self.lane.step()
        self.clock.advance(pause.seconds if pause.why is not Why.IDLE else 1.0)
        self.recovery.tick()
        return pause

    def run(self, seconds):
        until = self.clock.now() + seconds
        while self.clock.now() < until:
            self.step()

    def run_until(self, state, most=10_000):
        for _ in range(most):
            if self.state is state:
                return
            self.step()
        raise AssertionError(f"the circuit stays {self.state}")

    @property
    def state(self):
        return self.recovery.breaker.snapshot().state

    @property
    def rate(self):
        self.recovery.tick()
        recovery = self.recovery._limiter.snapshot()
        return recovery and recovery.rate(self.clock.now())

    def jobs(self):
        rows = self.queue._connection.execute(
            "SELECT _id, data, due_at FROM ack_queue_default ORDER BY due_at, _id"
        ).fetchall()
        return [SyncJob.from_row(*row) for row in rows]

    def letters(self):
        return DeadLetterQueue(self.queue._connection).list()

    def files(self):
        return {name for name in os.listdir(self.folder.root) if name.endswith(".json")}


@pytest.fixture
def stage(tmp_path):
    made = Stage(tmp_path)
    yield made
    made.queue.close()


# --- strikes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [REFUSED, HTML], ids=["refused", "web page"])
@pytest.mark.parametrize("batches", [False, True], ids=["by job", "by batch"])
def test_five_faults_open_the_circuit_and_the_rest_of_the_batch_is_handed_back_untried(stage, error, batches):
    stage.enqueue(*range(1, 51))
    stage.away(error, batches=batches)
    stage.run_until(CircuitState.OPEN)
    assert len(stage.plex.asked) == 5
    assert len(stage.jobs()) == 50
    assert {job.attempts for job in stage.jobs()} == {0}
    untried = [job for job in stage.jobs() if job.id > 5]  # when the others are due again is a matter of chance
    assert [job.id for job in untried if job.due_at <= stage.clock.now()] == list(range(6, 51))


def test_a_hanging_plex_is_found_out_after_five_time_outs_not_fifty(stage):
    stage.plex.takes_seconds = 30.0
    stage.enqueue(*range(1, 51))
    stage.away()
    start = stage.clock.now()
    stage.run_until(CircuitState.OPEN)
    assert stage.clock.now() - start <= 5 * 30 + 60
    assert len(stage.plex.asked) == 5


def test_both_lanes_strike_the_same_circuit(stage):
    stage.enqueue(1, 2, 3)
    stage.enqueue(1, 2, kind="picture")
    stage.away()
    stage.pictures.step()
    stage.pictures.step()
    stage.lane.step()
    assert stage.state is CircuitState.OPEN
    assert stage.pictures.step().why is Why.OUTAGE


def test_one_job_that_plex_chokes_on_holds_up_nobody_and_is_given_up(stage):
    stage.enqueue(*range(1, 31))
    stage.plex.poison[1] = TargetBusy("Plex failed inside")
    stage.run(600)
    assert {scene for _, scene in stage.plex.shown} == set(range(2, 31))
    assert [(letter.key, letter.attempts) for letter in stage.letters()] == [("scene:1", 5)]


def test_one_job_on_which_the_connection_breaks_holds_up_nobody(stage):
    stage.plex.poison[1] = TargetUnreachable("the connection broke", kind=Kind.RESET)
    for second in range(60):
        stage.enqueue(1, 100 + second)
        stage.run(2)
    assert {scene for _, scene in stage.plex.shown} == set(range(100, 160))
    assert stage.recovery.stats.snapshot().outages == ()
    assert stage.letters() == []


@pytest.mark.parametrize("error", [ItemNotFound("not yet"), ChangeRejected("400")], ids=["not in Plex", "rejected"])
def test_what_is_about_a_job_never_opens_the_circuit(stage, error):
    stage.enqueue(*range(1, 51))
    stage.plex.error = error
    stage.run(120)
    assert stage.state is CircuitState.CLOSED
    assert stage.probe.asked_at == []


def test_what_a_person_must_mend_opens_it_with_the_first(stage):
    stage.enqueue(*range(1, 51))
    stage.away(TOKEN)
    stage.step()
    assert stage.state is CircuitState.OPEN
    assert len(stage.plex.asked) == 1


def test_a_server_that_fails_everything_but_is_there_costs_tries_as_the_table_says(stage):
    stage.enqueue(1)
    stage.plex.error = TargetBusy("Plex failed inside")  # and the probe is well
    stage.run(1200)
    assert [letter.attempts for letter in stage.letters()] == [5]
    assert len(stage.plex.asked) == 5


# --- open -------------------------------------------------------------------------------------------------------------


def test_an_open_circuit_probes_once_a_minute_and_claims_nothing(stage):
    stage.enqueue(*range(1, 51))
    stage.away()
    stage.run_until(CircuitState.OPEN)
    asked = len(stage.plex.asked)
    stage.run(3600)
    assert len(stage.plex.asked) == asked
    assert 57 <= len(stage.probe.asked_at) <= 60
    assert len(stage.jobs()) == 50
    assert stage.letters() == []


def test_a_wrong_token_is_probed_every_five_minutes_and_at_once_when_the_settings_change(stage):
    stage.enqueue(1)
    stage.away(TOKEN)
    stage.run(3000)
    assert len(stage.probe.asked_at) in (9, 10)
    stage.back()
    stage.conditions.set(Conditions(config(plex_token="another-token"), None))
    stage.run(5)
    assert [scene for _, scene in stage.plex.shown] == [1]


def test_the_outage_says_since_when_and_why_and_no_secret(tmp_path, stage):
    stage.enqueue(1)
    redactor = Redactor()
    redactor.learn("the-secret")
    stage.recovery._redactor = redactor
    stage.away(AccessDenied("GET /?X-Plex-Token=the-secret"))
    stage.step()
    assert "the-secret" not in (tmp_path / "targets" / "plex" / "circuit_breaker.json").read_text()


# --- half-open --------------------------------------------------------------------------------------------------------


def test_the_drain_resumes_by_itself_for_all_jobs_also_those_put_off(stage):
    stage.enqueue(*range(1, 21))
    stage.away()
    stage.run(600)
    stage.back()
    stage.run(70 + 20)
    assert sorted(scene for _, scene in stage.plex.shown) == list(range(1, 21))
    assert stage.jobs() == []


def test_the_recovery_begins_at_the_very_moment_the_circuit_closes(stage):
    stage.enqueue(*range(1, 301))
    stage.away()
    stage.run(90)
    stage.back()
    while stage.state is not CircuitState.CLOSED:
        stage.lane.step()
        stage.clock.advance(0.5)
    assert stage.recovery._limiter.snapshot().began_at == stage.probe.asked_at[-1]


def test_a_bug_in_the_probe_leaves_the_circuit_open_and_it_is_tried_again(stage):
    stage.enqueue(1)
    stage.away()
    stage.run_until(CircuitState.OPEN)
    stage.probe.error = ZeroDivisionError("ours")
    stage.clock.advance(60)
    with pytest.raises(ZeroDivisionError):
        stage.lane.step()
    assert stage.state is CircuitState.OPEN
    stage.back()
    stage.run(70)
    assert stage.jobs() == []


# --- the ramp ---------------------------------------------------------------------------------------------------------


def recovered(stage, jobs=5000):
    """An outage that is just over, with many jobs waiting; returns when it ended."""
    stage.enqueue(*range(1, jobs + 1))
    stage.away()
    stage.run_until(CircuitState.OPEN)
    stage.back()
    stage.run_until(CircuitState.CLOSED)
    stage.plex.shown.clear()
    return stage.recovery._limiter.snapshot().began_at


def allowed(elapsed):
    return 5 * elapsed + 15 * elapsed**2 / 600


def test_jobs_arrive_by_the_ramp_and_then_freely(stage):
    start = recovered(stage)
    stage.run(300 - (stage.clock.now() - start) + 30)
    arrived = [at - start for at, _ in stage.plex.shown]
    for second in (10, 60, 150, 299):
        count = sum(at <= second for at in arrived)
        assert allowed(second) * 0.8 - 10 <= count <= allowed(second) + 21
    assert stage.rate is None
    assert len([at for at in arrived if at > 301]) > 25 * 20  # no limit left behind
    assert "recovery_state.json" not in stage.files()


def test_a_stumbling_plex_gets_half_and_when_it_is_well_the_whole_again(stage):
    start = recovered(stage)
    stage.run(60)
    stage.plex.poison = {scene: TargetBusy("Plex failed inside") for scene in range(1, 5001) if scene % 2}
    stage.run(40)
    assert stage.rate == pytest.approx((5 + 15 * (stage.clock.now() - start) / 300) / 2)
    stage.plex.poison = {}
    stage.run(130)
    assert stage.rate == pytest.approx(5 + 15 * (stage.clock.now() - start) / 300)


def test_an_outage_in_the_recovery_begins_it_anew(stage):
    recovered(stage)
    stage.run(200)
    stage.away()
    stage.run_until(CircuitState.OPEN)
    stage.back()
    stage.run_until(CircuitState.CLOSED)
    assert stage.rate == pytest.approx(5, abs=0.1)


def test_what_is_left_afterwards_is_the_outage_in_the_history(stage):
    recovered(stage, jobs=100)
    stage.run(400)
    (outage,) = stage.recovery.stats.snapshot().outages
    assert (outage.kind, 59 <= outage.seconds <= 65) == ("refused", True)
    counters = stage.recovery.stats.snapshot()
    assert (counters.done, counters.failed) == (100, 0)
    assert 0 < counters.mean_seconds < 1


# --- a restart in each phase ------------------------------------------------------------------------------------------


def test_a_restart_while_strikes_are_counted(stage):
    stage.enqueue(*range(1, 4))
    stage.away()
    stage.lane.step()
    stage.restart()
    stage.clock.advance(10)
    stage.lane.step()
    assert stage.state is CircuitState.OPEN
    assert len(stage.plex.asked) == 5


def test_a_restart_in_the_outage_asks_plex_nothing_before_its_time(stage):
    stage.enqueue(1, 2)
    stage.away()
    stage.run_until(CircuitState.OPEN)
    asked = len(stage.plex.asked)
    for _ in range(50):
        stage.restart()
        assert stage.lane.step().why is Why.OUTAGE
        stage.clock.advance(1)
    assert (len(stage.plex.asked), stage.probe.asked_at) == (asked, [])
    stage.back()
    stage.run(20)
    assert stage.jobs() == []


def test_a_restart_while_the_probe_is_on_its_way(stage):
    stage.enqueue(1)
    stage.away()
    stage.run_until(CircuitState.OPEN)
    stage.clock.advance(60)
    assert stage.recovery.breaker.begin_probe(stage.clock.now())
    stage.restart()
    stage.back()
    stage.run(5)
    assert stage.jobs() == []


def test_a_restart_in_the_ramp_goes_on_where_it_was(stage):
    start = recovered(stage)
    stage.run(100)
    before = stage.rate
    stage.restart()
    assert stage.rate == before
    stage.run(100)
    arrived = sum(at - start <= 200 for at, _ in stage.plex.shown)
    assert arrived <= allowed(200) + 21


def test_a_restart_while_the_rate_is_halved(stage):
    recovered(stage)
    stage.plex.poison = {scene: TargetBusy("Plex failed inside") for scene in range(1, 5001) if scene % 2}
    stage.run(20)
    halved = stage.rate
    stage.restart()
    assert stage.rate == halved < 5


def test_a_restart_after_the_end_has_no_limit(stage):
    recovered(stage, jobs=10)
    stage.run(400)
    stage.restart()
    assert stage.rate is None
    stage.enqueue(*range(1, 200))
    assert stage.lane.step().why is Why.WORKED
    assert len(stage.jobs()) == 149


# --- clocks -----------------------------------------------------------------------------------------------------------

DAY = 86_400.0


@pytest.mark.parametrize("jump", [-365 * DAY, -3 * DAY, -7200.0, 7200.0, 365 * DAY], ids=lambda days: f"{days:.0f}s")
def test_a_clock_that_is_set_during_an_outage_strands_nobody(stage, jump):
    stage.enqueue(*range(1, 21))
    stage.away()
    stage.run(70)
    stage.clock.set_wall(jump)
    stage.back()
    stage.run(200)
    assert len(stage.plex.shown) == 20
    assert stage.letters() == []


@pytest.mark.parametrize("jump", [-365 * DAY, -7200.0], ids=["a year back", "two hours back"])
def test_a_clock_that_is_set_back_does_not_strand_who_waits_for_a_retry(stage, jump):
    stage.enqueue(1)
    stage.plex.poison[1] = ItemNotFound("not yet")
    stage.step()
    stage.plex.poison.clear()
    stage.clock.set_wall(jump)
    stage.run(5)
    assert [scene for _, scene in stage.plex.shown] == [1]


def test_a_job_of_the_year_2099_does_not_wait_for_it_even_if_others_wait_too(stage):
    now = stage.clock.now()
    stage.queue.enqueue("scene", [1], "test", now, due_at=4_070_908_800.0)
    stage.queue.enqueue("scene", [2], "test", now, due_at=now + 500)
    stage.run(5)
    assert [scene for _, scene in stage.plex.shown] == [1]
