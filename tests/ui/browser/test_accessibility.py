"""Nothing serious for axe on any part, light and dark; on a phone all fits and every target has 44 pixels."""

import pytest
from playwright.sync_api import expect

from tests.ui.support.plugin_answers import CHANGES, preview
from ui.node import MODULES

AXE = (MODULES / "axe-core" / "axe.min.js").read_text("utf-8")
SERIOUS = """async () => {
  const found = await axe.run(".stash2plex, .modal", {resultTypes: ["violations"]});
  return found.violations.filter(({impact}) => impact === "serious" || impact === "critical")
    .map(({id, nodes}) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}"""
TURN_LIGHT = """() => new Promise((resolve) => {
  const style = document.querySelector("link[href$='dark.css']");
  style.onload = () => setTimeout(resolve, 400);
  style.href = "shell/light.css";
})"""
SMALL = """() => [...document.querySelectorAll(
    "main .stash2plex :is(button, a.btn, .nav-link, label.s2p-check, input.form-control)")]
  .filter((one) => one.offsetParent)
  .filter((one) => one.getBoundingClientRect().height < 43.5 || one.getBoundingClientRect().width < 43.5)
  .map((one) => one.outerHTML.slice(0, 120))"""


def nothing(page):
    """The part as it opens."""


def choose(page):
    page.get_by_role("button", name="Choose item").first.click()
    expect(page.get_by_role("button", name="Use this one: Candidate 2")).to_be_visible()
    page.get_by_role("searchbox").fill("harbour")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("button", name="Use this one: Harbour, uncut")).to_be_visible()


def open_undo(page):
    page.get_by_role("button", name="Show values").first.click()
    page.get_by_role("button", name="Undo this run").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("put back")


def open_everything(page):
    for name in ("Test connection", "Choose by name", "Check the files"):
        page.get_by_role("button", name=name).click()
    page.get_by_role("button", name="Use this proposal").click()
    page.get_by_label("Plex address").fill("no address")
    expect(page.get_by_text("Plex answers.")).to_be_visible()


def general(page):
    page.get_by_role("button", name="General").click()
    page.get_by_label("Max tags").fill("many")


def try_empty(page):
    page.get_by_label("Address").first.fill("nonsense")
    page.get_by_role("button", name="Save and test").click()


def open_tab_of_scene(page):
    page.get_by_role("tab", name="Stash2Plex").click()
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("list", name="Values")).to_be_visible()


PARTS = {
    "overview": ("/plugins/stash2plex", nothing),
    "problems": ("/plugins/stash2plex/problems", choose),
    "preview": ("/plugins/stash2plex/preview", nothing),
    "history": ("/plugins/stash2plex/history", open_undo),
    "settings": ("/plugins/stash2plex/settings", open_everything),
    "general": ("/plugins/stash2plex/settings", general),
    "setup": ("/plugins/stash2plex/setup", try_empty),
    "intake": ("/plugins/stash2plex/intake", nothing),
    "scene": ("/scenes/1", open_tab_of_scene),
    "summary": ("/settings", nothing),
}


def open_part(tab, part):
    address, prepare = PARTS[part]
    page = tab.open(address)
    page.locator("main .stash2plex, main [role=tab]").first.wait_for()
    page.wait_for_load_state("networkidle")
    prepare(page)
    return page


@pytest.mark.parametrize("part", PARTS)
def test_axe_finds_nothing_serious_in_the_dark_and_in_the_light(open_tab, part, size):
    page = open_part(open_tab(size), part)
    page.evaluate(AXE)
    assert page.evaluate(SERIOUS) == []
    page.evaluate(TURN_LIGHT)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(SERIOUS) == []


@pytest.mark.parametrize("part", [part for part in PARTS if part != "summary"])
def test_on_a_phone_all_fits_and_every_target_is_big_enough(open_tab, plugin, part):
    long = {**CHANGES[0], "new": "Averyveryverylongtitle" * 12, "old": "/a/path/without/any/space" * 9}
    result = preview(2)
    result["scenes"][0]["changes"] = [long]
    plugin.answers["preview_result"] = result
    page = open_part(open_tab("phone"), part)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(SMALL) == []
