"""What View Queue Status and Health Check say of Plex, from the files the worker keeps."""

import time

import pytest

from runtime.folder import DataFolder
from runtime.redaction import Redactor
from runtime.state_file import write_state
from tasks.desk import open_desk
from tasks.health import health_check
from tasks.queue_tasks import queue_status
from tests.support.clocks import FakeClock
from tests.support.recovery import NoProbe
from tests.support.settings import config
from worker.circuit_breaker import Fault
from worker.outcome import Later
from worker.recovery import RecoveryScheduler

REFUSED = Fault("refused", "GET /: nothing answers at this address")
NO_TOKEN = Fault("token", "GET /: 401: Plex does not accept the token", needs_person=True)


class Quiet:
    def say(self, sentence, *, ok=True):
        pass

    def progress(self, fraction):
        pass


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tasks.desk.ensure_worker", lambda folder: None)
    monkeypatch.setattr("tasks.health.START_SECONDS", 0.0)
    return DataFolder(str(tmp_path))


@pytest.fixture
def desk(folder):
    with open_desk(folder, None, {}, Quiet()) as opened:
        yield opened


@pytest.fixture
def clock():
    return FakeClock(time.time())


@pytest.fixture
def recovery(folder, clock):
    return RecoveryScheduler(folder, NoProbe(), clock, Redactor())


def test_without_trouble_there_is_none_to_tell_of(desk):
    data = queue_status(desk).data
    assert data["circuit"] == {"state": "closed", "strikes": 0}
    assert (data["recovery"], data["outages"]) == (None, [])
    assert data["stats"] == {"done": 0, "failed": 0, "waiting": 0, "mean_seconds": 0}


def test_an_outage_is_told_with_who_waits_and_when_plex_is_asked_next(desk, recovery, clock):
    desk.connection.execute(
        "INSERT INTO ack_queue_default (data, status, key, due_at) VALUES ('{}', 0, 'scene:1', 0), ('{}', 0, 'x', 9e9)"
    )
    recovery.breaker.fail(REFUSED, clock.now(), at_once=True)
    report = queue_status(desk)
    moment = time.strftime("%H:%M", time.localtime(clock.now()))
    assert f"Plex is down since {moment} (refused), 2 jobs wait; next probe in " in report.sentence
    assert report.data["circuit"]["state"] == "open"
    assert 50 <= report.data["circuit"]["next_probe_in"] <= 60
    (finding,) = [one for one in health_check(desk).data["findings"] if one["part"] == "Circuit"]
    assert (finding["ok"], "Plex is down since" in finding["sentence"]) == (False, True)


def test_what_a_person_must_mend_is_told_with_what_to_do(desk, recovery, clock):
    recovery.breaker.fail(NO_TOKEN, clock.now(), at_once=True)
    sentence = queue_status(desk).sentence
    assert "does not accept the token. Set plex_token to the token of the server's owner. 0 jobs wait" in sentence


def test_after_the_outage_the_recovery_and_the_history_are_told(desk, recovery, clock):
    recovery.breaker.fail(REFUSED, clock.now() - 90, at_once=True)
    assert recovery.outage_wait(config()) == 0
    data = queue_status(desk).data
    assert data["recovery"]["jobs_a_second"] == pytest.approx(5, abs=1)
    (outage,) = data["outages"]
    assert (outage["kind"], outage["seconds"]) == ("refused", 90)
    (finding,) = [one for one in health_check(desk).data["findings"] if one["part"] == "Circuit"]
    assert (finding["ok"], "jobs a second" in finding["sentence"]) == (True, True)


def test_a_ledger_that_was_put_aside_is_told(desk, folder):
    write_state(folder.worker_state, {"obstacle": None, "notice": "The ledger was damaged; it is kept as x."})
    assert queue_status(desk).sentence.endswith("The ledger was damaged; it is kept as x.")


def test_strikes_are_told_before_they_are_an_outage(desk, recovery, clock):
    recovery.note(Later(1, "x", counts_attempt=False, fault=ConnectionError("x")), config())
    assert queue_status(desk).data["circuit"] == {"state": "closed", "strikes": 1}
