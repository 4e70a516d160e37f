"""Pictures: put up once, shown, taken back so that what was there before is there again; nobody's file is deleted."""

import hashlib
import stat

import pytest

from model.change import FieldEdit, ItemChange
from model.errors import ChangeRejected, ItemGone, OutcomeUnknown
from model.item import Field
from model.picture import Picture, PictureKind, Standing
from sim.mediabrowser import faults
from sim.mediabrowser.quirks import Quirks
from tests.integration.sim.mediabrowser_http import png

POSTER, BACKGROUND, LANDSCAPE, BANNER = PictureKind
KINDS = [POSTER, BACKGROUND]
OURS, OTHER, THEIRS = png(1, (3, 2)), png(2, (3, 2)), png(3, (3, 2))


@pytest.fixture
def item_id(rig):
    return rig.sim.item_ids()[3]


def put(target, item_id, kind, content, ours=()):
    """Do as the engine does: read the item, look at what there is, upload, show; give the key it has then."""
    item = target.picture_details([item_id])[item_id]
    before = target.pictures(item_id, kind) if kind.is_shown_by(item) else []
    picture = target.upload_picture(item, kind, content, before, ours)
    if not picture.selected:
        picture = target.select_picture(item_id, kind, picture)
    return picture.key or new_key(target, item_id, kind, before)


def new_key(target, item_id, kind, before):
    target.picture_details([item_id])
    known = {one.key for one in before if one.selected}
    (key,) = [one.key for one in target.pictures(item_id, kind) if one.selected and one.key not in known]
    return key


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_is_put_up_and_shown(rig, item_id, kind):
    key = put(rig.target, item_id, kind, OURS)
    assert rig.shown_pictures(item_id, kind) == [OURS]
    assert Picture(key, selected=True) in [Picture(one.key, one.selected) for one in rig.target.pictures(item_id, kind)]
    assert kind.is_shown_by(rig.target.details_of(item_id))
    assert rig.target.shows_bytes(item_id, kind, Picture(key, selected=True), hashlib.sha1(OURS).hexdigest())
    assert not rig.target.shows_bytes(item_id, kind, Picture(key, selected=True), hashlib.sha1(OTHER).hexdigest())


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_bytes_are_not_sent_twice(rig, item_id, kind):
    first = put(rig.target, item_id, kind, OURS)
    item = rig.target.picture_details([item_id])[item_id]
    again = rig.another().upload_picture(item, kind, OURS, rig.target.pictures(item_id, kind), ())
    assert again.key == first
    assert rig.sim.count("upload") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_there_before_can_be_shown_again(rig, item_id, kind):
    rig.put_picture(item_id, kind, THEIRS)
    before = next(one.key for one in rig.target.pictures(item_id, kind) if one.selected)
    ours = put(rig.target, item_id, kind, OURS)
    assert OURS in rig.shown_pictures(item_id, kind)
    second = put(rig.target, item_id, kind, OTHER, [ours])
    assert OTHER in rig.shown_pictures(item_id, kind)
    assert OURS not in rig.shown_pictures(item_id, kind)
    if kind in rig.target.capabilities.stacked:
        rig.target.unset_picture(item_id, kind, Picture(second, selected=True))
    else:
        rig.target.select_picture(item_id, kind, Picture(before, selected=False))
    assert rig.shown_pictures(item_id, kind) == [THEIRS]


@pytest.mark.parametrize("kind", KINDS)
def test_where_none_was_none_is_shown_again(rig, item_id, kind):
    ours = put(rig.target, item_id, kind, OURS)
    rig.target.unset_picture(item_id, kind, Picture(ours, selected=True))
    assert rig.shown_pictures(item_id, kind) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_lost_answer_does_not_send_it_twice(rig, item_id, kind):
    rig.put_picture(item_id, kind, THEIRS)
    uploads = rig.sim.count("upload")
    rig.sim.faults.add(faults.LOST_BY_RESET, kind="upload", times=1)
    put(rig.target, item_id, kind, OURS)
    assert rig.sim.count("upload") == uploads + 1
    assert rig.shown_pictures(item_id, kind).count(OURS) == 1


def test_what_did_not_arrive_is_not_sent_again_unseen(rig, item_id):
    item = rig.target.picture_details([item_id])[item_id]
    rig.sim.faults.add(faults.RESET, kind="upload", times=1)
    with pytest.raises(OutcomeUnknown):
        rig.target.upload_picture(item, POSTER, OURS, [], ())


def test_what_is_no_picture_is_refused_by_name(rig, item_id):
    item = rig.target.picture_details([item_id])[item_id]
    with pytest.raises(ChangeRejected) as error:
        rig.target.upload_picture(item, BACKGROUND, b"", [], ())
    assert error.value.fields == ("art",)


def test_an_item_that_is_gone_is_gone(rig, item_id):
    item = rig.target.picture_details([item_id])[item_id]
    rig.sim.delete(item_id)
    with pytest.raises(ItemGone):
        rig.target.upload_picture(item, POSTER, OURS, [], ())
    assert rig.target.picture_details([item_id]) == {}


# --- Emby and Jellyfin -----------------------------------------------------------------------------------------------


def test_a_film_has_a_wide_card_and_a_video_has_none(start, flavour):
    rig = start(flavour, scenes_type="movies")
    film, clip = rig.sim.item_ids("Scenes")[0], rig.sim.item_ids("Clips")[0]
    items = rig.target.picture_details([film, clip])
    has = rig.target.capabilities.has
    assert has(LANDSCAPE, items[film].type)
    assert not has(LANDSCAPE, items[clip].type) or rig.whole(clip)["Type"] == "Movie"
    assert all(has(BANNER, one.type) for one in items.values())
    for kind in PictureKind:
        put(rig.target, film, kind, OURS)
    types = {one["Type"] for one in rig.whole(film)["Pictures"]}
    assert types == {"Primary", "Backdrop", "Thumb", "Banner"}


def test_backdrops_of_others_stay_in_their_places(start, flavour):
    rig = start(flavour)
    item_id = rig.sim.item_ids()[3]
    rig.put_picture(item_id, BACKGROUND, THEIRS)
    ours = put(rig.target, item_id, BACKGROUND, OURS)
    rig.put_picture(item_id, BACKGROUND, png(9))
    second = put(rig.target, item_id, BACKGROUND, OTHER, [ours])
    assert rig.shown_pictures(item_id, BACKGROUND) == [THEIRS, png(9), OTHER]
    rig.target.unset_picture(item_id, BACKGROUND, Picture(second, selected=True))
    assert rig.shown_pictures(item_id, BACKGROUND) == [THEIRS, png(9)]
    rig.target.unset_picture(item_id, BACKGROUND, Picture(second, selected=True))  # it is gone already
    assert rig.shown_pictures(item_id, BACKGROUND) == [THEIRS, png(9)]


@pytest.mark.parametrize("fault", [faults.LOST_BY_RESET, faults.RESET])
def test_a_picture_that_was_to_go_is_looked_for_after_a_lost_answer(start, flavour, fault):
    rig = start(flavour)
    item_id = rig.sim.item_ids()[3]
    ours = Picture(put(rig.target, item_id, BACKGROUND, OURS), selected=True)
    rig.sim.faults.add(fault, kind="delete picture", times=1)
    if fault is faults.LOST_BY_RESET:
        rig.target.unset_picture(item_id, BACKGROUND, ours)
        assert rig.shown_pictures(item_id, BACKGROUND) == []
    else:
        with pytest.raises(OutcomeUnknown):
            rig.target.unset_picture(item_id, BACKGROUND, ours)
        assert rig.shown_pictures(item_id, BACKGROUND) == [OURS]


def test_a_poster_beside_the_video_that_would_be_overwritten_is_left_alone(start, flavour):
    rig = start(flavour)
    item_id = rig.sim.item_ids()[3]
    rig.sim.library("Scenes").options["SaveLocalMetadata"] = True
    rig.sim.put_picture_beside(item_id, "Primary", THEIRS)
    item, before = rig.target.picture_details([item_id])[item_id], rig.target.pictures(item_id, POSTER)
    assert rig.target.standing_picture(item, POSTER, OURS, before, ()) is Standing.LOCAL_FILE
    assert rig.target.standing_picture(item, POSTER, THEIRS, before, ()) is Standing.SAME
    with pytest.raises(ChangeRejected, match="beside the video"):
        rig.target.upload_picture(item, POSTER, OURS, before, ())
    assert (rig.sim.count("upload"), rig.shown_pictures(item_id, POSTER)) == (0, [THEIRS])


@pytest.mark.parametrize("content", [b"GIF89a" + b"hers" * 10, b"RIFF....WEBP" + b"hers", b"whatever it is"])
def test_what_was_there_is_put_back_whatever_it_is(start, flavour, content):
    rig = start(flavour)
    item_id = rig.sim.item_ids()[3]
    rig.put_picture(item_id, POSTER, content)
    (before,) = rig.target.pictures(item_id, POSTER)
    put(rig.target, item_id, POSTER, OURS)
    rig.target.select_picture(item_id, POSTER, Picture(before.key, selected=False))
    assert rig.shown_pictures(item_id, POSTER) == [content]


@pytest.mark.parametrize("kind", [POSTER, BACKGROUND])
def test_the_same_bytes_of_somebody_else_are_told_from_ours(start, flavour, kind):
    rig = start(flavour)
    item_id = rig.sim.item_ids()[3]
    rig.put_picture(item_id, kind, OURS)
    item, before = rig.target.picture_details([item_id])[item_id], rig.target.pictures(item_id, kind)
    assert rig.target.standing_picture(item, kind, OURS, before, ()) is Standing.SAME
    assert rig.target.standing_picture(item, kind, OURS, before, [before[0].key]) is None
    assert rig.target.standing_picture(item, kind, OTHER, before, ()) is None


def test_a_poster_is_saved_before_ours_takes_its_place(start, flavour, tmp_path):
    rig = start(flavour)
    item_id = rig.sim.item_ids()[3]
    rig.sim.put_picture_beside(item_id, "Primary", THEIRS)
    put(rig.target, item_id, POSTER, OURS)
    assert THEIRS in rig.sim.picture_files.values()
    (saved,) = [path for path in tmp_path.rglob("pictures/*/[!.]*") if path.is_file()]
    assert saved.read_bytes() == THEIRS
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert stat.S_IMODE(saved.parent.stat().st_mode) == 0o700


def test_ours_is_not_saved_when_it_is_replaced(start, flavour, tmp_path):
    rig = start(flavour)
    item_id = rig.sim.item_ids()[3]
    first = put(rig.target, item_id, POSTER, OURS)
    put(rig.target, item_id, POSTER, OTHER, [first])
    assert not [path for path in tmp_path.rglob("pictures/*/*") if path.is_file()]
    with pytest.raises(ChangeRejected):
        rig.target.select_picture(item_id, POSTER, Picture(first, selected=False))


def test_a_picture_costs_one_upload_and_a_share_of_the_reads(start, flavour):
    rig = start(flavour)
    ids = rig.sim.item_ids()[:20]
    rig.target.identify()
    rig.target.libraries()
    rig.sim.journal.clear()
    items = rig.target.picture_details(ids)
    for item in items.values():
        for kind in KINDS:
            rig.target.upload_picture(item, kind, OURS, [], ())
    rig.target.lock_all(list(items.values()), ["thumb", "art"])
    shown = rig.target.picture_details(ids)
    assert all(kind.is_shown_by(one) for one in shown.values() for kind in KINDS)
    counts = rig.sim.journal.counts()
    assert counts.pop("upload") == 2 * len(ids)
    assert sum(counts.values()) <= 4  # twice the items; once the libraries, and what paths the server substitutes


def test_an_edit_after_an_upload_is_no_edit_of_somebody(start, flavour):
    rig = start(flavour)
    item_id = rig.sim.item_ids()[3]
    shown = rig.target.details_of(item_id)
    put(rig.target, item_id, POSTER, OURS)
    rig.target.edit(ItemChange(shown, (FieldEdit(Field.TITLE, "Ours"),)))
    assert rig.shown_pictures(item_id, POSTER) == [OURS]


def test_a_server_that_stores_other_bytes_is_not_sent_a_backdrop_twice_either(start, flavour):
    rig = start(flavour, quirks=Quirks(reencodes_pictures=True))
    item_id = rig.sim.item_ids()[3]
    rig.put_picture(item_id, BACKGROUND, THEIRS)
    rig.sim.faults.add(faults.LOST_BY_RESET, kind="upload", times=1)
    put(rig.target, item_id, BACKGROUND, OURS)
    assert rig.shown_pictures(item_id, BACKGROUND) == [THEIRS, OURS]
    rig.sim.faults.add(faults.RESET, kind="upload", times=1)
    with pytest.raises(OutcomeUnknown):
        put(rig.target, rig.sim.item_ids()[4], BACKGROUND, OURS)


def test_what_is_shown_already_is_not_put_up_again(start, flavour):
    rig = start(flavour)
    item_id = rig.sim.item_ids()[3]
    key = put(rig.target, item_id, POSTER, OURS)
    assert rig.target.select_picture(item_id, POSTER, Picture(key, selected=False)) == Picture(key, selected=True)
    assert rig.sim.count("upload") == 1
    assert not rig.target.shows_bytes(item_id, POSTER, Picture("gone", selected=True), "0" * 40)


def test_if_looking_fails_too_nobody_knows(start, flavour):
    rig = start(flavour, held=False)
    item_id = rig.sim.item_ids()[3]
    ours = Picture(put(rig.target, item_id, BACKGROUND, OURS), selected=True)
    rig.sim.faults.add(faults.LOST_BY_RESET, kind="delete picture", times=1)
    kind = "single" if rig.target.name == "Emby" else "details"
    rig.sim.faults.add(faults.STARTING, kind="details", skip=0 if kind == "single" else 1)
    with pytest.raises(OutcomeUnknown) as error:
        rig.target.unset_picture(item_id, BACKGROUND, ours)
    assert error.value.applied is None
