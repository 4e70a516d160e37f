"""What pictures cost: how often each server is asked, for how many scenes, whatever the habits of the server."""

import pytest

from sim.stash.library.pictures import png
from stash.client import StashClient
from sync.batch_time import FRESH_SECONDS
from tests.integration.sync.pictures.test_pictures import KINDS, SCENE, posts, upload_key, uploads


@pytest.fixture
def scene_count():
    return 45


@pytest.fixture
def shop(shop):
    """All of it in Plex, each scene with a cover."""
    for scene in list(shop.stash.library.scenes.values()):
        scene.cover_version = max(scene.cover_version, 1)
        if not scene.files:
            del shop.stash.library.scenes[scene.id]
    shop.configure(sync_poster=True, sync_background=True)
    return shop


def show_both(shop):
    """Let items show both pictures before we come, as those of an agent do; its casts are not what is meant here."""
    shop.plex.section("Scenes").agent = "tv.plex.agents.movie"
    shop.configure(sync_performers=False)


def show_none(shop):
    """Let items show nothing yet."""
    with shop.plex.world.lock:
        for key in shop.plex.item_ids():
            shop.plex.world.pictures.unset(shop.plex.world.library.item(int(key)), "posters")
            shop.plex.lock(key, "thumb", locked=False)


STARTS = {"both shown before": (show_both, 6), "a frame": (lambda _: None, 5), "nothing yet": (show_none, 4)}


@pytest.mark.parametrize(("start", "most"), STARTS.values(), ids=STARTS)
def test_a_first_sync_asks_plex_so_often_for_a_scene(shop, start, most):
    start(shop)
    shop.sync(SCENE)  # the index and the path map are there before us
    shop.pictures()
    scenes = [one for one in shop.stash.library.scenes if one != SCENE]
    shop.forget_requests()
    shop.sync(*scenes)
    shop.pictures()
    assert {uploads(shop, one) for one in scenes} == {2}
    assert all({"thumb", "art"} <= shop.item(one).locks for one in scenes)
    assert len(shop.plex.requests) <= most * len(scenes)
    assert shop.plex.disasters == []


def test_stash_is_asked_once_for_a_batch_of_scenes_and_once_for_a_cover(shop):
    shop.sync_all()
    shop.stash.requests.clear()
    shop.pictures()
    covers = {f"/scene/{scene_id}/screenshot" for scene_id in shop.stash.library.scenes}
    assert shop.stash.requests == dict.fromkeys({"ScenesByIds", *covers}, 1)


@pytest.mark.parametrize("selects", ["always", "first"])
@pytest.mark.parametrize("digest", ["sha1", "own"])
@pytest.mark.parametrize("several", [True, False], ids=["several ids", "one id"])
@pytest.mark.parametrize("locks", [True, False], ids=["locks itself", "does not lock"])
def test_whatever_the_servers_habits_every_picture_is_shown_and_locked(shop, selects, digest, several, locks):
    quirks = shop.plex.quirks
    quirks.upload_selects, quirks.upload_digest, quirks.edits_several = selects, digest, several
    quirks.upload_locks = locks
    for round_ in ("first", "second"):
        if round_ == "second":
            for scene_id in (1, 2, 3):
                shop.upload_cover(scene_id, png(f"second {scene_id}"))
        shop.sync_all()
        shop.pictures()
        for scene_id, scene in shop.stash.library.scenes.items():
            item = shop.item(scene_id)
            uploaded = library_cover(shop, scene)
            assert {"thumb", "art"} <= item.locks
            for (kind, _), shown in zip(KINDS, (item.poster, item.art), strict=True):
                assert shop.plex.uploads(item.item_id, kind)[shown] == uploaded
    assert len(posts(shop)) == 2 * (len(shop.stash.library.scenes) + 3)
    assert (shop.jobs(), shop.letters()) == ({}, {})


def library_cover(shop, scene):
    key = ("scene", scene.id, scene.cover_version)
    return shop.stash.library.uploaded.get(key) or png(f"scene {scene.id} {scene.cover_version}")


def test_an_episode_whose_uploads_are_named_otherwise_is_looked_at_each_time(shop):
    """Their names carry season and episode, so they are not foreseen."""
    shows = shop.plex.world.library.sections
    assert "TV Shows" in {section.title for section in shows.values()}
    shop.configure(plex_library="")
    episodes = shop.plex.item_ids("TV Shows", "episode")[:3]
    scenes = []
    for number, key in enumerate(episodes):
        path = shop.plex.item(key).files[0]
        scenes.append(
            shop.stash.events.scan_new_file(path, size=shop.plex.world.library.items[int(key)].parts[0].size).id
        )
        shop.upload_cover(scenes[-1], png(f"episode {number}"))
        shop.edit(scenes[-1], title=f"Episode {number}")
    shop.sync_all()
    shop.pictures()
    for number, key in enumerate(episodes):
        assert shop.plex.uploads(key)[shop.plex.item(key).poster] == png(f"episode {number}")
        assert shop.ledger.pictures.get(scenes[number], "thumb").key == shop.plex.item(key).poster


def test_what_was_read_long_ago_is_read_again_before_it_is_written_over(shop, monkeypatch):
    """A person chooses a poster while Stash takes its time to send the cover."""
    shop.sync_all()
    _, second, *_ = (int(key.removeprefix("picture:")) for key in shop.jobs())
    fetch = StashClient.cover

    def fetch_slowly(client, screenshot):
        if f"/scene/{second}/" in screenshot:
            with shop.plex.world.lock:
                item = shop.plex.world.library.item(int(shop.key(second)))
                shop.plex.world.pictures.upload(item, "posters", png("theirs"))
            shop.plex.lock(shop.key(second), "thumb")
            shop.clock.advance(FRESH_SECONDS)
        return fetch(client, screenshot)

    monkeypatch.setattr(StashClient, "cover", fetch_slowly)
    shop.pictures()
    assert shop.item(second).poster == upload_key(png("theirs"))
    assert "kept" in shop.ledger.pictures.get(second, "thumb").sentence


def test_an_item_that_is_gone_spoils_no_other_of_its_batch(shop):
    shop.sync_all()
    scenes = sorted(shop.stash.library.scenes)
    shop.plex.after("upload", lambda: shop.plex.delete(shop.key(scenes[0])), nth=4)
    shop.pictures()
    assert all({"thumb", "art"} <= shop.item(one).locks for one in scenes[1:])
    assert shop.record(scenes[0]).state == "waiting"


def test_a_background_that_a_person_took_away_stays_away(shop):
    shop.sync(SCENE)
    shop.pictures()
    with shop.plex.world.lock:
        shop.plex.world.pictures.unset(shop.plex.world.library.item(int(shop.key(SCENE))), "arts")
    shop.upload_cover(SCENE, png("new"))
    shop.sync(SCENE)
    shop.pictures()
    assert (shop.item(SCENE).poster, shop.item(SCENE).art) == (upload_key(png("new")), "")
    assert "to show no art" in shop.ledger.pictures.get(SCENE, "art").sentence
