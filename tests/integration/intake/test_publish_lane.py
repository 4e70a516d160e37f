"""A file in its place becomes an item that every server shows: looks as due times, servers apart, pictures last."""

import pytest

from intake.patience import RULES, Then, decide, rule_for
from intake.publishing.port import (
    ItemAmbiguous,
    ItemNotIndexed,
    PicturesFailed,
    ServerAway,
    ServerRefuses,
    WriteRejected,
)
from intake.publishing.progress import PublishProgress, ServerProgress
from intake.service.lane import Why
from intake.store.row import Status, Step
from sim.wordpress.server import SimWordPress
from tests.support.clocks import FakeClock
from tests.support.intake.service import FakePublisher, IntakeRig


@pytest.fixture
def site():
    with SimWordPress() as running:
        running.add("SONE-760")
        yield running


@pytest.fixture
def make_rig(tmp_path, sqlite, site):
    rigs = []

    def make(*publishers):
        rigs.append(IntakeRig(tmp_path, sqlite, site, publishers=publishers))
        return rigs[-1]

    yield make
    for rig in rigs:
        rig.close()


def taken_in(rig):
    rig.take_in("SONE-760.mp4")
    return rig.store.get(1)


def test_n_delays_are_n_plus_one_looks_and_the_lane_is_free_between_them(make_rig, sqlite):
    emby = FakePublisher(shown_after=99)
    rig = make_rig(emby)
    row = taken_in(rig)
    assert (row.status, row.error_kind, row.retry_count) == (Status.MOVED, "not_indexed_yet", 0)
    assert 1 < rig.publish.step().seconds <= 2
    sqlite.pass_time(2)
    rig.drain()
    row = rig.store.get(1)
    assert 3.9 < row.due_at - row.updated_at <= 4
    sqlite.pass_time(4)
    rig.drain()
    row = rig.store.get(1)
    assert (row.status, row.error_kind) == (Status.ERROR, "not_indexed")
    assert [is_last for _, is_last in emby.did("find")] == [False, False, True]
    assert len(emby.did("scan")) == 1
    sqlite.pass_time(601)
    emby.shown_after = 0
    rig.drain()
    assert rig.store.get(1).status is Status.COMPLETED
    assert len(emby.did("scan")) == 2


def test_a_server_that_is_away_costs_no_try_and_holds_up_no_other(make_rig, sqlite):
    emby, plex = FakePublisher("emby"), FakePublisher("plex")
    emby.failing["scan"] = ServerAway("Emby does not answer.")
    rig = make_rig(emby, plex)
    row = taken_in(rig)
    assert (row.status, row.error_kind, row.retry_count) == (Status.MOVED, "server_away", 0)
    assert [call[0] for call in plex.calls] == ["scan", "find", "write", "Primary", "Backdrop"]
    emby.failing.clear()
    sqlite.pass_time(6)
    rig.drain()
    assert rig.store.get(1).step is Step.PICTURED
    assert len(plex.calls) == 5


@pytest.mark.parametrize(
    ("step", "error", "status", "kind"),
    [
        ("find", ItemAmbiguous("Two items have it.", ("1", "2")), Status.ERROR, "ambiguous"),
        ("write", WriteRejected("Emby refuses the date."), Status.ERROR, "rejected"),
        ("write", ServerRefuses("Emby does not accept the key."), Status.MOVED, "server_refuses"),
    ],
)
def test_what_a_server_refuses_is_said_and_what_was_done_is_not_done_again(make_rig, sqlite, step, error, status, kind):
    emby = FakePublisher()
    emby.failing[step] = error
    rig = make_rig(emby)
    row = taken_in(rig)
    assert (row.status, row.error_kind, row.error_message) == (status, kind, str(error))
    emby.failing.clear()
    rig.store.retry(1)
    rig.drain()
    assert rig.store.get(1).status is Status.COMPLETED
    assert len(emby.did("scan")) == 1


def test_a_picture_blocks_nothing_and_is_tried_again_by_itself_for_ever(make_rig, sqlite):
    emby = FakePublisher()
    emby.failing["Primary"] = PicturesFailed("The picture is a web page.")
    rig = make_rig(emby)
    for tries in range(1, 9):
        row = taken_in(rig) if tries == 1 else rig.store.get(1)
        assert (row.status, row.step, row.error_kind) == (Status.COMPLETED, Step.WRITTEN, "pictures")
        assert (len(emby.did("Primary")), len(emby.did("Backdrop"))) == (tries, 1)
        assert row.next_retry_at is not None
        sqlite.pass_time(7 * 86400 + 1)
        rig.drain()
    assert len(emby.did("write")) == 1
    emby.failing.clear()
    rig.store.retry(1)
    rig.drain()
    row = rig.store.get(1)
    assert (row.status, row.step, row.error_message) == (Status.COMPLETED, Step.PICTURED, "")
    assert rig.publish.step().why is Why.IDLE


def test_files_that_came_together_are_scanned_together(make_rig):
    emby = FakePublisher()
    rig = make_rig(emby)
    for number in range(8):
        rig.drop(f"SONE-76{number}.mp4")
        rig.drop(f"SONE-76{number}.json", f'{{"movie_code": "SONE-76{number}", "title": "T", "actress": "A"}}'.encode())
    rig.offer()
    while rig.files.step().why is Why.WORKED:
        pass
    rig.publish._limit = 64
    rig.drain()
    assert [len(paths) for paths in emby.did("scan")] == [8]
    assert rig.store.counts()[Status.COMPLETED] == 8


def test_a_scan_that_must_wait_costs_no_look(make_rig, sqlite):
    emby = FakePublisher(shown_after=2)
    emby.scans_all = False
    rig = make_rig(emby)
    taken_in(rig)
    sqlite.pass_time(6)
    rig.drain()
    row = rig.store.get(1)
    assert (row.status, PublishProgress.from_json(row.published_json).of("emby").looks) == (Status.MOVED, 0)
    emby.scans_all = True
    sqlite.pass_time(6)
    rig.drain()
    row = rig.store.get(1)
    assert (row.status, PublishProgress.from_json(row.published_json).of("emby").looks) == (Status.COMPLETED, 1)


def test_an_item_that_has_gone_is_looked_for_anew(make_rig, sqlite):
    emby = FakePublisher()
    emby.failing["write"] = ItemNotIndexed("Emby does not show it any more.")
    rig = make_rig(emby)
    row = taken_in(rig)
    assert (row.status, row.error_kind) == (Status.MOVED, "not_indexed_yet")
    emby.failing.clear()
    sqlite.pass_time(6)
    rig.drain()
    assert rig.store.get(1).status is Status.COMPLETED
    assert (len(emby.did("scan")), len(emby.did("find"))) == (2, 2)


def test_a_row_that_begins_anew_is_published_anew_and_knows_what_is_its_own(make_rig):
    emby = FakePublisher()
    rig = make_rig(emby)
    taken_in(rig)
    emby.calls.clear()
    rig.store.reset(1)
    rig.drain()
    assert rig.store.get(1).status is Status.COMPLETED
    (written,) = emby.did("write")
    assert written[2] == {"Name": written[1]}
    assert emby.did("Primary") == [(written[0], "mark of Primary")]


def test_progress_is_read_as_it_was_written():
    progress = PublishProgress().with_server(
        "emby", ServerProgress(True, 3, "77", True, {"Name": "a1"}, {"Primary": "b2:t"}, ("Primary",))
    )
    assert PublishProgress.from_json(progress.to_json()) == progress
    assert PublishProgress.from_json("") == PublishProgress()
    assert PublishProgress.from_json('{"emby": {"looks": "x"}}').of("emby") == ServerProgress()


def test_every_error_has_a_rule_and_every_rule_that_tries_again_says_when(make_rig):
    rig = make_rig(FakePublisher())
    row = taken_in(rig)
    assert rule_for(ZeroDivisionError()).kind == "bug"
    for rule in RULES.values():
        assert bool(rule.delays) == (rule.then in (Then.WAITS, Then.AGAIN))
    waits = [decide(ServerAway("x"), row, (1,), 3).delay]
    assert waits == [5]


def test_one_who_slept_longer_than_the_lease_lasts_does_not_go_on_at_the_server(make_rig, monkeypatch):
    """Another may have taken the row over, and a picture would be there twice."""
    emby = FakePublisher()
    rig = make_rig(emby)
    clock = FakeClock()
    rig.keeper._monotonic = clock.monotonic
    monkeypatch.setattr(emby, "write", lambda *_: clock.advance(61) or {})
    row = taken_in(rig)
    assert (row.status, row.step) == (Status.EMBY_PENDING, Step.PLACED)
    assert emby.did("Primary") == []


def test_a_stop_in_the_middle_keeps_how_far_it_came(make_rig, monkeypatch):
    emby = FakePublisher()
    rig = make_rig(emby)
    monkeypatch.setattr(emby, "write", lambda *_: rig.stop.set() or {"Name": "mark"})
    rig.drop("SONE-760.mp4")
    rig.offer()
    rig.files.step()
    rig.publish.step()
    row = rig.store.get(1)
    assert (row.status, row.lease_until) == (Status.MOVED, None)
    server = PublishProgress.from_json(row.published_json).of("emby")
    assert (server.is_written, server.wrote, server.shown) == (True, {"Name": "mark"}, ())


def test_a_server_is_told_for_which_places_a_picture_came_with_the_file(make_rig):
    emby = FakePublisher()
    emby.places = ("thumb", "art")
    rig = make_rig(emby)
    (rig.watch / "SONE-760-poster.jpg").write_bytes(b"a person's")
    row = taken_in(rig)
    assert row.status is Status.COMPLETED
    assert emby.did("thumb") == [(row.emby_item_id, "", "came along")]
    assert emby.did("art") == [(row.emby_item_id, "")]


def test_a_reset_after_a_cleanup_looks_the_work_up_again(tmp_path, sqlite, site):
    emby = FakePublisher()
    rig = IntakeRig(tmp_path, sqlite, site, publishers=[emby])
    rig.take_in("SONE-760.mp4")
    rig.store.cleanup(0)
    rig.store.reset(1)
    rig.drain()
    titles = [title for _, title, _ in emby.did("write")]
    assert len(titles) == 2
    assert titles[0] == titles[1] != ""
    assert rig.store.get(1).status is Status.COMPLETED
    rig.close()


def test_nothing_is_written_where_nothing_is_known(tmp_path, sqlite, site):
    emby = FakePublisher()
    rig = IntakeRig(tmp_path, sqlite, site, publishers=[emby])
    rig.take_in("SONE-760.mp4")
    rig.store.cleanup(0)
    site.works["missav"].clear()
    rig.store.reset(1)
    rig.drain()
    assert len(emby.did("write")) == 1
    assert rig.store.get(1).status is Status.COMPLETED
    rig.close()
