"""Small parts: backoff, redaction, requirements, the code's stamp, state files, conditions."""

import fcntl
import json
import logging
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.code_stamp import code_stamp
from runtime.code_watch import QUIET_LOOKS, CodeWatch
from runtime.lock import FileLock, is_held
from runtime.packages import Requirement, read_requirements
from runtime.privacy.redaction import MASK, MOST_FORMS, Redactor
from runtime.state_file import read_state, write_state
from sync.retries.backoff import calculate_delay, ceiling
from worker.log_file import open_log_file


@given(st.integers(0, 10_000), st.floats(0.01, 100), st.floats(0.01, 1000), st.integers())
def test_a_delay_lies_between_nothing_and_the_curve(retry, base, cap, seed):
    assert 0 <= calculate_delay(retry, base, cap, seed) <= ceiling(retry, base, cap) <= cap


def test_the_curve_doubles_up_to_its_cap():
    assert [ceiling(retry, 5, 80) for retry in range(6)] == [5, 10, 20, 40, 80, 80]


def test_chance_can_be_repeated():
    assert calculate_delay(3, 5, 80, 42) == calculate_delay(3, 5, 80, 42)
    assert len({calculate_delay(3, 5, 80) for _ in range(20)}) > 10


def test_secrets_are_taken_out_plain_and_encoded():
    redactor = Redactor()
    redactor.learn("tok/en+1", "", "ab")
    cleaned = redactor.clean("tok/en+1 and ?t=tok%2Fen%2B1 about")
    assert cleaned == f"{MASK} and ?t={MASK} about"


def test_a_secret_inside_another_leaves_nothing_behind():
    redactor = Redactor()
    redactor.learn("abcd", "abcdefgh")
    assert redactor.clean("abcdefgh") == MASK


def test_renewed_cookies_do_not_pile_up_and_the_newest_is_known():
    redactor = Redactor()
    for number in range(10_000):
        redactor.learn("the-token", f"cookie-{number}")
    assert redactor.clean("cookie-9999 the-token") == f"{MASK} {MASK}"
    assert len(redactor._forms) <= MOST_FORMS


@pytest.mark.parametrize(
    ("line", "version", "met"),
    [
        ("a>=1.0,<2", "1.0", True),
        ("a[extra,more]>=1.0,<2", "1.5", True),
        ("a>=1.0,<2", "1.9.9", True),
        ("a>=1.0,<2", "2.0", False),
        ("a>=1.10", "1.9", False),
        ("a>=1.1  # module b", "1.1.post1", True),
        ("a==3.1", "3.1", True),
        ("a", "0.1", True),
    ],
)
def test_a_version_is_held_to_its_bounds(monkeypatch, line, version, met):
    monkeypatch.setattr("importlib.metadata.version", lambda name: version)
    requirement = Requirement.parse(line)
    assert requirement.name == "a"
    assert requirement.is_met() is met


def test_our_own_requirements_are_read_and_met_here():
    requirements = read_requirements(os.path.join(os.path.dirname(__file__), "..", "..", "..", "requirements.txt"))
    names = {"persist-queue", "plexapi", "pydantic", "requests", "tenacity", "stashapp-tools", "rich"}
    assert {one.name for one in requirements} == names
    assert all(one.bounds and one.is_met() for one in requirements)


def test_what_is_logged_carries_no_secret_and_forges_no_line(tmp_path):
    redactor = Redactor()
    redactor.learn("the-token")
    path = tmp_path / "worker.log"
    before = logging.getLogger().handlers[:]
    open_log_file(str(path), redactor)
    (handler,) = [one for one in logging.getLogger().handlers if one not in before]
    try:
        logging.getLogger("test").warning("title %s", "x\n2026-01-01 forged the-token")
        logging.getLogger("test").error("failed", exc_info=ValueError("the-token"))
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
    text = path.read_text()
    assert "the-token" not in text
    assert text.splitlines()[0].endswith(f"title x 2026-01-01 forged {MASK}")
    assert f"ValueError: {MASK}" in text


def test_probes_of_a_lock_do_not_take_each_other_for_its_holder(tmp_path):
    path = str(tmp_path / "lock")
    assert not is_held(path)
    lock = FileLock(path)
    assert lock.acquire()
    lock.release()
    with open(path, "rb+") as other:
        fcntl.flock(other, fcntl.LOCK_SH)
        assert not is_held(path)
    assert lock.acquire()
    assert is_held(path)
    assert not FileLock(path).acquire()
    lock.release()
    assert not is_held(path)


def test_a_folder_that_is_locked_as_well_outlives_a_deleted_lock_file(tmp_path):
    path = str(tmp_path / "lock")
    lock = FileLock(path, anchor=str(tmp_path))
    assert lock.acquire()
    os.unlink(path)
    assert lock.is_lost()
    assert not FileLock(path, anchor=str(tmp_path)).acquire()
    lock.release()
    again = FileLock(path, anchor=str(tmp_path))
    assert again.acquire()
    again.release()


def test_a_state_file_is_private_and_read_back(tmp_path):
    path = str(tmp_path / "state.json")
    write_state(path, {"a": 1})
    assert read_state(path) == {"a": 1}
    assert os.stat(path).st_mode & 0o077 == 0
    assert os.listdir(tmp_path) == ["state.json"]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'"x"'])
def test_a_damaged_state_file_is_no_state(tmp_path, content):
    (tmp_path / "state.json").write_bytes(content)
    assert read_state(str(tmp_path / "state.json")) == {}
    assert read_state(str(tmp_path / "missing.json")) == {}


def test_the_stamp_changes_with_our_source_and_with_nothing_else(tmp_path):
    (tmp_path / "worker").mkdir()
    (tmp_path / "worker" / "a.py").write_text("1")
    stamp = code_stamp(str(tmp_path))
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.py").write_text("1")
    (tmp_path / "notes.json").write_text(json.dumps(1))
    assert code_stamp(str(tmp_path)) == stamp
    (tmp_path / "worker" / "a.py").write_text("12")
    assert code_stamp(str(tmp_path)) != stamp


def test_an_update_is_noticed_only_when_it_has_come_to_rest(tmp_path):
    (tmp_path / "a.py").write_text("1")
    watch = CodeWatch(str(tmp_path))
    assert not any(watch.is_replaced() for _ in range(5))
    for size in range(2, 6):
        (tmp_path / "a.py").write_text("1" * size)
        assert not watch.is_replaced()
    assert [watch.is_replaced() for _ in range(QUIET_LOOKS)] == [False] * (QUIET_LOOKS - 1) + [True]
