"""Intake: files of the watched folder."""

from playwright.sync_api import expect

from tests.ui.support.plugin_answers import INTAKE, status

PART = "/plugins/stash2plex/intake"


def test_each_file_shows_where_it_stands(open_tab, size):
    page = open_tab(size).open(PART)
    expect(page.locator(".s2p-row")).to_have_count(3)
    expect(page.get_by_text("No source knows this name.")).to_be_visible()


def test_every_button_asks_for_what_it_says(open_tab, size, plugin):
    page = open_tab(size).open(PART)
    failed = page.locator(".s2p-row").nth(1)
    failed.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Tried again.")).to_be_visible()
    failed.get_by_label("Code: unknown.mp4").fill(" GHI-789 ")
    failed.get_by_role("button", name="Set code").click()
    expect(page.get_by_text("The code is set.")).to_be_visible()
    page.locator(".s2p-row").first.get_by_role("button", name="Put it back").click()
    expect(page.get_by_role("dialog")).to_contain_text("Move ABC-123.mp4 back to where it was?")
    page.get_by_role("dialog").get_by_role("button", name="Put it back").click()
    expect(page.get_by_text("Moved back.")).to_be_visible()
    assert plugin.asked("intake_retry") == [{"id": 2}]
    assert plugin.asked("intake_undo") == [{"id": 1}]
    assert plugin.asked("intake_set_code") == [{"id": 2, "code": "GHI-789"}]


def test_where_intake_is_off_there_is_no_such_part(tab, plugin):
    plugin.answers["status"] = status(intake_is_on=False)
    plugin.answers["intake"] = {**INTAKE, "is_on": False}
    page = tab.open()
    expect(page.get_by_role("link", name="History", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Intake")).to_have_count(0)
    expect(tab.open(PART).get_by_text("Intake is off.")).to_be_visible()
