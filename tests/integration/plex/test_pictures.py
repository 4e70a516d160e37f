"""A picture is uploaded once in its life."""

import hashlib

import pytest

from model.errors import ChangeRejected, ItemGone, Kind, OutcomeUnknown, TargetBusy, TargetStarting
from model.picture import PictureKind
from plex.pictures import MAX_BYTES
from sim.plex import faults

JPEG = b"\xff\xd8\xff\xe0" + b"picture" * 100
OTHER = b"\xff\xd8\xff\xe0" + b"another" * 100
KINDS = pytest.mark.parametrize(
    ("kind", "wall"), [(PictureKind.POSTER, "posters"), (PictureKind.BACKGROUND, "arts")], ids=["poster", "background"]
)


@pytest.fixture
def key(sim):
    return sim.item_ids()[3]


def upload(client, key, kind, data):
    return client.upload_picture(client.details_of(key), kind, data, client.pictures(key, kind))


@KINDS
def test_an_upload_is_kept_and_shown(sim, client, key, kind, wall):
    picture = upload(client, key, kind, JPEG)
    assert picture.is_upload_of(hashlib.sha1(JPEG).hexdigest())
    assert picture.selected
    assert list(sim.uploads(key, wall).values()) == [JPEG]
    assert picture in client.pictures(key, kind)


@KINDS
def test_the_same_bytes_are_not_sent_twice(sim, client, key, kind, wall):
    first = upload(client, key, kind, JPEG)
    assert upload(client, key, kind, JPEG) == first
    assert sim.count("upload") == 1


@KINDS
def test_an_upload_that_is_not_shown_can_be_selected(sim, client, key, kind, wall):
    sim.quirks.upload_selects = "first"
    upload(client, key, kind, JPEG)
    second = upload(client, key, kind, OTHER)
    assert not second.selected
    client.select_picture(key, kind, second)
    assert [picture.key for picture in client.pictures(key, kind) if picture.selected] == [second.key]


@pytest.mark.parametrize("fault", [faults.LOST_BY_RESET, faults.LOST_BY_HANG], ids=lambda fault: fault.name)
def test_an_upload_whose_answer_was_lost_is_found_and_not_repeated(sim, client, key, fault, monkeypatch):
    client._pictures._upload_timeouts = (2, 0.5)
    sim.faults.add(fault, kind="upload")
    assert upload(client, key, PictureKind.POSTER, JPEG).selected
    assert (sim.count("upload"), len(sim.uploads(key))) == (1, 1)


@pytest.mark.parametrize("fault", [faults.RESET, faults.GATEWAY_TIMEOUT], ids=lambda fault: fault.name)
def test_an_upload_that_did_not_arrive_is_unknown_and_not_repeated(sim, client, key, fault):
    sim.faults.add(fault, kind="upload")
    with pytest.raises(OutcomeUnknown) as caught:
        upload(client, key, PictureKind.POSTER, JPEG)
    assert (caught.value.applied, sim.count("upload")) == (False, 1)


def test_an_upload_the_server_refused_for_now_is_told(sim, client, key):
    sim.faults.add(faults.MAINTENANCE, kind="upload")
    sim.faults.add(faults.TOO_MANY, kind="select")
    with pytest.raises(TargetStarting):
        upload(client, key, PictureKind.POSTER, JPEG)
    with pytest.raises(TargetBusy):
        client.select_picture(key, PictureKind.POSTER, client.pictures(key, PictureKind.POSTER)[0])
    assert (sim.count("upload"), sim.count("select")) == (1, 1)


def test_an_upload_nobody_can_look_after_is_unknown(sim, client, key):
    sim.faults.add(faults.LOST_BY_RESET, kind="upload")
    sim.faults.add(faults.MAINTENANCE, kind="pictures", skip=1)
    with pytest.raises(OutcomeUnknown) as caught:
        upload(client, key, PictureKind.POSTER, JPEG)
    assert caught.value.applied is None


def test_a_choice_whose_answer_was_lost_is_looked_after(sim, client, key):
    sim.quirks.upload_selects = "first"
    upload(client, key, PictureKind.POSTER, JPEG)
    second = upload(client, key, PictureKind.POSTER, OTHER)
    sim.faults.add(faults.RESET, kind="select", times=1)
    with pytest.raises(OutcomeUnknown):
        client.select_picture(key, PictureKind.POSTER, second)
    sim.faults.add(faults.LOST_BY_RESET, kind="select", times=1)
    client.select_picture(key, PictureKind.POSTER, second)
    assert sim.count("select") == 2


@pytest.mark.parametrize("size", [0, MAX_BYTES + 1])
def test_a_picture_of_a_size_plex_cannot_take_is_not_sent(sim, client, key, size):
    with pytest.raises(ChangeRejected) as caught:
        upload(client, key, PictureKind.POSTER, b"x" * size)
    assert (caught.value.kind, caught.value.fields, sim.count("upload")) == (Kind.TOO_LONG, ("thumb",), 0)


def test_a_refused_upload_names_its_picture(sim, client, key):
    sim.faults.add(faults.status(413), kind="upload")
    with pytest.raises(ChangeRejected) as caught:
        upload(client, key, PictureKind.BACKGROUND, JPEG)
    assert (caught.value.status, caught.value.fields) == (413, ("art",))


# None at all


@KINDS
def test_a_picture_is_taken_away_and_stays_on_the_shelf(sim, client, key, kind, wall):
    picture = upload(client, key, kind, JPEG)
    client.unset_picture(key, kind, picture)
    assert not any(one.selected for one in client.pictures(key, kind))
    assert kind.value in sim.item(key).locks
    assert list(sim.uploads(key, wall).values()) == [JPEG]


@pytest.mark.parametrize(
    "fault", [faults.status(400), faults.status(404), faults.status(405)], ids=lambda one: one.name
)
def test_a_server_that_cannot_take_a_picture_away_is_told_by_what_it_shows(sim, client, key, fault):
    picture = upload(client, key, PictureKind.BACKGROUND, JPEG)
    sim.faults.add(fault, method="DELETE")
    with pytest.raises(ChangeRejected) as caught:
        client.unset_picture(key, PictureKind.BACKGROUND, picture)
    assert (caught.value.status, caught.value.fields) == (fault.answer.status, ("art",))
    assert sim.item(key).art == picture.key


def test_a_picture_of_an_item_that_is_gone_is_not_what_the_server_cannot_do(sim, client, key):
    picture = upload(client, key, PictureKind.BACKGROUND, JPEG)
    sim.delete(key)
    with pytest.raises(ItemGone):
        client.unset_picture(key, PictureKind.BACKGROUND, picture)


@pytest.mark.parametrize("fault", [faults.LOST_BY_RESET, faults.RESET], ids=lambda one: one.name)
def test_a_removal_whose_answer_was_lost_is_looked_for(sim, client, key, fault):
    picture = upload(client, key, PictureKind.BACKGROUND, JPEG)
    sim.faults.add(fault, method="DELETE", times=1)
    if fault is faults.LOST_BY_RESET:
        client.unset_picture(key, PictureKind.BACKGROUND, picture)
        assert sim.item(key).art == ""
    else:
        with pytest.raises(OutcomeUnknown):
            client.unset_picture(key, PictureKind.BACKGROUND, picture)
