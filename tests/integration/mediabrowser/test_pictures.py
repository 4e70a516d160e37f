"""Pictures: put up once, known by their tag, and no file of a person's is ever deleted."""

import pytest

from mediabrowser.connection import FileAnswer
from mediabrowser.pictures.files import MAX_BYTES, PictureType, tags_of
from model.errors import AnswerGarbled, ChangeRejected, ItemGone, OutcomeUnknown, TargetStarting
from sim.mediabrowser import faults
from sim.mediabrowser.faults import Fault
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.web.exchange import json_answer
from tests.integration.sim.mediabrowser_http import EMBY, Clock, png

PRIMARY, BACKDROP, THUMB = PictureType.PRIMARY, PictureType.BACKDROP, PictureType.THUMB


def test_a_picture_is_put_up_listed_and_read_back(start, flavour):
    server, made = start(flavour)
    item = server.item_ids()[0]
    for kind in PictureType:
        made.pictures.upload(item, kind, png(1, (30, 20)))
    pictures = made.pictures.list(item)
    assert {picture.type for picture in pictures} == set(PictureType)
    assert {(one.width, one.height, one.size) for one in pictures} == {(30, 20, len(png(1, (30, 20))))}
    assert made.pictures.download(item, PRIMARY) == FileAnswer(png(1, (30, 20)), "image/png")
    document = made.document(item)
    if flavour not in EMBY:
        assert tags_of(pictures, PRIMARY) == (document.image_tags["Primary"],)
        assert tags_of(pictures, BACKDROP) == document.backdrop_tags
    assert server.journal.counts()["upload"] == len(PictureType)


@pytest.mark.parametrize("content", [b"", b"<svg/>", b"GIF89a", b"\xff\xd8\xff" + b"x" * MAX_BYTES])
def test_what_is_no_picture_or_too_large_is_not_sent(start, content):
    server, made = start("jellyfin-12")
    made.server()
    with pytest.raises(ChangeRejected):
        made.pictures.upload(server.item_ids()[0], PRIMARY, content)
    assert server.count("upload") == 0


def test_a_lost_answer_does_not_double_a_backdrop(start, flavour):
    server, made = start(flavour)
    item = server.item_ids()[0]
    server.put_picture_by_person(item, "Backdrop", png(1))
    server.faults.add(faults.LOST_BY_RESET, kind="upload", times=1)
    made.pictures.upload(item, BACKDROP, png(2))
    assert server.pictures(item, "Backdrop") == [png(1), png(2)]
    assert server.count("upload") == 1


@pytest.mark.parametrize("fault", [faults.RESET, faults.DATABASE_LOCKED, faults.BAD_GATEWAY])
def test_an_upload_that_is_not_there_may_be_sent_again(start, flavour, fault):
    server, made = start(flavour)
    item = server.item_ids()[0]
    server.put_picture_by_person(item, "Backdrop", png(1))  # of the same size
    server.faults.add(fault, kind="upload", times=1)
    with pytest.raises(OutcomeUnknown) as error:
        made.pictures.upload(item, BACKDROP, png(2))
    assert error.value.applied is False
    made.pictures.upload(item, BACKDROP, png(2))
    assert server.pictures(item, "Backdrop") == [png(1), png(2)]


def test_if_looking_fails_too_nobody_knows(start):
    server, made = start("jellyfin-12")
    item = server.item_ids()[0]
    made.server()
    server.faults.add(faults.LOST_BY_RESET, kind="upload", times=1)
    server.faults.add(faults.STARTING, kind="pictures")
    with pytest.raises(OutcomeUnknown) as error:
        made.pictures.upload(item, BACKDROP, png(2))
    assert error.value.applied is None


def test_an_item_that_is_gone_is_gone(start, flavour):
    server, made = start(flavour)
    item = server.item_ids()[0]
    server.faults.add(faults.LOST_BY_RESET, kind="upload", times=1)
    server.after("upload", lambda: server.delete(item))
    with pytest.raises(ItemGone):
        made.pictures.upload(item, PRIMARY, png())
    with pytest.raises(ItemGone):
        made.pictures.upload(item, PRIMARY, png())


def test_trouble_that_kept_an_upload_from_beginning_is_told(start):
    server, made = start("jellyfin-12")
    made.server()
    server.faults.add(faults.STARTING, kind="upload", times=1)
    with pytest.raises(TargetStarting):
        made.pictures.upload(server.item_ids()[0], PRIMARY, png())
    server.faults.add(faults.status(413), kind="upload", times=1)
    with pytest.raises(ChangeRejected):
        made.pictures.upload(server.item_ids()[0], PRIMARY, png())
    server.faults.add(Fault("no list", json_answer({})), kind="pictures")
    with pytest.raises(AnswerGarbled):
        made.pictures.list(server.item_ids()[0])


def test_ours_goes_and_a_persons_stays(start, flavour):
    server, made = start(flavour)
    item = server.item_ids()[0]
    server.put_picture_by_person(item, "Backdrop", png(1))
    made.pictures.upload(item, BACKDROP, png(2))
    ours = made.document(item).backdrop_tags[1]
    server.put_picture_by_person(item, "Backdrop", png(3))
    assert made.pictures.delete(item, BACKDROP, ours)
    assert server.pictures(item, "Backdrop") == [png(1), png(3)]
    assert not made.pictures.delete(item, BACKDROP, ours)  # it is gone already
    made.pictures.upload(item, THUMB, png(4))
    assert made.pictures.delete(item, THUMB, made.document(item).image_tags["Thumb"])
    assert server.pictures(item, "Thumb") == []


def test_of_two_with_the_same_tag_neither_is_deleted(start):
    clock = Clock()
    server, made = start("jellyfin-12", clock=clock, quirks=Quirks(mtime_seconds=2.0))
    item = server.item_ids()[0]
    server.put_picture_by_person(item, "Backdrop", png(1))
    made.pictures.upload(item, BACKDROP, png(2))
    with pytest.raises(ChangeRejected, match="same tag"):
        made.pictures.delete(item, BACKDROP, made.document(item).backdrop_tags[1])
    assert server.pictures(item, "Backdrop") == [png(1), png(2)]
