"""What View Queue Status and Health Check say of Plex, from the files the worker keeps."""

import re
import time

import pytest

from runtime.folder import DataFolder
from runtime.lock import FileLock
from runtime.privacy.redaction import Redactor
from runtime.state_file import write_state
from sync.outage.circuit import Fault, read_stats
from sync.outcome import Later
from sync_queue.manager import QueueManager
from tasks.answers import CircuitStatus
from tasks.arguments import Nothing, OfTarget
from tasks.context import open_context
from tasks.health.check import health_check
from tasks.status.collect import status
from tests.support.actions import RecordingReporter, ask, opening
from tests.support.clocks import FakeClock
from tests.support.recovery import NoProbe
from tests.support.settings import config
from worker.recovery import RecoveryScheduler

REFUSED = Fault("refused", "nothing answers at this address")
NO_TOKEN = Fault("token", "Plex does not accept the token", needs_person=True)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tasks.context.ensure_worker", lambda folder: None)
    monkeypatch.setattr("tasks.health.check.START_SECONDS", 0.0)
    return DataFolder(str(tmp_path))


@pytest.fixture
def context(folder):
    with open_context(folder, None, RecordingReporter(), opening) as opened:
        yield opened


def plex_status(context):
    answer = status(context, Nothing())
    return answer, answer.targets[0]


def sending(context):
    (finding,) = [one for one in health_check(context, OfTarget()).findings if one.part == "Sending"]
    return finding


@pytest.fixture
def clock():
    return FakeClock(time.time())


@pytest.fixture
def recovery(folder, clock):
    return RecoveryScheduler(folder.target("plex"), NoProbe(), clock, Redactor())


def test_without_trouble_there_is_none_to_tell_of(context):
    _, plex = plex_status(context)
    assert (plex.circuit.state, plex.circuit.strikes) == ("closed", 0)
    assert (plex.recovery, plex.outage, plex.history) == (None, None, ())
    assert sending(context).sentence == "OK, Plex is written to."


def test_an_outage_is_told_with_who_waits_and_when_plex_is_asked_next(context, recovery, clock):
    context.queue._connection.execute(
        "INSERT INTO ack_queue_default (data, status, key, due_at) VALUES ('{}', 0, 'scene:1', 0), ('{}', 0, 'x', 9e9)"
    )
    recovery.breaker.fail(REFUSED, clock.now(), at_once=True)
    answer, plex = plex_status(context)
    moment = time.strftime("%H:%M", time.localtime(clock.now()))
    assert (
        f"Plex is down since {moment}: nothing answers at this address. 2 jobs waiting; Plex is asked again in "
        in answer.sentence
    )
    assert plex.circuit.state == "open"
    assert plex.outage == f"Plex is down since {moment}: nothing answers at this address."
    assert re.search(r"Plex is asked again in (5\d|60) s\.", plex.sentence)
    assert (sending(context).ok, "Plex is down since" in sending(context).sentence) == (False, True)


def test_what_a_person_must_mend_is_told_with_what_to_do(context, recovery, clock):
    recovery.breaker.fail(NO_TOKEN, clock.now(), at_once=True)
    sentence = status(context, Nothing()).sentence
    assert "does not accept the token. Set plex_token to the token of the server's owner. 0 jobs waiting;" in sentence


def test_after_the_outage_the_recovery_and_the_history_are_told(context, folder, recovery, clock):
    recovery.breaker.fail(REFUSED, clock.now() - 90, at_once=True)
    assert recovery.outage_wait(config()) == 0
    _, plex = plex_status(context)
    assert plex.recovery.rate == pytest.approx(5, abs=1)
    assert plex.recovery.until > time.strftime("%Y-%m-%dT%H:%M", time.gmtime(clock.now()))
    (outage,) = read_stats(folder.target("plex").stats).outages or recovery.stats.snapshot().outages
    assert (outage.kind, outage.seconds) == ("refused", 90)
    assert (sending(context).ok, "jobs a second" in sending(context).sentence) == (True, True)


def test_a_ledger_that_was_put_aside_is_told(context, folder):
    write_state(
        folder.worker_state, {"obstacle": None, "notice": "The record of what was synced was damaged; it is kept as x."}
    )
    assert status(context, Nothing()).sentence.endswith("The record of what was synced was damaged; it is kept as x.")


def test_strikes_are_told_before_they_are_an_outage(context, recovery, clock):
    recovery.note(Later(1, "x", counts_attempt=False, fault=ConnectionError("x")), config())
    assert plex_status(context)[1].circuit == CircuitStatus("closed", 1)


def test_what_a_dead_worker_had_in_hand_is_due_and_nobody_works_on_it(context, folder):
    queue = QueueManager(folder.queue_dir)
    queue.enqueue("scene", [42], "edited", time.time(), due_at=1.0)
    assert len(queue.claim(time.time(), 1)) == 1
    queue.close()
    answer, _ = plex_status(context)
    assert (answer.queue.due, answer.queue.claimed) == (1, 0)
    assert "0 being worked on" in answer.sentence
    assert ask(folder, "status")["queue"]["claimed"] == 0
    (listed,) = ask(folder, "scenes", state="queued")["scenes"]
    assert listed["sentence"].startswith("Queued")
    lock = FileLock(folder.worker_lock)
    assert lock.acquire()
    assert status(context, Nothing()).queue.claimed == 1
    lock.release()
