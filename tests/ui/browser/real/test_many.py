"""Ten thousand problems, and a plugin that is exchanged under an open tab, with the real plugin."""

import contextlib
import shutil

from playwright.sync_api import expect

from ledger.states import SceneState
from ledger.store import Ledger
from sim.stash.shell.plugin_files import PluginFiles
from ui.node import UI, run

PAGE = "/plugins/stash2plex"
MANY = 10_000


def test_ten_thousand_problems_come_a_page_at_a_time(page, installed, stash, plex, front):
    settings = {"plex_url": plex.url, "plex_token": plex.token, "enabled": False}
    stash.configure_plugin("Stash2Plex", settings)
    installed.data.make()
    with contextlib.closing(Ledger(installed.data.target("plex").ledger)) as ledger, ledger.writing():
        for scene_id in range(1, MANY + 1):
            ledger.scenes.record_state(scene_id, SceneState.AMBIGUOUS, "Two items have this name.", 1.0)
    opened = page.open(f"{PAGE}/problems?state=ambiguous")
    expect(opened.get_by_text("50 of 10,000")).to_be_visible(timeout=60_000)
    expect(opened.locator(".s2p-row")).to_have_count(50)
    opened.get_by_role("button", name="Next").click()
    expect(opened.locator("a[href$='/scenes/51']")).to_be_visible(timeout=60_000)
    expect(opened.locator(".s2p-row")).to_have_count(50)
    opened.get_by_label("Select all on this page").check()
    opened.locator(".s2p-selection").get_by_role("button", name="Ignore").click()
    expect(opened.locator("a[href$='/scenes/101']")).to_be_visible(timeout=60_000)
    expect(opened.get_by_text("50 of 9,950")).to_be_visible()
    assert max(len(str(one.answer)) for one in front.asked()) < 100_000


def test_a_plugin_that_is_updated_under_an_open_tab_says_so(page, installed, options, connected, items):
    """Old page beside a new plugin: one sentence, and a reload that shows the new one."""
    shutil.copytree(UI / "dist", installed.plugin_dir / "ui" / "dist")
    options.plugins = [PluginFiles.read(installed.plugin_dir / "Stash2Plex.yml")]
    opened = page.open()
    expect(opened.get_by_role("article", name="Plex")).to_be_visible(timeout=60_000)
    installed.install_version("99.0.0")
    run("build.mjs", str(installed.plugin_dir / "ui" / "dist"), "99.0.0")
    opened.get_by_role("button", name="Refresh").click()
    expect(opened.get_by_role("alert")).to_contain_text("Stash2Plex was updated while this page was open.")
    opened.get_by_role("button", name="Reload this page").click()
    expect(opened.get_by_role("article", name="Plex")).to_be_visible(timeout=60_000)
    expect(opened.get_by_role("alert")).to_have_count(0)
