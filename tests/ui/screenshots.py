"""Makes the pictures of the README and the docs: `make screenshots`. The real plugin speaks, on simulated servers."""

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from sim.stash.shell.front import ShellFront, ShellOptions
from sim.stash.shell.plugin_files import PluginFiles
from sim.stash.simulator import SimStash
from tests.ui.support.chromium import find_chromium
from tests.ui.support.png_palette import shrink
from tests.ui.support.shell_build import build_shell
from tests.ui.support.staged_library import new_library, used_library
from ui.node import UI

IMAGES = UI.parent / "docs" / "images"
ROUTE = "/plugins/stash2plex"
WIDE = {"width": 1240, "height": 860}
PHONE = {"width": 390, "height": 844}
PATIENCE_MILLISECONDS = 120_000
Prepare = Callable[[Page], object]


def overview(page: Page) -> None:
    expect(page.get_by_role("article", name="Plex")).to_be_visible()
    expect(page.get_by_role("heading", name="Last tasks")).to_be_visible()


def problems(page: Page) -> None:
    page.get_by_role("button", name="Choose item").first.click()
    page.get_by_role("button", name="Use this one").first.wait_for()


def preview(page: Page) -> None:
    rows = page.locator(".s2p-row").filter(has=page.get_by_role("checkbox"))
    for number in range(3):
        rows.nth(number).get_by_role("checkbox").check()


def history(page: Page) -> None:
    page.get_by_role("button", name="Show values").first.click()
    page.get_by_role("list", name="Values").first.wait_for()


def settings(page: Page) -> None:
    page.get_by_role("button", name="Check the files").click()
    page.get_by_role("button", name="Test connection").click()
    page.locator(".s2p-findings").wait_for()
    page.locator(".s2p-coverage").wait_for()


def scene(page: Page) -> None:
    page.get_by_role("tab", name="Stash2Plex").click()
    page.get_by_role("region", name="Jellyfin").wait_for()


def setup(page: Page) -> None:
    plex = page.get_by_role("group", name="Plex")
    plex.get_by_label("Address").fill("http://192.168.1.10:32400")
    plex.get_by_label("Token").fill("as long as a token is")


USED: dict[str, tuple[str, dict[str, int], Prepare]] = {
    "overview": (ROUTE, WIDE, overview),
    "problems": (f"{ROUTE}/problems", WIDE, problems),
    "preview": (f"{ROUTE}/preview", WIDE, preview),
    "history": (f"{ROUTE}/history", WIDE, history),
    "settings": (f"{ROUTE}/settings?group=plex", WIDE, settings),
    "scene": ("/scenes/1", WIDE, scene),
    "phone": (ROUTE, PHONE, overview),
    "phone-problems": (f"{ROUTE}/problems", PHONE, problems),
}
NEW: dict[str, tuple[str, dict[str, int], Prepare]] = {
    "setup": (ROUTE, {**WIDE, "height": 680}, setup),
}


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        for library, pictures in ((new_library, NEW), (used_library, USED)):
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            with library(Path(folder)) as staged:
                _take(browser, staged.stash, pictures)
        browser.close()


def _take(browser: Browser, stash: SimStash, pictures: dict[str, tuple[str, dict[str, int], Prepare]]) -> None:
    options = ShellOptions(build_shell(), prefix="", plugins=[PluginFiles.read(UI.parent / "Stash2Plex.yml")])
    context = browser.new_context()
    with ShellFront(stash, options) as front:
        for name, (address, size, prepare) in pictures.items():
            page = context.new_page()
            page.set_viewport_size(size)  # type: ignore[arg-type] - a plain dict will do
            page.set_default_timeout(PATIENCE_MILLISECONDS)
            expect.set_options(timeout=PATIENCE_MILLISECONDS)
            page.goto(front.url + address)
            page.wait_for_load_state("networkidle")
            prepare(page)
            page.wait_for_load_state("networkidle")
            page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
            file = IMAGES / f"{name}.png"
            page.screenshot(path=file, animations="disabled")
            shrink(file)
            page.close()
            print(f"{file.relative_to(UI.parent)}: {file.stat().st_size // 1000} kB", flush=True)
    context.close()


if __name__ == "__main__":
    main()
