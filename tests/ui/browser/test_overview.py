"""The overview: all is well, or what needs a person and the button that mends it."""

import pytest
from playwright.sync_api import expect

from tests.ui.support.plugin_answers import ago, need, queue, scenes_by_state, status, target, task_row
from tests.ui.support.waiting import settle

TASKS = {
    "Sync everything": "all",
    "Sync recent": "recent",
    "Look for changes": "reconcile",
    "Work on the queue": "process_queue",
    "Check health": "health_check",
}


def test_each_server_shows_where_it_stands(open_tab, size):
    page = open_tab(size).open()
    plex = page.get_by_role("article", name="Plex")
    expect(plex).to_contain_text("Reachable")
    expect(plex).to_contain_text("122 scenes to do, 3 later · 312 a minute · about 24 s left")
    expect(plex).to_contain_text("9,812 of 9,940 files, 3 rules")
    expect(plex.get_by_role("img", name="Recent work on Plex")).to_be_visible()
    expect(plex).to_contain_text("Last 24 hours: 1,")
    expect(page.get_by_role("article")).to_have_count(2)
    page.get_by_role("link", name="Connect Emby").click()
    expect(page.get_by_label("Emby address")).to_be_visible()


def test_what_needs_a_person_leads_to_where_it_is_mended(open_tab, size, plugin):
    page = open_tab(size).open()
    needs = page.get_by_role("region", name="Needs you")
    expect(needs.get_by_role("listitem")).to_have_count(2)
    expect(page.get_by_role("region", name="Worth a look").get_by_role("listitem")).to_have_count(1)
    needs.get_by_role("link", name="Show them").last.click()
    expect(page.get_by_text("Plex answered 500 five times in a row.").first).to_be_visible()
    assert plugin.asked("scenes")[-1]["state"] == "failed"


def test_when_nothing_needs_a_person_it_says_so(tab, plugin):
    waits = need("waiting", 14, "14 scenes are not found in Plex.")
    plugin.answers["status"] = status(needs_you=[waits], headline="Everything is up to date.")
    page = tab.open()
    expect(page.get_by_text("Nothing needs you. Everything is up to date.")).to_be_visible()
    expect(page.get_by_role("heading", name="Needs you")).to_have_count(0)
    expect(page.get_by_text("14 scenes are not found in Plex.")).to_be_visible()
    expect(page.locator(".s2p-dot")).to_have_count(0)


def test_a_state_of_scenes_leads_to_its_list(tab):
    page = tab.open()
    page.get_by_role("link", name="14 not found yet").click()
    expect(page.get_by_role("button", name="Not found yet", exact=False)).to_have_attribute("aria-pressed", "true")
    assert "state=waiting" in page.url


def test_an_outage_that_comes_and_goes_is_shown_beside_the_server_that_works(tab, plugin):
    page = tab.open()
    plex = page.get_by_role("article", name="Plex")
    expect(plex).to_contain_text("Reachable")
    outage = target("Plex", outage="Plex is down since 10:14.", circuit={"state": "open", "strikes": 5})
    plugin.answers["status"] = status(targets=[outage, target("Jellyfin")])
    page.get_by_role("button", name="Refresh").click()
    expect(plex).to_contain_text("Not reachable")
    expect(plex).to_contain_text("Plex is down since 10:14.")
    expect(page.get_by_role("article", name="Jellyfin")).to_contain_text("Reachable")
    back = target("Plex", recovery={"rate": 5, "until": ago(minutes=-5)})
    plugin.answers["status"] = status(targets=[back, target("Jellyfin")])
    page.get_by_role("button", name="Refresh").click()
    expect(plex).to_contain_text("Coming back: at most 5 scenes a second for now.")


@pytest.mark.parametrize(("name", "mode"), TASKS.items())
def test_a_task_is_started_with_its_mode(tab, plugin, name, mode):
    page = tab.open()
    page.get_by_role("button", name=name).click()
    expect(page.get_by_text("Started. You can watch it")).to_be_visible()
    assert plugin.tasks == [{"mode": mode}]


def test_the_result_of_a_task_appears_when_it_is_there(open_tab, size, plugin):
    plugin.answers["last_task"] = {"tasks": []}
    page = open_tab(size).open()
    page.get_by_role("button", name="Check health").click()
    expect(page.get_by_text("the result appears here")).to_be_visible()
    settle(page)
    running = task_row("health_check", ended_at=None, sentence=None)
    plugin.answers["last_task"] = {"tasks": [running]}
    expect(page.get_by_text("· running")).to_be_visible()
    plugin.answers["last_task"] = {"tasks": [task_row("health_check", sentence="All parts work.")]}
    expect(page.get_by_text("All parts work.")).to_be_visible()
    settle(page)
    asked = len(plugin.asked("last_task"))
    page.wait_for_timeout(6000)
    assert len(plugin.asked("last_task")) == asked


def test_what_the_last_tasks_said_is_shown(tab):
    page = tab.open()
    expect(page.get_by_text("All is well.")).to_be_visible()


def test_a_paused_plugin_says_so_and_starts(tab, plugin):
    plugin.answers["status"] = status(is_enabled=False)
    page = tab.open()
    page.get_by_role("button", name="Start writing").click()
    expect(page.get_by_text("Started. What waits is being written now.")).to_be_visible()
    assert plugin.asked("save_settings") == [{"values": {"enabled": True}}]


@pytest.mark.parametrize(
    ("worker", "sentence"),
    [
        ({"alive": False}, "Stopped. It starts by itself"),
        ({"alive": False, "is_installing": True}, "First start: packages are being installed."),
        ({"is_outdated": True}, "An older version still runs"),
        ({"alive": False, "obstacle": "pip is missing. Type: apt install python3-pip"}, "pip is missing."),
    ],
)
def test_a_worker_that_does_not_work_says_why(tab, plugin, worker, sentence):
    whole = status()
    plugin.answers["status"] = status(worker={**whole["worker"], **worker})
    page = tab.open()
    expect(page.get_by_text(sentence).first).to_be_visible()


def test_a_sweep_shows_its_progress_and_pictures_that_are_stuck_say_why(tab, plugin):
    stuck = target("Plex", pictures="Plex takes no pictures since 9:00.", queue=queue(), scenes=scenes_by_state())
    sweep = {"is_running": True, "progress": 0.4, "last_at": None, "next_at": None}
    settings = need("settings", 1, "plex_url: that is no address.", view="settings")
    plugin.answers["status"] = status(targets=[stuck], sweep=sweep, needs_you=[settings])
    page = tab.open()
    assert page.get_by_role("progressbar").get_attribute("value") == "0.4"
    expect(page.get_by_text("Plex takes no pictures since 9:00.")).to_be_visible()
    expect(page.get_by_text("No scene has been looked at yet.")).to_be_visible()
    page.get_by_role("link", name="Open settings").click()
    expect(page.get_by_label("Plex address")).to_be_visible()
