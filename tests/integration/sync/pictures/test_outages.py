"""A Plex that is well but for pictures: words go on, pictures wait, and nobody storms it."""

import pytest

from sim.plex import faults
from sim.stash.library.pictures import png
from sync.outage.circuit import PROBE_EVERY_SECONDS
from tests.integration.sync.pictures.test_pictures import posts, upload_key, uploads

SCENE, OTHER = 1, 2
REFUSALS = [faults.SERVER_ERROR, faults.FORBIDDEN, faults.BAD_GATEWAY, faults.RESET, faults.LOGIN_PAGE]


@pytest.fixture
def shop(shop):
    shop.configure(sync_poster=True, sync_background=True)
    return shop


@pytest.fixture(params=REFUSALS, ids=lambda fault: fault.name)
def refusing(shop, request):
    """Everything is synced but the pictures, which Plex does not take."""
    shop.plex.faults.add(request.param, kind="upload")
    shop.sync_all()
    shop.pictures()
    return shop


def test_a_plex_that_refuses_only_uploads_is_not_down_and_shows_words_at_once(refusing):
    refusing.work_for(300)
    assert refusing.trouble is None
    assert refusing.recovery.breaker.snapshot().strikes == 0
    refusing.edit(SCENE, title="Typed meanwhile")
    refusing.save(SCENE)
    assert refusing.item(SCENE).title == "Typed meanwhile"


def test_no_picture_is_given_up_and_plex_is_not_stormed(refusing):
    refusing.forget_requests()
    minutes = 120
    refusing.work_for(minutes * 60, every=10)
    assert len(posts(refusing)) <= minutes
    assert refusing.letters() == {}
    assert len(refusing.jobs()) >= len([SCENE, OTHER])


def test_pictures_come_by_themselves_when_plex_takes_them_again(refusing):
    refusing.work_for(600)
    assert "takes no pictures" in refusing.picture_recovery.sentence
    refusing.plex.faults.clear()
    refusing.work_for(1200)
    assert refusing.picture_recovery.sentence is None
    assert {uploads(refusing, one) for one in (SCENE, OTHER)} == {2}
    assert not [key for key in refusing.jobs() if key in (f"picture:{SCENE}", f"picture:{OTHER}")]


def test_what_a_person_changes_has_pictures_tried_at_once(refusing):
    refusing.plex.faults.clear()
    refusing.pictures()
    assert uploads(refusing) == 0
    refusing.ledger.values.set("asked_to_try_at", "now")
    refusing.clock.advance(PROBE_EVERY_SECONDS / 10)
    refusing.pictures()
    assert uploads(refusing) == 2


def test_one_picture_that_plex_always_refuses_is_given_up_and_holds_up_no_other(shop):
    shop.sync_all()
    shop.plex.faults.add(faults.BAD_GATEWAY, kind="upload", path=f"*/{shop.key(SCENE)}/*")
    shop.pictures()
    shop.work_for(1800)
    assert list(shop.letters()) == [f"picture:{SCENE}"]
    assert uploads(shop, OTHER) == 2
    assert shop.trouble is None
    assert shop.picture_recovery.sentence is None


def test_an_outage_that_a_picture_meets_first_is_an_outage_and_costs_no_try(shop):
    shop.sync(SCENE)
    shop.plex.faults.add(faults.MAINTENANCE)
    shop.pictures()
    assert "Plex is down" in shop.trouble
    assert shop.jobs()[f"picture:{SCENE}"].attempts == 0
    shop.plex.faults.clear()
    shop.work_for(300)
    assert shop.item(SCENE).poster == upload_key(png(f"scene {SCENE} 1"))
