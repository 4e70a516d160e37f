"""The tab on a scene: where it stands, what differs, and what can be done."""

import pytest
from playwright.sync_api import expect

from tests.ui.support.plugin_answers import explained, explanation


def open_scene(tab, scene_id=1):
    page = tab.open(f"/scenes/{scene_id}")
    page.get_by_role("tab", name="Stash2Plex").click()
    return page


def test_it_shows_state_item_and_what_differs_on_each_server(open_tab, size):
    page = open_scene(open_tab(size))
    plex = page.get_by_role("region", name="Plex")
    expect(plex).to_contain_text("In sync with Plex.")
    expect(plex.locator("ins", has_text="Two friends take the last ferry home.")).to_be_visible()
    expect(plex).to_contain_text("Poster: Plex was given Stash's cover.")
    link = plex.get_by_role("link", name="Open in Plex")
    assert link.get_attribute("href") == "http://192.168.1.10:32400/web/plex/701"
    assert link.get_attribute("rel") == "noopener noreferrer"
    expect(page.get_by_role("region", name="Jellyfin")).to_contain_text("Nothing differs.")


def test_what_differs_is_not_called_in_sync(open_tab, size):
    page = open_scene(open_tab(size))
    expect(page.get_by_role("region", name="Plex").locator("header .s2p-pill")).to_have_text("Differs")
    expect(page.get_by_role("region", name="Plex").locator("header .s2p-light")).to_have_class("s2p-light s2p-careful")
    expect(page.get_by_role("region", name="Jellyfin").locator("header .s2p-pill")).to_have_text("In sync")


def test_syncing_now_queues_the_scene_and_looks_again_by_itself(tab, plugin):
    page = open_scene(tab)
    page.get_by_role("region", name="Plex").get_by_role("button", name="Sync now").click()
    expect(page.get_by_text("1 scenes queued.")).to_be_visible()
    assert plugin.asked("sync_scenes") == [{"target": "plex", "ids": [1]}]
    done = explained("Plex", sentence="Synced a second ago.")
    plugin.answers["explain"] = {**explanation({"scene_id": 1}), "targets": [done]}
    expect(page.get_by_text("Synced a second ago.")).to_be_visible()


@pytest.mark.parametrize(
    ("changes", "button", "mode", "args"),
    [
        ({}, "Ignore", "ignore_scene", {"scene_id": 1, "ignore": True}),
        ({"is_ignored": True}, "Stop ignoring", "ignore_scene", {"scene_id": 1, "ignore": False}),
        ({"pinned_to": "701"}, "Undo my choice", "unmap_scene", {"scene_id": 1}),
    ],
)
def test_every_button_asks_for_what_it_says(open_tab, size, plugin, changes, button, mode, args):
    plugin.answers["explain"] = {**explanation({"scene_id": 1}), "targets": [explained("Plex", **changes)]}
    page = open_scene(open_tab(size))
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.locator(".s2p-tab > .s2p-note")).to_be_visible()
    assert plugin.asked(mode) == [{"target": "plex", **args}]


def test_an_item_is_chosen_here_too(tab, plugin):
    page = open_scene(tab)
    page.get_by_role("region", name="Plex").get_by_role("button", name="Choose item").click()
    page.get_by_role("button", name="Use this one: Candidate 2").click()
    expect(page.get_by_text("Scene 1 is item 702 from now on.")).to_be_visible()


def test_its_history_is_shown_and_undone(open_tab, size, plugin):
    page = open_scene(open_tab(size))
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("list", name="Values").locator("> li")).to_have_count(3)
    page.get_by_role("button", name="Undo for this scene").click()
    page.get_by_role("dialog").get_by_role("button", name="Put it back").click()
    expect(page.get_by_text("3 values put back.")).to_be_visible()
    assert plugin.asked("undo") == [{"scene_id": 1}]


def test_a_server_that_was_not_asked_and_a_job_that_was_given_up_say_so(tab, plugin):
    letter = {
        "id": 4, "target": "plex", "scene_id": 1, "kind": "PlexBusy", "sentence": "Given up after 5 tries.",
        "attempts": 5, "first_at": "2026-01-01T00:00:00+00:00", "last_at": "2026-01-01T00:00:00+00:00",
    }  # fmt: skip
    story = explained(
        "Plex", state="failed", not_asked=["Plex was not asked: it is down."], dead_letters=[letter], plan=None
    )
    plugin.answers["explain"] = {
        **explanation({"scene_id": 1}),
        "targets": [story],
        "obstacle": "The worker is stopped.",
    }
    page = open_scene(tab)
    for sentence in ("Plex was not asked: it is down.", "Given up after 5 tries.", "The worker is stopped."):
        expect(page.get_by_text(sentence)).to_be_visible()


def test_no_server_yet_and_an_error_each_say_so(tab, plugin):
    plugin.answers["explain"] = {**explanation({"scene_id": 1}), "targets": []}
    page = open_scene(tab)
    expect(page.get_by_text("No server is connected yet.")).to_be_visible()
    plugin.errors["explain"] = "There is no scene 2 in Stash."
    page = open_scene(tab, 2)
    expect(page.get_by_role("alert")).to_contain_text("There is no scene 2 in Stash.")
