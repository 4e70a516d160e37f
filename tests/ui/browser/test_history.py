"""History: what was written, and undo of one, some or all, which says first what will happen."""

import pytest
from playwright.sync_api import expect

from tests.ui.support.plugin_answers import undo_plan

HISTORY = "/plugins/stash2plex/history"


def test_a_run_shows_its_values_before_and_after(open_tab, size, plugin):
    page = open_tab(size).open(HISTORY)
    page.locator(".s2p-row").first.get_by_role("button", name="Show values").click()
    values = page.get_by_role("list", name="Values")
    expect(values.locator("> li")).to_have_count(3)
    expect(values.locator("ins", has_text="Blue Harbour")).to_be_visible()
    assert plugin.asked("journal")[-1] == {"target": "plex", "run_id": 12, "limit": 20}
    page.get_by_role("button", name="Hide values").click()
    expect(values).to_have_count(0)


@pytest.mark.parametrize(
    ("button", "scope"),
    [("Undo this run", {"target": "plex", "run_id": 12}), ("Undo everything", {"all": True})],
)
def test_undo_says_what_will_happen_and_does_it_when_asked_to(open_tab, size, plugin, button, scope):
    page = open_tab(size).open(HISTORY)
    page.get_by_role("button", name=button).first.click()
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("3 values of 1 scene would be put back.")
    expect(question).to_contain_text("1 value was changed again later; the newer one stays.")
    expect(question.locator("ins", has_text="clip-0001")).to_be_visible()
    assert plugin.asked("undo") == []
    question.get_by_role("button", name="Put it back").click()
    expect(page.get_by_role("status").filter(has_text="3 values put back.")).to_be_visible()
    assert plugin.asked("undo_plan") == plugin.asked("undo") == [scope]


def test_a_person_can_change_their_mind(tab, plugin):
    page = tab.open(HISTORY)
    page.get_by_role("button", name="Undo this run").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert plugin.asked("undo") == []


def test_some_runs_are_undone_the_newest_first(tab, plugin):
    page = tab.open(HISTORY)
    expect(page.get_by_role("button", name="Undo selected")).to_be_disabled()
    page.locator(".s2p-row input").nth(1).check()
    page.locator(".s2p-row input").nth(0).check()
    page.get_by_role("button", name="Undo 2 runs").click()
    page.get_by_role("dialog").get_by_role("button", name="Put it back").click()
    expect(page.get_by_text("3 values put back. 3 values put back.")).to_be_visible()
    assert [scope["run_id"] for scope in plugin.asked("undo")] == [12, 11]


def test_one_value_is_undone(tab, plugin):
    page = tab.open(HISTORY)
    page.locator(".s2p-row").first.get_by_role("button", name="Show values").click()
    page.get_by_role("button", name="Undo this value: Summary").click()
    page.get_by_role("dialog").get_by_role("button", name="Put it back").click()
    expect(page.get_by_text("3 values put back.")).to_be_visible()
    assert plugin.asked("undo") == [{"target": "plex", "ids": [2]}]


def test_much_to_undo_becomes_a_task(tab, plugin):
    plugin.answers["undo_plan"] = lambda args: {**undo_plan(args), "values": 240}
    page = tab.open(HISTORY)
    page.locator(".s2p-row").nth(1).get_by_role("button", name="Undo this run").click()
    expect(page.get_by_role("dialog")).to_contain_text("and 237 more")
    page.get_by_role("dialog").get_by_role("button", name="Put it back").click()
    expect(page.get_by_text("Started as a task, because it is much.")).to_be_visible()
    assert plugin.tasks == [{"mode": "undo", "target": "plex", "run_id": 11}]
    assert plugin.asked("undo") == []


def test_nothing_left_offers_no_undo(tab, plugin):
    nothing = {"sentence": "Nothing.", "values": 0, "scenes": 0, "items": [], "later_edits": 0}
    plugin.answers["undo_plan"] = nothing
    page = tab.open(HISTORY)
    expect(page.locator(".s2p-row").nth(2).get_by_role("button", name="Undo this run")).to_be_disabled()
    page.get_by_role("button", name="Undo everything").click()
    expect(page.get_by_role("dialog")).to_contain_text("There is nothing left to put back.")
    expect(page.get_by_role("dialog").get_by_role("button", name="Put it back")).to_have_count(0)


def test_one_server_alone_and_an_empty_history(tab, plugin):
    page = tab.open(HISTORY)
    expect(page.locator(".s2p-row")).to_have_count(3)
    plugin.answers["journal"] = {"runs": [], "next": None}
    page.get_by_role("button", name="Jellyfin").click()
    expect(page.get_by_text("Nothing was written yet.")).to_be_visible()
    assert plugin.asked("journal")[-1] == {"target": "jellyfin", "limit": 20}
