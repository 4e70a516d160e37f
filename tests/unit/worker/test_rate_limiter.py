"""The recovery period: a ramp of tokens, halved where Plex stumbles, gone without a trace."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sync.outage.circuit import FIRST_RATE, LAST_RATE, RAMP_SECONDS, read_recovery
from worker.rate_limiter import RecoveryRateLimiter

NOW = 1_000_000.0


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "recovery_state.json")


@pytest.fixture
def limiter(path):
    begun = RecoveryRateLimiter(path, NOW)
    begun.begin(NOW)
    return begun


def passed(limiter, start, seconds, tick=0.25):
    """Count the jobs that pass when somebody takes all they can get, every tick."""
    return sum(limiter.take(start + step * tick, 50) for step in range(1, int(seconds / tick) + 1))


def rate(limiter, now):
    limiter.tick(now)
    return limiter.snapshot().rate(now)


def test_the_numbers_are_those_of_the_design():
    assert (FIRST_RATE, LAST_RATE, RAMP_SECONDS) == (5, 20, 300)


def test_without_an_outage_there_is_no_limit_and_no_file(path):
    limiter = RecoveryRateLimiter(path, NOW)
    assert limiter.take(NOW, 50) == 50
    assert limiter.until_token(NOW) == 0
    assert not os.path.exists(path)


def test_it_grows_from_five_to_twenty_jobs_a_second(limiter):
    assert [limiter.snapshot().rate(NOW + second) for second in (0, 100, 200, 300)] == [5, 10, 15, 20]


def test_what_passes_follows_the_ramp(limiter):
    assert passed(limiter, NOW, 10) == pytest.approx(50, abs=5)
    assert passed(limiter, NOW + 10, 90) == pytest.approx(90 * 7.75, rel=0.02)


def test_after_the_period_the_limit_is_gone_and_its_file_too(limiter, path):
    assert os.path.exists(path)
    limiter.tick(NOW + 300)
    assert limiter.take(NOW + 300, 50) == 50
    assert limiter.snapshot() is None
    assert not os.path.exists(path)


def test_what_nobody_takes_does_not_pile_up(limiter):
    assert limiter.take(NOW + 60, 1000) == 8  # a second's worth at 8 a second


def test_tokens_without_a_job_are_given_back(limiter):
    taken = limiter.take(NOW + 1, 50)
    limiter.give_back(taken)
    assert limiter.take(NOW + 1, 50) == taken == 5


def test_who_comes_too_early_is_told_when_to_come(limiter):
    assert limiter.take(NOW, 1) == 0
    assert limiter.until_token(NOW) == pytest.approx(0.2)
    assert limiter.take(NOW + 0.21, 1) == 1


# --- errors -----------------------------------------------------------------------------------------------------------


def report(limiter, now, errors, others):
    for number in range(errors + others):
        limiter.note(now, is_error=number < errors)


@pytest.mark.parametrize(("errors", "halves"), [(0, False), (30, False), (31, True), (100, True)])
def test_more_than_thirty_percent_errors_halve_the_rate(limiter, errors, halves):
    for number in range(100):  # mixed, so that no beginning is worse than the whole
        limiter.note(NOW + 100, is_error=(number * errors) // 100 != ((number + 1) * errors) // 100)
    assert rate(limiter, NOW + 100) == (5 if halves else 10)


def test_a_halved_rate_stays_so_for_a_minute_and_is_restored_below_ten_percent(limiter):
    report(limiter, NOW + 40, errors=10, others=0)
    report(limiter, NOW + 45, errors=0, others=200)  # 4.8 percent by now
    assert rate(limiter, NOW + 99) == pytest.approx((5 + 15 * 99 / 300) / 2)
    report(limiter, NOW + 99, errors=0, others=10)
    assert rate(limiter, NOW + 101) == pytest.approx(5 + 15 * 101 / 300)


def test_between_ten_and_thirty_percent_it_stays_as_it_is(limiter):
    report(limiter, NOW + 40, errors=10, others=0)
    for second in range(41, 160):
        report(limiter, NOW + second, errors=2, others=8)
    assert limiter.snapshot().halved_at
    report(limiter, NOW + 219.5, errors=0, others=1)
    assert not limiter.snapshot().halved_at


def test_errors_older_than_a_minute_are_forgotten(limiter):
    report(limiter, NOW + 1, errors=3, others=7)
    report(limiter, NOW + 62, errors=0, others=1)
    report(limiter, NOW + 62, errors=0, others=9)
    report(limiter, NOW + 63, errors=3, others=0)  # 3 of 13
    assert rate(limiter, NOW + 63) > 5


# --- a restart in each phase ------------------------------------------------------------------------------------------


def test_a_restart_goes_on_where_it_was(limiter, path):
    limiter.take(NOW + 100, 50)
    again = RecoveryRateLimiter(path, NOW + 120)
    assert again.snapshot().rate(NOW + 120) == limiter.snapshot().rate(NOW + 120) == 11
    assert again.take(NOW + 120, 50) == 0  # no burst by restarting
    assert passed(again, NOW + 120, 10) == pytest.approx(113, abs=12)


def test_a_restart_keeps_a_halved_rate(limiter, path):
    report(limiter, NOW + 40, errors=10, others=0)
    again = RecoveryRateLimiter(path, NOW + 50)
    assert rate(again, NOW + 50) == 3.75
    assert rate(again, NOW + 100) == 10  # nobody complained since


def test_a_restart_after_the_period_finds_none_and_clears_up(limiter, path):
    again = RecoveryRateLimiter(path, NOW + 301)
    assert again.snapshot() is None
    assert not os.path.exists(path)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"began_at": "x"}', '{"began_at": NaN}', '{"began_at": -5}'])
def test_a_damaged_file_is_no_period_and_goes(tmp_path, text):
    path = tmp_path / "recovery_state.json"
    path.write_text(text)
    assert RecoveryRateLimiter(str(path), NOW).take(NOW, 50) == 50
    assert not path.exists()


def test_a_file_from_the_future_begins_now(limiter, path):
    assert read_recovery(path, NOW - 86_400).rate(NOW - 86_400) == 5


# --- clocks -----------------------------------------------------------------------------------------------------------


def test_a_clock_set_back_leaves_the_period_where_it_was(limiter, path):
    limiter.tick(NOW + 100)
    back = NOW - 86_400
    assert rate(limiter, back) == 10
    assert 10 <= passed(limiter, back, 1) <= 20  # a burst, and a second
    limiter.tick(back + 200)
    assert limiter.snapshot() is None


def test_a_suspended_machine_wakes_without_a_limit(limiter):
    assert limiter.take(NOW + 86_400, 50) == 50


@given(st.lists(st.tuples(st.floats(-5, 30), st.integers(1, 50), st.booleans()), max_size=80))
def test_the_bucket_gives_no_more_than_the_ramp_and_one_burst(tmp_path_factory, steps):
    limiter = RecoveryRateLimiter(str(tmp_path_factory.mktemp("state") / "r.json"), NOW)
    limiter.begin(NOW)
    now, elapsed, given_out = NOW, 0.0, 0
    for seconds, wanted, is_error in steps:
        now += seconds
        elapsed += max(seconds, 0)
        taken = limiter.take(now, wanted)
        if limiter.snapshot() is None:
            assert elapsed >= 299.9
            return
        given_out += taken
        limiter.note(now, is_error=is_error)
        assert given_out <= 5 * elapsed + 15 * elapsed**2 / 600 + 35


def test_errors_before_the_period_do_not_slow_it_down(path):
    limiter = RecoveryRateLimiter(path, NOW)
    limiter.note(NOW, is_error=True)
    assert limiter.snapshot() is None
    limiter.begin(NOW)
    limiter.tick(NOW + 1)
    assert not limiter.snapshot().halved_at
