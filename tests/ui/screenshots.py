"""Makes the pictures of the README and the docs: `make screenshots`."""

import contextlib

from playwright.sync_api import Page, sync_playwright

from runtime.version import VERSION
from sim.stash.shell.front import ShellFront, ShellOptions
from sim.stash.shell.plugin_files import PluginFiles
from sim.stash.simulator import SimStash
from tests.ui.support.chromium import find_chromium
from tests.ui.support.plugin_answers import answers
from tests.ui.support.png_palette import shrink
from tests.ui.support.scripted_plugin import ScriptedPlugin
from tests.ui.support.shell_build import build_shell
from ui.node import UI

IMAGES = UI.parent / "docs" / "images"
ROUTE = "/plugins/stash2plex"
WIDE = {"width": 1120, "height": 780}
PHONE = {"width": 390, "height": 780}
PICTURES = {
    "overview": (ROUTE, WIDE),
    "problems": (f"{ROUTE}/problems", WIDE),
    "preview": (f"{ROUTE}/preview", WIDE),
    "history": (f"{ROUTE}/history", WIDE),
    "settings": (f"{ROUTE}/settings", WIDE),
    "setup": (f"{ROUTE}/setup", WIDE),
    "scene": ("/scenes/1", WIDE),
    "phone": (ROUTE, PHONE),
    "phone-problems": (f"{ROUTE}/problems", PHONE),
}


def prepare(page: Page, name: str) -> None:
    """Open what is worth seeing on a part."""
    if name == "scene":
        page.get_by_role("tab", name="Stash2Plex").click()
    elif name.endswith("problems"):
        page.get_by_role("button", name="Choose item").first.click()
        page.get_by_role("button", name="Use this one").first.wait_for()
    elif name == "settings":
        page.get_by_role("button", name="Check the files").click()
    elif name == "history":
        page.get_by_role("button", name="Show values").first.click()
    elif name == "preview":
        for number in range(3):
            page.locator(".s2p-row input").nth(number).check()
    page.wait_for_load_state("networkidle")
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    if name == "settings":
        page.locator("[data-setting=path_map]").scroll_into_view_if_needed()


def main() -> None:
    options = ShellOptions(build_shell(), prefix="", plugins=[PluginFiles.read(UI.parent / "Stash2Plex.yml")])
    IMAGES.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        stash = stack.enter_context(SimStash(scenes=3))
        front = stack.enter_context(ShellFront(stash, options, ScriptedPlugin(answers(), VERSION)))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        for name, (address, size) in PICTURES.items():
            page = browser.new_page(viewport=size)
            page.goto(front.url + address)
            page.wait_for_load_state("networkidle")
            prepare(page, name)
            file = IMAGES / f"{name}.png"
            page.screenshot(path=file, animations="disabled")
            shrink(file)
            page.close()
            print(f"{file.relative_to(UI.parent)}: {file.stat().st_size // 1000} kB")
        browser.close()


if __name__ == "__main__":
    main()
