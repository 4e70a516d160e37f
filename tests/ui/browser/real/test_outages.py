"""Servers that are away, with the real plugin: it says which, works on with the others, and catches up."""

import pytest
from playwright.sync_api import expect

from tests.support.plugin.plugin import wait_until

PATIENCE = 60


@pytest.fixture
def twins(stash, plex, jellyfin, items):
    """Plex and Jellyfin are both connected, and have the same files; Jellyfin's items by scene id."""
    jellyfin.library("Scenes")
    found = {}
    for scene_id in items:
        file = stash.library.scenes[scene_id].files[0]
        found[scene_id] = jellyfin.add_item(file.path, file.size, file.duration)
    stash.configure_plugin(
        "Stash2Plex",
        {
            "plex_url": plex.url,
            "plex_token": plex.token,
            "jellyfin_url": jellyfin.url,
            "jellyfin_api_key": jellyfin.api_key,
        },
    )
    return found


def test_an_outage_comes_and_goes(page, connected, stash, plex, items, shows):
    stash.save_scene(3, title="Before")
    shows(items[3], "Before")
    plex.stop()
    for scene_id in range(1, 8):
        stash.save_scene(scene_id, title=f"During {scene_id}")
    opened = page.open()
    card = opened.get_by_role("article", name="Plex")
    expect(card).to_contain_text("Not reachable", timeout=60_000)
    plex.start()
    opened.get_by_role("button", name="Work on the queue").click()
    shows(items[3], "During 3", 100)
    expect(card).not_to_contain_text("Not reachable", timeout=60_000)


def test_one_server_is_down_and_the_other_is_written(page, twins, stash, plex, jellyfin, items):
    def jellyfin_shows(scene_id, title):
        wait_until(lambda: jellyfin.item_json(twins[scene_id])["Name"] == title, PATIENCE)

    stash.save_scene(1, title="On both")
    jellyfin_shows(1, "On both")
    plex.stop()
    for scene_id in range(1, 8):
        stash.save_scene(scene_id, title=f"Without Plex {scene_id}")
    jellyfin_shows(7, "Without Plex 7")
    opened = page.open()
    expect(opened.get_by_role("article", name="Plex")).to_contain_text("Not reachable", timeout=60_000)
    expect(opened.get_by_role("article", name="Jellyfin")).to_contain_text("Reachable")
    expect(opened.get_by_role("article", name="Jellyfin")).not_to_contain_text("Not reachable")
    opened = page.open("/scenes/7")
    opened.get_by_role("tab", name="Stash2Plex").click()
    expect(opened.get_by_role("region", name="Jellyfin")).to_contain_text("In sync", timeout=60_000)
    expect(opened.get_by_role("region", name="Plex")).to_contain_text("Queued")
