"""The table of errors: complete, and as the design has it."""

import pytest

from model.errors import (
    AccessDenied,
    AnswerGarbled,
    ChangeRejected,
    FilterIgnored,
    ItemChanged,
    ItemGone,
    ItemNotFound,
    LibraryNotFound,
    OutcomeUnknown,
    RequestTooLong,
    TargetBusy,
    TargetError,
    TargetStarting,
    TargetUnreachable,
    WrongAddress,
    WrongServer,
)
from sync.outcome import Dead, Later
from sync.retries.backoff import ceiling
from sync.retries.patience import (
    BUG_ATTEMPTS,
    RULES,
    CircuitEffect,
    fault_of,
    get_retry_params,
    outcome_of,
    rule_for,
)
from sync_queue.models import SyncJob
from tests.support.settings import config
from validation.metadata import InvalidMetadata

SPECIAL = {OutcomeUnknown: {"applied": False}, WrongServer: {"found": "another"}}


def families(root):
    """All classes of errors below this one."""
    return [below for one in root.__subclasses__() for below in (one, *families(one))]


def make(family):
    if family is InvalidMetadata:
        return InvalidMetadata("title", "it went wrong")
    return family("it went wrong", **SPECIAL.get(family, {}))


def job(attempts=0):
    return SyncJob(1, "scene", 42, "test", 0.0, 0.0, attempts=attempts)


def tries_until_death(error, **settings):
    """Count how often a job is tried, or give None if for ever."""
    for attempts in range(100):
        if isinstance(outcome_of(error, job(attempts), config(**settings)), Dead):
            return attempts + 1
    return None


@pytest.mark.parametrize("family", families(TargetError), ids=lambda family: family.__name__)
def test_every_error_of_plex_has_a_rule_and_an_outcome_with_its_words(family):
    outcome = outcome_of(make(family), job(), config())
    assert isinstance(outcome, Dead | Later)
    assert outcome.sentence == str(make(family))


@pytest.mark.parametrize("family", RULES, ids=lambda family: family.__name__)
def test_a_family_is_ruled_by_its_own_row(family):
    assert rule_for(make(family)) is RULES[family]


@pytest.mark.parametrize(
    ("family", "elder"),
    [
        (TargetStarting, TargetUnreachable),
        (OutcomeUnknown, TargetUnreachable),
        (AnswerGarbled, TargetBusy),
        (FilterIgnored, TargetBusy),
        (RequestTooLong, ChangeRejected),
    ],
)
def test_a_finer_error_is_ruled_by_its_family(family, elder):
    assert rule_for(make(family)) is RULES[elder]


@pytest.mark.parametrize("family", [TargetUnreachable, TargetStarting, AccessDenied, WrongServer, LibraryNotFound])
def test_what_is_not_the_jobs_fault_costs_no_attempt_stops_all_and_never_ends_it(family):
    outcome = outcome_of(make(family), job(attempts=99), config())
    assert isinstance(outcome, Later)
    assert not outcome.counts_attempt
    assert rule_for(make(family)).stops_all
    assert outcome.fault is not None


def test_a_busy_plex_is_tried_as_often_as_the_setting_says_five_times_by_default():
    assert tries_until_death(TargetBusy("busy")) == 5
    assert tries_until_death(TargetBusy("busy"), max_retries=2) == 2


def test_what_is_not_in_plex_yet_is_tried_twelve_times():
    assert tries_until_death(ItemNotFound("not yet")) == 12
    assert tries_until_death(ItemGone("gone")) == 12


def test_what_plex_rejects_is_given_up_at_once_by_its_kind():
    outcome = outcome_of(RequestTooLong("too long"), job(), config())
    assert isinstance(outcome, Dead)
    assert outcome.kind == "too_long"


@pytest.mark.parametrize(
    ("family", "curve"),
    [(TargetBusy, [5, 10, 20, 40, 80, 80]), (ItemNotFound, [30, 60, 120, 240, 480, 600, 600])],
)
def test_delays_lie_under_the_curve_of_the_design(family, curve):
    patience = get_retry_params(make(family))
    assert [ceiling(retry, patience.base_seconds, patience.cap_seconds) for retry in range(len(curve))] == curve
    for retry, top in enumerate(curve):
        for _ in range(20):
            outcome = outcome_of(make(family), job(attempts=retry), config(max_retries=20))
            assert isinstance(outcome, Later)
            assert outcome.counts_attempt
            assert 0 <= outcome.delay <= top


def test_the_patience_is_that_of_the_design():
    not_yet, busy = get_retry_params(ItemNotFound("not yet")), get_retry_params(TargetBusy("busy"))
    assert (not_yet.base_seconds, not_yet.cap_seconds, not_yet.attempts) == (30, 600, 12)
    assert (busy.base_seconds, busy.cap_seconds, busy.attempts) == (5, 80, 5)
    assert get_retry_params(TargetBusy("busy"), max_retries=9).attempts == 9


CIRCUIT = {
    TargetUnreachable: CircuitEffect.COUNTS,
    TargetStarting: CircuitEffect.COUNTS,
    OutcomeUnknown: CircuitEffect.COUNTS,
    TargetBusy: CircuitEffect.COUNTS,
    AnswerGarbled: CircuitEffect.COUNTS,
    FilterIgnored: CircuitEffect.COUNTS,
    AccessDenied: CircuitEffect.OPENS,
    WrongServer: CircuitEffect.OPENS,
    WrongAddress: CircuitEffect.OPENS,
    ItemChanged: CircuitEffect.NEVER,
    LibraryNotFound: CircuitEffect.OPENS,
    ItemNotFound: CircuitEffect.NEVER,
    ItemGone: CircuitEffect.NEVER,
    ChangeRejected: CircuitEffect.NEVER,
    RequestTooLong: CircuitEffect.NEVER,
}


def test_every_error_of_plex_says_what_it_means_for_the_circuit():
    assert {family: rule_for(make(family)).circuit for family in families(TargetError)} == CIRCUIT


@pytest.mark.parametrize("family", families(TargetError), ids=lambda family: family.__name__)
def test_only_what_blames_the_server_carries_a_fault(family):
    error = make(family)
    assert outcome_of(error, job(), config()).fault is (None if CIRCUIT[family] is CircuitEffect.NEVER else error)


def test_a_bug_of_ours_is_tried_three_times_and_keeps_its_trace():
    assert tries_until_death(ZeroDivisionError("x")) == BUG_ATTEMPTS == 3
    outcome = outcome_of(ZeroDivisionError("x"), job(attempts=2), config())
    assert (outcome.kind, outcome.fault) == ("bug", None)
    assert "ZeroDivisionError: x" in outcome.detail
    assert "please report it" in outcome.sentence


def test_metadata_that_cannot_be_mended_is_given_up_at_once_with_its_field():
    outcome = outcome_of(make(InvalidMetadata), job(), config())
    assert isinstance(outcome, Dead)
    assert (outcome.kind, outcome.sentence) == ("metadata", "title: it went wrong")


def test_a_fault_needs_a_person_where_one_error_opens_the_circuit():
    assert fault_of(make(AccessDenied)).needs_person
    assert not fault_of(make(TargetBusy)).needs_person
    assert fault_of(make(TargetBusy)).sentence == "it went wrong"


def test_a_server_that_says_how_long_to_wait_is_heard_within_reason():
    for asked, waited in ((120.0, 120.0), (1e9, 600.0)):
        error = TargetBusy("too many requests")
        error.retry_after = asked
        assert outcome_of(error, job(), config()).delay == waited
        lost = OutcomeUnknown("the answer was lost", applied=False)
        lost.__cause__ = error
        assert outcome_of(lost, job(), config()).delay == waited
