"""Manners: few calls, none unasked; every trouble says so in a sentence; no secret in any operation."""

import shutil
import time

import pytest
from playwright.sync_api import expect

from sim.stash.shell.plugin_files import PluginFiles
from tests.ui.support.plugin_answers import queue, status, target
from tests.ui.support.waiting import settle, wait_for
from ui.node import UI, run

PAGE = "/plugins/stash2plex"
HIDE = (
    "Object.defineProperty(document, 'hidden', {value: %s, configurable: true});"
    "document.dispatchEvent(new Event('visibilitychange'))"
)


@pytest.fixture
def resting(plugin):
    """Nothing moves, so the page asks seldom."""
    plugin.answers["status"] = status(queue=queue(), targets=[target("Plex", queue=queue())])
    return plugin


def test_at_most_one_light_and_one_heavy_call_are_under_way(tab, plugin):
    plugin.seconds = dict.fromkeys(plugin.answers, 0.15)
    page = tab.open(f"{PAGE}/settings")
    page.get_by_role("button", name="Test connection").click()
    page.get_by_role("button", name="Choose by name").click()
    page.get_by_role("button", name="Check the files").click()
    expect(page.get_by_text("9,812 of 9,940 files found", exact=True)).to_be_visible()
    expect(page.get_by_text("Plex answers.")).to_be_visible()
    assert plugin.most_at_once <= 2


def test_leaving_aborts_what_was_asked(tab, plugin):
    plugin.seconds["explain"] = 20.0
    page = tab.open("/scenes/1")
    page.get_by_role("tab", name="Stash2Plex").click()
    expect(page.get_by_text("Asking your servers")).to_be_visible()
    wait_for(page, lambda: len(plugin.asked("explain")) == 1)
    page.get_by_role("tab", name="Details").click()
    wait_for(page, lambda: plugin.abandoned == ["explain"], 10)


def test_a_page_that_was_left_asks_nothing_any_more(tab, plugin):
    page = tab.open()
    expect(page.get_by_role("article", name="Plex")).to_be_visible()
    page.get_by_role("link", name="Scenes").click()
    settle(page)
    asked = len(plugin.calls)
    page.wait_for_timeout(6000)
    assert len(plugin.calls) == asked


def test_a_hidden_tab_asks_nothing_and_looks_again_when_it_is_shown(tab, plugin):
    page = tab.open()
    expect(page.get_by_role("article", name="Plex")).to_be_visible()
    page.evaluate(HIDE % "true")
    settle(page)
    asked = len(plugin.asked("status"))
    page.wait_for_timeout(6000)
    assert len(plugin.asked("status")) == asked
    page.evaluate(HIDE % "false")
    wait_for(page, lambda: len(plugin.asked("status")) == asked + 1)


def test_while_something_moves_the_status_is_asked_every_five_seconds(tab, plugin):
    began_at = time.monotonic()
    page = tab.open()
    expect(page.get_by_role("article", name="Plex")).to_be_visible()
    wait_for(page, lambda: len(plugin.asked("status")) == 2)
    assert time.monotonic() - began_at >= 5


def test_a_disabled_plugin_says_so_and_is_asked_no_more(tab, plugin, stash, front):
    page = tab.open()
    expect(page.get_by_role("article", name="Plex")).to_be_visible()
    stash.settings.disabled_plugins.add("Stash2Plex")
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_role("alert")).to_contain_text("Stash2Plex is switched off in Stash.")
    settle(page)
    asked = len(front.asked())
    page.wait_for_timeout(6000)
    assert len(front.asked()) == asked
    stash.settings.disabled_plugins.clear()
    page.get_by_role("alert").get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_an_outage_of_stash_is_said_and_ends_by_itself(tab, plugin):
    page = tab.open()
    expect(page.get_by_role("article", name="Plex")).to_be_visible()
    page.route("**/graphql", lambda route: route.abort())
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_role("alert")).to_contain_text("Stash does not answer.")
    expect(page.get_by_role("article", name="Plex")).to_be_visible()
    page.unroute("**/graphql")
    expect(page.get_by_role("alert")).to_have_count(0, timeout=8000)


def test_a_part_comes_back_by_itself_when_stash_does(tab):
    page = tab.open(f"{PAGE}/problems")
    expect(page.locator(".s2p-row")).to_have_count(6)
    page.route("**/graphql", lambda route: route.abort())
    page.get_by_role("button", name="Given up").click()
    expect(page.get_by_role("alert").first).to_contain_text("Stash does not answer.")
    page.unroute("**/graphql")
    expect(page.locator(".s2p-row")).to_have_count(2, timeout=8000)
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("part", ["", "/problems", "/preview", "/history", "/settings", "/intake", "/setup"])
def test_each_part_says_when_the_plugin_speaks_another_language(tab, plugin, part):
    plugin.api = 3
    page = tab.open(PAGE + part)
    expect(page.get_by_role("alert").first).to_contain_text("Stash2Plex was updated while this page was open.")
    expect(page.get_by_role("button", name="Reload this page").first).to_be_visible()


def test_an_update_under_an_open_tab_is_noticed_and_a_reload_brings_the_new_page(open_tab, plugin, options, tmp_path):
    shutil.copytree(UI / "dist", tmp_path / "ui" / "dist")
    shutil.copy(UI.parent / "Stash2Plex.yml", tmp_path)
    options.plugins = [PluginFiles.read(tmp_path / "Stash2Plex.yml")]
    page = open_tab().open()
    expect(page.get_by_role("article", name="Plex")).to_be_visible()
    run("build.mjs", str(tmp_path / "ui" / "dist"), "99.0.0")
    plugin.version = "99.0.0"
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_role("alert")).to_contain_text("Stash2Plex was updated while this page was open.")
    page.get_by_role("button", name="Reload this page").click()
    expect(page.get_by_role("article", name="Plex")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_an_expired_login_leads_to_the_login_and_back_to_what_was_typed(tab, plugin, stash):
    stash.set_credentials("somebody")
    page = tab.page
    page.goto(f"{tab.front.url}{PAGE}/settings")
    page.get_by_role("button", name="Login").click()
    page.get_by_label("Plex address").fill("http://10.0.0.9:32400")
    settle(page)  # or a question of the page itself may be the first to meet the login
    stash.sessions.forget_all()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Login").click()
    expect(page.get_by_label("Plex address")).to_have_value("http://10.0.0.9:32400")
    expect(page.get_by_text("What you had typed is back.")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()


@pytest.mark.parametrize("part", ["settings", "setup"])
def test_a_token_that_an_expired_login_took_is_missed_in_words(open_tab, size, plugin, stash, part):
    stash.set_credentials("somebody")
    tab = open_tab(size)
    page = tab.page
    page.goto(f"{tab.front.url}{PAGE}/{part}")
    page.get_by_role("button", name="Login").click()
    page.locator("#s2p-plex_token").fill("typed-token")
    settle(page)  # or a question of the page itself may be the first to meet the login
    stash.sessions.forget_all()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Login").click()
    expect(page.get_by_role("alert")).to_contain_text("Plex token: A token or key that you had typed was not saved")
    assert "typed-token" not in page.evaluate("JSON.stringify({...sessionStorage, ...localStorage})")
    page.locator("#s2p-plex_token").fill("typed-token")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved." if part == "settings" else "Step 2 of 3")).to_be_visible()
    assert stash.settings.plugins["Stash2Plex"]["plex_token"] == "typed-token"
    page.reload()
    expect(page.get_by_role("heading", name="Stash2Plex", exact=True)).to_be_visible()
    settle(page)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_part_that_breaks_takes_no_other_along_and_can_be_tried_again(open_tab, size, plugin):
    whole = plugin.answers["journal"]
    plugin.answers["journal"] = {"runs": None, "next": None}
    page = open_tab(size).open(f"{PAGE}/history")
    expect(page.get_by_role("alert")).to_contain_text("This part of the page broke.")
    page.get_by_role("link", name="Preview", exact=True).click()
    expect(page.locator(".s2p-row")).to_have_count(10)
    page.get_by_role("link", name="History", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("This part of the page broke.")
    plugin.answers["journal"] = whole
    page.get_by_role("alert").get_by_role("button", name="Try again").click()
    expect(page.locator(".s2p-row")).to_have_count(3)


def test_the_title_of_the_tab_is_ours_while_the_page_is_open(tab, resting):
    page = tab.open(f"{PAGE}/problems")
    expect(page).to_have_title("Problems · Stash2Plex")
    page.get_by_role("link", name="Scenes").click()
    expect(page).to_have_title("Stash")


def test_an_address_that_is_no_part_says_so(tab):
    expect(tab.open(f"{PAGE}/nonsense").get_by_text("There is no such part.")).to_be_visible()


SECRET = "a-very-secret-token"
PARTS = ["", "/problems", "/preview", "/history", "/settings", "/intake", "/setup"]


def test_no_operation_takes_or_gives_a_secret_and_every_address_is_below_the_prefix(tab, plugin, front, stash):
    stash.configure_plugin("Stash2Plex", {"plex_token": SECRET, "emby_api_key": SECRET})
    seen = []
    tab.page.on("request", lambda request: seen.append(request.url))
    for part in PARTS:
        tab.open(PAGE + part).wait_for_load_state("networkidle")
    page = tab.open(f"{PAGE}/settings")
    page.get_by_label("Plex token").fill(f"{SECRET}-new")
    page.get_by_label("Plex address").fill("http://10.0.0.1:1")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert len(front.asked()) > len(PARTS)
    for one in (*front.asked(), *front.asked("Stash2PlexTask")):
        assert SECRET not in str(one.variables)
        assert SECRET not in str(one.answer)
    assert stash.settings.plugins["Stash2Plex"]["plex_token"] == f"{SECRET}-new"
    assert all(address.startswith(front.url) for address in seen)
    assert not [address for address in seen if SECRET in address]
