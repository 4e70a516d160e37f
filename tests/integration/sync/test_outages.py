"""Three hundred jobs and a Plex that goes away in the middle, over real sockets, on a clock that does not wait."""

import threading

import pytest

from ledger.states import SceneState
from ledger.values import TRY_AT
from sim.plex import faults
from tasks.settings.match_cache import forget_matches
from worker.processor import Why

SCENES = 300
OUTAGE_SECONDS = 240.0


def pass_time(shop, seconds, *, until=lambda: False):
    """Let both lanes work as threads would; a step that worked takes a twentieth of a second.

    Return how many edits had arrived at which moment.
    """
    end, arrived = shop.clock.now() + seconds, []
    while shop.clock.now() < end and not until():
        pauses = [shop.metadata_lane.step(), shop.picture_lane.step()]
        arrived.append((shop.clock.now(), shop.plex.count("edit")))
        works = any(pause.why is Why.WORKED for pause in pauses)
        shop.clock.advance(0.05 if works else min(1.0, max(0.05, *(pause.seconds for pause in pauses))))
        shop.recovery.tick()
    return arrived


def refuse(plex):
    threading.Thread(target=plex.stop).start()  # it cannot wait for its own requests


def with_fault(fault):
    return lambda plex: plex.faults.add(fault)


slow = pytest.mark.slow  # they all go the same way; `make prove` proves it
OUTAGES = [
    pytest.param(refuse, id="refused"),
    pytest.param(with_fault(faults.LOGIN_PAGE), id="web page"),
    pytest.param(with_fault(faults.UNAUTHORIZED), id="401"),
    pytest.param(with_fault(faults.MAINTENANCE), id="503", marks=slow),
    pytest.param(with_fault(faults.BAD_GATEWAY), id="502", marks=slow),
    pytest.param(with_fault(faults.SERVER_ERROR), id="500", marks=slow),
    pytest.param(with_fault(faults.HANG), id="hanging", marks=slow),
]


@pytest.mark.parametrize("scene_count", [SCENES + 20])  # some have no file
@pytest.mark.parametrize("outage", OUTAGES)
def test_three_hundred_jobs_survive_an_outage_in_the_middle(shop, outage):
    shop.configure(read_timeout=3)
    scenes = [one.id for one in shop.stash.library.scenes.values() if one.files][:SCENES]
    assert len(scenes) == SCENES
    for one in scenes:
        shop.edit(one, title=f"Title {one}")
    now = shop.clock.now()
    shop.queue.enqueue("scene", scenes, "test", now, due_at=now)
    shop.plex.after("edit", lambda: outage(shop.plex), nth=120)
    pass_time(shop, 120, until=shop.recovery.is_outage)
    assert shop.recovery.is_outage()
    before = shop.plex.count()
    pass_time(shop, OUTAGE_SECONDS)
    assert shop.plex.count() - before <= 3 * (OUTAGE_SECONDS / 60 + 1)  # a probe a minute, not a storm
    assert {job.attempts for job in shop.jobs().values()} <= {0}

    shop.plex.faults.clear()
    shop.plex.start()
    pass_time(shop, 400, until=lambda: not shop.recovery.is_outage())
    back_at = shop.recovery._limiter.snapshot().began_at
    before = shop.plex.count("edit")
    arrived = pass_time(shop, 400, until=lambda: not shop.jobs())

    assert [shop.item(one).title for one in scenes] == [f"Title {one}" for one in scenes]
    assert all(shop.record(one).state is SceneState.SYNCED for one in scenes)
    assert shop.letters() == {}
    assert len(shop.recovery.stats.snapshot().outages) == 1
    for moment, count in arrived:
        elapsed = moment - back_at
        assert count - before <= 5 * elapsed + 15 * elapsed**2 / 600 + 1
    assert 15 < arrived[-1][0] - back_at < 60  # some 180 jobs at 5 a second and a little more


def test_a_process_that_dies_in_the_outage_does_not_ask_plex_again_before_its_time(shop):
    shop.sync(1)
    shop.plex.faults.add(faults.MAINTENANCE)
    shop.clock.advance(60)
    shop.edit(1, title="Later")
    shop.sync(1)
    pass_time(shop, 30, until=shop.recovery.is_outage)
    before = shop.plex.count()
    for _ in range(10):
        shop.restart()
        pass_time(shop, 3)
    assert shop.plex.count() == before
    shop.plex.faults.clear()
    pass_time(shop, 120, until=lambda: not shop.jobs())
    assert shop.item(1).title == "Later"


def test_the_picture_lane_waits_with_the_other_and_uploads_once(shop):
    shop.configure(sync_poster=True, sync_background=True)
    shop.sync(1, 2, 3)
    shop.plex.faults.add(faults.BAD_GATEWAY)
    pass_time(shop, 180)
    assert shop.recovery.is_outage()
    assert {job.attempts for job in shop.jobs().values()} == {0}
    before = shop.plex.count()
    pass_time(shop, 300)
    assert shop.plex.count() - before <= 6 * 3
    shop.plex.faults.clear()
    pass_time(shop, 300, until=lambda: not shop.jobs())
    for one in (1, 2, 3):
        assert len(shop.plex.uploads(shop.key(one), "posters")) == len(shop.plex.uploads(shop.key(one), "arts")) == 1
    assert shop.letters() == {}


def test_a_token_that_works_again_is_noticed_although_the_server_answered_all_the_time(shop):
    shop.sync(1)
    token, shop.plex.world.identity.token = shop.plex.world.identity.token, "another"
    shop.clock.advance(60)
    shop.edit(1, title="Later")
    shop.sync(1)
    pass_time(shop, 660)
    assert "Set plex_token" in shop.trouble
    assert shop.item(1).title != "Later"
    shop.plex.world.identity.token = token
    pass_time(shop, 310, until=lambda: not shop.jobs())
    assert shop.item(1).title == "Later"


def test_a_token_that_is_typed_in_anew_is_tried_at_once(shop):
    shop.configure(plex_token="wrong-token")
    shop.sync(1)
    pass_time(shop, 10)
    assert shop.trouble
    shop.configure(plex_token=shop.plex.token)
    pass_time(shop, 10, until=lambda: not shop.jobs())
    assert shop.record(1).state is SceneState.SYNCED


def test_plex_is_asked_at_once_when_a_person_asks_for_it(shop):
    shop.sync(1)
    shop.plex.faults.add(faults.MAINTENANCE)
    shop.clock.advance(60)
    shop.edit(1, title="Later")
    shop.sync(1)
    pass_time(shop, 30, until=shop.recovery.is_outage)
    pass_time(shop, 3)
    shop.plex.faults.clear()
    shop.ledger.values.set(TRY_AT, str(shop.clock.now()))  # as Process Queue does
    pass_time(shop, 10, until=lambda: not shop.jobs())
    assert shop.item(1).title == "Later"


def test_a_server_that_was_replaced_on_purpose_is_taken_at_once_when_the_match_cache_is_cleared(shop):
    shop.configure(preserve_plex_edits=False)  # to a new server, what the old one was told is somebody's edit
    shop.sync(1)
    shop.plex.become_another_server()
    shop.clock.advance(60)
    shop.edit(1, title="Later")
    shop.sync(1)
    pass_time(shop, 10)
    assert "another Plex server answers" in shop.trouble
    forget_matches(shop.folder.target("plex").ledger, shop.clock.now())
    pass_time(shop, 10, until=lambda: not shop.jobs())
    assert shop.item(1).title == "Later"


# --- the newest edit wins ---------------------------------------------------------------------------------------------


def edit_and_tell(shop, title):
    shop.edit(1, title=title)
    shop.queue.enqueue("scene", [1], "edit", shop.clock.now(), due_at=0.0)


def test_of_two_edits_in_an_outage_the_newer_one_is_shown(shop):
    shop.sync(1)
    shop.plex.faults.add(faults.MAINTENANCE)
    shop.clock.advance(60)
    edit_and_tell(shop, "First")
    pass_time(shop, 90)
    edit_and_tell(shop, "Second")
    pass_time(shop, 90)
    shop.plex.faults.clear()
    pass_time(shop, 120, until=lambda: not shop.jobs())
    assert shop.item(1).title == "Second"


def test_an_edit_while_the_job_waits_for_its_retry_is_shown_and_the_older_is_not(shop):
    shop.sync(1)
    shop.plex.faults.add(faults.SERVER_ERROR, method="PUT", times=1)
    shop.forget_requests()
    edit_and_tell(shop, "First")
    shop.work()
    assert shop.jobs()["scene:1"].attempts == 1
    edit_and_tell(shop, "Second")
    pass_time(shop, 120, until=lambda: not shop.jobs())
    assert shop.item(1).title == "Second"
    assert [entry.params["title.value"] for entry in shop.writes()] == ["First", "Second"]  # the first one failed


def test_an_edit_during_the_drain_is_shown(shop):
    scenes = list(shop.stash.library.scenes)
    for one in scenes:
        shop.edit(one, title="First")
    shop.plex.after("edit", lambda: edit_and_tell(shop, "Second"), nth=1)  # its batch has been read already
    now = shop.clock.now()
    shop.queue.enqueue("scene", scenes, "test", now, due_at=now)
    pass_time(shop, 120, until=lambda: not shop.jobs())
    assert shop.item(1).title == "Second"
    assert {shop.item(one).title for one in scenes[1:]} == {"First"}


def test_an_edit_in_the_same_second_as_the_last_sync_is_shown(shop):
    shop.edit(1, title="First")
    shop.sync(1)
    assert shop.item(1).title == "First"
    shop.edit(1, title="Second")
    shop.sync(1)
    assert shop.item(1).title == "Second"
