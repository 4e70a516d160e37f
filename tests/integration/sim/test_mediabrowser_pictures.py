"""The simulated Emby and Jellyfin: pictures, which are files, and lists that close up."""

import base64

import pytest

from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.world.updating.disasters import DisasterKind
from tests.integration.sim.mediabrowser_http import EMBY, JELLYFIN, Clock, connected, png, serving


def kinds(server):
    found = [disaster.kind for disaster in server.disasters]
    server.disasters.clear()
    return found


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_picture_goes_up_as_base64_and_comes_down_as_it_was_to_anybody(flavour):
    with serving(flavour) as server, connected(server) as api:
        item = server.item_ids()[0]
        assert api.upload(item, "Primary", png(7, (30, 20))).status_code == 204
        with connected(server, token="none") as stranger:
            shown = stranger.get(f"/Items/{item}/Images/Primary")
        assert (shown.content, shown.headers["Content-Type"]) == (png(7, (30, 20)), "image/png")
        (entry,) = api.json(f"/Items/{item}/Images")
        assert (entry["ImageType"], entry["Width"], entry["Height"]) == ("Primary", 30, 20)
        assert entry["Size"] == len(png(7, (30, 20)))
        assert entry.get("ImageTag") == (None if flavour in EMBY else api.item(item)["ImageTags"]["Primary"])
        server.quirks.reencodes_pictures = True
        assert api.get(f"/Items/{item}/Images/Primary").content != png(7, (30, 20))


@pytest.mark.parametrize("flavour", JELLYFIN)
def test_jellyfin_looks_at_the_content_type(flavour):
    with serving(flavour) as server, connected(server) as api:
        item = server.item_ids()[0]
        for media_type in (None, "image/*", "application/octet-stream"):
            assert api.upload(item, "Primary", png(), media_type=media_type).status_code == 400
        assert api.upload(item, "Primary", png(), media_type="image/jpeg; charset=utf-8").status_code == 204


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_raw_bytes_are_a_500_and_broken_pictures_are_welcome(flavour):
    with serving(flavour) as server, connected(server) as api:
        item = server.item_ids()[0]
        raw = {"data": png(), "headers": {"Content-Type": "image/png"}}
        assert api.send("POST", f"/Items/{item}/Images/Primary", **raw).status_code == 500
        prefixed = b"data:image/png;base64," + base64.b64encode(png())
        prefixed = {"data": prefixed, "headers": {"Content-Type": "image/png"}}
        assert api.send("POST", f"/Items/{item}/Images/Primary", **prefixed).status_code == 500
        assert api.upload(item, "Primary", b"no picture at all").status_code == 204
        (entry,) = api.json(f"/Items/{item}/Images")
        assert not entry.keys() & {"Width", "Height"}
        assert api.upload(item, "Poster", png()).status_code == 400


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_single_type_replaces_and_a_backdrop_is_appended_with_an_index_too(flavour):
    with serving(flavour) as server, connected(server) as api:
        item = server.item_ids()[0]
        for number in (1, 2):
            api.upload(item, "Primary", png(number))
            api.upload(item, "Backdrop", png(number))
        api.upload(item, "Backdrop", png(3), place="/0")
        assert server.pictures(item) == [png(2)]
        assert server.pictures(item, "Backdrop") == [png(1), png(2), png(3)]
        assert len(api.item(item)["BackdropImageTags"]) == 3
        if flavour in EMBY:
            server.quirks.honours_image_index = True
            api.upload(item, "Backdrop", png(4), place="?Index=1")
            assert server.pictures(item, "Backdrop") == [png(1), png(4), png(3)]


def test_an_upload_repeated_after_a_lost_answer_doubles_the_backdrop():
    with serving("jellyfin-12") as server, connected(server) as api:
        item = server.item_ids()[0]
        for _ in range(2):
            api.upload(item, "Backdrop", png())
        assert kinds(server) == [DisasterKind.BACKDROP_DOUBLED]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_deleting_upwards_takes_every_second_one(flavour):
    with serving(flavour) as server, connected(server) as api:
        item = server.item_ids()[0]
        for number in range(5):
            api.upload(item, "Backdrop", png(number))
        for index in range(5):
            assert api.delete(f"/Items/{item}/Images/Backdrop/{index}").status_code == 204  # also where none is left
        assert server.pictures(item, "Backdrop") == [png(1), png(3)]
        assert len(server.picture_files) == 2
        missing = "9999999" if flavour in EMBY else "f" * 32
        assert api.delete(f"/Items/{missing}/Images/Backdrop/0").status_code == 404
        if flavour in EMBY:
            assert api.post(f"/Items/{item}/Images/Backdrop/1/Delete").status_code == 204
            assert api.post(f"/Items/{item}/Images/Backdrop/Delete", Index=0).status_code == 204
            assert server.pictures(item, "Backdrop") == []


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_deleting_a_picture_deletes_the_file_beside_the_video(flavour):
    with serving(flavour) as server, connected(server) as api:
        item = server.item_ids()[0]
        poster = server.put_picture_beside(item, "Primary", png(1))
        assert poster.path in server.picture_files
        api.delete(f"/Items/{item}/Images/Primary")
        assert poster.path not in server.picture_files
        assert kinds(server) == [DisasterKind.PICTURE_DELETED]


def test_replacing_a_persons_picture_unread_is_a_loss():
    with serving("jellyfin-12") as server, connected(server) as api:
        item = server.item_ids()[0]
        server.put_picture_by_person(item, "Primary", png(1))
        api.upload(item, "Primary", png(2))
        assert kinds(server) == [DisasterKind.PICTURE_LOST]
        server.put_picture_by_person(item, "Primary", png(3))
        api.get(f"/Items/{item}/Images/Primary")
        api.upload(item, "Primary", png(4))
        server.put_picture_by_provider(item, "Thumb", png(5))
        api.upload(item, "Thumb", png(6))
        assert kinds(server) == []


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_tag_is_of_the_moment_and_says_nothing_of_the_content(flavour):
    clock = Clock()
    with serving(flavour, clock=clock) as server, connected(server) as api:
        item = server.item_ids()[0]

        def tag():
            return api.item(item)["ImageTags"]["Primary"]

        api.upload(item, "Primary", png(1))
        first = tag()
        assert tag() == first
        api.upload(item, "Primary", png(1))
        assert tag() != first  # the same picture, another tag
        server.quirks.mtime_seconds = 2.0
        api.upload(item, "Primary", png(1))
        coarse = tag()
        clock.wait(1)
        api.upload(item, "Primary", png(2))
        assert tag() == coarse  # another picture, the same tag: the disk's clock is coarse


def test_pictures_are_written_beside_the_videos_where_the_library_says_so():
    with serving("jellyfin-12") as server, connected(server) as api:
        server.add_library("Local", ["/data/local"], SaveLocalMetadata=True)
        item = server.add_item("/data/local/one.mp4", library="Local")
        api.upload(item, "Primary", png())
        api.upload(item, "Backdrop", png())
        api.upload(server.item_ids()[0], "Primary", png())
        paths = sorted(server.picture_files)
        assert paths[0].startswith("/config/metadata/library/")
        assert paths[1:] == ["/data/local/one-fanart.png", "/data/local/one-poster.png"]


def test_a_picture_file_of_a_persons_wins_again_at_the_next_scan():
    clock = Clock()
    with serving("jellyfin-12", clock=clock) as server, connected(server) as api:
        item = server.item_ids()[0]
        server.put_picture_beside(item, "Primary", png(1))
        api.get(f"/Items/{item}/Images/Primary")
        api.upload(item, "Primary", png(2))
        assert server.pictures(item) == [png(2)]
        server.start_scan()
        clock.wait(1)
        assert server.pictures(item) == [png(1)]


def test_early_versions_of_10_11_drop_backdrops_that_lie_beside_the_video():
    for version, left in (("10.11.4", 0), ("10.11.5", 1)):
        clock = Clock()
        with serving("jellyfin-10.11", version=version, clock=clock) as server:
            item = server.item_ids()[0]
            server.put_picture_beside(item, "Backdrop", png(1))
            server.start_scan()
            clock.wait(1)
            assert len(server.pictures(item, "Backdrop")) == left


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_person_has_one_picture_for_all_items(flavour):
    with serving(flavour) as server, connected(server) as api:
        one, other, *_ = server.item_ids()
        server.edit_by_person(one, People=["Ann Lee"])
        server.edit_by_person(other, People=["ANN LEE"])
        person = api.item(one)["People"][0]["Id"]
        assert api.item(other)["People"][0]["Id"] == person
        assert api.upload(person, "Primary", png()).status_code == 204
        assert api.item(other)["People"][0]["PrimaryImageTag"]


def test_the_size_of_a_jpeg_is_read_too():
    jpeg = b"\xff\xd8\xff\xe0\x00\x04JF\xff\xc0\x00\x0b\x08\x00\x14\x00\x1e\x01\x01\x11\x00\xff\xd9"
    with serving("jellyfin-12", quirks=Quirks(compresses=False)) as server, connected(server) as api:
        item = server.item_ids()[0]
        api.upload(item, "Primary", jpeg, media_type="image/jpeg")
        (entry,) = api.json(f"/Items/{item}/Images")
        assert (entry["Width"], entry["Height"]) == (30, 20)
        api.upload(item, "Primary", b"\xff\xd8\xff", media_type="image/jpeg")
        assert "Width" not in api.json(f"/Items/{item}/Images")[0]
