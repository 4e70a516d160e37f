"""Set-up: from nothing to a synced library in three steps."""

import pytest
from playwright.sync_api import expect

from tests.ui.support.plugin_answers import TEST_BAD, TEST_GOOD, off, preview, said, settings_schema, status, task_row
from tests.ui.support.waiting import settle, wait_for

NOTHING = status(
    is_set_up=False, needs_you=[], targets=[off("Plex"), off("Emby"), off("Jellyfin")], sentence="No server is set up."
)
LONG_AGO = "2026-01-01T00:00:00+00:00"
OLD_PREVIEW = {**preview(2), "ran_at": LONG_AGO, "last_run": task_row("preview", began_at=LONG_AGO)}


@pytest.fixture
def fresh(plugin, stash):
    """A plugin that was just installed."""
    stash.settings.plugins.clear()
    plugin.answers["status"] = NOTHING
    plugin.answers["settings_schema"] = settings_schema(is_set_up=False)
    plugin.answers["preview_result"] = OLD_PREVIEW
    return plugin


def plex(page):
    return page.get_by_role("group", name="Plex")


def test_a_new_person_gets_from_nothing_to_a_running_sync(open_tab, size, fresh, stash, front):
    page = open_tab(size).open()
    expect(page.get_by_text("Step 1 of 3")).to_be_visible()
    plex(page).get_by_label("Address").fill("http://192.168.1.10:32400")
    plex(page).get_by_label("Token").fill("my-plex-token")
    fresh.answers["status"] = status(is_enabled=False)
    page.get_by_role("button", name="Save and test").click()
    expect(page.get_by_text("Step 2 of 3")).to_be_visible()
    expect(page.get_by_text("The token is accepted.")).to_be_visible()
    assert fresh.asked("save_settings") == [{"values": {"plex_url": "http://192.168.1.10:32400", "enabled": False}}]
    assert stash.settings.plugins["Stash2Plex"] == {"plex_token": "my-plex-token"}

    def make_preview(task):
        fresh.answers["preview_result"] = preview(10)

    fresh.on_task = make_preview
    page.get_by_role("button", name="Show me ten scenes").click()
    expect(page.get_by_text("Step 3 of 3")).to_be_visible()
    expect(page.locator(".s2p-row")).to_have_count(10)
    assert fresh.tasks == [{"mode": "preview", "limit": 10}]
    fresh.answers["status"] = status()
    page.get_by_role("button", name="Start syncing").click()
    expect(page.get_by_role("article", name="Plex")).to_be_visible()
    assert fresh.asked("save_settings")[-1] == {"values": {"enabled": True}}
    assert fresh.tasks[-1] == {"mode": "all"}
    assert "my-plex-token" not in str([(one.variables, one.answer) for one in front.asked()])


def to_the_preview(page, fresh):
    plex(page).get_by_label("Address").fill("http://192.168.1.10:32400")
    plex(page).get_by_label("Token").fill("my-plex-token")
    page.get_by_role("button", name="Save and test").click()
    page.get_by_role("button", name="Show me ten scenes").click()


def test_ten_scenes_appear_although_each_answer_takes_longer_than_the_page_waits(open_tab, size, fresh):
    fresh.seconds["preview_result"] = 4.4
    fresh.on_task = lambda _: fresh.answers.update(preview_result=preview(10))
    page = open_tab(size).open()
    to_the_preview(page, fresh)
    expect(page.locator(".s2p-row")).to_have_count(10)
    assert fresh.abandoned == []


def test_a_preview_that_fails_says_why_and_is_tried_again(tab, fresh):
    failed = {**OLD_PREVIEW, "last_run": task_row("preview", ok=False, sentence="Plex is down since 9:00.")}
    fresh.on_task = lambda _: fresh.answers.update(preview_result=failed)
    page = tab.open()
    to_the_preview(page, fresh)
    expect(page.get_by_role("alert")).to_contain_text("Plex is down since 9:00.")
    expect(page.locator(".s2p-row")).to_have_count(0)
    again = {**preview(10), "last_run": task_row("preview", began_at="2026-02-02T00:00:00+00:00")}
    fresh.on_task = lambda _: fresh.answers.update(preview_result=again)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".s2p-row")).to_have_count(10)


def test_stashs_own_settings_page_does_not_undo_what_was_set_up(tab, fresh, stash):
    """It copies the settings of all plugins from the cache, and writes all of them back when one is changed."""
    stash.configure_plugin("drops", {"colour": "red"})

    def save(args):
        stash.settings.plugins.setdefault("Stash2Plex", {}).update(args["values"])
        return said("Saved.", ok=True, problems=[], saved=list(args["values"]))

    fresh.answers["save_settings"] = save
    fresh.on_task = lambda _: fresh.answers.update(preview_result=preview(10))
    page = tab.open()
    to_the_preview(page, fresh)
    expect(page.locator(".s2p-row")).to_have_count(10)
    fresh.answers["status"] = status()
    page.get_by_role("button", name="Start syncing").click()
    expect(page.get_by_role("article", name="Plex")).to_be_visible()
    page.get_by_role("link", name="Settings").locator("visible=true").first.click()
    page.locator("#plugin-drops").get_by_label("colour").fill("blue")
    page.get_by_role("heading", name="Plugins").click()
    wait_for(page, lambda: stash.settings.plugins["drops"] == {"colour": "blue"})
    settle(page)
    ours = {"plex_url": "http://192.168.1.10:32400", "plex_token": "my-plex-token", "enabled": True}
    assert stash.settings.plugins["Stash2Plex"] == ours


def test_nothing_filled_in_and_half_a_server_are_named(open_tab, size, fresh):
    page = open_tab(size).open()
    page.get_by_role("button", name="Save and test").click()
    expect(page.get_by_role("alert")).to_have_text("Fill in at least one server.")
    plex(page).get_by_label("Address").fill("http://192.168.1.10:32400")
    expect(plex(page).locator("[data-setting=plex_token]")).to_contain_text("It is missing.")
    page.get_by_role("group", name="Emby").get_by_label("API key").fill("key")
    expect(page.locator("[data-setting=emby_url]")).to_contain_text("The address is missing.")
    page.get_by_role("button", name="Save and test").click()
    settle(page)
    assert fresh.asked("save_settings") == []


def test_an_address_that_is_none_is_named_while_it_is_typed(tab, fresh):
    page = tab.open()
    plex(page).get_by_label("Address").fill("my plex")
    expect(page.locator("[data-setting=plex_url]")).to_contain_text("An address starts with http://")


def test_what_the_plugin_dislikes_is_named_beside_the_field(tab, fresh):
    problem = {"key": "plex_url", "sentence": "plex_url: no port 99999."}
    fresh.answers["save_settings"] = said("1 problem.", ok=False, saved=[], problems=[problem])
    page = tab.open()
    plex(page).get_by_label("Address").fill("http://10.0.0.1:99999")
    plex(page).get_by_label("Token").fill("my-plex-token")
    page.get_by_role("button", name="Save and test").click()
    expect(page.locator("[data-setting=plex_url]")).to_contain_text("no port 99999")
    expect(plex(page).get_by_label("Token")).to_have_value("my-plex-token")
    expect(page.get_by_text("Step 1 of 3")).to_be_visible()


def test_a_wrong_token_says_what_to_do_and_can_be_mended(tab, fresh):
    fresh.answers["test_connection"] = TEST_BAD
    page = tab.open()
    plex(page).get_by_label("Address").fill("http://192.168.1.10:32400")
    plex(page).get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Save and test").click()
    expect(page.get_by_text("Plex refuses the token. Get a new one and save it.")).to_be_visible()
    expect(page.get_by_role("button", name="Go on anyway")).to_be_visible()
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_text("Step 1 of 3")).to_be_visible()
    fresh.answers["settings_schema"] = settings_schema()
    fresh.answers["test_connection"] = TEST_GOOD
    plex(page).get_by_label("Address").fill("http://192.168.1.10:32400")
    plex(page).get_by_label("Token").fill("right")
    page.get_by_role("button", name="Save and test").click()
    expect(page.get_by_role("button", name="Show me ten scenes")).to_be_visible()
    page.get_by_role("button", name="Test again").click()
    wait_for(page, lambda: len(fresh.asked("test_connection")) == 3)
    expect(page.get_by_text("The token is accepted.")).to_be_visible()


def test_enter_saves_and_tests(open_tab, size, fresh):
    page = open_tab(size).open()
    plex(page).get_by_label("Address").fill("http://192.168.1.10:32400")
    plex(page).get_by_label("Token").fill("my-plex-token")
    plex(page).get_by_label("Token").press("Enter")
    expect(page.get_by_text("Step 2 of 3")).to_be_visible()


def test_a_server_is_dropped_by_emptying_its_address_and_its_key_by_removing_it(open_tab, size, plugin, stash):
    stash.configure_plugin("Stash2Plex", {"jellyfin_api_key": "a-key"})
    page = open_tab(size).open("/plugins/stash2plex/setup")
    jellyfin = page.get_by_role("group", name="Jellyfin")
    jellyfin.get_by_label("Address").fill("")
    jellyfin.get_by_role("button", name="Remove").click()
    expect(jellyfin.get_by_text("Will be removed when you save.")).to_be_visible()
    page.get_by_role("button", name="Save and test").click()
    expect(page.get_by_text("Step 2 of 3")).to_be_visible()
    saved = {"plex_url": "http://192.168.1.10:32400", "jellyfin_url": "", "enabled": False}
    assert plugin.asked("save_settings") == [{"values": saved}]
    assert stash.settings.plugins["Stash2Plex"]["jellyfin_api_key"] == ""


def test_it_can_be_left_for_later(tab, fresh):
    page = tab.open()
    page.get_by_role("link", name="I will do this later").click()
    expect(page.get_by_label("Plex address")).to_be_visible()
