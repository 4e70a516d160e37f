"""The circuit breaker: five faults in a row open it, one probe decides, and whatever is on disk is survived."""

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sync.outage.circuit import (
    PROBE_EVERY_SECONDS,
    SLOW_PROBE_EVERY_SECONDS,
    THRESHOLD,
    CircuitState,
    Fault,
    read_circuit,
)
from worker.circuit_breaker import CircuitBreaker

REFUSED = Fault("refused", "nothing answers")
NO_TOKEN = Fault("token", "Plex does not accept the token", needs_person=True)
NOW = 1_000_000.0


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "circuit_breaker.json")


@pytest.fixture
def breaker(path):
    return CircuitBreaker(path, NOW)


def opened(path, fault=REFUSED, now=NOW):
    breaker = CircuitBreaker(path, now)
    assert breaker.fail(fault, now, at_once=True)
    return breaker


def test_the_numbers_are_those_of_the_design():
    assert (THRESHOLD, PROBE_EVERY_SECONDS) == (5, 60)


def test_the_fifth_fault_in_a_row_opens_it(breaker):
    assert [breaker.fail(REFUSED, NOW) for _ in range(5)] == [False] * 4 + [True]
    assert breaker.snapshot().state is CircuitState.OPEN
    assert breaker.snapshot().sentence == "nothing answers"


def test_a_success_breaks_the_row(breaker):
    for _ in range(10):
        for _ in range(4):
            breaker.fail(REFUSED, NOW)
        breaker.succeed()
    assert breaker.snapshot().is_closed


def test_what_a_person_must_mend_opens_it_at_once_and_is_probed_slowly(breaker):
    assert breaker.fail(NO_TOKEN, NOW, at_once=True)
    assert breaker.snapshot().probe_in(NOW) == SLOW_PROBE_EVERY_SECONDS
    assert not breaker.begin_probe(NOW + 299)
    assert breaker.begin_probe(NOW + 300)


def test_after_a_minute_one_probe_goes_through_and_no_second(path):
    breaker = opened(path)
    assert not breaker.begin_probe(NOW + 59.9)
    assert breaker.begin_probe(NOW + 60)
    assert breaker.snapshot().state is CircuitState.HALF_OPEN
    assert not breaker.begin_probe(NOW + 600)


def test_a_probe_that_succeeds_closes_it(path):
    breaker = opened(path)
    breaker.begin_probe(NOW + 60)
    breaker.close()
    assert breaker.snapshot().is_closed
    assert breaker.snapshot().strikes == 0


def test_a_probe_that_fails_keeps_the_beginning_and_takes_the_newest_reason(path):
    breaker = opened(path)
    breaker.begin_probe(NOW + 60)
    breaker.reopen(NO_TOKEN, NOW + 61)
    circuit = breaker.snapshot()
    assert (circuit.opened_at, circuit.kind, circuit.needs_person) == (NOW, "token", True)
    assert circuit.probe_in(NOW + 61) == SLOW_PROBE_EVERY_SECONDS


def test_a_job_that_ends_well_after_it_opened_does_not_close_it(path):
    breaker = opened(path)
    breaker.succeed()
    assert breaker.snapshot().state is CircuitState.OPEN
    breaker.close()  # nobody was probing
    assert breaker.snapshot().state is CircuitState.OPEN


def test_a_fault_of_a_job_still_in_hand_changes_nothing_about_an_open_circuit(path):
    breaker = opened(path)
    before = breaker.snapshot()
    assert breaker.fail(NO_TOKEN, NOW + 5, at_once=True) is False
    assert breaker.snapshot() == before


def test_a_person_who_changed_something_need_not_wait(path):
    breaker = opened(path, NO_TOKEN)
    breaker.probe_soon(NOW + 3)
    assert breaker.begin_probe(NOW + 3)


# --- a restart in each phase ------------------------------------------------------------------------------------------


def test_strikes_survive_a_restart(path, breaker):
    for _ in range(4):
        breaker.fail(REFUSED, NOW)
    assert CircuitBreaker(path, NOW).fail(REFUSED, NOW)


def test_an_open_circuit_survives_a_restart_with_its_time(path):
    opened(path)
    again = CircuitBreaker(path, NOW + 30)
    assert again.snapshot().probe_in(NOW + 30) == 30
    assert again.snapshot().opened_at == NOW


def test_a_process_that_died_while_probing_leaves_it_open_and_the_next_one_probes(path):
    opened(path).begin_probe(NOW + 60)
    again = CircuitBreaker(path, NOW + 61)
    assert again.snapshot().state is CircuitState.OPEN
    assert again.begin_probe(NOW + 61)


def test_a_closed_circuit_is_closed_after_a_restart(path):
    breaker = opened(path)
    breaker.begin_probe(NOW + 60)
    breaker.close()
    assert CircuitBreaker(path, NOW + 61).snapshot().is_closed


# --- whatever is on disk ----------------------------------------------------------------------------------------------

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
fields = ("state", "strikes", "opened_at", "probe_at", "kind", "sentence", "needs_person")


@given(st.dictionaries(st.sampled_from(fields), json_values | st.sampled_from(["open", "closed", "half-open"])))
def test_any_json_is_survived_and_leaves_a_breaker_that_can_be_probed(tmp_path_factory, state):
    path = tmp_path_factory.mktemp("state") / "circuit_breaker.json"
    path.write_text(json.dumps(state))
    breaker = CircuitBreaker(str(path), NOW)
    assert breaker.snapshot().is_closed or breaker.begin_probe(NOW + SLOW_PROBE_EVERY_SECONDS)
    assert breaker.snapshot().down_since(NOW) <= NOW


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"open"', "\0\0\0", '{"state": ' + "[" * 100_000])
def test_a_damaged_file_is_a_closed_circuit(tmp_path, text):
    path = tmp_path / "circuit_breaker.json"
    path.write_text(text)
    assert CircuitBreaker(str(path), NOW).snapshot().is_closed


def test_a_file_that_cannot_be_written_does_not_stop_it(tmp_path, caplog):
    breaker = CircuitBreaker(str(tmp_path / "no" / "such" / "folder"), NOW)
    assert breaker.fail(REFUSED, NOW, at_once=True)
    assert "could not be written" in caplog.text


# --- clocks -----------------------------------------------------------------------------------------------------------


def test_a_clock_set_back_does_not_put_the_probe_off(path):
    breaker = opened(path)
    assert breaker.begin_probe(NOW - 86_400 * 365)


def test_a_file_from_the_future_is_opened_now_and_probed_now(path):
    opened(path, now=NOW + 86_400 * 365)
    again = CircuitBreaker(path, NOW)
    assert again.snapshot().opened_at == NOW
    assert again.begin_probe(NOW)


def test_a_suspended_machine_probes_when_it_wakes(path):
    assert opened(path).begin_probe(NOW + 86_400)


def test_of_many_threads_one_probes(path):
    breaker = opened(path)
    gate, won = threading.Barrier(8), []

    def race():
        gate.wait()
        if breaker.begin_probe(NOW + 60):
            won.append(1)

    threads = [threading.Thread(target=race) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won == [1]


@given(st.lists(st.sampled_from(["fail", "succeed", "probe", "close", "reopen", "later"]), max_size=60))
def test_whatever_happens_it_never_works_in_an_outage_nor_waits_for_ever(tmp_path_factory, acts):
    path = str(tmp_path_factory.mktemp("state") / "circuit_breaker.json")
    breaker, now, row = CircuitBreaker(path, NOW), NOW, 0
    for act in acts:
        before = breaker.snapshot()
        if act == "fail":
            row = row + 1 if before.is_closed else row
            assert breaker.fail(REFUSED, now) == (before.is_closed and row == THRESHOLD)
        elif act == "succeed":
            breaker.succeed()
            row = 0
        elif act == "probe":
            breaker.begin_probe(now)
        elif act == "close":
            breaker.close()
        elif act == "reopen":
            breaker.reopen(REFUSED, now)
        else:
            now += 25
        after = breaker.snapshot()
        if after.is_closed and not before.is_closed:
            assert (before.state, act) == (CircuitState.HALF_OPEN, "close")
            row = 0
        assert read_circuit(path).is_closed == after.is_closed
        assert after.probe_in(now) <= PROBE_EVERY_SECONDS


def test_a_closed_circuit_is_not_opened_by_a_wish_to_probe_soon(path):
    breaker = CircuitBreaker(path, NOW)
    breaker.fail(REFUSED, NOW)
    breaker.probe_soon(NOW)
    assert breaker.snapshot().is_closed
    assert breaker.snapshot().strikes == 1
